#!/usr/bin/env bash
# All that CI does: format, every package built with warnings as errors, instructions counted, growth measured, the library's
# tests under two sanitizers, and all tests. What failed is said again at the end, for only the end of a long log may be kept; the
# last line counts the tests and the other parts that failed. EASYREACT_SKIP_SANITIZERS=1 leaves the sanitizers out.
# EASYREACT_CHECK_SECONDS: for all of it, 4,200; what has not ended by then is ended, and is a failure.
# Four rows of parts run beside each other, for a link, a browser or a server that is waited for leaves a processor free, and beside
# other work eight processes get more of it than two. What is measured is instructions and memory, and processor time, of which
# callgrind has the last word (check-growth.sh): nothing that they do to each other.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp -d)
beside=()
# Who ends this ends what runs beside, too.
trap 'rm -rf "$log"; for row in "${beside[@]}"; do pkill -P "$row" || true; done' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
touch "$log/failures"
seconds="${EASYREACT_CHECK_SECONDS:-4200}"
# GNU's, which is everywhere on Linux. It ends the processes that a command has begun, too.
limited() { # limited SECONDS COMMAND…
  if command -v timeout >/dev/null; then timeout -k 60 "$@"; else "${@:2}"; fi
}

# part NAME COMMAND…: shows the output and how long it took, and keeps the output in a file of that name.
part() {
  local name=$1 code=0 began=$SECONDS left=$((seconds - SECONDS))
  shift
  [ -e "$log/failures" ] || exit 1
  echo "== $name"
  if [ "$left" -le 0 ]; then left=1; fi
  limited "$left" "$@" 2>&1 | tee "$log/$name" || code=$?
  case "$code" in 124 | 137) echo "$name was ended: $seconds s for all of CI are over (EASYREACT_CHECK_SECONDS)" | tee -a "$log/$name" ;; esac
  echo "-- $name: $((SECONDS - began)) s"
  case "$name:$code" in
    *:0) ;;
    # Without valgrind, or on a processor that has no baseline.
    instructions:3) echo "NOT COUNTED" ;;
    *) echo "$name" >>"$log/failures" ;;
  esac
}

# One build of each package, also for the tests and the instructions: the same folder and flags everywhere.
export EASYREACT_SWIFT_FLAGS="-Xswiftc -warnings-as-errors"

build() { # build PACKAGE [OPTIONS]
  # shellcheck disable=SC2086  # several words
  part "build of ${1//\//-}" env SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$1" --scratch-path "$1/.build-strict" "${@:2}" $EASYREACT_SWIFT_FLAGS
}

# The tests, of builds that are there.
tested() {
  part "format" Scripts/format.sh --check
  part "floors" Scripts/check-floors.sh
  part "32-bit" Scripts/check-32-bit.sh
  part "model of lenses" python3 Tests/Model/lens_model.py 1 20000
  build . --build-tests --traits "$(Scripts/traits.sh)"
  # shellcheck disable=SC2086  # several words
  part "model" Scripts/check-model.sh --scratch-path .build-strict --traits "$(Scripts/traits.sh)" $EASYREACT_SWIFT_FLAGS
  build Tools --build-tests
  build Examples
  part "examples" env EASYREACT_SCRATCH=Examples/.build-strict Scripts/check-examples.sh
  part "tests" env EASYREACT_SCRATCH=.build-strict Scripts/test.sh
}

measured() {
  build Benchmarks/Sequence
  if [ -e /usr/include/nats/nats.h ]; then build Benchmarks/SharedNodes; fi
  # Builds Benchmarks too, and compares with Benchmarks/instructions.tsv.
  part "instructions" env EASYREACT_SCRATCH=Benchmarks/.build-strict Scripts/count-instructions.sh
  part "compile" env EASYREACT_SCRATCH=Benchmarks/.build-strict Scripts/measure-compile.sh
  part "growth" env EASYREACT_SCRATCH=Benchmarks/.build-strict Scripts/check-growth.sh
}

watched() { # watched thread|address
  if [ -z "${EASYREACT_SKIP_SANITIZERS:-}" ]; then part "$1 sanitizer" Scripts/sanitize.sh "$1"; fi
}

for row in measured "watched thread" "watched address"; do
  # shellcheck disable=SC2086  # several words
  $row >"$log/$row.row" 2>&1 &
  beside+=("$!")
done
tested
wait
beside=()
cat "$log"/*.row
counted=$(tail -1 "$log/tests")
mapfile -t failures <"$log/failures"

if [ "${#failures[@]}" -eq 0 ]; then
  echo "$counted"
  exit 0
fi
for name in "${failures[@]}"; do
  echo
  echo "== FAILED: $name"
  # How it ended, then what names the fault, which may stand far above.
  grep -vE '^(◇|✔|\[[0-9]+/[0-9]+\])|^[0-9]+ passed, [0-9]+ failed$' "$log/$name" | tail -40 | cut -c 1-400 || true
  grep -E '^(✘|SLOWER)|  GROWS|error: |[Ff]atal error|(WARNING: Thread|ERROR: Address)Sanitizer' "$log/$name" | head -20 | cut -c 1-400 || true
done
echo
# "N passed, M failed": the parts that are no tests count as one each.
others=0
for name in "${failures[@]}"; do [ "$name" = tests ] || others=$((others + 1)); done
awk -v line="$counted" -v others="$others" 'BEGIN {
  if (split(line, word, /[ ,]+/) == 4 && word[2] == "passed") printf "%d passed, %d failed\n", word[1], word[3] + others
  else printf "0 passed, %d failed\n", others + 1
}'
exit 1
