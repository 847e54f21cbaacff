import EasyReact

// The hooks of the tracer are always compiled in: off they cost the test of a flag, which is part
// of every other row.

func tracerRows() -> [Benchmark] {
  [
    Benchmark("tracer", "deep, off", ours: { chain(OurKit<Int>(), 50) }),
    Benchmark("tracer", "deep, on", ours: { traced(chain(OurKit<Int>(), 50)) }),
    Benchmark("tracer", "broad, off", ours: { fan(OurKit<Int>(), 50, mapped: true) }),
    Benchmark("tracer", "broad, on", ours: { traced(fan(OurKit<Int>(), 50, mapped: true)) }),
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

private struct Counter: GraphTracer {
  let events = Sink()
  func trace(_ event: GraphEvent) { events.add(1) }
}
