import EasyReact
import OpenCombine

/// The same as for values, with nodes that keep none.
func eventRows() -> [Benchmark] {
  [0, 5, 100].map { length in
    Benchmark(
      "budget", length == 0 ? "event, 1 listener" : "event, chain of \(length) maps",
      ours: { events(length) }, openCombine: { sentEvents(length) },
      floor: { plainChain(length) })
  }
}

private func events(_ length: Int) -> Trial {
  let sink = Sink()
  let source = MutableNode<Int>.eventNode()
  var end: Node<Int> = source
  for _ in 0..<length { end = end.map { $0 &+ 1 } }
  let listening = end.listen { sink.add($0) }
  return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * length }) {
    count in
    for value in 0..<count { source.set(value) }
  }
}

private func sentEvents(_ length: Int) -> Trial {
  let sink = Sink()
  let source = PassthroughSubject<Int, Never>()
  var end = source.eraseToAnyPublisher()
  for _ in 0..<length { end = end.map { $0 &+ 1 }.eraseToAnyPublisher() }
  let listening = end.sink { sink.add($0) }
  return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * length }) {
    count in
    for value in 0..<count { source.send(value) }
  }
}
