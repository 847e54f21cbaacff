#!/usr/bin/env bash
# A debug build beside OpenCombine's debug build: every row of the budget's table that has it, in one process.
#
#   measure-debug.sh [ARGUMENTS of `benchmarks run`…]
#
# Nothing is optimised there, neither here nor there: what counts is how much of an operation is code of the client's module, which is
# compiled with it, and how much was called. EASYREACT_SCRATCH: the folder of the build.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
swift build -q -c debug --package-path Benchmarks --scratch-path "$scratch" --product benchmarks >&2
exec "$scratch/debug/benchmarks" run --filter budget/ --filter "2 threads, " --rounds 5 --round-milliseconds 5 "$@"
