#!/usr/bin/env bash
# No test sleeps, or waits by yielding: time is virtual, and other threads are waited for with
# semaphores that fail. (Tests/CTestSupport has the watchdog, which is no test.)
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard 'Tests/*.swift' 'Tools/Tests/*.swift' 'Benchmarks/Tests/*.swift' 'Examples/Tests/*.swift')
pattern='\b(sleep|usleep|nanosleep|sched_yield|asyncAfter)\(|\bsleep\((for|until|forTimeInterval|nanoseconds)|(Task|Thread)\.(yield|sleep)|RunLoop\b'
if found=$(grep -nE "$pattern" "${files[@]}" | grep -vE '^[^:]+:[0-9]+: *//'); then
  printf '%s\n' "$found" "a test waits for real time: use VirtualScheduler, or a semaphore" >&2
  exit 1
fi
echo "${#files[@]} test files, none sleeps"
