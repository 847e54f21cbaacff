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
    .init(name: "update", row: "budget/update, 1 listener", count: 5_000),
    .init(name: "clean", row: "budget/clean and set, 1 listener", count: 3_000),
    .init(name: "batch-1", row: "budget/batch of 1, a listener each", count: 2_000),
    .init(name: "batch-4", row: "budget/batch of 4, a listener each", count: 1_000),
    .init(name: "batch-100", row: "budget/batch of 100, a listener each", count: 50),
    .init(name: "batch-join", row: "budget/batch of 4 of one combine", count: 1_000),
    .init(name: "sets-join", row: "budget/4 sets of one combine", count: 1_000),
    .init(name: "wide", row: "budget/set, 1 listener, 64 bytes", count: 5_000),
    .init(name: "event", row: "budget/event, 1 listener", count: 5_000),
    .init(name: "events", row: "budget/event, chain of 100 maps", count: 500),
    .init(name: "zip-3", row: "budget/zip of 3, a triple", count: 2_000),
    .init(name: "zip-array", row: "budget/zip of an array of 3", count: 2_000),
    .init(name: "withLatest", row: "budget/withLatest", count: 3_000),
    .init(name: "withEvery", row: "budget/withLatest, every value", count: 3_000),
    .init(name: "sample", row: "budget/sample, a set and a tick", count: 3_000),
    .init(name: "combine-10", row: "budget/combine of 10", count: 2_000),
    .init(name: "array-10", row: "budget/combine of an array of 10, one changes", count: 2_000),
    .init(name: "array-1000", row: "budget/combine of an array of 1000, one changes", count: 200),
    .init(name: "flattenSet", row: "budget/flattenCombine of 10, one changes", count: 1_000),
    .init(name: "mergeMap", row: "budget/mergeMap, an inner node's value", count: 3_000),
    .init(name: "mergeFresh", row: "budget/mergeMap, a new inner node", count: 1_000),
    .init(name: "concatMap", row: "budget/concatMap, a new inner node", count: 1_000),
    .init(name: "exhaustMap", row: "budget/exhaustMap, a new inner node", count: 1_000),
    .init(name: "groupBy", row: "budget/groupBy, 4 groups", count: 2_000),
    .init(name: "throttle", row: "budget/throttleFirst, dropped", count: 3_000),
    .init(name: "latest", row: "budget/throttleLatest, held back", count: 2_000),
    .init(name: "debounce", row: "budget/debounce, held back", count: 2_000),
    .init(name: "sampled", row: "budget/sample(every:), held back", count: 2_000),
    .init(name: "deliver", row: "budget/deliver(on:), at once", count: 2_000),
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
    counted { trial.run(count) }
    try trial.check(count)
  }
}
