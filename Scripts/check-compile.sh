#!/bin/sh
# Type-checks the snippets under Tests/Compile against the built modules: check-compile.sh
# Those in MustPass must compile without a warning; those in MustFail must not, with the diagnostic that their line
# `// expect: TEXT` names; what is said of each mistake in Mistakes.swift is compared by check-mistakes.py; those in MustLink, with C++ interoperability, must also link and run. All may import the module of
# Tests/Compile/Beside, which has types of other libraries' names. EASYREACT_SCRATCH: the folder of the build.
# EASYREACT_SWIFT_FLAGS: more arguments for it.
set -eu
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-.build-tests}"
# shellcheck disable=SC2086  # several words
for target in EasyReact EasySequence; do SWIFT_DETERMINISTIC_HASHING=1 nice swift build --traits "$(Scripts/traits.sh)" --scratch-path "$scratch" --target "$target" -q ${EASYREACT_SWIFT_FLAGS:-}; done
build="$scratch/debug"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
swiftc -emit-module -swift-version 6 -module-name Neighbour -o "$temporary/Neighbour.swiftmodule" Tests/Compile/Beside/Neighbour.swift

check() {
  swiftc -typecheck -swift-version 6 -warnings-as-errors -I "$build/Modules" -I "$temporary" \
    -Xcc -fmodule-map-file="$build/CEasyReact.build/module.modulemap" \
    -Xcc -ISources/CEasyReact/include "$@" 2>&1
}

failures=0
count=0
complain() {
  failures=$((failures + 1))
  printf '%s: %s\n' "$1" "$2"
}

for file in Tests/Compile/MustPass/*.swift; do
  count=$((count + 1))
  output=$(check "$file") || complain "$file" "does not compile:
$output"
done

for file in Tests/Compile/MustFail/*.swift; do
  count=$((count + 1))
  expected=$(sed -n 's|^// expect: ||p' "$file")
  if [ -z "$expected" ]; then
    complain "$file" "has no line // expect:"
  elif output=$(check "$file"); then
    complain "$file" "compiles, expected: $expected"
  elif ! printf '%s' "$output" | grep -F "error: " | grep -qF "$expected"; then
    complain "$file" "fails otherwise, expected: $expected
$output"
  fi
done

count=$((count + 1))
check -diagnostic-style=llvm Tests/Compile/Mistakes.swift | Scripts/check-mistakes.py Tests/Compile/Mistakes.swift ||
  complain Tests/Compile/Mistakes.swift "other diagnostics than expected"

# What `.interoperabilityMode(.Cxx)` of a target does in release, where the library's calls of C are inlined; a folder of objects may have old ones in it.
sed -n 's/.*"object": "\(.*\)".*/\1/p' "$build"/*.build/output-file-map.json | grep -E '/(EasyReact|DequeModule|HeapModule|HashTreeCollections|InternalCollectionsUtilities|ContainersPreview)\.build/' |
  tr '\n' '\0' | xargs -0 ar rcs "$temporary/library.a" "$build"/CEasyReact.build/*.c.o
for file in Tests/Compile/MustLink/*.swift; do
  count=$((count + 1))
  output=$(swiftc -O -swift-version 6 -cxx-interoperability-mode=default -I "$build/Modules" \
    -Xcc -fmodule-map-file="$build/CEasyReact.build/module.modulemap" -Xcc -ISources/CEasyReact/include \
    -o "$temporary/linked" "$file" "$temporary/library.a" 2>&1 && "$temporary/linked" 2>&1) ||
    complain "$file" "does not compile, link and run with C++ interoperability:
$output"
done

echo "$count snippets, $failures wrong"
[ "$failures" -eq 0 ]
