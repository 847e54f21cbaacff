import CBenchmarks
import EasyReact
import OpenCombine

/// Building, dropping, memory, and depth.
func lifeRows() -> [Benchmark] {
  [buildRow(), layeredRow(), mapMemoryRow("budget", "heap bytes per map node"), depthRow()]
}

private func buildRow() -> Benchmark {
  Benchmark(
    "budget", "build and drop: source, 10 maps, listener",
    budget: Budget(limit: 5_000, openCombine: 7_845),
    ours: { life(OurKit<Int>.self) }, openCombine: { life(OpenCombineKit<Int>.self) },
    floor: {
      let sink = Sink()
      return Trial(sink, calls: { $0 }, sum: { triangle($0) + $0 * 10 }) { count in
        for value in 0..<count {
          let source = Plain(value)
          var end = source
          for _ in 0..<10 { end = end.map { $0 &+ 1 } }
          end.listen { sink.add($0) }
        }
      }
    })
}

private func life<K: Kit<Int>>(_: K.Type) -> Trial {
  let sink = Sink()
  return Trial(sink, calls: { $0 }, sum: { triangle($0) + $0 * 10 }) { count in
    for value in 0..<count {
      let kit = K()
      var end = kit.cell(kit.source(value))
      for _ in 0..<10 { end = kit.map(end) { $0 &+ 1 } }
      _ = kit.listen(end) { sink.add($0) }
    }
  }
}

/// Twenty rows of ten, each node the sum of two above it; one of the ten sources is set.
/// OpenCombine takes every path.
private func layeredRow() -> Benchmark {
  Benchmark(
    "budget", "layered graph, 20 layers, one update",
    budget: Budget(limit: 8_000),
    ours: { layers(OurKit<Int>(), hasGlitches: false) },
    openCombine: { layers(OpenCombineKit<Int>(), hasGlitches: true) },
    floor: { layers(FloorKit<Int>(), hasGlitches: false) })
}

private func layers<K: Kit<Int>>(_ kit: K, hasGlitches: Bool) -> Trial {
  let sink = Sink()
  let sources = (0..<10).map { kit.source($0) }
  var row = sources.map { kit.cell($0) }
  for _ in 0..<20 {
    let above = row
    row = (0..<10).map { kit.join(above[$0], above[($0 + 1) % 10]) { ($0 &+ $1) & 0xffff } }
  }
  let listening = kit.listen(row[0]) { sink.add($0) }
  _ = sink.take()
  return Trial(
    keep: [listening, row],
    run: { count in
      for value in 0..<count { kit.set(sources[0], value) }
    },
    check: { count in
      let calls = sink.take().calls
      if !hasGlitches { try expect(calls, count, "listener calls") }
      try expect(
        kit.value(row[0]), layeredModel(first: count - 1), "the first node of the last row")
    })
}

private func layeredModel(first: Int) -> Int {
  var row = [first] + Array(1..<10)
  for _ in 0..<20 { row = (0..<10).map { (row[$0] + row[($0 + 1) % 10]) & 0xffff } }
  return row[0]
}

/// A million maps one after the other, on the stack that the process has; CI's has 8 MB.
private func depthRow() -> Benchmark {
  Benchmark(
    "budget", "depth: a chain of 1,000,000 maps, a set", count: 1,
    ours: { chain(OurKit<Int>(), 1_000_000) })
}

/// Runs on a thread with a stack of that size, and waits for it.
func onStack(bytes: Int, _ body: () -> Void) {
  withoutActuallyEscaping(body) { body in
    var body = body
    withUnsafeMutablePointer(to: &body) { pointer in
      let error = benchmarks_run_on_stack(
        bytes, { $0.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
      precondition(error == 0, "a thread could not be made")
    }
  }
}
