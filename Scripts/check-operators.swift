// Compares the table of operators in Documentation/Operators.md with the public API of
// Sources/EasyReact/Operators: an operator without a row fails, and a row without an operator. So
// does a row that leads to no picture or whose operator is not among those that the tests of every
// operator run, and a picture that the page does not show. Run by check-operators.sh. Parameters for the place of the call and runs of unlabelled ones are
// left out: `combine(_:_:file:line:)` is `combine(_:)`.
import Foundation

let sources = "Sources/EasyReact/Operators"
let page = "Documentation/Operators.md"
let pictures = "Documentation/Pictures/marbles"
let cases = "Tests/EasyReactTests/Operators/OperatorTable.swift"

/// What takes no node, or returns none of its own, and so is no case of the tests of every operator.
let notCases: Set = [
  "sync(with:)", "sync(with:transform:revert:)", "then(_:)", "else(_:)", "interval(_:on:)",
  "timer(after:every:on:)", "eventNode()", "objects()",
  // The cases have a scheduler.
  "mapAsync(_:)", "load(_:)",
]

/// The text between the bracket at `start` and its partner.
func inside(_ text: Substring) -> Substring {
  var depth = 0
  for index in text.indices {
    if text[index] == "(" { depth += 1 }
    if text[index] == ")" { depth -= 1 }
    if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
  }
  return text
}

/// The parts between commas that stand outside of all brackets.
func parameters(_ text: Substring) -> [Substring] {
  var parts: [Substring] = []
  var depth = 0
  var start = text.startIndex
  var before: Character = " "
  for index in text.indices {
    let character = text[index]
    if "([{<".contains(character) { depth += 1 }
    if ")]}".contains(character) || character == ">" && before != "-" { depth -= 1 }
    if character == ",", depth == 0 {
      parts.append(text[start..<index])
      start = text.index(after: index)
    }
    before = character
  }
  parts.append(text[start...])
  return parts
}

func name(of declaration: Substring) -> String {
  let base = declaration.prefix { !"(<".contains($0) }.filter { $0 != "`" }
  guard let bracket = declaration.firstIndex(of: "(") else { return String(base) }
  var labels: [String] = []
  for parameter in parameters(inside(declaration[bracket...])) {
    let label = parameter.drop { $0.isWhitespace }.prefix { !$0.isWhitespace && $0 != ":" }
    if label.isEmpty || label == "file" || label == "line" { continue }
    if label == "_", labels.last == "_" { continue }
    labels.append(String(label))
  }
  return base + "(" + labels.map { $0 + ":" }.joined() + ")"
}

var found: Set<String> = []
for file in try FileManager.default.contentsOfDirectory(atPath: sources)
where file.hasSuffix(".swift") {
  let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
  for match in text.matches(
    of: #/\n  (?:@\w+ )*public (?:static |final |override )*(?:func|var) (?=[a-z`])/#)
  {
    let rest = text[match.range.upperBound...]
    if match.output.contains("var ") {
      found.insert(String(rest.prefix { $0 != ":" }.filter { $0 != "`" }))
    } else {
      found.insert(name(of: rest))
    }
  }
}
found.remove("description")

var listed: [String] = []
let lines = try String(contentsOfFile: page, encoding: .utf8).split(
  separator: "\n", omittingEmptySubsequences: false)
let table = lines.drop { !$0.hasPrefix("| EasyReact for Swift |") }.dropFirst(2).prefix {
  $0.hasPrefix("|")
}
for row in table {
  let first = row.split(separator: "|", omittingEmptySubsequences: false)[1]
  listed += first.matches(of: /`([^`]+)`/).map { String($0.output.1) }
}

var isWrong = listed.isEmpty
for name in found.subtracting(listed).sorted() {
  print("\(page): no row for `\(name)`")
  isWrong = true
}
for name in Set(listed).subtracting(found).sorted() {
  print("\(page): `\(name)` is no operator in \(sources)")
  isWrong = true
}
for name in Set(listed.filter { one in listed.filter { $0 == one }.count > 1 }).sorted() {
  print("\(page): `\(name)` has two rows")
  isWrong = true
}
// The rows' pictures, the page's pictures, and the tests.
func links(_ text: some StringProtocol) -> [String] {
  String(text).matches(of: /\(Pictures\/marbles\/([^)]+)\)/).map { String($0.output.1) }
}
for row in table where links(row).count != 1 {
  print("\(page): a row without a picture: \(row)")
  isWrong = true
}
let drawn = Set(try FileManager.default.contentsOfDirectory(atPath: pictures))
let shown = Set(lines.filter { $0.hasPrefix("![") }.flatMap { links($0) })
for name in Set(lines.flatMap { links($0) }).subtracting(drawn).sorted() {
  print("\(page): there is no picture \(name)")
  isWrong = true
}
for name in drawn.subtracting(shown).sorted() {
  print("\(page): does not show \(name)")
  isWrong = true
}
let tested = Set(
  try String(contentsOfFile: cases, encoding: .utf8).matches(of: /OperatorCase\("([^"]+)"/)
    .flatMap { $0.output.1.split(separator: " ").map(String.init) })
for name in listed where tested.contains(name) == notCases.contains(name) {
  print("\(cases): \(notCases.contains(name) ? "needs no exception" : "has no case") for `\(name)`")
  isWrong = true
}
print("\(drawn.count) pictures, \(shown.count) on the page; \(tested.count) names of cases")
print("\(listed.count) operators in the table, \(found.count) in the code")
exit(isWrong ? 1 : 0)
