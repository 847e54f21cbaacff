/// Who runs.
enum Contestant: String, Codable, CaseIterable {
  case ours
  case openCombine = "OpenCombine"
  case observation = "Observation"
  case asyncAlgorithms = "AsyncAlgorithms"
  case floor

  var isPeer: Bool { self != .ours && self != .floor }
  /// For a column.
  var initials: String {
    switch self {
    case .ours: "us"
    case .openCombine: "OC"
    case .observation: "Ob"
    case .asyncAlgorithms: "AA"
    case .floor: "fl"
    }
  }
}

/// What a row must not exceed, and where its peers stood when the budget was set
/// (reference/benchmarks.md).
struct Budget {
  let limit: Double
  /// OpenCombine's time in that table; nil where it has no operator, or no time.
  var openCombine: Double?
  var allocations: Double?
}

/// One row: the same thing done by each contestant.
struct Benchmark {
  let group: String
  let name: String
  var budget: Budget?
  /// Operations of a round; nil: as many as take about ten milliseconds.
  var count: Int?
  var contestants: [(who: Contestant, make: () -> Trial)] = []
  /// Takes minutes: run with --heavy only.
  var isHeavy = false
  /// A row of bytes instead of nanoseconds: what each counts, once.
  var bytes: [(who: Contestant, count: () -> Double)] = []

  /// `group/name`, which `--filter` searches.
  var id: String { "\(group)/\(name)" }

  init(
    _ group: String, _ name: String, budget: Budget? = nil, count: Int? = nil,
    ours: (() -> Trial)? = nil, openCombine: (() -> Trial)? = nil,
    observation: (() -> Trial)? = nil, asyncAlgorithms: (() -> Trial)? = nil,
    floor: (() -> Trial)? = nil
  ) {
    self.group = group
    self.name = name
    self.budget = budget
    self.count = count
    let all: [(Contestant, (() -> Trial)?)] = [
      (.ours, ours), (.openCombine, openCombine), (.observation, observation),
      (.asyncAlgorithms, asyncAlgorithms), (.floor, floor),
    ]
    contestants = all.compactMap { who, make in make.map { (who, $0) } }
  }

  init(
    _ group: String, _ name: String, budget: Budget? = nil,
    bytes: [(Contestant, () -> Double)]
  ) {
    self.group = group
    self.name = name
    self.budget = budget
    self.bytes = bytes.map { ($0, $1) }
  }
}
