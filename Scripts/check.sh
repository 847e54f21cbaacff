#!/usr/bin/env bash
# All that CI does: format, every package built with warnings as errors, all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== format"
Scripts/format.sh --check
echo "== build, warnings are errors"
swift build -Xswiftc -warnings-as-errors --scratch-path .build-strict
swift build --package-path Tools -Xswiftc -warnings-as-errors --scratch-path Tools/.build-strict
swift build --package-path Examples -Xswiftc -warnings-as-errors --scratch-path Examples/.build-strict
swift build --package-path Benchmarks -Xswiftc -warnings-as-errors --scratch-path Benchmarks/.build-strict
swift build --package-path Benchmarks/Sequence -Xswiftc -warnings-as-errors --scratch-path Benchmarks/Sequence/.build-strict
Scripts/test.sh
