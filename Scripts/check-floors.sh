#!/usr/bin/env bash
# Calls go down only: no type of an upper floor of the library is named on a lower one (Documentation/Architecture.md, "Floors").
# Each flag of a set has its line in Documentation/Glossary.md. Prints each name that stands too low, or is not there, and fails if there is one.
# And no mistake stops by `precondition`, whose message release builds do not print.
set -euo pipefail
cd "$(dirname "$0")/../Sources/EasyReact"

floors=("Engine/Threads Engine/Graph Engine/Flow Engine" "Operators Properties Nodes Transforms Listening Scheduling Concurrency Inspection")
# The files of a floor.
# shellcheck disable=SC2086  # several folders
of() { find $1 -name '*.swift' 2>/dev/null | sort -u; }
# The types that a floor declares at the outermost level, but for a file's own.
types() {
  of "$1" | xargs grep -hE '^([a-z@]+ )*(class|struct|enum|protocol|actor|typealias) [A-Z]' | grep -vE '^(file)?private' \
    | grep -oE '(class|struct|enum|protocol|actor|typealias) [A-Z][A-Za-z]*' | awk '{print $2}' | sort -u
}
found=0
for lower in "${!floors[@]}"; do
  for ((upper = lower + 1; upper < ${#floors[@]}; upper++)); do
    names=$(types "${floors[upper]}" | paste -sd '|')
    while IFS= read -r file; do
      # Comments may name anything.
      if sed -E 's://.*$::' "$file" | grep -nwE "$names" | sed "s:^:Sources/EasyReact/$file\: :"; then found=1; fi
    done < <(of "${floors[lower]}")
  done
done
if [ $found != 0 ]; then
  echo "a name of an upper floor stands in a lower one" >&2
  exit 1
fi
flags=$(grep -rhoE 'static var [a-zA-Z]+: (Node|Edge|Lasting)(Flags|Traits)' Engine | awk '{print $3}' | tr -d : | grep -vx inFlight)
for flag in $flags; do
  if ! sed -n "/^## The engine's flags/,\$p" ../../Documentation/Glossary.md | grep -qF "\`$flag\`"; then
    echo "the flag $flag has no line in Documentation/Glossary.md" >&2
    exit 1
  fi
done
if grep -rnE '\bprecondition(Failure)?\(' .. --include '*.swift'; then
  echo "a release build would stop here without the message: use fatalError" >&2
  exit 1
fi
echo "calls go down only, and $(wc -w <<<"$flags") flags have their lines"
