#!/usr/bin/env bash
# Draws the pictures of the README anew, from what the programs themselves print with --dot.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/setup.sh
swift run --package-path Examples Receipt --dot | dot -Tsvg >Documentation/Pictures/receipt.svg
swift run --package-path Tools easyreact monitor --dot | dot -Tsvg >Documentation/Pictures/monitor.svg
swift run --package-path Tools easyreact sequence --svg >Documentation/Pictures/sequence.svg
