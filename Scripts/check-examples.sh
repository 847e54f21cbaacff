#!/usr/bin/env bash
# Runs each program of Examples/ that has an expected output and compares: Examples/Expected/NAME.out, of the input NAME.in if there
# is one, or of the file NAME.csv. With --update it writes the outputs anew; look at what changed.
# Then it compares what the 19 rules of lint find in the graphs of each (Sources/LintAtEnd) with Expected/Lint.txt, which says of each
# finding why it stands.
# EASYREACT_SCRATCH: the folder of a debug build that is there already; without it, Examples/ is built.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${EASYREACT_SCRATCH:-}" ]; then swift build --package-path Examples >&2; fi
programs=$(realpath "${EASYREACT_SCRATCH:-Examples/.build}")/debug
cd Examples/Expected
failed=0
lint=$(mktemp)
trap 'rm -f "$lint"' EXIT

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

# What is found, without places in memory; lines that begin with # are ours.
for program in Receipt Primes Search SignUp Sheet Faulty Pipeline; do
  echo "$program"
  EASYREACT_LINT=1 run "$program" 2>&1 >/dev/null | grep -E '^(linted|no node lives|  [a-zA-Z]+: )' || echo "not linted"
done >"$lint"
if diff -u --label Lint.txt --label "found now" <(grep -v '^#' Lint.txt) "$lint"; then
  echo "ok lint"
else
  failed=1
  echo "Mend the example, or state the finding in Examples/Expected/Lint.txt with its reason."
fi
[ "$failed" = 0 ] || { echo "If the new output is right: Scripts/check-examples.sh --update"; exit 1; }
