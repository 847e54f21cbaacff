import EasyReact
import OpenCombine

/// Operators that follow several inner nodes, or make some.
func followingRows() -> [Benchmark] {
  [mergeMapRow(), mergeMapFreshRow(), groupByRow()]
    + [
      freshRow("concatMap, a new inner node") { source in
        source.concatMap { Node($0) }
      },
      freshRow("exhaustMap, a new inner node") { source in
        source.exhaustMap { Node($0) }
      },
    ]
}

/// An inner node that is followed tells a value.
private func mergeMapRow() -> Benchmark {
  Benchmark(
    "budget", "mergeMap, an inner node's value",
    ours: {
      let sink = Sink()
      let source = MutableNode(0), inner = (0..<4).map { _ in MutableNode(0) }
      let listening = source.mergeMap { inner[$0] }.listen { sink.add($0) }
      for index in 1..<4 { source.set(index) }
      return Trial(sink, keep: [listening, source], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { inner[value & 3].set(value) }
      }
    },
    openCombine: {
      let sink = Sink()
      let source = CurrentValueSubject<Int, Never>(0)
      let inner = (0..<4).map { _ in CurrentValueSubject<Int, Never>(0) }
      let listening = source.flatMap { inner[$0] }.sink { sink.add($0) }
      for index in 1..<4 { source.send(index) }
      return Trial(sink, keep: [listening, source], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { inner[value & 3].send(value) }
      }
    })
}

/// A node for each value, which is done with its first: so none is kept.
private func mergeMapFreshRow() -> Benchmark {
  var row = freshRow("mergeMap, a new inner node") { source in
    source.mergeMap(maxConcurrent: 4) { Node($0) }
  }
  row.contestants.append(
    (
      .openCombine,
      {
        let sink = Sink()
        let source = CurrentValueSubject<Int, Never>(0)
        let listening = source.flatMap { Just($0) }.sink { sink.add($0) }
        return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
          for value in 0..<count { source.send(value) }
        }
      }
    ))
  return row
}

private func freshRow(
  _ name: String, _ derive: @escaping (Node<Int>) -> Node<Int>
) -> Benchmark {
  Benchmark(
    "budget", name,
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = derive(source).listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(value) }
      }
    })
}

/// Four groups that are there already.
private func groupByRow() -> Benchmark {
  Benchmark(
    "budget", "groupBy, 4 groups",
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let all = source.groupBy { $0 & 3 }.mergeMap { $0.values }
      let listening = all.listen { sink.add($0) }
      for value in 0..<4 { source.set(value) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(value) }
      }
    })
}
