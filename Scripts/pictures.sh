#!/usr/bin/env bash
# Draws the pictures of the documents anew, from what the programs themselves print; the tests of
# Tools compare those of the operators with fresh ones.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/setup.sh
swift run --package-path Examples Receipt --dot | dot -Tsvg >Documentation/Pictures/receipt.svg
swift run --package-path Tools easyreact monitor --dot | dot -Tsvg >Documentation/Pictures/monitor.svg
rm -f Documentation/Pictures/marbles/*.svg
swift run --package-path Tools easyreact marbles --all --out Documentation/Pictures/marbles
swift run --package-path Tools easyreact sequence --svg >Documentation/Pictures/sequence.svg
