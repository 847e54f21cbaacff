import Foundation

/// The result for machines, and for `--compare`.
struct ResultFile: Codable {
  var command: [String]
  var date: String
  var rows: [Row]

  init(rows: [Row]) {
    self.rows = rows
    command = CommandLine.arguments
    date = ISO8601DateFormatter().string(from: Date())
  }

  static func read(_ path: String) throws -> ResultFile {
    try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(_ path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  /// What changed since `old`: the time of ours, and its ratio to the floor, which a busier machine
  /// changes less.
  func printComparison(with old: ResultFile) {
    print("\nsince \(old.date)")
    let before = Dictionary(old.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for row in rows {
      guard let was = before[row.id]?[.ours], let now = row[.ours], was.median > 0 else { continue }
      let change = (now.median / was.median - 1) * 100
      var line = "\(row.id): \(short(was.median)) → \(short(now.median)) ns, \(signed(change)) %"
      if let wasRatio = before[row.id]?.ratio(to: .floor), let ratio = row.ratio(to: .floor) {
        line += ", to the floor \(short(wasRatio.median)) → \(short(ratio.median))"
      }
      if was.allocations != now.allocations {
        line += ", allocations \(short(was.allocations)) → \(short(now.allocations))"
      }
      let isBeyondSpread = abs(change) > max(5, was.spread, now.spread)
      print(isBeyondSpread ? (change > 0 ? "slower  " : "faster  ") : "same    ", line)
    }
  }

  private func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + short(value) }
}
