#!/usr/bin/env bash
# A part of the library's tests, of a build that is there, in a process of its own: library-tests.sh PART [OPTIONS of `swift test`]
#   long        deep chains, whose memory is measured, and random programs
#   contract    what the contract promises, section by section: several at once
#   library     all that is in no other part
#   inspection  the recorder hears all graphs of the process
#   testing     `settle()` waits for all graphs of the process
#   all         each of these, two at a time; what failed is shown last
#   chosen      what the options choose
# Generic code that is not optimised looks up its types in one table of the process, so two threads of one process are hardly faster than one,
# and under ThreadSanitizer slower: what is to be fast is two processes of one thread each. The contract alone is tested in many threads at
# once: what graphs that have nothing to do with each other do to each other is seen there.
set -euo pipefail
cd "$(dirname "$0")/.."
long='EasyReactTests\.(Depth|TwinComparison)/'
contract='EasyReactTests\.(Section|`)'
part=${1:-}
[ "$#" -eq 0 ] || shift

all() {
  local part
  log=$(mktemp -d)
  trap show EXIT
  trap 'exit 143' TERM
  for part in long library contract inspection testing; do # the longest first
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
    whole "$part" "$@" &
  done
  wait
  ! compgen -G "$log/*.failed" >/dev/null
}
# Two that open the database of the build at once: one finds it locked, and no tests. It begins again then.
whole() {
  local part=$1
  shift
  for _ in 1 2 3 4 5; do
    Scripts/library-tests.sh "$part" "$@" >"$log/$part" 2>&1 && return
    if ! grep -q 'database is locked' "$log/$part" || ! grep -q 'no tests found' "$log/$part"; then break; fi
  done
  mv "$log/$part" "$log/$part.failed"
}
# Also when it is ended before the end.
show() {
  find "$log" -type f ! -name '*.failed' -exec cat {} +
  find "$log" -type f -name '*.failed' -exec cat {} +
  rm -rf "$log"
}

case "$part" in
  all)
    all "$@"
    exit
    ;;
  long) tests=(--no-parallel --filter "$long") ;;
  contract) tests=(--filter "$contract") ;;
  library)
    tests=(--no-parallel --skip "$long" --skip "$contract" --skip EasyReactInspectionTests --skip EasyReactTestingTests)
    ;;
  inspection) tests=(--filter EasyReactInspectionTests) ;;
  testing) tests=(--filter EasyReactTestingTests) ;;
  chosen) tests=() ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
# Who runs beside another one of the same build would wait for its lock.
exec swift test --skip-build --ignore-lock "${tests[@]}" "$@"
