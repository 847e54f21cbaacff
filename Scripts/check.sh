#!/usr/bin/env bash
# All that CI does: format, every package built with warnings as errors, instructions counted, all tests, and those of the
# library under two sanitizers. EASYREACT_SKIP_SANITIZERS=1 leaves the sanitizers out.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== format"
Scripts/format.sh --check
echo "== build, warnings are errors"
swift build -Xswiftc -warnings-as-errors --scratch-path .build-strict
swift build --package-path Tools -Xswiftc -warnings-as-errors --scratch-path Tools/.build-strict
swift build --package-path Examples -Xswiftc -warnings-as-errors --scratch-path Examples/.build-strict
swift build --package-path Benchmarks/Sequence -Xswiftc -warnings-as-errors --scratch-path Benchmarks/Sequence/.build-strict
status=0
echo "== instructions, against Benchmarks/instructions.tsv"
EASYREACT_SCRATCH=Benchmarks/.build-strict EASYREACT_SWIFT_FLAGS="-Xswiftc -warnings-as-errors" Scripts/count-instructions.sh ||
  if [ "$?" -eq 3 ]; then echo "NOT COUNTED"; else status=1; fi
if [ -z "${EASYREACT_SKIP_SANITIZERS:-}" ]; then Scripts/sanitize.sh || status=1; fi
# Last, for its last line says how many tests passed.
Scripts/test.sh || status=1
exit "$status"
