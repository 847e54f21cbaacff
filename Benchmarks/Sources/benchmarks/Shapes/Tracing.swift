import EasyReact
import EasyReactInspection
import Synchronization

// The hooks of the tracer are always compiled in: off they cost the test of a flag, which is part
// of every other row.

func tracerRows() -> [Benchmark] {
  [
    Benchmark("tracer", "deep, off", ours: { chain(OurKit<Int>(), 50) }),
    Benchmark("tracer", "deep, on", ours: { traced(chain(OurKit<Int>(), 50)) }),
    Benchmark("tracer", "broad, off", ours: { fan(OurKit<Int>(), 50, mapped: true) }),
    Benchmark("tracer", "broad, on", ours: { traced(fan(OurKit<Int>(), 50, mapped: true)) }),
    // What a row takes more than its "off", by the events of a set, is the cost of an event: 100 ns at most, and
    // nothing is allocated.
    Benchmark(
      "tracer", "deep, recorded, 53 events a set", budget: Budget(limit: 6_300, allocations: 0),
      ours: { recorded(chain(OurKit<Int>(), 50), eventsOfSet: 53) }),
    Benchmark(
      "tracer", "broad, recorded, 102 events a set", budget: Budget(limit: 12_000, allocations: 0),
      ours: { recorded(fan(OurKit<Int>(), 50, mapped: true), eventsOfSet: 102) }),
    Benchmark("tracer", "a join that waits, off", ours: { waitingJoin() }),
    Benchmark(
      "tracer", "a join that waits, recorded, 6 events a set",
      budget: Budget(limit: 900, allocations: 0), ours: { recorded(waitingJoin(), eventsOfSet: 6) }),
  ]
}

/// Of two upstreams one has no value: it is derived from a third, and refused.
private func waitingJoin() -> Trial {
  let source = MutableNode(0), other = MutableNode(0)
  let never = other.filter { $0 < 0 }.map { $0 }
  let both = source.combine(never)
  let calls = Sink()
  let listenings = [source.listen { calls.add($0) }, both.listen { calls.add($0 + $1) }]
  return Trial(
    calls, keep: listenings, calls: { $0 }, sum: triangle,
    run: { count in for value in 0..<count { source.value = value } })
}

/// The tracer is there while the trial runs only.
private func traced(_ trial: Trial) -> Trial {
  let counter = Counter()
  return Trial(
    keep: trial.keep,
    run: { count in
      GraphTracing.install(counter)
      trial.run(count)
      GraphTracing.install(nil)
    },
    check: { count in
      try trial.check(count)
      let events = counter.events.take().calls
      if events < count { throw Wrong(description: "\(events) events of \(count) sets") }
    })
}

/// A recorder runs as long as the trial is kept, so what is timed is the steady state: its ring has been filled before.
private func recorded(_ trial: Trial, eventsOfSet: Int) -> Trial {
  let recorder = GraphRecorder()
  recorder.start()
  let before = Events()
  return Trial(
    keep: trial.keep, run: trial.run,
    check: { count in
      try trial.check(count)
      // The ring's numbers have no gaps; what a set ends with may be told of before, and then it is not among the records.
      let events = before.exchange(Int(recorder.records.events.last?.sequence ?? 0))
      if abs(events - count * eventsOfSet) > 1 {
        throw Wrong(description: "\(events) events of \(count) sets, not \(count * eventsOfSet)")
      }
    })
}

/// How many there were at the last check.
private final class Events: Sendable {
  private let count = Atomic(0)
  /// How many came since.
  func exchange(_ new: Int) -> Int { new - count.exchange(new, ordering: .relaxed) }
}

private struct Counter: GraphTracer {
  let events = Sink()
  func trace(_ event: GraphEvent) { events.add(1) }
}
