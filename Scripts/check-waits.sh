#!/usr/bin/env bash
# No test of any package sleeps, or waits by yielding or by asking again and again: time is virtual,
# and other threads are waited for with semaphores that fail.
#
# A semaphore whose outcome nobody looks at is a sleep as well. `letOthersRun()` inside a listener is
# none: it makes it likely that another thread finds this one there; in a loop's head it would be.
#
# A limit of time by Swift Testing counts from before the body runs, which on a busy machine is minutes: instead, every suite of
# EasyReactTests is `.watched`, which also gives each body a thread of its own, so that it may wait.
# What sleeps by a scheduler's time, `clock.sleep(for:)`, does not wait; nor does a clock of the tests' own, `func sleep(until`,
# or one that it wraps, `clock.sleep(until:`.
#
# Not searched: Tests/CTestSupport, which has the watchdog's thread and no test, and Tests/SharedPeer, a program that tests start.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(
  git ls-files --cached --others --exclude-standard '*.swift' '*.c' '*.m' '*.py' '*.sh' |
    grep -E '(^|/)Tests/' | grep -vE '^Tests/(CTestSupport|Model|SharedPeer)/'
)
calls='(u|nano|clock_nano)?sleep *\(|(sched|pthread)_yield(_np)? *\('
owners='\b(Task|Thread) *\. *(yield|sleep)|\bsleepForTimeInterval|RunLoop\b|CFRunLoop'
timers='asyncAfter|makeTimerSource|\bTimer *[.(]|\b(poll|ppoll|select|pselect) *\( *(nil|NULL|0) *, *(nil|NULL|0)'
dropped='_ *= *.*\.wait *\( *(timeout|wallTimeout)'
limits='\.timeLimit\b'
loops='\b(while|where)\b.*(letOthersRun|\{ *\} *$)|\bwhile\b.*\.load\(.*\{ *(//.*)?$'
pattern="\b($calls)|$owners|$timers|$dropped|$limits|$loops"
if found=$(grep -nE "$pattern" "${files[@]}" | grep -vE '^[^:]+:[0-9]+: *//|\bclock\.sleep\((for|until): |func sleep\(until '); then
  printf '%s\n' "$found" "a test waits for real time: use VirtualScheduler, or a semaphore that fails" >&2
  exit 1
fi
if found=$(grep -nE '^@Suite\b.* struct ' Tests/EasyReactTests -r | grep -vF .watched); then
  printf '%s\n' "$found" "a suite without .watched: its bodies would run on Dispatch's threads" >&2
  exit 1
fi
# Two tests that block the two threads of the cooperative pool until all is quiet wait for whom they keep from running.
if found=$(grep -nE '\bsettle\((within: .*)?\)' "${files[@]}" | grep -vE '^Tests/EasyReactTests/|await settle|world\.settle|func settle|^[^:]+:[0-9]+: *//'); then
  printf '%s\n' "$found" "a test blocks a thread of the cooperative pool: await settle()" >&2
  exit 1
fi
echo "${#files[@]} test files, none sleeps"
