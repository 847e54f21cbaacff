#!/usr/bin/env bash
# A part of the library's tests, of a build that is there, in a process of its own: library-tests.sh PART [OPTIONS of `swift test`]
#   long        what keeps one thread busy for minutes: deep chains, whose memory is measured, and random programs
#   library     all that is in no other part, several at once
#   inspection  the recorder hears all graphs of the process
#   testing     `settle()` waits for all graphs of the process
#   chosen      what the options choose
# `long` may run beside another part, and halves the time: generic code that is not optimised looks up its types in one table of the
# process, so two threads of one process are hardly faster than one.
set -euo pipefail
cd "$(dirname "$0")/.."
long='EasyReactTests\.(Depth|TwinComparison)/'
part=${1:-}
[ "$#" -eq 0 ] || shift
case "$part" in
  long) tests=(--no-parallel --filter "$long") ;;
  library) tests=(--skip "$long" --skip EasyReactInspectionTests --skip EasyReactTestingTests) ;;
  inspection) tests=(--filter EasyReactInspectionTests) ;;
  testing) tests=(--filter EasyReactTestingTests) ;;
  chosen) tests=() ;;
  *)
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
# Who runs beside another one of the same build would wait for its lock.
exec swift test --skip-build --ignore-lock "${tests[@]}" "$@"
