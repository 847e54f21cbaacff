#!/usr/bin/env bash
# The library's tests under ThreadSanitizer and under AddressSanitizer: sanitize.sh [thread|address]… [-- ARGUMENTS]
# What a sanitizer cannot show is skipped by the tests themselves, each with its reason (`notUnderSanitizers`): depth on a small
# stack, the model of the protocol. `Tests/CTestSupport/Sanitizer.c` tells the sanitizers what they cannot see in Swift; no
# function is suppressed. Each has a build of its own: EASYREACT_SANITIZERS, or `.build-sanitize`.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SANITIZERS:-.build-sanitize}"
kinds=()
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  kinds+=("$1")
  shift
done
if [ "$#" -gt 0 ]; then shift; fi
if [ "${#kinds[@]}" -eq 0 ]; then kinds=(thread address); fi

# Plain computations of one thread, which take minutes when they are watched: the drawing, and the model of shared nodes.
unwatched=(--skip EasyReactInspectorTests --skip ShareModelTests)
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# watched KIND [ARGUMENTS…]: builds, and tests with a part of the rounds, for an interleaving that is watched says more than one that is not.
watched() {
  local kind=$1 options=()
  shift
  options=(--sanitize="$kind" --traits OpenCombine --scratch-path "$scratch/$kind")
  # What this wraps, and why: Tests/CTestSupport/Sanitizer.c.
  if [ "$kind" = thread ] && [ "$(uname)" = Linux ]; then options+=(-Xlinker --wrap=__tsan_external_write); fi
  export EASYREACT_LIFE_SECONDS="${EASYREACT_LIFE_SECONDS:-1800}" EASYREACT_STRESS="${EASYREACT_STRESS:-0.15}" EASYREACT_SEEDS="${EASYREACT_SEEDS:-60}"
  export EASYREACT_ORACLE_PROGRAMS="${EASYREACT_ORACLE_PROGRAMS:-20}" EASYREACT_ORACLE_NETS="${EASYREACT_ORACLE_NETS:-10}"
  SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests "${options[@]}" || return
  if [ "$#" -gt 0 ]; then
    Scripts/library-tests.sh chosen "${options[@]}" "$@"
  else
    Scripts/library-tests.sh all "${options[@]}" "${unwatched[@]}"
  fi
}

# Scripts/check.sh ends what takes too long; where it stood still is said then, too.
ended=
trap 'ended=1' TERM
status=0
for kind in "${kinds[@]}"; do
  [ -z "$ended" ] || break
  echo "== sanitizer: $kind"
  code=0
  # In the background, so that a signal is heard.
  watched "$kind" "$@" >"$log/$kind" 2>&1 &
  wait "$!" || code=$?
  # What has been ended too says first how far it came.
  [ -z "$ended" ] || wait
  reports=$(grep -cE '^(WARNING: ThreadSanitizer|==[0-9]+==ERROR: AddressSanitizer)' "$log/$kind" || true)
  tests=$(sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p' "$log/$kind" | awk '{ n += $1 } END { print n + 0 }')
  # Swift Testing counts those that are skipped among them.
  skipped=$(grep -cE '^[^ ]+ Test .* skipped([.]|: ".*")$' "$log/$kind" || true)
  tests=$((tests > skipped ? tests - skipped : 0))
  if [ "$reports" -gt 0 ] || [ "$tests" -le 0 ] || [ "$code" -ne 0 ]; then
    status=1
    # The end of what was said, then what names the fault: the last lines are those that a log keeps.
    grep -vE '^(◇|✔|\[[0-9]+/[0-9]+\])' "$log/$kind" | tail -100 || true
    grep -E -A 24 '^(WARNING: ThreadSanitizer|==[0-9]+==ERROR: AddressSanitizer|FATAL: ThreadSanitizer)' "$log/$kind" | head -80 || true
    grep -E '^✘|[Ff]atal error|error: ' "$log/$kind" | head -20 || true
    # Where it stood still, if it did.
    awk '/^[^ ]+ Test .* started\.$/ { name = $0; sub(/^[^ ]+ Test /, "", name); sub(/ started\.$/, "", name); if (name !~ /^case /) open[name] = 1 }
      /^[^ ]+ Test .* (passed|failed) after / { name = $0; sub(/^[^ ]+ Test /, "", name); sub(/ (with [0-9]+ test cases )?(passed|failed) after .*/, "", name); delete open[name] }
      END { for (name in open) print "not ended: " name }' "$log/$kind" | head -20
  fi
  # Not in the words of Scripts/test.sh, whose last line counts every test once.
  echo "sanitizer $kind: $tests tests passed, $skipped skipped, $reports reports"
done
exit "$status"
