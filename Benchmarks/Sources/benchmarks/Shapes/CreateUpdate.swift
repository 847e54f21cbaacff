// S.js's create and update, n = 100,000. Its `0 → 1`, a computation without a source, does not
// exist here: a listener has a node.

/// `listeners` listeners; each reads `reads` sources of its own, or `per` of them share one.
private struct CreateShape: Sendable {
  let name: String
  let sources: Int, listeners: Int
  var reads = 1, per = 1

  static let n = 100_000
  static let all: [CreateShape] = [
    .init(name: "sources only", sources: n, listeners: 0),
    .init(name: "1 → 1", sources: n, listeners: n),
    .init(name: "2 → 1", sources: n, listeners: n / 2, reads: 2),
    .init(name: "4 → 1", sources: n, listeners: n / 4, reads: 4),
    .init(name: "1000 → 1", sources: n, listeners: n / 1_000, reads: 1_000),
    .init(name: "1 → 2", sources: n / 2, listeners: n, per: 2),
    .init(name: "1 → 4", sources: n / 4, listeners: n, per: 4),
    .init(name: "1 → 8", sources: n / 8, listeners: n, per: 8),
    .init(name: "1 → 1000", sources: n / 1_000, listeners: n, per: 1_000),
  ]

  func make<K: Kit<Int>>(_ kit: K, _ sink: Sink) -> (sources: [K.Source], keep: [Any]) {
    let made = (0..<sources).map { kit.source($0) }
    let keep = (0..<listeners).map { index in
      if reads == 1 { return kit.listen(kit.cell(made[index / per])) { sink.add($0) } }
      let read = (0..<reads).map { kit.cell(made[index * reads + $0]) }
      return kit.listen(kit.join(read) { $0.reduce(0, &+) }) { sink.add($0) }
    }
    return (made, keep)
  }
}

/// An operation is one listener (or source), made and dropped with all that belongs to it.
func createRows() -> [Benchmark] {
  CreateShape.all.map { shape in
    func trial<K: Kit<Int>>(_: K.Type) -> Trial {
      let sink = Sink()
      return Trial(
        run: { _ in _ = shape.make(K(), sink) },
        check: { _ in try expect(sink.take().calls, shape.listeners, "first calls") })
    }
    return Benchmark(
      "create", shape.name, count: max(shape.listeners, shape.reads == 1 ? CreateShape.n : 1),
      ours: { trial(OurKit<Int>.self) },
      openCombine: shape.reads == 1 ? { trial(OpenCombineKit<Int>.self) } : nil,
      floor: { trial(FloorKit<Int>.self) })
  }
}

/// An operation is one write; the sources are written in turns.
func updateRows() -> [Benchmark] {
  CreateShape.all.filter { $0.listeners > 0 }.map { shape in
    func trial<K: Kit<Int>>(_ kit: K) -> Trial {
      let sink = Sink()
      let (sources, keep) = shape.make(kit, sink)
      _ = sink.take()
      return Trial(
        keep: keep,
        run: { count in
          for index in 0..<count { kit.set(sources[index % sources.count], index) }
        },
        check: { count in
          try expect(sink.take().calls, count * shape.per, "listener calls")
        })
    }
    return Benchmark(
      "update", shape.name, ours: { trial(OurKit<Int>()) },
      openCombine: shape.reads == 1 ? { trial(OpenCombineKit<Int>()) } : nil,
      floor: { trial(FloorKit<Int>()) })
  }
}
