import ArgumentParser
import CBenchmarks
import Foundation

/// Cost per edge from ten nodes to a million.
struct GrowthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth", abstract: "Measures what an edge costs as graphs grow; prints a table.")

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
