/// The result for people: a line a row.
struct Table {
  let rows: [Row]

  func print() {
    let width = max(20, rows.map(\.name.count).max() ?? 0)
    let head =
      "row".padded(width)
      + columns(["ours ns", "±%", "least", "peer", "by", "floor", "÷peer", "±%", "÷floor"], 10)
      + columns(["budget", "", "alloc", "bytes", "build ns", "drop ns", "live B"], 10)
    for group in groups {
      Swift.print("\n\(group)\n\(head)")
      for row in rows where row.group == group { Swift.print(line(row, width)) }
    }
  }

  private var groups: [String] {
    rows.reduce(into: []) { if !$0.contains($1.group) { $0.append($1.group) } }
  }

  private func line(_ row: Row, _ width: Int) -> String {
    let ours = row[.ours]
    let cells = [
      time(ours), ours.map { Int($0.spread.rounded()).description } ?? "–",
      ours.map { short($0.least) } ?? "–", time(row.peer.flatMap { row[$0] }),
      row.peer?.initials ?? "–", time(row[.floor]),
      ratio(row.ratio(to: row.peer)), spread(row.ratio(to: row.peer)),
      ratio(row.ratio(to: .floor)), row.budget.map(short) ?? "–", row.verdict,
      ours.map { short($0.allocations) } ?? "–", ours.map { short($0.bytes) } ?? "–",
      ours.map { short($0.buildNanoseconds) } ?? "–",
      ours.map { short($0.tearDownNanoseconds) } ?? "–",
      ours.map { short(Double($0.liveBytes)) } ?? "–",
    ]
    return row.name.padded(width) + columns(cells, 10)
  }

  private func time(_ measurement: Measurement?) -> String {
    guard let measurement else { return "–" }
    return measurement.wrong == nil ? short(measurement.median) : "WRONG"
  }

  private func ratio(_ ratio: Ratio?) -> String { ratio.map { short($0.median) } ?? "–" }
  private func spread(_ ratio: Ratio?) -> String {
    ratio.map { Int((($0.upper - $0.lower) / $0.median * 100).rounded()).description } ?? "–"
  }
}

extension Row {
  /// Does ours keep the budget: as time on this machine, or as ratio to OpenCombine?
  var verdict: String {
    guard let budget, let ours = self[.ours], ours.wrong == nil else { return "" }
    if let allowed = budgetAllocations, ours.allocations > allowed + 0.01 { return "ALLOC" }
    if ours.median <= budget { return "met" }
    if let old = budgetOpenCombine, let ratio = ratio(to: .openCombine),
      ratio.median <= budget / old
    {
      return "by ratio"
    }
    return "MISSED"
  }
}

private func columns(_ cells: [String], _ width: Int) -> String {
  cells.map { String(repeating: " ", count: max(1, width - $0.count)) + $0 }.joined()
}

/// Three digits or so; thousands in groups.
func short(_ value: Double) -> String {
  if value == 0 { return "0" }
  if abs(value) < 10 { return ((value * 100).rounded() / 100).description }
  if abs(value) < 100 { return ((value * 10).rounded() / 10).description }
  if abs(value) >= 1e15 { return value.description }
  var digits = Int(value.rounded()).description
  var end = digits.endIndex
  while digits.distance(from: digits.startIndex, to: end) > 3 {
    end = digits.index(end, offsetBy: -3)
    if digits[digits.index(before: end)] != "-" { digits.insert(",", at: end) }
  }
  return digits
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
