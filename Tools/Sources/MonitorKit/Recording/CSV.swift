/// Comma-separated values as RFC 4180 has them: quoted where needed, quotes doubled.
enum CSV {
  /// One row as it stands in a file: the line on which it begins, from 1, and its cells.
  struct Row: Equatable {
    var line: Int
    var cells: [String]
  }

  /// What is wrong with a file's quotes.
  struct Problem: Error, Equatable {
    var line: Int
    var reason: String
  }

  /// The line for `cells`, with its end.
  static func line(_ cells: some Sequence<String>) -> String {
    cells.map(quotedIfNeeded).joined(separator: ",") + "\n"
  }

  private static func quotedIfNeeded(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { ",\"\n\r".utf8.contains($0) }
    guard needsQuotes else { return cell }
    return "\""
      + cell.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }

  /// The rows of `bytes`. Lines may end as on any system; blank lines are passed over, and so is
  /// the byte order mark that spreadsheets put first.
  static func rows(of bytes: [UInt8]) throws(Problem) -> [Row] {
    var reader = Reader(bytes: bytes[...])
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.rest = bytes.dropFirst(3) }
    var rows: [Row] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  /// Reads one row after the other off the front of `rest`.
  private struct Reader {
    var rest: ArraySlice<UInt8>
    var line = 1

    init(bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() throws(Problem) -> Row? {
      while !rest.isEmpty, takeLineEnd() {}
      if rest.isEmpty { return nil }
      var row = Row(line: line, cells: [])
      repeat {
        row.cells.append(try cell())
      } while take(UInt8(ascii: ","))
      if !rest.isEmpty, !takeLineEnd() {
        throw Problem(line: line, reason: "expected a comma after the closing quote")
      }
      return row
    }

    private mutating func cell() throws(Problem) -> String {
      guard take(UInt8(ascii: "\"")) else {
        let end = rest.firstIndex { $0 == 0x2C || $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let opened = line
      var text: [UInt8] = []
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\""), !take(byte) { return String(decoding: text, as: UTF8.self) }
        if byte == UInt8(ascii: "\n") { line += 1 }
        text.append(byte)
      }
      throw Problem(line: opened, reason: "expected a closing quote before the end of the file")
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func takeLineEnd() -> Bool {
      let hadReturn = take(0x0D)
      guard take(0x0A) || hadReturn else { return false }
      line += 1
      return true
    }
  }
}
