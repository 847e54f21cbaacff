#!/usr/bin/env bash
# Counts the instructions of short workloads under callgrind and compares them with Benchmarks/instructions.tsv; more than
# 5 % above it fails, with the workload's name. Counts do not depend on how busy the machine is, but on the tool chain.
#
#   count-instructions.sh [WORKLOAD…]            compares: all workloads, or these
#   count-instructions.sh --accept [WORKLOAD…]   writes what it counts as the new baseline, to be committed with its reason
#   count-instructions.sh --profile WORKLOAD     shows where the instructions of one workload are
#
# Exit code 1: something is slower. 3: nothing can be counted here, for want of valgrind or of a baseline for this processor.
# EASYREACT_SCRATCH: the folder of the build. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=5
baseline=Benchmarks/instructions.tsv

command -v valgrind >/dev/null 2>&1 || {
  echo "count-instructions.sh: valgrind is not installed; Scripts/setup.sh does that. Debian's package is named valgrind." >&2
  exit 3
}

mode=compare
case "${1:-}" in
  --accept | --profile)
    mode="${1#--}"
    shift
    ;;
  -*)
    sed -n '2,11s/^# \{0,1\}//p' "$0"
    [ "$1" = --help ] && exit 0
    exit 2
    ;;
esac

scratch="${EASYREACT_SCRATCH:-Benchmarks/.build}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"
swift build -q -c release --package-path Benchmarks --scratch-path "$scratch" --product benchmarks \
  "${flags[@]}" >&2
program="$scratch/release/benchmarks"
known=$("$program" workload | cut -f 1)
if [ "$#" -eq 0 ]; then
  if [ "$mode" = profile ]; then
    echo "count-instructions.sh: --profile needs one of: $known" >&2
    exit 2
  fi
  mapfile -t names <<<"$known"
else
  names=("$@")
fi
for name in "${names[@]}"; do
  if ! grep -qx -- "$name" <<<"$known"; then
    printf 'count-instructions.sh: there is no workload "%s". There are:\n%s\n' "$name" "$known" >&2
    exit 2
  fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Valgrind 3.19 stops at the DWARF 5 of Swift 6.3; the names of functions are no part of it.
strip --strip-debug -o "$folder/benchmarks" "$program"
program="$folder/benchmarks"

# One operation's instructions, from the function `benchmarks_counted` alone; lazy binding and random hashing would differ
# from run to run.
count() {
  LD_BIND_NOW=1 SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind \
    --toggle-collect=benchmarks_counted --callgrind-out-file="$folder/$1.out" \
    "$program" workload "$1" >"$folder/$1.log" 2>&1 || {
    echo "count-instructions.sh: the workload $1 failed:" >&2
    cat "$folder/$1.log" >&2
    return 1
  }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p' "$folder/$1.log"
}

if [ "$mode" = profile ]; then
  total=$(count "${names[0]}")
  echo "${names[0]}: $total instructions in $("$program" workload | awk -v n="${names[0]}" '$1 == n { print $2 }') operations"
  callgrind_annotate --threshold=95 "$folder/${names[0]}.out" | sed -n '/file:function/,$p' |
    swift demangle --simplified | cut -c1-200 | head -45
  exit
fi

compiler=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -1)
if [ "$mode" = compare ] && [ -f "$baseline" ]; then
  made=$(sed -n 's/^# Swift \([0-9.]*\).*/\1/p' "$baseline")
  grep -q "^# Swift .*, $(uname -m):" "$baseline" || {
    echo "count-instructions.sh: $baseline is of another processor than this $(uname -m)." >&2
    exit 3
  }
  [ "$made" = "$compiler" ] || echo "note: the baseline was made with Swift $made, this is $compiler"
fi

# All of them on all processors: counts do not depend on what else runs.
export -f count
export folder program
printf '%s\n' "${names[@]}" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c 'count {} >"$folder/{}.count"'

failures=0
printf '%-12s %14s %12s %12s %8s\n' workload instructions "an op." baseline change
for name in "${names[@]}"; do
  total=$(cat "$folder/$name.count")
  operations=$("$program" workload | awk -v n="$name" '$1 == n { print $2 }')
  each=$(awk -v t="$total" -v o="$operations" 'BEGIN { printf "%.1f", t / o }')
  old=$(awk -v n="$name" -F '\t' '$1 == n { print $3 }' "$baseline" 2>/dev/null || true)
  printf '%s\t%s\t%s\n' "$name" "$operations" "$each" >>"$folder/new.tsv"
  if [ -z "$old" ]; then
    printf '%-12s %14s %12s %12s %8s\n' "$name" "$total" "$each" none -
    [ "$mode" = accept ] || failures=$((failures + 1))
    continue
  fi
  change=$(awk -v a="$each" -v b="$old" 'BEGIN { printf "%+.2f", (a / b - 1) * 100 }')
  printf '%-12s %14s %12s %12s %7s%%\n' "$name" "$total" "$each" "$old" "$change"
  if [ "$mode" = compare ] && awk -v c="$change" -v l="$limit" 'BEGIN { exit !(c > l) }'; then
    echo "SLOWER: $name needs $each instructions an operation, $change % more than the baseline's $old (limit $limit %)"
    failures=$((failures + 1))
  fi
done

if [ "$mode" = accept ]; then
  {
    printf '# Swift %s, %s: instructions an operation, by Scripts/count-instructions.sh --accept\n' "$compiler" "$(uname -m)"
    printf '# workload\toperations\tinstructions an operation\n'
    for name in $known; do
      awk -v n="$name" -F '\t' '$1 == n { print; found = 1; exit } END { exit !found }' "$folder/new.tsv" ||
        awk -v n="$name" -F '\t' '$1 == n' "$baseline" 2>/dev/null || true
    done
  } >"$folder/baseline.tsv"
  mv "$folder/baseline.tsv" "$baseline"
  echo "written: $baseline"
elif [ "$failures" -gt 0 ]; then
  echo "$failures of ${#names[@]} workloads failed. Meant? Then: Scripts/count-instructions.sh --accept, and commit $baseline with the reason."
  exit 1
fi
