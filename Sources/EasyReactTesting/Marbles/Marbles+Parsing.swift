/// A line with the columns that its marks stand in, for later errors.
struct ParsedMarbles: Sendable {
  var marbles = Marbles()
  /// As `marbles.steps`, from one.
  var columns: [[Int]] = []
  let text: String

  func error(_ message: String, step: Int, mark: Int) -> MarbleError {
    MarbleError(message: message, text: text, column: columns[step][mark])
  }
}

func parseMarbles(_ text: String) throws(MarbleError) -> ParsedMarbles {
  var parser = MarbleParser(text)
  return try parser.parse()
}

private struct MarbleParser {
  private let text: String
  private let characters: [Character]
  private var next = 0
  private var parsed: ParsedMarbles
  /// Where `!` stands.
  private var end: Int?

  init(_ text: String) {
    self.text = text
    characters = Array(text)
    parsed = ParsedMarbles(text: text)
  }

  mutating func parse() throws(MarbleError) -> ParsedMarbles {
    while let start = skipSpaces() {
      switch characters[start] {
      case "-":
        next += 1
        add([], [])
      case "[":
        next += 1
        try parseGroup(from: start)
      default:
        let mark = try parseMark()
        add([mark], [start + 1])
      }
    }
    return parsed
  }

  private mutating func add(_ marks: [Marbles.Mark], _ columns: [Int]) {
    parsed.marbles.steps.append(marks)
    parsed.columns.append(columns)
  }

  private mutating func parseGroup(from start: Int) throws(MarbleError) {
    var marks: [Marbles.Mark] = []
    var columns: [Int] = []
    while let place = skipSpaces() {
      switch characters[place] {
      case "]":
        if marks.isEmpty { throw error("the group is empty: write - for a step of nothing", start) }
        next += 1
        return add(marks, columns)
      case "-": throw error("no time passes in a group: write - before [ or after ]", place)
      case "[": throw error("a group in a group: all marks between [ and ] are one instant", place)
      default:
        marks.append(try parseMark())
        columns.append(place + 1)
      }
    }
    throw error("the group is not closed: write ] after its last mark", start)
  }

  private mutating func parseMark() throws(MarbleError) -> Marbles.Mark {
    let place = next
    if let end {
      throw error("nothing happens after ! in column \(end + 1): only - may follow", place)
    }
    next += 1
    switch characters[place] {
    case "'": return .value(try parseQuoted(from: place))
    case "~": return .emptied
    case "!":
      end = place
      return .cancelled
    case "]": throw error("] without [", place)
    case "|":
      throw error("nodes do not complete: leave | out, or write '|' for the value", place)
    case "(", ")":
      throw error(
        "an instant is written [ab]; write '\(characters[place])' for the value", place)
    case let value: return .value(String(value))
    }
  }

  private mutating func parseQuoted(from start: Int) throws(MarbleError) -> String {
    var value = ""
    while next < characters.count {
      let character = characters[next]
      next += 1
      switch character {
      case "'": return value
      case "\\": value.unicodeScalars.append(try parseEscape(from: next - 1))
      default: value.append(character)
      }
    }
    throw error("the value is not closed: write ' after it", start)
  }

  private mutating func parseEscape(from start: Int) throws(MarbleError) -> Unicode.Scalar {
    let letter = next < characters.count ? characters[next] : nil
    next += 1
    switch letter {
    case "'": return "'"
    case "\\": return "\\"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return try parseScalar(from: start)
    default: throw error("after \\ comes one of ' \\ n r t u{1F600}", start)
    }
  }

  private mutating func parseScalar(from start: Int) throws(MarbleError) -> Unicode.Scalar {
    let digits = characters[next...].dropFirst().prefix { $0.isASCII && $0.isHexDigit }
    let isBraced = next < characters.count && characters[next] == "{"
    guard isBraced, digits.endIndex < characters.count, characters[digits.endIndex] == "}",
      let scalar = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init)
    else {
      throw error("\\u{…} holds the number of a Unicode scalar, in hexadecimal digits", start)
    }
    next = digits.endIndex + 1
    return scalar
  }

  /// The place of the next character that means something.
  private mutating func skipSpaces() -> Int? {
    while next < characters.count, characters[next].isWhitespace { next += 1 }
    return next < characters.count ? next : nil
  }

  private func error(_ message: String, _ place: Int) -> MarbleError {
    MarbleError(message: message, text: text, column: place + 1)
  }
}
