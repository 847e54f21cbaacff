#!/usr/bin/env bash
# What a link, a cut, a switch, a listener's end cost as graphs grow, and a drawing of the inspector: small graphs, processor time.
# What seems to grow faster than its limit is counted by callgrind before it is believed, for what other processes keep in the caches
# makes large graphs dearer than small ones; without valgrind the time decides. All rows in larger graphs, and the curves of sets:
# `swift run -c release --package-path Benchmarks benchmarks growth`.
# EASYREACT_SCRATCH: the folder of the build. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
swift build -q -c release --package-path Benchmarks --scratch-path "$scratch" --product benchmarks \
  "${flags[@]}" >&2
program="$scratch/release/benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Instructions of the rows that these arguments name.
counted() {
  # Valgrind 3.19 stops at the DWARF 5 of Swift 6.3.
  strip --strip-debug -o "$folder/benchmarks" "$program"
  LD_BIND_NOW=1 SWIFT_DETERMINISTIC_HASHING=1 valgrind -q --tool=callgrind --callgrind-out-file="$folder/count" \
    --toggle-collect=benchmarks_counted --dump-after=benchmarks_counted \
    "$folder/benchmarks" growth --check --counts "$folder/count" "$@"
}

status=0
"$program" growth --check | tee "$folder/growth" || status=1
mapfile -t above < <(sed -n 's/^above: /--row=/p' "$folder/growth")
if [ "${#above[@]}" -gt 0 ] && command -v valgrind >/dev/null 2>&1; then
  echo "the same, counted:"
  status=0
  counted "${above[@]}" || status=1
fi
# The inspector's drawings beside Graphviz's: of 120 graphs of ten shapes none has more than 1.5 times its crossings.
if command -v dot >/dev/null 2>&1; then
  "$program" crossings --check --sizes 30,60,100 --seeds 4 || status=1
else
  echo "crossings: left out, Graphviz is not installed (Scripts/setup.sh)" >&2
fi
exit "$status"
