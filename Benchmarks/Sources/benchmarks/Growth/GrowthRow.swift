import CBenchmarks
import Foundation

/// Something whose cost must not grow faster than what there is to do.
struct GrowthRow {
  enum Measure {
    /// Processor time to work, for three sizes: the exponent is at most `limit`.
    case exponent(limit: Double, (_ size: Int) -> Grown)
    /// Processor time of the second to that of the first.
    case ratio(limit: Double, (_ size: Int) -> (Grown, Grown))
    /// What a piece of work has allocated and not given back, to its size.
    case bytes(limit: Double, (_ size: Int) -> Grown)
  }
  let name: String
  let measure: Measure

  /// Linear. Links that close or open cycles are allowed 1.5: the best bounds known for keeping an
  /// order of a graph that grows are no better (B. Haeupler, T. Kavitha, R. Mathew, S. Sen,
  /// R. Tarjan, Incremental cycle detection, topological ordering, and strong component
  /// maintenance, TALG 8 (2012): O(m^1.5) for m links in all).
  init(_ name: String, limit: Double = 1.2, _ make: @escaping (_ size: Int) -> Grown) {
    self.init(name, .exponent(limit: limit, make))
  }

  init(_ name: String, _ measure: Measure) {
    self.name = name
    self.measure = measure
  }
}

/// A graph, and what is measured in it.
struct Grown {
  /// How much there is to do.
  let work: Int
  private let keep: Any
  private let body: () -> Void

  init(work: Int, keep: Any = (), run: @escaping () -> Void) {
    self.work = work
    self.keep = keep
    self.body = run
  }

  /// - Parameter counting: What is found when it has run; what is kept still lives then.
  @discardableResult func run<Found>(_ counting: () -> Found = {}) -> Found {
    withExtendedLifetime((keep, body)) {
      body()
      return counting()
    }
  }
}

/// Of one row.
struct GrowthFinding {
  let name: String
  let value: Double
  let limit: Double
  let unit: String
  let details: String
  var isGood: Bool { value <= limit }

  func print() {
    let number = String(format: "%7.2f", value), bound = String(format: "%.1f", limit)
    let title = name.padding(toLength: 52, withPad: " ", startingAt: 0)
    Swift.print(
      "\(title) \(number) \(unit), at most \(bound)\(isGood ? "" : "  GROWS")   \(details)")
  }
}

/// Processor time of this thread, the least of several rounds: another process that wants the
/// processor makes rounds dearer, never cheaper. What is above its limit is measured again, with the
/// least of all rounds. What another process keeps in the caches makes large graphs dearer than
/// small ones, in each round; so what stays above is counted (Scripts/check-growth.sh).
struct GrowthMeasuring {
  let sizes: [Int]
  /// Where callgrind runs this, instructions are the cost, which no other process changes.
  let counts: CallgrindCounts?
  private var tries: Int { counts == nil ? 5 : 1 }

  func measure(_ row: GrowthRow) -> GrowthFinding {
    switch row.measure {
    case .exponent(let limit, let make): exponent(row.name, limit, make)
    case .ratio(let limit, let make): ratio(row.name, limit, make)
    case .bytes(let limit, let make): bytes(row.name, limit, make)
    }
  }

  private func exponent(_ name: String, _ limit: Double, _ make: (Int) -> Grown) -> GrowthFinding {
    var best: [Int: (work: Int, cost: Double)] = [:]
    // What is looked up once, the types of a row, would make the smallest dearer.
    if counts != nil { make(sizes[0]).run() }
    var finding: GrowthFinding!
    for _ in 0..<tries {
      for size in sizes {
        let (work, cost) = least(of: sizes.last! / size) { make(size) }
        best[size] = (work, min(cost, best[size]?.cost ?? .infinity))
      }
      let points = sizes.map { best[$0]! }
      let details = zip(sizes, points).map { size, point in
        "\(size): \(short(point.cost / Double(point.work)))\(counts == nil ? " ns" : "")"
      }
      finding = GrowthFinding(
        name: name, value: slope(points.map { (log(Double($0.work)), log($0.cost)) }),
        limit: limit, unit: "exponent", details: details.joined(separator: "  "))
      if finding.isGood { break }
    }
    return finding
  }

  private func ratio(
    _ name: String, _ limit: Double, _ make: (Int) -> (Grown, Grown)
  ) -> GrowthFinding {
    var base = Double.infinity, other = Double.infinity
    for _ in 0..<tries {
      let pair = make(sizes.last!)
      base = min(base, least { pair.0 }.cost)
      other = min(other, least { pair.1 }.cost)
      if other / base <= limit { break }
    }
    return GrowthFinding(
      name: name, value: other / base, limit: limit, unit: "times", details: "")
  }

  private func bytes(_ name: String, _ limit: Double, _ make: (Int) -> Grown) -> GrowthFinding {
    make(sizes[0]).run()
    let grown = make(sizes.last!)
    benchmarks_start_counting()
    let live = grown.run { benchmarks_stop_counting().live }
    return GrowthFinding(
      name: name, value: Double(live) / Double(grown.work), limit: limit, unit: "bytes each",
      details: "")
  }

  /// Of rounds that last some milliseconds together.
  /// - Parameter repeats: How often a round does it. So a round of a small size lasts as long as one of the largest: of short ones the least would
  ///   find the moments in which a busy machine leaves the processor alone, of long ones never.
  private func least(of repeats: Int = 1, _ make: () -> Grown) -> (work: Int, cost: Double) {
    if let counts {
      let grown = make()
      return (grown.work, counts.instructions { grown.run() })
    }
    var rounds = 0, total = 0.0, least = Double.infinity, work = 1
    while rounds < 3 && total < 5e8 || rounds < 30 && total < 2e7 {
      var cost = 0.0
      for _ in 0..<repeats {
        let grown = make()
        let start = benchmarks_processor_time()
        cost += grown.run { Double(max(1, benchmarks_processor_time() - start)) }
        work = grown.work
      }
      least = min(least, cost / Double(repeats))
      total += cost
      rounds += 1
    }
    return (work, least)
  }
}

/// By least squares.
func slope(_ points: [(x: Double, y: Double)]) -> Double {
  let count = Double(points.count)
  let x = points.map(\.x).reduce(0, +) / count, y = points.map(\.y).reduce(0, +) / count
  let above = points.map { ($0.x - x) * ($0.y - y) }.reduce(0, +)
  return above / points.map { ($0.x - x) * ($0.x - x) }.reduce(0, +)
}
