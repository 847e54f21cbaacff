#!/usr/bin/env bash
# Do the rules of the contract agree with each other, and does the model of them tell what the readable twin tells? Random graphs on the model
# (Tests/Model/contract_model.py), and random programs on both, of a build that is there: check-model.sh [OPTIONS of `swift test`]
set -euo pipefail
cd "$(dirname "$0")/.."
python3 Tests/Model/contract_model.py 1 "${EASYREACT_RANDOM_PROGRAMS:=1000}"
export EASYREACT_RANDOM_PROGRAMS
EASYREACT_RANDOM_DUMP=$(mktemp)
export EASYREACT_RANDOM_DUMP
trap 'rm -f "$EASYREACT_RANDOM_DUMP"' EXIT
# Its output only where it fails.
written=$(swift test --skip-build --ignore-lock --filter 'TwinComparison.*written for the model' "$@" 2>&1) || { echo "$written"; exit 1; }
python3 Tests/Model/replay.py "$EASYREACT_RANDOM_DUMP"
