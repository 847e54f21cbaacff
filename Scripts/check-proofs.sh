#!/usr/bin/env bash
# Every promise that the compiler does not check carries its proof, in one form and at one place:
#
#   final class Log: ListenEdge<Int>, @unchecked Sendable {
#     // Unchecked: adds a Mutex.                      the first line of the body; of a type on one line, the line above
#
#   // Unsafe: touched under the topology lock alone.  the lines above
#   nonisolated(unsafe) var topology = Topology()
#
# An example in a documentation comment has its proof at the end of the line. And no proof stands where nothing is promised.
# Prints each line at fault with its remedy, and fails if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.swift')
awk '
  function fault(number, text) { printf "%s:%d: %s\n", name, number, text; faults++ }
  function code(number,   line) { # without its comment
    line = lines[number]
    sub(/ *\/\/.*$/, "", line)
    return line
  }
  function begins(number, word) { return number <= count && lines[number] ~ "^ *// " word ": [^ ]" }
  # The comment that ends above a line begins with the word.
  function is_above(number, word) {
    while (--number > 0 && lines[number] ~ /^ *\/\/( |$)/) if (begins(number, word)) { proofs[number] = 1; return 1 }
    return 0
  }
  function unchecked(number,   brace) {
    promises++
    for (brace = number; brace < number + 4 && code(brace) !~ /\{/; brace++);
    if (code(brace) ~ /\{ *$/) {
      if (begins(brace + 1, "Unchecked")) { proofs[brace + 1] = 1; return }
      return fault(number, "`@unchecked Sendable` without proof: say in the first line below its brace, `// Unchecked: …`, what guards each property, or let the compiler check it")
    }
    if (!is_above(number, "Unchecked"))
      fault(number, "`@unchecked Sendable` without proof: say in the line above, `// Unchecked: …`, what guards each property, or let the compiler check it")
  }
  function unsafe(number) {
    promises++
    if (!is_above(number, "Unsafe"))
      fault(number, "`nonisolated(unsafe)` without proof: say in the line above, `// Unsafe: …`, who touches it, and when")
  }
  function check(   number) {
    delete proofs
    for (number = 1; number <= count; number++) {
      if (lines[number] ~ /^ *\/\/\/.*(class|struct|enum|actor|extension) .*@unchecked/) {
        promises++
        if (lines[number] !~ /\/\/ Unchecked: [^ ]/) fault(number, "an example without proof: end the line with `// Unchecked: …`")
      }
      if (code(number) ~ /@unchecked/) unchecked(number)
      if (code(number) ~ /nonisolated\(unsafe\)/) unsafe(number)
    }
    for (number = 1; number <= count; number++)
      if (lines[number] ~ /^ *\/\/+ *(Unchecked|Unsafe)[:,]/ && !(number in proofs))
        fault(number, "a proof of nothing: delete it, or put it where its promise is, as a plain comment that begins with `Unchecked: ` or `Unsafe: `")
  }
  FNR == 1 { if (name != "") check(); name = FILENAME; delete lines; count = 0 }
  { lines[++count] = $0 }
  END {
    check()
    if (promises == 0) { print "no promise found: is this the right folder?"; exit 1 }
    if (faults > 0) exit 1
    printf "%d promises, each with its proof\n", promises
  }' "${files[@]}" || { echo "a promise that nobody checks needs a proof (CONTRIBUTING.md)" >&2; exit 1; }
