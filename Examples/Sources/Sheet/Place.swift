/// The place of a cell, from A1 to T10.
struct Place: Hashable, Sendable, CustomStringConvertible {
  static let columns = Array("ABCDEFGHIJKLMNOPQRST")
  static let rows = 10
  static let all = (0..<rows).flatMap { row in columns.indices.map { Place(column: $0, row: row) } }

  let column: Int, row: Int
  var index: Int { row * Place.columns.count + column }
  var description: String { "\(Place.columns[column])\(row + 1)" }

  /// All places between two corners, row by row.
  static func rectangle(_ a: Place, _ b: Place) -> [Place] {
    let columns = min(a.column, b.column)...max(a.column, b.column)
    let rows = min(a.row, b.row)...max(a.row, b.row)
    return all.filter { columns ~= $0.column && rows ~= $0.row }
  }
}

extension Place {
  /// Nil if the text names no cell of the sheet.
  init?(_ text: Substring) {
    guard let place = Place.all.first(where: { $0.description == text.uppercased() }) else {
      return nil
    }
    self = place
  }
}
