import CBenchmarks

/// A row run a fixed number of times, without a clock: what `Scripts/count-instructions.sh` counts.
struct Workload {
  let name: String
  /// The row's group/name.
  let row: String
  let count: Int

  static let all: [Workload] = [
    .init(name: "set", row: "budget/set, 1 listener", count: 10_000),
    .init(name: "chain", row: "budget/chain of 100 maps", count: 500),
    .init(name: "fan-out", row: "budget/1,000 × (map, listener)", count: 50),
    .init(name: "combine", row: "budget/combine of 2", count: 5_000),
    .init(name: "combine-8", row: "budget/combine of 8", count: 2_000),
    .init(name: "combine-map", row: "budget/combine of 2 and map", count: 5_000),
    .init(name: "derived", row: "budget/derived of 2", count: 5_000),
    .init(
      name: "derived-switch", row: "budget/derived, another upstream each run", count: 2_000),
    .init(name: "diamond", row: "budget/diamond, 10 wide", count: 2_000),
    .init(name: "zip", row: "budget/zip of 2, a pair", count: 3_000),
    .init(name: "merge", row: "budget/merge of 8", count: 5_000),
    .init(name: "filter", row: "budget/filter, half pass", count: 10_000),
    .init(name: "distinct", row: "budget/distinctUntilChanged", count: 10_000),
    .init(name: "scan", row: "budget/scan", count: 10_000),
    .init(name: "flattenMap", row: "budget/flattenMap, switch the inner node", count: 2_000),
    .init(name: "link", row: "budget/link", count: 5_000),
    .init(name: "sync", row: "budget/sync", count: 5_000),
    .init(name: "context", row: "budget/set with a context, 1 listener", count: 3_000),
    .init(name: "owner", row: "budget/set, 1 listener of an owner", count: 5_000),
    .init(name: "strings", row: "budget/chain of 10 maps, String", count: 2_000),
    .init(name: "custom", row: "budget/chain of 10 NodeTransform subclasses, link", count: 1_000),
    .init(
      name: "through", row: "budget/chain of 10 NodeTransform subclasses, through", count: 1_000),
    .init(name: "life", row: "budget/build and drop: source, 10 maps, listener", count: 500),
    .init(name: "recorded", row: "tracer/deep, recorded, 53 events a set", count: 200),
    .init(name: "layered", row: "budget/layered graph, 20 layers, one update", count: 100),
  ]

  /// Once before the counting starts, so that what happens only once in a process is not counted.
  func run() throws {
    guard let benchmark = allRows().first(where: { $0.id == row }) else {
      throw Wrong(description: "the workload \(name) names the row \(row), which does not exist")
    }
    let trial = benchmark.contestants.first { $0.who == .ours }!.make()
    for _ in 0..<2 {
      trial.run(count)
      try trial.check(count)
    }
    let counted = Counted(body: { trial.run(count) })
    withExtendedLifetime(counted) {
      benchmarks_counted(
        { Unmanaged<Counted>.fromOpaque($0).takeUnretainedValue().body() },
        Unmanaged.passUnretained(counted).toOpaque())
    }
    try trial.check(count)
  }
}

private final class Counted {
  let body: () -> Void
  init(body: @escaping () -> Void) { self.body = body }
}
