// One source, w chains of h maps, a listener at the end of each; an operation is one write.

func propagateRows() -> [Benchmark] {
  let sizes =
    [1, 10, 100].flatMap { w in [1, 10, 100, 1_000].map { h in (w, h) } } + [(1, 10_000)]
  return sizes.map { w, h in
    shape(
      "propagate", "\(w) × \(h)", ours: { propagate($0, w, h) }, floor: { propagate($0, w, h) },
      openCombine: h > 100 ? nil : { propagate($0, w, h) })
  }
}

private func propagate<K: Kit<Int>>(_ kit: K, _ width: Int, _ height: Int) -> Trial {
  let sink = Sink()
  let source = kit.source(0)
  let keep = (0..<width).map { _ in
    var end = kit.cell(source)
    for _ in 0..<height { end = kit.map(end) { $0 &+ 1 } }
    return kit.listen(end) { sink.add($0) }
  }
  return Trial(
    sink, keep: keep, calls: { $0 * width }, sum: { (triangle($0) + $0 * height) * width }
  ) { count in
    for value in 0..<count { kit.set(source, value) }
  }
}
