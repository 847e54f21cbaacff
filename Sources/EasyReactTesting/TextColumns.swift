/// Joins the cells of each row with two spaces between, padded so that columns stand below each
/// other.
func inColumns(_ rows: [[String]]) -> [String] {
  let count = rows.map(\.count).max() ?? 0
  let widths = (0..<count).map { column in
    rows.map { column < $0.count ? displayWidth(of: $0[column]) : 0 }.max() ?? 0
  }
  return rows.map { row in
    let cells = row.enumerated().map { padded($0.element, to: widths[$0.offset]) }
    return withoutTrailingSpaces(cells.joined(separator: "  "))
  }
}

func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - displayWidth(of: text)))
}

func withoutTrailingSpaces(_ line: String) -> String {
  var line = line
  while line.last == " " { line.removeLast() }
  return line
}

/// How many columns of a terminal a text takes: two for an emoji or an East Asian wide character,
/// as in Unicode's annexes 11 and 51, by the blocks that matter.
func displayWidth(of text: String) -> Int {
  text.reduce(0) { $0 + displayWidth(of: $1) }
}

func displayWidth(of character: Character) -> Int {
  guard let first = character.unicodeScalars.first else { return 0 }
  if first.isASCII { return 1 }
  let isEmoji = character.unicodeScalars.contains {
    $0.properties.isEmojiPresentation || $0.value == 0xFE0F
  }
  if isEmoji { return 2 }
  return switch first.value {
  case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
    2
  default: 1
  }
}
