/// What one contestant needed for one operation of one row.
struct Measurement: Codable {
  let who: Contestant
  /// Nanoseconds an operation: the median of the rounds, the extremes, and the middle half.
  var median = 0.0, least = 0.0, most = 0.0, lowerQuartile = 0.0, upperQuartile = 0.0
  var rounds = 0
  /// How many operations a round had.
  var operations = 0
  /// An operation, in steady state.
  var allocations = 0.0, bytes = 0.0
  /// Making the graph and dropping it, once.
  var buildNanoseconds = 0.0, tearDownNanoseconds = 0.0, buildAllocations = 0
  /// What the built graph holds.
  var liveBytes = 0
  /// A wrong answer: there is no time then.
  var wrong: String?

  /// The width of the middle half, in percent of the median.
  var spread: Double { median == 0 ? 0 : (upperQuartile - lowerQuartile) / median * 100 }

  mutating func take(_ samples: [Double]) {
    let sorted = samples.sorted()
    func at(_ fraction: Double) -> Double {
      let position = fraction * Double(sorted.count - 1)
      let index = Int(position)
      let next = min(index + 1, sorted.count - 1)
      return sorted[index] + (sorted[next] - sorted[index]) * (position - Double(index))
    }
    (least, lowerQuartile, median, upperQuartile, most) = (
      at(0), at(0.25), at(0.5), at(0.75), at(1)
    )
    rounds = samples.count
  }
}

/// A row of the result.
struct Row: Codable {
  let group: String
  let name: String
  var budget: Double?
  /// OpenCombine's time when the budget was set.
  var budgetOpenCombine: Double?
  var budgetAllocations: Double?
  var measurements: [Measurement]

  var id: String { "\(group)/\(name)" }

  subscript(_ who: Contestant) -> Measurement? { measurements.first { $0.who == who } }

  /// Ours divided by another contestant, as measured in this run.
  /// Who does the same: OpenCombine, or Observation where the row is about what that does.
  var peer: Contestant { self[.observation] == nil ? .openCombine : .observation }

  func ratio(to who: Contestant) -> Double? {
    guard let ours = self[.ours], let other = self[who], ours.wrong == nil, other.wrong == nil,
      other.median > 0
    else { return nil }
    return ours.median / other.median
  }
}
