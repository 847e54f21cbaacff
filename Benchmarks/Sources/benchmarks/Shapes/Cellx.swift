// cellx: four values, and layers that each compute four from the layer above. An operation is a
// batch of four writes.

func cellxRows() -> [Benchmark] {
  [10, 100, 1_000, 2_500, 5_000, 10_000, 100_000].map { layers in
    shape(
      "cellx", "\(layers) layers", count: layers < 10_000 ? nil : 2,
      ours: { cellx($0, layers) }, floor: { cellx($0, layers) })
  }
}

/// The two ends of reference/benchmarks.md: before and after 1, 2, 3, 4 become 4, 3, 2, 1.
private func cellxEnds(_ layers: Int) -> (before: [Int], after: [Int]) {
  switch layers {
  case 10: ([3, 6, 2, -2], [2, 4, -2, -3])
  case 500, 2_000, 5_000: ([2, 4, -1, -6], [-2, 1, -4, -4])
  default: ([-3, -6, -2, 2], [-2, -4, 2, 3])
  }
}

private func cellx<K: Kit<Int>>(_ kit: K, _ layers: Int) -> Trial {
  let sink = Sink()
  let sources = (1...4).map { kit.source($0) }
  var keep: [Any] = []
  var layer = sources.map { kit.cell($0) }
  for _ in 0..<layers {
    let m = layer
    layer = [
      kit.map(m[1]) { $0 }, kit.join(m[0], m[2]) { $0 - $1 }, kit.join(m[1], m[3]) { $0 + $1 },
      kit.map(m[2]) { $0 },
    ]
    keep += layer.map { kit.listen($0) { sink.add($0) } }
  }
  let end = layer
  let (before, after) = cellxEnds(layers)
  _ = sink.take()
  var writes = 0
  return Trial(
    keep: keep,
    run: { count in
      for _ in 0..<count {
        writes += 1
        kit.batch {
          for index in 0..<4 { kit.set(sources[index], writes & 1 == 1 ? 4 - index : index + 1) }
        }
      }
    },
    check: { count in
      // The batch writes each source in turn, so a layer is told once, however it is reached.
      try expect(sink.take().calls, 4 * layers * count, "listener calls")
      try expect(end.map { kit.value($0) }, writes & 1 == 1 ? after : before, "the four ends")
    })
}
