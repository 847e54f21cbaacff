#!/usr/bin/env bash
# What a link, a cut, a switch, a listener's end cost as graphs grow: small graphs, processor time, the least of several rounds, so
# a busy machine is no hindrance. Fails with the rows that grow faster than their limit; all rows in larger graphs, and the curves
# of sets: `swift run -c release --package-path Benchmarks benchmarks growth`.
# EASYREACT_SCRATCH: the folder of the build. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
swift build -q -c release --package-path Benchmarks --scratch-path "$scratch" --product benchmarks \
  "${flags[@]}" >&2
exec "$scratch/release/benchmarks" growth --check
