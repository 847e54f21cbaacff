import EasyReact

/// A plain expression over nodes, beside what Swift has for that (Observation, armed anew by hand after
/// each change), and beside the operators that do the same.
func derivationRows() -> [Benchmark] {
  [
    derivedRow(), combineMapRow(), readOnceMoreRow(), derivedStringsRow(), derivedEmptinessRow(),
    derivedSwitchRow(),
  ]
}

private func sumOfTwo(_ count: Int) -> Int { triangle(count) + count }

private func derivedRow() -> Benchmark {
  Benchmark(
    "budget", "derived of 2", budget: Budget(limit: 140, allocations: 0),
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(1)
      let listening = Node.derived { a.current &+ b.current }.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sumOfTwo) { count in
        for value in 0..<count { a.set(value) }
      }
    },
    observation: {
      let sink = Sink()
      let a = Observed(0), b = Observed(1)
      let tracking = Tracking { sink.add(a.value &+ b.value) }
      return Trial(sink, keep: [tracking], calls: { $0 }, sum: sumOfTwo) { count in
        for value in 0..<count {
          a.value = value
          tracking.rearm()
        }
      }
    },
    floor: {
      let sink = Sink()
      let a = Plain(0), b = Plain(1)
      a.combine(b).map { $0.0 &+ $0.1 }.listen { sink.add($0) }
      return Trial(sink, keep: [b], calls: { $0 }, sum: sumOfTwo) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}

/// What `derived of 2` may cost one and a half times as much as.
private func combineMapRow() -> Benchmark {
  Benchmark(
    "budget", "combine of 2 and map", budget: Budget(limit: 110, allocations: 0),
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(1)
      let listening = a.combine(b).map { $0.0 &+ $0.1 }.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sumOfTwo) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}

private func readOnceMoreRow() -> Benchmark {
  Benchmark(
    "budget", "derived of 20, each read twice", budget: Budget(limit: 1_200, allocations: 0),
    ours: {
      let sink = Sink()
      let nodes = (0..<20).map { MutableNode($0) }
      let listening = Node.derived {
        var sum = 0
        for _ in 0..<2 { for node in nodes { sum &+= node.current } }
        return sum
      }.listen { sink.add($0) }
      let sum = { (count: Int) in 2 * (triangle(count) + count * 190) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sum) { count in
        for value in 0..<count { nodes[0].set(value) }
      }
    })
}

/// What is read may die with code of its own, so it is kept until the run is over: without an allocation (contract 16.5).
private func derivedStringsRow() -> Benchmark {
  Benchmark(
    "budget", "derived of 2 strings", budget: Budget(limit: 300, allocations: 0),
    ours: {
      let sink = Sink()
      let number = MutableNode(0)
      let first = MutableNode("no short string: on the heap"),
        second = MutableNode("nor is this one: there")
      let listening = Node.derived {
        number.current &+ first.current.utf8.count &+ second.current.utf8.count
      }.listen { sink.add($0) }
      let sum = { (count: Int) in triangle(count) + count * 50 }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sum) { count in
        for value in 0..<count { number.set(value) }
      }
    })
}

/// A value that has no room in an `any`: to ask whether there is one puts nothing on the heap (contract 16.5).
private func derivedEmptinessRow() -> Benchmark {
  Benchmark(
    "budget", "derived of 1 and isEmpty of 40 bytes", budget: Budget(limit: 300, allocations: 0),
    ours: {
      let sink = Sink()
      let number = MutableNode(0), wide = MutableNode((1, 2, 3, 4, 5))
      let listening = Node.derived { wide.isEmpty ? 0 : number.current }.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { number.set(value) }
      }
    })
}

/// The `flattenMap` row as an expression.
private func derivedSwitchRow() -> Benchmark {
  Benchmark(
    "budget", "derived, another upstream each run", budget: Budget(limit: 400, allocations: 0),
    ours: {
      let sink = Sink()
      let source = MutableNode(1), odd = MutableNode(5), even = MutableNode(7)
      let chosen = Node.derived { source.current & 1 == 0 ? even.current : odd.current }
      let listening = chosen.listen { sink.add($0) }
      let sum = { (count: Int) in count / 2 * 7 + (count + 1) / 2 * 5 }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sum) { count in
        for value in 1...count { source.set(value) }
      }
    })
}
