extension Marbles: CustomStringConvertible {
  /// The line, in the shortest form that reads the same: `Marbles(line.description) == line`.
  public var description: String { cells.joined() }

  /// One text a step.
  var cells: [String] {
    let cells = steps.map { Marbles.cell($0, escaping: false) }
    // Characters that would become one with their neighbours, as some scripts' do, are written by
    // their numbers.
    let line = cells.joined()
    if line.utf8.allSatisfy({ $0 < 0x80 }) || (try? Marbles(line)) == self { return cells }
    return steps.map { Marbles.cell($0, escaping: true) }
  }

  private static func cell(_ marks: [Mark], escaping: Bool) -> String {
    if marks.isEmpty { return "-" }
    let texts = marks.map { $0.text(escaping: escaping) }
    return texts.count == 1 ? texts[0] : "[" + texts.joined() + "]"
  }
}

extension Marbles.Mark: CustomStringConvertible {
  public var description: String { text(escaping: false) }

  fileprivate func text(escaping: Bool) -> String {
    switch self {
    case .emptied: "~"
    case .cancelled: "!"
    case .value(let value): isPlain(value, escaping) ? value : quoted(value, escaping)
    }
  }
}

/// Is it one character that can stand for itself?
private func isPlain(_ value: String, _ escaping: Bool) -> Bool {
  guard value.count == 1, let character = value.first else { return false }
  return !character.isWhitespace && !"-[]'~!|()\\".contains(character)
    && (character.isASCII || !escaping) && !isInvisible(character.unicodeScalars.first!)
}

private func quoted(_ value: String, _ escaping: Bool) -> String {
  var text = "'"
  for scalar in value.unicodeScalars {
    switch scalar {
    case "'": text += "\\'"
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    case let scalar where isInvisible(scalar) || escaping && !scalar.isASCII:
      text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    case let scalar: text.unicodeScalars.append(scalar)
    }
  }
  return text + "'"
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
  default: false
  }
}

// MARK: - Lines below each other

/// The lines with spaces where they are needed to put the same step of all in one column, and the
/// width of each step.
func aligned(_ lines: [Marbles]) -> (texts: [String], widths: [Int]) {
  let rows = lines.map(\.cells)
  let count = rows.map(\.count).max() ?? 0
  let widths = (0..<count).map { step in
    rows.map { step < $0.count ? displayWidth(of: $0[step]) : 0 }.max() ?? 0
  }
  let texts = rows.map { row in
    withoutTrailingSpaces(zip(row, widths).map { padded($0, to: $1) }.joined())
  }
  return (texts, widths)
}

extension Marbles {
  /// The lines, with spaces where they are needed to put the same step of all of them in one column
  /// of a terminal.
  ///
  ///     for line in Marbles.inColumns([a, b]) { print(line) }
  ///     // 1-[23]-5
  ///     // -1-   4-
  public static func inColumns(_ lines: [Marbles]) -> [String] { aligned(lines).texts }
}
