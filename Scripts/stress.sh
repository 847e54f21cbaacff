#!/usr/bin/env bash
# The races of the tests in release mode, for as many seconds: stress.sh [SECONDS] [SEED]
# Runs the suites of threads again and again, each time from fresh seeds, and stops at the first failure, with the seeds that
# failed. Prints for each pass its seeds, and how many waves (sets, updates, pushes of links) it made. Times are those of the
# last build's end on; EASYREACT_SCRATCH: the folder of the build. A pass that has not ended after EASYREACT_LIFE_SECONDS, 900, is
# ended with the stacks of all threads.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
seed="${2:-$(date +%s)}"
scratch="${EASYREACT_SCRATCH:-.build/stress}"
rounds=4 # times as many as a test has by itself
step=100000
# By their files: all that race in rounds, and what waits for other threads.
suites="$(grep -rlE 'Stress\.(rounds|scale|firstSeed)' Tests/EasyReactTests | xargs -n1 basename | grep -v '^Stress' | paste -sd'|')"
suites="$suites|BacklogTests|SettleTests|ReentranceTests|Section06Reentrance|Section09"
# One counts ranks anew at 64, of all graphs of the process: beside it a chain of a hundred thousand would be counted at each link.
deep='without a deep stack'
arguments=(-c release -Xswiftc -enable-testing --scratch-path "$scratch")
swift build --build-tests -q "${arguments[@]}"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
started=$SECONDS
total=0
passes=0
while [ $((SECONDS - started)) -lt "$seconds" ]; do
  if ! EASYREACT_LIFE_SECONDS="${EASYREACT_LIFE_SECONDS:-900}" EASYREACT_STRESS=$rounds EASYREACT_STRESS_SEED=$seed \
    swift test --skip-build "${arguments[@]}" --filter "$suites" --skip "$deep" >"$log" 2>&1; then
    grep -vE '^(◇|✔)' "$log" | tail -100
    echo "stress: failed, with EASYREACT_STRESS=$rounds EASYREACT_STRESS_SEED=$seed, after $((SECONDS - started)) s"
    exit 1
  fi
  # The children of exit tests print theirs elsewhere.
  waves=$(sed -nE 's/^stress: ([0-9]+) waves$/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  tests=$(sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  if [ "$tests" -eq 0 ]; then
    cat "$log"
    exit 1
  fi
  total=$((total + waves))
  passes=$((passes + 1))
  echo "pass $passes: seeds from $seed, $tests tests, $waves waves, $((SECONDS - started)) s"
  seed=$((seed + step))
done
echo "stress: $passes passes in $((SECONDS - started)) s, $total waves, no failure"
