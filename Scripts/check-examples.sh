#!/usr/bin/env bash
# Runs each program of Examples/ that has an expected output and compares: Examples/Expected/NAME.out, of the input NAME.in if there
# is one, or of the file NAME.csv. With --update it writes the outputs anew; look at what changed.
# EASYREACT_SCRATCH: the folder of a debug build that is there already; without it, Examples/ is built.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${EASYREACT_SCRATCH:-}" ]; then swift build --package-path Examples >&2; fi
programs=$(realpath "${EASYREACT_SCRATCH:-Examples/.build}")/debug
cd Examples/Expected
failed=0

# run NAME: with its input.
run() {
  local input=/dev/null
  if [ -e "$1.in" ]; then input=$1.in; fi
  if [ -e "$1.csv" ]; then "$programs/$1" "$1.csv"; else "$programs/$1" <"$input"; fi
}

for program in Receipt Primes Search SignUp Sheet Faulty Pipeline; do
  if [ "${1:-}" = --update ]; then
    run "$program" >"$program.out"
  elif diff -u --label "$program.out" --label "printed by $program" "$program.out" <(run "$program" || echo "exit code $?"); then
    echo "ok $program"
  else
    failed=1
  fi
done
[ "$failed" = 0 ] || { echo "If the new output is right: Scripts/check-examples.sh --update"; exit 1; }
