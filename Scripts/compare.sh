#!/bin/sh
# Runs random programs on the engine and on its readable twin, in release mode: compare.sh [PROGRAMS] [SEED]
# Prints operations per second, and how many operations and values told were compared.
set -eu
cd "$(dirname "$0")/.."
EASYREACT_RANDOM_PROGRAMS="${1:-100000}"
EASYREACT_RANDOM_SEED="${2:-1}"
export EASYREACT_RANDOM_PROGRAMS EASYREACT_RANDOM_SEED
exec nice swift test -c release -Xswiftc -enable-testing --filter TwinComparison \
  --scratch-path "${EASYREACT_SCRATCH:-.build/compare}"
