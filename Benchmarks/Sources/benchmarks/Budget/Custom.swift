import EasyReact

/// An operator of the user's own, made in another module than the library: within 1.5 times of the
/// built-in way, whose row stands beside it.
func customRows() -> [Benchmark] {
  [
    row("10 maps") { $0.map { $0 &+ 1 } },
    row("10 NodeTransform subclasses, through", limit: 130) { $0.through(Successor()) },
    row("10 links") { end in
      let next = MutableNode<Int>()
      next.link(to: end)
      return next
    } step: {
      0
    },
    row("10 NodeTransform subclasses, link", limit: 270) { end in
      let next = MutableNode<Int>()
      next.link(to: end, through: Successor())
      return next
    },
  ]
}

/// A chain of ten nodes, each made by `extend`, which adds `step`.
private func row(
  _ name: String, limit: Double? = nil, _ extend: @escaping (Node<Int>) -> Node<Int>,
  step: @escaping () -> Int = { 1 }
) -> Benchmark {
  Benchmark(
    "budget", "chain of " + name, budget: limit.map { Budget(limit: $0, allocations: 0) },
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      var end: Node<Int> = source
      for _ in 0..<10 { end = extend(end) }
      let listening = end.listen { sink.add($0) }
      return Trial(
        sink, keep: [listening], calls: { $0 }, sum: { triangle($0) + $0 * 10 * step() }
      ) { count in
        for value in 0..<count { source.set(value) }
      }
    }, floor: { plainChain(10) })
}

private final class Successor: NodeTransform<Int, Int>, @unchecked Sendable {
  // Unchecked: adds no state.
  override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
    send(value &+ 1)
  }
}
