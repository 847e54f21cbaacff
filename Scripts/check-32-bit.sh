#!/usr/bin/env bash
# Does the library compile for 32-bit processors? As far as this tool chain can tell: its only libraries of 32 bits are those of
# Embedded Swift, so what that leaves out (metatypes, `weak`, tasks, …) is refused there, for 64 bits just as well. So the same is compiled
# for both, and nothing may be said of 32 bits that is not said of 64:
#
#  - all of EasyReact, but for what imports Observation, is type-checked;
#  - the engine goes further, through all diagnostics of the compiler (literals that do not fit, casts between sizes, …).
#
# Swift's own modules that are not there, and swift-collections, are stood in for by the declarations in Tests/Compile/ThirtyTwoBit. First
# a line that does not fit into 32 bits has to be found. Nothing is linked or run.
set -euo pipefail
cd "$(dirname "$0")/.."
wide=x86_64-unknown-linux-gnu
narrow=(i686-unknown-none-elf wasm32-unknown-none-wasm)
stubs=Tests/Compile/ThirtyTwoBit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# From /opt/swift/usr/bin to /opt/swift/usr/lib, wherever that is.
library=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/embedded
for target in "$wide" "${narrow[@]}"; do
  if [ ! -e "$library/Synchronization.swiftmodule/$target.swiftmodule" ]; then
    echo "32 bits: not looked at, for this tool chain has no Embedded Swift for $target"
    exit 0
  fi
done

mkdir "$work/c" "$work/engine"
cp Sources/CEasyReact/include/*.h "$stubs/string.h" "$work/c"
echo 'module CEasyReact { umbrella header "CEasyReact.h" export * }' >"$work/c/module.modulemap"
engine=()
while IFS= read -r file; do
  # Embedded Swift has no weak references.
  sed -E 's/\bweak (let|var) /\1 /' "$file" >"$work/engine/$(basename "$file")"
  engine+=("$work/engine/$(basename "$file")")
done < <(find Sources/EasyReact/Engine -name '*.swift')
mapfile -t library < <(grep -LxE 'import Observation' -r Sources/EasyReact --include='*.swift')
echo 'let tooLarge: Int = 5_000_000_000' >"$work/TooLarge.swift"

compile() { # compile TARGET OPTIONS…
  local target=$1
  shift
  swiftc -target "$target" -enable-experimental-feature Embedded -wmo -parse-as-library -swift-version 6 -I "$work/$target" \
    -I "$work/c" -Xcc -ffreestanding "$@"
}
# said TARGET FILE OPTIONS…: what the compiler says of the library's files, into the file
said() {
  compile "$1" -package-name EasyReact -module-name EasyReact -enable-upcoming-feature ExistentialAny \
    -enable-upcoming-feature MemberImportVisibility "${@:3}" 2>&1 | grep -E '^[^ ]+: (error|warning): ' | sort -u >"$2" || true
}

for target in "$wide" "${narrow[@]}"; do
  mkdir "$work/$target"
  for module in "$stubs"/Modules/*.swift; do
    name=$(basename "$module" .swift)
    compile "$target" -emit-module -module-name "$name" -o "$work/$target/$name.swiftmodule" "$module"
  done
  said "$target" "$work/$target/types" -typecheck "$stubs/Mutex.swift" "${library[@]}"
  said "$target" "$work/$target/engine" -emit-sil -o /dev/null "$stubs/Mutex.swift" "$stubs/AboveTheEngine.swift" "${engine[@]}"
  said "$target" "$work/$target/check" -emit-sil -o /dev/null "$stubs/Mutex.swift" "$stubs/AboveTheEngine.swift" "${engine[@]}" \
    "$work/TooLarge.swift"
done

wrong=0
fault() {
  echo "$1" >&2
  wrong=1
}
# Far from all of it is understood there; the engine is.
if ! [ -s "$work/$wide/types" ]; then fault "nothing is said of the library: has it been compiled?"; fi
if grep -v 'EmbeddedRestrictions' "$work/$wide/engine"; then
  fault "the engine does not compile alone: does $stubs/AboveTheEngine.swift declare what it names?"
fi
for target in "${narrow[@]}"; do
  for what in types engine; do
    if diff "$work/$wide/$what" "$work/$target/$what" | grep -E '^>'; then fault "$target: this is said of 32 bits alone"; fi
  done
  grep -q 'TooLarge.swift.*overflows' "$work/$target/check" || fault "$target: a number that does not fit was not found"
done
if [ "$wrong" -ne 0 ]; then exit 1; fi
echo "32 bits: nothing is said of ${#library[@]} files (types) and of the engine's ${#engine[@]} (all) that is not said of 64"
