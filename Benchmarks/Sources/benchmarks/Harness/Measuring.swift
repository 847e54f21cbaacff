import CBenchmarks

/// Runs rows: builds apart, then all contestants in turns, another one first in each round, then once more with
/// the allocations counted.
struct Measuring {
  /// How many rounds each contestant has.
  var rounds: Int
  /// How long a round shall last at least, if the row does not say how many operations it has.
  var roundNanoseconds = 10_000_000.0

  func measure(_ benchmark: Benchmark) -> Row {
    var row = Row(
      group: benchmark.group, name: benchmark.name, budget: benchmark.budget?.limit,
      budgetOpenCombine: benchmark.budget?.openCombine,
      budgetAllocations: benchmark.budget?.allocations, measurements: [])
    if !benchmark.bytes.isEmpty {
      row.measurements = benchmark.bytes.map { who, count in
        var measurement = Measurement(who: who)
        measurement.take([count()])
        return measurement
      }
      return row
    }
    var running: [Running] = benchmark.contestants.map { who, make in
      Running(measurement: Measurement(who: who), make: make)
    }
    for index in running.indices { running[index].prepare(benchmark.count, roundNanoseconds) }
    for round in 0..<rounds {
      for turn in running.indices { running[(round + turn) % running.count].round() }
    }
    for index in running.indices { running[index].finish() }
    row.measurements = running.map(\.measurement)
    return row
  }
}

private struct Running {
  var measurement: Measurement
  let make: () -> Trial
  var trial: Trial?
  var samples: [Double] = []

  mutating func prepare(_ count: Int?, _ roundNanoseconds: Double) {
    build()
    guard trial != nil else { return }
    if let count {
      measurement.operations = count
      _ = timed(count)
      return
    }
    var count = 2
    while let time = timed(count), time < roundNanoseconds, count < 1 << 30 {
      let wanted = Double(count) * roundNanoseconds / max(time, 1) * 1.1
      count = min(count * 10, max(count + 1, Int(wanted)))
    }
    measurement.operations = count
  }

  /// Once for the allocations; then, unless it takes long, a few times for the time of building and
  /// dropping.
  private mutating func build() {
    benchmarks_start_counting()
    let start = benchmarks_now()
    var first: Trial? = make()
    let time = benchmarks_now() - start
    let counted = benchmarks_stop_counting()
    measurement.buildAllocations = Int(counted.allocations)
    measurement.liveBytes = Int(counted.live)
    trial = first
    first = nil
    var built: [Double] = [], dropped: [Double] = []
    for _ in 0..<(time < 200_000_000 ? 5 : 1) {
      let start = benchmarks_now()
      trial = nil
      let middle = benchmarks_now()
      trial = make()
      dropped.append(Double(middle - start))
      built.append(Double(benchmarks_now() - middle))
    }
    measurement.buildNanoseconds = built.sorted()[built.count / 2]
    measurement.tearDownNanoseconds = dropped.sorted()[dropped.count / 2]
  }

  mutating func round() {
    let count = measurement.operations
    if let time = timed(count) { samples.append(time / Double(count)) }
  }

  /// Nil, and nothing more is run, after a wrong answer.
  private mutating func timed(_ count: Int) -> Double? {
    guard let trial else { return nil }
    let start = benchmarks_now()
    trial.run(count)
    let time = Double(benchmarks_now() - start)
    do {
      try trial.check(count)
      return time
    } catch {
      measurement.wrong = "\(error)"
      self.trial = nil
      return nil
    }
  }

  mutating func finish() {
    if let trial {
      benchmarks_start_counting()
      trial.run(measurement.operations)
      let counted = benchmarks_stop_counting()
      measurement.allocations = Double(counted.allocations) / Double(measurement.operations)
      measurement.bytes = Double(counted.bytes) / Double(measurement.operations)
    }
    if measurement.wrong == nil { measurement.take(samples) }
    trial = nil
  }
}
