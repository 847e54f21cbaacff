import EasyReact
import OpenCombine

// Graphs that come, change and go.

func churnRows() -> [Benchmark] {
  [
    churnCellRow(),
    Benchmark("churn", "relink under fire, 1,000 chains", ours: relink),
    Benchmark("churn", "link and cut", ours: linkAndCut),
  ]
    + ["in order", "reverse", "random"].map { order in
      Benchmark(
        "churn", "100,000 listeners removed, \(order)", count: 100_000,
        ours: { removal(order) })
    }
    + [
      Benchmark(
        "churn", "a chain of 1,000,000 nodes built and released", count: 1_000_000, ours: release),
      batchRow(),
    ]
}

/// An operation is one life: eight maps, a listener, twenty writes, and the end of it.
private func churnCellRow() -> Benchmark {
  shape("churn", "churn-cell", ours: churnCell, floor: churnCell, openCombine: churnCell)
}

private func churnCell<K: Kit<Int>>(_: K) -> Trial {
  let sink = Sink()
  return Trial(
    sink, calls: { $0 * 21 }, sum: { $0 * (triangle(20) + 21 * 8) }
  ) { count in
    for _ in 0..<count {
      let kit = K()
      let source = kit.source(0)
      var end = kit.cell(source)
      for _ in 0..<8 { end = kit.map(end) { $0 &+ 1 } }
      let listening = kit.listen(end) { sink.add($0) }
      for value in 0..<20 { kit.set(source, value) }
      withExtendedLifetime((listening, kit)) {}
    }
  }
}

/// A thousand chains of four; a listener in the middle of the wave re-points one chain in ten to
/// another source. An operation is one re-link, the wave's share included.
private func relink() -> Trial {
  let sink = Sink()
  let first = MutableNode(0), second = MutableNode(0)
  let heads = (0..<1_000).map { _ in Node<Int>() }
  let links = heads.map { head in
    let link = NodeTransform<Int, Int>()
    link.to = head
    link.from = first
    return link
  }
  let wave = MutableNode(0)
  let relinking = wave.listen { number in
    for index in stride(from: number % 10, to: 1_000, by: 10) {
      let link = links[index]
      link.from = link.from === first ? second : first
    }
  }
  let keep: [Any] = heads.map { $0.map { $0 &+ 1 }.map { $0 &+ 1 }.listen { sink.add($0) } }
  _ = sink.take()
  var writes = 0
  return Trial(
    keep: keep + [relinking],
    run: { count in
      for _ in 0..<(count + 99) / 100 {
        writes += 1
        wave.set(writes)
        first.set(writes)
        second.set(-writes)
      }
    },
    check: { _ in
      _ = sink.take()
      for (head, link) in zip(heads, links) {
        try expect(head.value, link.from === first ? writes : -writes, "a re-linked chain")
      }
    })
}

/// One link, and its end.
private func linkAndCut() -> Trial {
  let source = MutableNode(1)
  let target = Node<Int>()
  return Trial(
    run: { count in
      for value in 0..<count {
        let link = target.wiring.link(to: source)
        source.set(value)
        link.cancel()
      }
    },
    check: { try expect(target.value, $0 - 1, "the value of the last link") })
}

/// An operation is one listener, made and removed; their number must not matter.
private func removal(_ order: String) -> Trial {
  let sink = Sink()
  return Trial(
    run: { count in
      let source = MutableNode(1)
      var listenings = (0..<count).map { _ in source.listen { sink.add($0) } }
      switch order {
      case "reverse": listenings.reverse()
      case "random":
        var random = SplitMix(seed: 3)
        for index in stride(from: count - 1, to: 0, by: -1) {
          listenings.swapAt(index, random.below(index + 1))
        }
      default: break
      }
      for listening in listenings { listening.cancel() }
      source.set(2)
    }, check: { try expect(sink.take().calls, $0, "listener calls") })
}

private func release() -> Trial {
  var last = 0
  return Trial(
    run: { count in
      let source = MutableNode(0)
      var end: Node<Int> = source
      for _ in 0..<count { end = end.map { $0 &+ 1 } }
      source.set(1)
      last = end.value!
    }, check: { try expect(last, $0 + 1, "the end of the chain") })
}

/// Ten thousand sources into a balanced tree of sums, all written in one batch: the listener runs
/// once. An operation is one batch.
private func batchRow() -> Benchmark {
  shape("churn", "batch of 10,000 sources, one sum", ours: batchTree, floor: batchTree)
}

private func batchTree<K: Kit<Int>>(_ kit: K) -> Trial {
  let sink = Sink()
  let size = 10_000
  let sources = (0..<size).map { kit.source($0) }
  var row = sources.map { kit.cell($0) }
  while row.count > 1 {
    row = stride(from: 0, to: row.count, by: 2).map { index in
      index + 1 < row.count ? kit.join(row[index], row[index + 1]) { $0 &+ $1 } : row[index]
    }
  }
  let listening = kit.listen(row[0]) { sink.add($0) }
  return Trial(
    sink, keep: [listening], calls: { $0 },
    sum: { (0..<$0).reduce(0) { $0 &+ triangle(size) &+ size * $1 } }
  ) { count in
    for round in 0..<count {
      kit.batch {
        for index in 0..<size { kit.set(sources[index], index &+ round) }
      }
    }
  }
}
