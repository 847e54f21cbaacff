import EasyReact
import OpenCombine

/// One node to another.
func operatorRows() -> [Benchmark] {
  [
    filterRow(), distinctRow(), scanRow(), flattenRow(),
    linkRow(), syncRow(), contextRow(), ownerRow(),
  ]
}

/// What the three contestants of a row with one source do, each with its own operator.
/// - Parameter sum: Makes the oracle of one contestant: an operator with a memory goes on from
///   round to round.
private func row(
  _ name: String, _ budget: Budget, calls: @escaping (Int) -> Int = { $0 },
  sum: @escaping () -> (Int) -> Int = { { $0 * ($0 + 1) / 2 } },
  ours: @escaping (Node<Int>) -> Node<Int>,
  openCombine: ((CurrentValueSubject<Int, Never>) -> AnyPublisher<Int, Never>)? = nil,
  floor: @escaping (Plain<Int>) -> Plain<Int>
) -> Benchmark {
  var peer: (() -> Trial)?
  if let openCombine {
    peer = {
      let sink = Sink()
      let source = CurrentValueSubject<Int, Never>(0)
      let listening = openCombine(source).sink { sink.add($0) }
      return Trial(sink, keep: [listening], calls: calls, sum: sum()) { count in
        for value in 1...count { source.send(value) }
      }
    }
  }
  return Benchmark(
    "budget", name, budget: budget,
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = ours(source).listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: calls, sum: sum()) { count in
        for value in 1...count { source.set(value) }
      }
    },
    openCombine: peer,
    floor: {
      let sink = Sink()
      let source = Plain(0)
      floor(source).listen { sink.add($0) }
      return Trial(sink, calls: calls, sum: sum()) { count in
        for value in 1...count { source.set(value) }
      }
    })
}

private func filterRow() -> Benchmark {
  row(
    "filter, half pass", Budget(limit: 70, openCombine: 261, allocations: 0),
    calls: { $0 / 2 }, sum: { { $0 / 2 * ($0 / 2 + 1) } },
    ours: { $0.filter { $0 & 1 == 0 } },
    openCombine: { $0.filter { $0 & 1 == 0 }.eraseToAnyPublisher() },
    floor: { $0.filter { $0 & 1 == 0 } })
}

/// Every value differs from the one before. A count of one sets what the round before ended with,
/// if that was one too.
private func distinctRow() -> Benchmark {
  row(
    "distinctUntilChanged", Budget(limit: 65, openCombine: 904, allocations: 0),
    ours: { $0.distinctUntilChanged() },
    openCombine: { $0.removeDuplicates().eraseToAnyPublisher() },
    floor: { $0.distinct() })
}

private func scanRow() -> Benchmark {
  row(
    "scan", Budget(limit: 70, openCombine: 297, allocations: 0),
    sum: {
      var total = 0
      return { count in
        var sum = 0
        for value in 1...count {
          total &+= value
          sum &+= total
        }
        return sum
      }
    },
    ours: { $0.scan(0) { $0 &+ $1 } },
    openCombine: { $0.scan(0) { $0 &+ $1 }.eraseToAnyPublisher() },
    floor: { $0.scan(0) { $0 &+ $1 } })
}

/// Two inner nodes, one after the other.
private func flattenRow() -> Benchmark {
  let sum = { (count: Int) in count / 2 * 7 + (count + 1) / 2 * 5 }
  return Benchmark(
    "budget", "flattenMap, switch the inner node",
    budget: Budget(limit: 400, openCombine: 1_925, allocations: 0),
    ours: {
      let sink = Sink()
      let source = MutableNode(1), odd = MutableNode(5), even = MutableNode(7)
      let listening = source.flattenMap { $0 & 1 == 0 ? even : odd }.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sum) { count in
        for value in 1...count { source.set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let source = CurrentValueSubject<Int, Never>(1)
      let odd = CurrentValueSubject<Int, Never>(5), even = CurrentValueSubject<Int, Never>(7)
      let listening = source.map { $0 & 1 == 0 ? even : odd }.switchToLatest()
        .sink { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: sum) { count in
        for value in 1...count { source.send(value) }
      }
    },
    floor: {
      let sink = Sink()
      let source = Plain(1), odd = Plain(5), even = Plain(7)
      source.flattenMap { $0 & 1 == 0 ? even : odd }.listen { sink.add($0) }
      return Trial(sink, calls: { $0 }, sum: sum) { count in
        for value in 1...count { source.set(value) }
      }
    })
}

private func linkRow() -> Benchmark {
  row(
    "link", Budget(limit: 70, allocations: 0),
    ours: { source in
      let target = Node<Int>()
      target.wiring.link(to: source)
      return target
    },
    floor: { $0.map { $0 } })
}

private func syncRow() -> Benchmark {
  Benchmark(
    "budget", "sync", budget: Budget(limit: 100, allocations: 0),
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(0)
      b.sync(with: a)
      let listening = b.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { a.set(value) }
      }
    },
    floor: {
      let sink = Sink()
      let a = Plain(0), b = Plain(0)
      var isTelling = false
      a.listen {
        if isTelling { return }
        isTelling = true
        b.set($0)
        isTelling = false
      }
      b.listen { [unowned a] value in
        if isTelling { return }
        isTelling = true
        a.set(value)
        isTelling = false
      }
      b.listen { sink.add($0) }
      return Trial(sink, keep: [b], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}

private func contextRow() -> Benchmark {
  Benchmark(
    "budget", "set with a context, 1 listener", budget: Budget(limit: 160),
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = source.listenToChanges { change in
        if change.context is String { sink.add(change.value) }
      }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(value, context: "test") }
      }
    })
}

private func ownerRow() -> Benchmark {
  Benchmark(
    "budget", "set, 1 listener of an owner", budget: Budget(limit: 90, allocations: 0),
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      source.listen(by: sink) { sink, value in sink.add(value) }
      return Trial(sink, calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(value) }
      }
    })
}
