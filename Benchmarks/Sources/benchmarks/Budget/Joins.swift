import EasyReact
import OpenCombine

/// Several nodes into one. The peers' glitches are part of their time: their oracles say how often
/// their listeners run.
func joinRows() -> [Benchmark] {
  [combine2Row(), combine8Row(), diamondRow(), diamondTupleRow(), zipRow(), mergeRow()]
}

private func combine2Row() -> Benchmark {
  Benchmark(
    "budget", "combine of 2", budget: Budget(limit: 90, openCombine: 647, allocations: 0),
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(1)
      let listening = a.combine(b).listen { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 }) { count in
        for value in 0..<count { a.set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = CurrentValueSubject<Int, Never>(0), b = CurrentValueSubject<Int, Never>(1)
      let listening = combineLatest(a, b)
        .sink { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [listening, b], calls: { $0 }, sum: { triangle($0) + $0 }) { count in
        for value in 0..<count { a.send(value) }
      }
    },
    floor: {
      let sink = Sink()
      let a = Plain(0), b = Plain(1)
      a.combine(b).listen { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [b], calls: { $0 }, sum: { triangle($0) + $0 }) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}

private typealias Eight = (Int, Int, Int, Int, Int, Int, Int, Int)
private typealias Ten = (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)

private func combine8Row() -> Benchmark {
  Benchmark(
    "budget", "combine of 8", budget: Budget(limit: 130, openCombine: 667, allocations: 0),
    ours: {
      let sink = Sink()
      let a = (0..<8).map { MutableNode($0) }
      let listening = a[0].combine(a[1], a[2], a[3], a[4], a[5], a[6], a[7])
        .listen { (all: Eight) in sink.add(all.0 &+ all.7) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 7 }) {
        count in
        for value in 0..<count { a[0].set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = (0..<8).map { CurrentValueSubject<Int, Never>($0) }
      let listening = combineLatest(a)
        .sink { sink.add($0[0] &+ $0[7]) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 7 }) {
        count in
        for value in 0..<count { a[0].send(value) }
      }
    },
    floor: {
      let sink = Sink()
      let a = (0..<8).map { Plain($0) }
      let rest = Array(a[1...])
      let all = a[0].map { first -> Eight in
        (
          first, rest[0].value, rest[1].value, rest[2].value, rest[3].value, rest[4].value,
          rest[5].value, rest[6].value
        )
      }
      all.listen { sink.add($0.0 &+ $0.7) }
      return Trial(sink, keep: [a], calls: { $0 }, sum: { triangle($0) + $0 * 7 }) { count in
        for value in 0..<count { a[0].set(value) }
      }
    })
}

private let diamondBudget = Budget(limit: 400, openCombine: 7_508)

/// Ours and the floor tell the bottom once a set; OpenCombine ten times.
private func diamondRow() -> Benchmark {
  Benchmark(
    "budget", "diamond, 10 wide", budget: diamondBudget,
    ours: { diamond(OurKit<Int>(), calls: 1) },
    openCombine: { diamond(OpenCombineKit<Int>(), calls: 10) },
    observation: observedDiamond,
    floor: { diamond(FloorKit<Int>(), calls: 1) })
}

/// As one writes it there: ten expressions that read the same source.
private func observedDiamond() -> Trial {
  let sink = Sink()
  let source = Observed(0)
  let middle = (0..<10).map { index in { source.value &+ index } }
  let tracking = Tracking { sink.add(middle.reduce(0) { $0 &+ $1() }) }
  return Trial(
    sink, keep: [tracking], calls: { $0 }, sum: { triangle($0) * 10 + $0 * 45 }
  ) { count in
    for value in 0..<count {
      source.value = value
      tracking.rearm()
    }
  }
}

/// Ten maps of one source, added up. With glitches the bottom tells nine mixtures of old and new
/// before the sum.
private func diamond<K: Kit<Int>>(_ kit: K, calls: Int) -> Trial {
  let sink = Sink()
  let source = kit.source(0)
  let middle = (0..<10).map { index in kit.map(kit.cell(source)) { $0 &+ index } }
  let bottom = kit.join(middle) { $0.reduce(0, &+) }
  let listening = kit.listen(bottom) { sink.add($0) }
  _ = sink.take()
  return Trial(
    keep: [listening],
    run: { count in
      for value in 0..<count { kit.set(source, value) }
    },
    check: { count in
      let heard = sink.take()
      try expect(heard.calls, calls * count, "listener calls")
      try expect(kit.value(bottom), (count - 1) * 10 + 45, "the sum at the bottom")
    })
}

/// The same with the bottom as a tuple, which needs no memory.
private func diamondTupleRow() -> Benchmark {
  var budget = diamondBudget
  budget.openCombine = nil
  budget.allocations = 0
  return Benchmark(
    "budget", "diamond, 10 wide, a tuple", budget: budget,
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let m = (0..<10).map { index in source.map { $0 &+ index } }
      let listening = m[0].combine(m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9])
        .map { (all: Ten) -> Int in
          let low = all.0 &+ all.1 &+ all.2 &+ all.3 &+ all.4
          return low &+ all.5 &+ all.6 &+ all.7 &+ all.8 &+ all.9
        }
        .listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 10 + $0 * 45 }) {
        count in
        for value in 0..<count { source.set(value) }
      }
    })
}

private func zipRow() -> Benchmark {
  Benchmark(
    "budget", "zip of 2, a pair", budget: Budget(limit: 160, openCombine: 2_262),
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(0)
      let listening = a.zip(b).listen { (pair: (Int, Int)) in sink.add(pair.0 &+ pair.1) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 2 }) { count in
        for value in 0..<count {
          a.set(value)
          b.set(value)
        }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = CurrentValueSubject<Int, Never>(0), b = CurrentValueSubject<Int, Never>(0)
      let listening = a.zip(b).sink { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 2 }) { count in
        for value in 0..<count {
          a.send(value)
          b.send(value)
        }
      }
    },
    floor: {
      let sink = Sink()
      let a = Plain(0), b = Plain(0)
      a.zip(b).listen { sink.add($0.0 &+ $0.1) }
      return Trial(sink, calls: { $0 }, sum: { triangle($0) * 2 }) { count in
        for value in 0..<count {
          a.set(value)
          b.set(value)
        }
      }
    })
}

private func mergeRow() -> Benchmark {
  Benchmark(
    "budget", "merge of 8", budget: Budget(limit: 100, openCombine: 356, allocations: 0),
    ours: {
      let sink = Sink()
      let a = (0..<8).map { MutableNode($0) }
      let listening = Node.merge(a).listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { a[3].set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = (0..<8).map { CurrentValueSubject<Int, Never>($0) }
      let listening = merge(a).sink { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { a[3].send(value) }
      }
    },
    floor: {
      let sink = Sink()
      let a = (0..<8).map { Plain($0) }
      a[0].merge(Array(a[1...])).listen { sink.add($0) }
      return Trial(sink, calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { a[3].set(value) }
      }
    })
}
