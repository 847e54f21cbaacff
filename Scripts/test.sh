#!/usr/bin/env bash
# All tests: the library's, those of its inspection, the tools', the snippets that must or must not compile, the code blocks of the
# documents, and the number of names that a node shows. What failed is named at the end, with the last lines that it printed.
# Needs nothing but Swift; what else is used is installed by Scripts/setup.sh where it can be.
# EASYREACT_SCRATCH: the name of the folder of each package's build. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/setup.sh
# The root's is its own, for the traits are not those of a plain `swift build`.
scratch="${EASYREACT_SCRATCH:-.build-tests}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
log=$(mktemp -d)
# Also when it is ended before the end.
trap 'cat "$log"/*.row 2>/dev/null || true; rm -rf "$log"' EXIT
trap 'exit 143' TERM
mkdir "$log/outputs"
touch "$log/wrong"
status=0

run() { # run NAME COMMAND…: shows the output and how long it took; keeps the output for the count
  local name=$1 began=$SECONDS
  shift
  echo "== $name"
  "$@" 2>&1 | tee "$log/outputs/$name" || echo "$name" >>"$log/wrong"
  echo "-- $name: $((SECONDS - began)) s"
}

run waits Scripts/check-waits.sh
run proofs Scripts/check-proofs.sh
run operators Scripts/check-operators.sh
traits=$(Scripts/traits.sh)
root() { # root PART OPTIONS…: tests of the root package, which are built once: `swift test` would build all anew behind a `swift build`
  Scripts/library-tests.sh "$1" --traits "$traits" --scratch-path "$scratch" "${flags[@]}" "${@:2}"
}
run build env SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests --traits "$traits" --scratch-path "$scratch" "${flags[@]}"
# Three rows beside each other, for a browser and a server that are waited for leave a processor free. None waits for the lock of another's build.
of_library() {
  if [ "$#" -gt 0 ]; then run library root chosen "$@"; else run library root all; fi
}
of_tools() {
  # The inspector's server, which needs its trait, and its page: with the command of Tools, which has it.
  if [ "$#" -eq 0 ]; then run browser Scripts/check-browser.sh; fi
  run tools swift test --package-path Tools --scratch-path "Tools/${EASYREACT_SCRATCH:-.build}" "${flags[@]}" "$@"
}
of_root() {
  # Shared nodes on a real server, which is killed, frozen and cut off; and without the trait none of it is built.
  if [ "$#" -eq 0 ]; then run nats env EASYREACT_SCRATCH="$scratch" Scripts/test-nats.sh; fi
  run compile env EASYREACT_SCRATCH="$scratch" Scripts/check-compile.sh
  run documents env EASYREACT_SCRATCH="$scratch" Scripts/check-documents.py
  run names env EASYREACT_SCRATCH="$scratch" Scripts/check-names.py
}
of_tools "$@" >"$log/tools.row" 2>&1 &
of_root "$@" >"$log/root.row" 2>&1 &
of_library "$@"
wait
cat "$log"/*.row
rm "$log"/*.row # else they are shown again

# Swift Testing closes with "Test run with N tests … passed"; the snippets with "N snippets, M wrong", the code blocks alike.
# A run that crashed has no such line: then the exit code has said so.
count() { sed -nE "$1" "$log"/outputs/* | awk '{ n += $1 } END { print n + 0 }'; }
passed=$(count 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p; s/^([0-9]+) (snippets|code blocks|browser checks), 0 wrong.*/\1/p')
# Swift Testing counts those that are skipped among them.
skipped=$(cat "$log"/outputs/* | grep -cE '^[^ ]+ Test .* skipped([.]|: ".*")$' || true)
passed=$((passed - skipped))
failed=$(count 's/.*Test run with .* failed .* with ([0-9]+) issues?.*/\1/p; s/^[0-9]+ (snippets|code blocks|browser checks), ([0-9]+) wrong.*/\2/p')
while read -r name; do
  status=1
  echo "✘ $name"
  grep -vE '^(◇|✔|\[[0-9]+/[0-9]+\])' "$log/outputs/$name" | tail -8 | cut -c 1-400 || true
done <"$log/wrong"
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=$(wc -l <"$log/wrong"); fi
if [ "$passed" -eq 0 ]; then
  echo "no test ran" >&2
  status=1
fi
if [ "$skipped" -gt 0 ]; then echo "$skipped skipped"; fi
echo "$passed passed, $failed failed"
exit "$status"
