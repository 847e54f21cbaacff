import EasyReact
import OpenCombine

/// One source, and what hangs on it: a listener, a chain, a fan.
func propagationRows() -> [Benchmark] {
  [setRow()]
    + [
      chainRow(10, Budget(limit: 180, openCombine: 543, allocations: 0)),
      chainRow(100, Budget(limit: 1_300, openCombine: 5_357, allocations: 0)),
      chainRow(1_000, Budget(limit: 13_000, allocations: 0)),
    ]
    + [listenersRow(), mapsRow()]
}

private func setRow() -> Benchmark {
  Benchmark(
    "budget", "set, 1 listener", budget: Budget(limit: 60, openCombine: 258, allocations: 0),
    ours: { chain(OurKit<Int>(), 0) }, openCombine: { chain(OpenCombineKit<Int>(), 0) },
    observation: {
      let sink = Sink()
      let source = Observed(0)
      let tracking = Tracking { sink.add(source.value) }
      return Trial(sink, keep: [tracking], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count {
          source.value = value
          tracking.rearm()
        }
      }
    },
    floor: { plainChain(0) })
}

/// OpenCombine overflows the stack in a chain of 562 (8 MB).
private func chainRow(_ length: Int, _ budget: Budget) -> Benchmark {
  Benchmark(
    "budget", "chain of \(length) maps", budget: budget,
    ours: { chain(OurKit<Int>(), length) },
    openCombine: length > 500 ? nil : { chain(OpenCombineKit<Int>(), length) },
    floor: { plainChain(length) })
}

/// A source, `length` maps that add one, and a listener at the end.
func chain<K: Kit<Int>>(_ kit: K, _ length: Int) -> Trial {
  let sink = Sink()
  let source = kit.source(0)
  var end = kit.cell(source)
  for _ in 0..<length { end = kit.map(end) { $0 &+ 1 } }
  let listening = kit.listen(end) { sink.add($0) }
  return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * length }) {
    count in
    for value in 0..<count { kit.set(source, value) }
  }
}

func plainChain(_ length: Int) -> Trial {
  let sink = Sink()
  let source = Plain(0)
  var end = source
  for _ in 0..<length { end = end.map { $0 &+ 1 } }
  end.listen { sink.add($0) }
  return Trial(sink, calls: { $0 }, sum: { triangle($0) + $0 * length }) { count in
    for value in 0..<count { source.set(value) }
  }
}

private func listenersRow() -> Benchmark {
  Benchmark(
    "budget", "1,000 listeners on one node",
    budget: Budget(limit: 12_000, openCombine: 233_000, allocations: 0),
    ours: { fan(OurKit<Int>(), 1_000, mapped: false) },
    openCombine: { fan(OpenCombineKit<Int>(), 1_000, mapped: false) },
    floor: { plainFan(1_000, mapped: false) })
}

private func mapsRow() -> Benchmark {
  Benchmark(
    "budget", "1,000 × (map, listener)",
    budget: Budget(limit: 45_000, openCombine: 252_000, allocations: 0),
    ours: { fan(OurKit<Int>(), 1_000, mapped: true) },
    openCombine: { fan(OpenCombineKit<Int>(), 1_000, mapped: true) },
    floor: { plainFan(1_000, mapped: true) })
}

/// One source with `width` listeners, each perhaps behind a map.
func fan<K: Kit<Int>>(_ kit: K, _ width: Int, mapped: Bool) -> Trial {
  let sink = Sink()
  let source = kit.source(0)
  let cell = kit.cell(source)
  let listenings = (0..<width).map { _ in
    kit.listen(mapped ? kit.map(cell) { $0 &+ 1 } : cell) { sink.add($0) }
  }
  return Trial(
    sink, keep: listenings, calls: { $0 * width },
    sum: { (triangle($0) + (mapped ? $0 : 0)) * width }
  ) { count in
    for value in 0..<count { kit.set(source, value) }
  }
}

private func plainFan(_ width: Int, mapped: Bool) -> Trial {
  let sink = Sink()
  let source = Plain(0)
  for _ in 0..<width { (mapped ? source.map { $0 &+ 1 } : source).listen { sink.add($0) } }
  return Trial(
    sink, calls: { $0 * width }, sum: { (triangle($0) + (mapped ? $0 : 0)) * width }
  ) { count in
    for value in 0..<count { source.set(value) }
  }
}
