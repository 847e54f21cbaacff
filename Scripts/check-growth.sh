#!/usr/bin/env bash
# What a link, a cut, a switch, a listener's end cost as graphs grow: small graphs, processor time, the least of several rounds, so
# a busy machine is no hindrance. So also what a drawing of the inspector costs. Fails with the rows that grow faster than their limit; all rows in larger graphs, and the curves
# of sets: `swift run -c release --package-path Benchmarks benchmarks growth`.
# EASYREACT_SCRATCH: the folder of the build. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
swift build -q -c release --package-path Benchmarks --scratch-path "$scratch" --product benchmarks \
  "${flags[@]}" >&2
status=0
"$scratch/release/benchmarks" growth --check || status=1
# The inspector's drawings beside Graphviz's: of 120 graphs of ten shapes none has more than 1.5 times its crossings.
if command -v dot >/dev/null 2>&1; then
  "$scratch/release/benchmarks" crossings --check --sizes 30,60,100 --seeds 4 || status=1
else
  echo "crossings: left out, Graphviz is not installed (Scripts/setup.sh)" >&2
fi
exit "$status"
