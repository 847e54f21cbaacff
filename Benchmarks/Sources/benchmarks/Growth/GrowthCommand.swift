import ArgumentParser
import CBenchmarks
import Foundation

/// Cost per edge from ten nodes to a million; and what must not grow faster than what there is to do.
struct GrowthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Measures what an edge, a link, a cut cost as graphs grow; prints a table.")

  @Flag(help: "Only the rows with a limit, with small graphs; fails where one is above it.")
  var check = false

  @Option(help: "Only rows with a limit whose name contains this; may stand several times.")
  var row: [String] = []

  @Option(help: "Instructions in place of time: what callgrind's --callgrind-out-file names.")
  var counts: String?

  @Option(help: "The largest graph.")
  var nodes = 1_000_000

  @Option(help: "How many links are made and cut before the set of the last row.")
  var age = 10_000_000

  @Option(help: "How many rounds; the median counts.")
  var rounds = 11

  @Option(help: "Draws the table into this file.")
  var svg: String?

  func validate() throws {
    if nodes < 10 || rounds < 1 || age < 10 {
      throw ValidationError("--nodes and --age are at least 10, --rounds at least 1.")
    }
  }

  func run() throws {
    onStack(bytes: 1 << 20) {}
    let grown = measureRows()
    if check || !row.isEmpty {
      if check && grown { throw ExitCode.failure }
      return
    }
    var curves: [GrowthCurve] = []
    for shape in GrowthShape.allCases {
      let sizes = shape == .age ? powersOfTen(to: age) : powersOfTen(to: nodes)
      var ours = GrowthCurve(shape: shape, who: .ours),
        floor = GrowthCurve(shape: shape, who: .floor)
      for size in sizes {
        ours.points.append((size, try cost(shape.make(OurKit<Int>(), nodes: size))))
        if shape != .age {
          floor.points.append((size, try cost(shape.make(FloorKit<Int>(), nodes: size))))
        }
      }
      curves += floor.points.isEmpty ? [ours] : [ours, floor]
    }
    for curve in curves { curve.print() }
    try svg.map {
      try GrowthPlot(curves: curves).svg.write(toFile: $0, atomically: true, encoding: .utf8)
    }
  }

  /// True: one is above its limit.
  private func measureRows() -> Bool {
    // Small enough for one level of the processor's caches, whose knee would look like growth.
    let measuring = GrowthMeasuring(
      sizes: check ? [200, 600, 1_800] : [1_000, 3_000, 9_000],
      counts: counts.map(CallgrindCounts.init))
    let rows = growthRows().filter { candidate in
      row.isEmpty || row.contains { candidate.name.contains($0) }
    }
    var grown: [String] = []
    for row in rows {
      printProgress(row.name)
      let finding = measuring.measure(row)
      printProgress("")
      finding.print()
      if !finding.isGood { grown.append(row.name) }
    }
    print("growth: \(rows.count) rows, \(grown.count) above their limit")
    for name in grown { print("above: \(name)") }
    return !grown.isEmpty
  }

  private func powersOfTen(to limit: Int) -> [Int] {
    Array(sequence(first: 10) { $0 * 10 <= limit ? $0 * 10 : nil })
  }

  /// Nanoseconds an edge: each round has at least a hundred thousand edges.
  private func cost(_ graph: GrownGraph) throws -> Double {
    let sets = max(1, 100_000 / graph.edges)
    var samples: [Double] = []
    for round in 0...rounds {
      let start = benchmarks_now()
      for value in 0..<sets { graph.set(value) }
      let time = Double(benchmarks_now() - start)
      try expect(graph.read(), graph.expected(sets - 1), "the end of the graph")
      if round > 0 { samples.append(time / Double(sets * graph.edges)) }
    }
    return withExtendedLifetime(graph.keep) { samples.sorted()[samples.count / 2] }
  }
}

struct GrowthCurve {
  let shape: GrowthShape
  let who: Contestant
  var points: [(nodes: Int, cost: Double)] = []

  func print() {
    let cells = points.map { "\(short(Double($0.nodes))): \(short($0.cost))" }
    Swift.print("\(shape.rawValue) (\(who.rawValue)), ns: \(cells.joined(separator: "  "))")
  }
}
