#!/usr/bin/env bash
# What sixty lines of operators cost the compiler at -O, without what a file with no operators costs: processor time, and
# the code that they leave in the client. Fails past the limits below.
#
#   measure-compile.sh           builds the benchmarks in release, as they use the library from outside, and measures
#
# EASYREACT_SCRATCH: the folder of the build. EASYREACT_SWIFT_FLAGS: more arguments for it. Code is the same on each machine
# with one tool chain; time is not, so its limit only catches what is several times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${EASYREACT_COMPILE_SECONDS:-20}
kilobytes=${EASYREACT_COMPILE_KILOBYTES:-172}

scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
swift build -q -c release --package-path Benchmarks --scratch-path "$scratch" --product benchmarks "${flags[@]}" >&2
build="$scratch/release"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# compile NAME: the least processor time of three, in seconds, then the bytes of its code.
compile() {
  local times=()
  for _ in 1 2 3; do
    TIMEFORMAT='%U %S'
    times+=("$({ time swiftc -O -parse-as-library -module-name Client -swift-version 6 -I "$build/Modules" \
      -Xcc -fmodule-map-file="$build/CEasyReact.build/module.modulemap" -Xcc -ISources/CEasyReact/include \
      -c "Benchmarks/Compile/$1.swift" -o "$folder/$1.o" >&2; } 2>&1 | tail -1 | awk '{ print $1 + $2 }')")
  done
  printf '%s\n' "${times[@]}" | sort -n | head -1 | tr '\n' ' '
  size "$folder/$1.o" | awk 'NR == 2 { print $1 }'
}

read -r emptyTime emptySize <<<"$(compile Nothing)"
read -r time size <<<"$(compile Lines)"
awk -v t="$time" -v e="$emptyTime" -v s="$size" -v f="$emptySize" -v seconds="$seconds" -v kilobytes="$kilobytes" 'BEGIN {
  net = t - e; code = (s - f) / 1000
  printf "60 operator lines, -O: %.2f s net (limit %s), %.0f kB of code (limit %s)\n", net, seconds, code, kilobytes
  exit net > seconds || code > kilobytes
}'
