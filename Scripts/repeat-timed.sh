#!/usr/bin/env bash
# Runs every suite that moves virtual time, and draws every marble picture, N times in a row (1000
# without an argument), and stops at the first difference.
#
#   Scripts/repeat-timed.sh [N] [options of swift build]
#
# Left out are tests that start a process each, for a message, or that are about size: they do not
# depend on time. In each run the tests are parallel, as always. What runs is a copy, so that a build
# in the meantime does not disturb it.
set -euo pipefail
cd "$(dirname "$0")/.."
times=1000
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  times=$1
  shift
fi
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
status=0

repeat() { # repeat NAME FOLDER BUNDLE FILTER OPTIONS…: runs in one process
  local name=$1 folder=$2 bundle=$3 filter=$4
  shift 4
  (
    cd "$folder"
    swift build --build-tests "$@" >"$log/build" 2>&1 || {
      cat "$log/build"
      exit 1
    }
    cp "$(swift build --show-bin-path "$@")/$bundle.xctest" "$log/"
    "$log/$bundle.xctest" --testing-library swift-testing --filter "$filter" --skip "$others" \
      --repetitions "$times" --repeat-until fail >"$log/$name" 2>&1
  ) || status=1
  local runs tests
  # "Iteration 7 ended after …"; at the end "Test run with 125000 tests in …", of all runs.
  runs=$(grep -cE 'Iteration [0-9]+ ended' "$log/$name") || runs=0
  tests=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' "$log/$name" | tail -1)
  if ! grep -qE 'Test run with .* passed' "$log/$name"; then
    status=1
    grep -E '✘|rror:|recorded an issue' "$log/$name" | head -20 || tail -20 "$log/$name"
  fi
  [ "$times" -gt 1 ] || runs=$((runs > 0 ? runs : 1))
  [ "$runs" -eq "$times" ] || status=1
  echo "$name: $runs runs, $((${tests:-0} / (runs > 0 ? runs : 1))) tests a run"
}

others='messages?\b|constant stack|small stack|refuse|never ends|negative|misuse|is not known says|100,000'
timed='Section10/.*(10\.2|deliver|delay|debounce|timed)'
operators='Section11|TimedTests|BoundaryTests|EventTests|AccumulatingTests|SamplingTests|ResultTests|GroupingTests|FlatteningSeveralTests|CombiningSeveralTests|GatingTests'
testing='VirtualSchedulerTests|MarbleTestTests|MarblesTests|GuideTests'
repeat timed . EasyReactPackageTests \
  "^EasyReactTests\.($operators)/|^EasyReactTests\.$timed|^EasyReactTestingTests\.($testing)/" "$@"
[ "$status" -ne 0 ] || repeat pictures Tools ToolsPackageTests '^MarblesKitTests\.(PictureTests|CatalogueTests)/' "$@"
if [ "$status" -eq 0 ]; then echo "$times runs in a row, 0 differences"; else echo "a difference"; fi
exit "$status"
