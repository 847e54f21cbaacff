import EasyReact
import OpenCombine

/// Joins and pairings of other widths and kinds.
func moreJoinRows() -> [Benchmark] {
  [zip3Row(), zipArrayRow(), withLatestRow(), sampleRow(), combine10Row()]
    + [10, 1_000].map(combineArrayRow) + [flattenCombineRow(), everyValueRow()]
}

private func zip3Row() -> Benchmark {
  Benchmark(
    "budget", "zip of 3, a triple",
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(0), c = MutableNode(0)
      let listening = a.zip(b, c).listen { (all: (Int, Int, Int)) in
        sink.add(all.0 &+ all.1 &+ all.2)
      }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 3 }) { count in
        for value in 0..<count {
          a.set(value)
          b.set(value)
          c.set(value)
        }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = CurrentValueSubject<Int, Never>(0), b = CurrentValueSubject<Int, Never>(0)
      let c = CurrentValueSubject<Int, Never>(0)
      let listening = a.zip(b, c).sink { sink.add($0.0 &+ $0.1 &+ $0.2) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 3 }) { count in
        for value in 0..<count {
          a.send(value)
          b.send(value)
          c.send(value)
        }
      }
    })
}

private func zipArrayRow() -> Benchmark {
  Benchmark(
    "budget", "zip of an array of 3",
    ours: {
      let sink = Sink()
      let nodes = (0..<3).map { _ in MutableNode(0) }
      let listening = Node.zip(nodes).listen { sink.add($0[0] &+ $0[1] &+ $0[2]) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) * 3 }) { count in
        for value in 0..<count { for node in nodes { node.set(value) } }
      }
    })
}

private func withLatestRow() -> Benchmark {
  Benchmark(
    "budget", "withLatest",
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(1)
      let listening = a.withLatest(from: b).listen { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 }) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}

/// One operation is a set and a tick.
private func sampleRow() -> Benchmark {
  Benchmark(
    "budget", "sample, a set and a tick",
    ours: {
      let sink = Sink()
      let a = MutableNode(0), ticks = MutableNode(0)
      let listening = a.sample(on: ticks).listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count {
          a.set(value)
          ticks.set(value)
        }
      }
    })
}

private typealias Ten = (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)

private func combine10Row() -> Benchmark {
  Benchmark(
    "budget", "combine of 10",
    ours: {
      let sink = Sink()
      let a = (0..<10).map { MutableNode($0) }
      let listening = a[0].combine(a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])
        .listen { (all: Ten) in sink.add(all.0 &+ all.9) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 9 }) {
        count in
        for value in 0..<count { a[0].set(value) }
      }
    })
}

/// The listener looks at two of them, and keeps nothing.
private func combineArrayRow(_ width: Int) -> Benchmark {
  Benchmark(
    "budget", "combine of an array of \(width), one changes",
    ours: {
      let sink = Sink()
      let a = (0..<width).map { MutableNode($0) }
      let listening = Node.combine(a).listen { sink.add($0[3] &+ $0[width - 1]) }
      return Trial(
        sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * (width - 1) }
      ) { count in
        for value in 0..<count { a[3].set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let a = (0..<width).map { CurrentValueSubject<Int, Never>($0) }
      let listening = combineLatest(a)
        .sink { sink.add($0[3] &+ $0[width - 1]) }
      return Trial(
        sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * (width - 1) }
      ) { count in
        for value in 0..<count { a[3].send(value) }
      }
    })
}

/// The set stays, one of its ten nodes changes.
private func flattenCombineRow() -> Benchmark {
  Benchmark(
    "budget", "flattenCombine of 10, one changes",
    ours: {
      let sink = Sink()
      let a = (0..<10).map { MutableNode($0) }
      let set = MutableNode<[Node<Int>]>(a)
      let listening = set.flattenCombine().listen { sink.add($0[3] &+ $0[9]) }
      return Trial(
        sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 9 }
      ) { count in
        for value in 0..<count { a[3].set(value) }
      }
    })
}

private func everyValueRow() -> Benchmark {
  Benchmark(
    "budget", "withLatest, every value",
    ours: {
      let sink = Sink()
      let a = MutableNode(0), b = MutableNode(1)
      let listening = a.withLatest(from: b, mode: .everyValue).listen { sink.add($0.0 &+ $0.1) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 }) { count in
        for value in 0..<count { a.set(value) }
      }
    })
}
