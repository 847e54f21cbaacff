import EasyReact

/// An operator of the user's own, made in another module than the library: within 1.5 times of
/// `map`.
func customRows() -> [Benchmark] {
  [
    Benchmark(
      "budget", "chain of 10 Transform subclasses", budget: Budget(limit: 270, allocations: 0),
      ours: {
        let sink = Sink()
        let source = MutableNode(0)
        var end: Node<Int> = source
        for _ in 0..<10 {
          let next = Node<Int>()
          next.link(to: end, through: Successor())
          end = next
        }
        let listening = end.listen { sink.add($0) }
        return Trial(sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 10 }) {
          count in
          for value in 0..<count { source.set(value) }
        }
      }, floor: { plainChain(10) })
  ]
}

private final class Successor: Transform<Int, Int>, @unchecked Sendable {
  // Unchecked: it has no state.
  override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
    send(value &+ 1)
  }
}
