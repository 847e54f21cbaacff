import EasyReact
import EasyReactInspection

// The hooks of the tracer are always compiled in: off they cost the test of a flag, which is part
// of every other row.

func tracerRows() -> [Benchmark] {
  [
    Benchmark("tracer", "deep, off", ours: { chain(OurKit<Int>(), 50) }),
    Benchmark("tracer", "deep, on", ours: { traced(chain(OurKit<Int>(), 50)) }),
    Benchmark("tracer", "broad, off", ours: { fan(OurKit<Int>(), 50, mapped: true) }),
    Benchmark("tracer", "broad, on", ours: { traced(fan(OurKit<Int>(), 50, mapped: true)) }),
    // What a row takes more than its "off", by the events of a set, is the cost of an event.
    Benchmark(
      "tracer", "deep, recorded, 53 events a set",
      ours: { recorded(chain(OurKit<Int>(), 50), eventsOfSet: 53) }),
    Benchmark(
      "tracer", "broad, recorded, 102 events a set",
      ours: { recorded(fan(OurKit<Int>(), 50, mapped: true), eventsOfSet: 102) }),
  ]
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

/// A recorder runs while the trial does.
private func recorded(_ trial: Trial, eventsOfSet: Int) -> Trial {
  let recorder = GraphRecorder()
  return Trial(
    keep: trial.keep,
    run: { count in
      recorder.start()
      trial.run(count)
      recorder.stop()
    },
    check: { count in
      try trial.check(count)
      let events = Int(recorder.dropped) + recorder.records.events.count
      if events != count * eventsOfSet {
        throw Wrong(description: "\(events) events of \(count) sets, not \(count * eventsOfSet)")
      }
    })
}

private struct Counter: GraphTracer {
  let events = Sink()
  func trace(_ event: GraphEvent) { events.add(1) }
}
