/// What one contestant needed for one operation of one row.
struct Measurement: Codable {
  let who: Contestant
  /// Nanoseconds an operation: the median of the rounds, the extremes, and the middle half.
  var median = 0.0, least = 0.0, most = 0.0, lowerQuartile = 0.0, upperQuartile = 0.0
  var rounds = 0
  /// Of each round, in order: what is compared with another's of the same round.
  var samples: [Double] = []
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
    let quantiles = Quantiles(of: samples)
    (least, lowerQuartile, median, upperQuartile, most) = (
      quantiles[0], quantiles[0.25], quantiles[0.5], quantiles[0.75], quantiles[1]
    )
    rounds = samples.count
    self.samples = samples
  }
}

/// Between two samples in a straight line.
struct Quantiles {
  private let sorted: [Double]
  init(of samples: [Double]) { sorted = samples.sorted() }

  subscript(_ fraction: Double) -> Double {
    let position = fraction * Double(sorted.count - 1)
    let index = Int(position)
    let next = min(index + 1, sorted.count - 1)
    return sorted[index] + (sorted[next] - sorted[index]) * (position - Double(index))
  }
}

/// One contestant's time divided by another's, round by round: a busier minute slows both.
struct Ratio {
  let median: Double
  /// The middle half.
  let lower: Double, upper: Double

  init?(_ a: Measurement?, _ b: Measurement?) {
    guard let a, let b, a.wrong == nil, b.wrong == nil, !a.samples.isEmpty,
      a.samples.count == b.samples.count, !b.samples.contains(0)
    else { return nil }
    let quantiles = Quantiles(of: zip(a.samples, b.samples).map { $0 / $1 })
    (lower, median, upper) = (quantiles[0.25], quantiles[0.5], quantiles[0.75])
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

  /// The fastest of those that do the same.
  var peer: Contestant? {
    measurements.filter { $0.who.isPeer && $0.wrong == nil }.min { $0.median < $1.median }?.who
  }

  /// Ours divided by another contestant's of the same round.
  func ratio(to who: Contestant?) -> Ratio? {
    who.flatMap { Ratio(self[.ours], self[$0]) }
  }
}
