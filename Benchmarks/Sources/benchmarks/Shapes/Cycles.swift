import EasyReact

// Cycles: an operation is one write; the oracle counts how often each node fires.

func cycleRows() -> [Benchmark] {
  [2, 3, 10, 1_000, 100_000].map { size in
    var row = Benchmark(
      "cycles", "ring of \(size)", count: size < 1_000 ? nil : 4, ours: { ring(size) })
    row.isHeavy = size > 1_000
    return row
  }
    + [2, 5, 10, 30].map { size in
      Benchmark("cycles", "sync mesh of \(size)", ours: { mesh(size) })
    }
    + [
      Benchmark("cycles", "lens pair, °C ⇄ °F", ours: lens),
      Benchmark("cycles", "spreadsheet, 10,000 cells, 5 % cyclic", count: 20, ours: spreadsheet),
    ]
}

/// Nodes that are set through syncs: each fires once a write, and all are equal afterwards. They are
/// synced while they are empty: a sync of two that hold values is told all round (contract 5.3).
private func synced(_ nodes: [MutableNode<Int>]) -> Trial {
  let sink = Sink()
  let keep = nodes.map { $0.listen { sink.add($0) } }
  _ = sink.take()
  return Trial(
    keep: keep + [nodes],
    run: { count in
      for value in 0..<count { nodes[value % nodes.count].set(value) }
    },
    check: { count in
      let heard = sink.take()
      try expect(heard.calls, count * nodes.count, "listener calls")
      try expect(heard.sum, triangle(count) * nodes.count, "sum of the values heard")
      for node in nodes { try expect(node.value, count - 1, "a node") }
    })
}

private func ring(_ size: Int) -> Trial {
  let nodes = (0..<size).map { _ in MutableNode<Int>() }
  for index in 0..<size where size > 2 || index == 0 {
    nodes[(index + 1) % size].sync(with: nodes[index])
  }
  return synced(nodes)
}

private func mesh(_ size: Int) -> Trial {
  let nodes = (0..<size).map { _ in MutableNode<Int>() }
  for first in 0..<size {
    for second in first + 1..<size { nodes[second].sync(with: nodes[first]) }
  }
  return synced(nodes)
}

/// Rounding both ways: it ends, with at most three updates a write, and what was set stays.
private func lens() -> Trial {
  let updates = Sink()
  let celsius = MutableNode(0), fahrenheit = MutableNode(32)
  celsius.sync(
    with: fahrenheit, transform: { Int((Double($0 - 32) / 1.8).rounded()) },
    revert: { Int((Double($0) * 1.8 + 32).rounded()) })
  let keep = [celsius.listen { updates.add($0) }, fahrenheit.listen { updates.add($0) }]
  _ = updates.take()
  return Trial(
    keep: keep,
    run: { count in
      for value in 0..<count { celsius.set(value % 200 - 50) }
    },
    check: { count in
      let calls = updates.take().calls
      if calls > 3 * count { throw Wrong(description: "\(calls) updates of \(count) writes") }
      let last = (count - 1) % 200 - 50
      try expect(celsius.value, last, "°C")
      try expect(fahrenheit.value, Int((Double(last) * 1.8 + 32).rounded()), "°F")
    })
}

/// Each cell is the damped mean of three others; one in twenty refers to a later cell, which closes
/// cycles. A write moves one input; every wave ends, and a cell is told at most once a wave.
private func spreadsheet() -> Trial {
  let size = 10_000
  let told = Sink()
  let inputs = (0..<100).map { MutableNode($0) }
  let cells: [Node<Int>] = (0..<size).map { _ in Node(0) }
  var random = SplitMix(seed: 7)
  var keep: [Any] = [cells]
  for index in 0..<size {
    var references: [Node<Int>] = [inputs[random.below(100)]]
    for _ in 0..<2 {
      let isCyclic = random.below(20) == 0
      let other = isCyclic ? random.below(size) : random.below(max(1, index))
      references.append(other == index ? inputs[0] : cells[other])
    }
    let formula = references[0].combine(references[1]).combine(references[2])
      .map { ($0.0.0 &+ $0.0.1 &+ $0.1) / 4 }
    cells[index].wiring.link(to: formula)
    keep.append(cells[index].listen { told.add($0) })
  }
  _ = told.take()
  return Trial(
    keep: keep,
    run: { count in
      for value in 0..<count { inputs[value % 100].set(value) }
    },
    check: { count in
      let calls = told.take().calls
      if calls == 0 || calls > count * size * 4 {
        throw Wrong(description: "\(calls) values told for \(count) writes")
      }
    })
}

extension SplitMix {
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
