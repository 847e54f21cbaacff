#!/usr/bin/env bash
# The inspector's page as it is used: in headless Chromium, with real programs; names of tests may follow. Tests/Browser.
# EASYREACT_SCRATCH and EASYREACT_SWIFT_FLAGS as with Scripts/test.sh. EASYREACT_PICTURES: a folder for what was seen.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
build() { # build PACKAGE PRODUCT
  swift build --package-path "$1" --scratch-path "$1/$scratch" --product "$2" "${flags[@]}" >&2
}
build Tools easyreact
build Tools InspectorLoad
build Examples Faulty
export EASYREACT_LOAD="$PWD/Tools/$scratch/debug/InspectorLoad"
export EASYREACT_TOOL="$PWD/Tools/$scratch/debug/easyreact" EASYREACT_FAULTY="$PWD/Examples/$scratch/debug/Faulty"
python3 Tests/Browser/run.py "$@"
