import Foundation

/// Every row with a peer as a line of dots: how many times as long as ours each contestant took, on a logarithmic
/// scale. Right of the line at 1 we are ahead.
struct Chart {
  private let rows: [Row]

  init(_ rows: [Row]) { self.rows = rows.filter { $0.peer != nil && $0.ratio(to: $0.peer) != nil } }

  private let left = 290.0, right = 40.0, top = 64.0, line = 20.0, width = 900.0
  private var height: Double { top + line * Double(rows.count) + 16 }
  private let contestants: [(who: Contestant, colour: String)] = [
    (.openCombine, "#d55e00"), (.observation, "#0072b2"), (.asyncAlgorithms, "#009e73"),
    (.floor, "#999999"),
  ]

  /// Powers of ten.
  private var range: ClosedRange<Double> {
    let all = rows.flatMap { row in contestants.compactMap { times($0.who, row) } }.map(log10)
    return min(-1, floor(all.min() ?? -1))...max(1, ceil(all.max() ?? 1))
  }

  /// The other's time in ours.
  private func times(_ who: Contestant, _ row: Row) -> Double? {
    row.ratio(to: who).map { 1 / $0.median }
  }

  private func x(_ times: Double) -> Double {
    let share = (log10(times) - range.lowerBound) / (range.upperBound - range.lowerBound)
    return left + share * (width - left - right)
  }

  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" width="\(Int(width))" height="\(Int(height))" font-family="sans-serif" font-size="12">
    <rect width="100%" height="100%" fill="white"/>
    <text x="12" y="20" font-size="14">Time of one operation, in EasyReact's: right of 1 is slower than EasyReact</text>
    \(legend)
    \(scale)
    \(rows.indices.map(dots).joined(separator: "\n"))
    </svg>

    """
  }

  private var legend: String {
    let names: [Contestant: String] = [
      .openCombine: "OpenCombine", .observation: "Observation, armed by hand",
      .asyncAlgorithms: "swift-async-algorithms", .floor: "the floor: no library",
    ]
    return contestants.enumerated().map { index, contestant in
      let x = 12 + Double(index) * 200
      return """
        <circle cx="\(x + 5)" cy="38" r="5" fill="\(contestant.colour)"/><text x="\(x + 16)" y="42">\(names[contestant.who]!)</text>
        """
    }.joined(separator: "\n")
  }

  private var scale: String {
    (Int(range.lowerBound)...Int(range.upperBound)).map { power in
      let times = pow(10, Double(power))
      let (x, label) = (x(times), power < 0 ? "\(times)" : "\(Int(times))")
      return """
        <line x1="\(x)" y1="\(top - 4)" x2="\(x)" y2="\(height - 8)" stroke="\(power == 0 ? "#000" : "#ddd")"/>
        <text x="\(x)" y="\(top - 8)" text-anchor="middle">\(label)</text>
        """
    }.joined(separator: "\n")
  }

  private func dots(_ index: Int) -> String {
    let (row, y) = (rows[index], top + line * (Double(index) + 0.5))
    let name = row.name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let dots = contestants.compactMap { who, colour in
      times(who, row).map { "<circle cx=\"\(x($0))\" cy=\"\(y)\" r=\"4.5\" fill=\"\(colour)\"/>" }
    }
    return """
      <line x1="\(left)" y1="\(y)" x2="\(width - right)" y2="\(y)" stroke="#f0f0f0"/>
      <text x="\(left - 10)" y="\(y + 4)" text-anchor="end">\(name)</text>\(dots.joined())
      """
  }
}
