import EasyReact
import Testing

/// Writes down whom it sees; stops at what it is told to.
private struct Recording: NodeVisitor {
  var lines: [String] = []
  var stopAtNode: String?
  var stopAtTransform: String?

  mutating func visit(_ node: AnyNode, depth: Int) -> VisitResult {
    lines.append("\(node.name ?? "?") \(depth)")
    return node.name == stopAtNode ? .stop : .continue
  }
  mutating func visit(_ transform: AnyNodeTransform) -> VisitResult {
    lines.append("\(transform.fromNode?.name ?? "–")→\(transform.toNode?.name ?? "–")")
    return transform.name == stopAtTransform ? .stop : .continue
  }
}

/// A visitor without a word about transforms.
private struct NodesOnly: NodeVisitor {
  var names: [String] = []
  mutating func visit(_ node: AnyNode, depth: Int) -> VisitResult {
    names.append(node.name ?? "?")
    return .continue
  }
}

extension `12 Looking at the graph` {
  @Suite struct Walking {
    // top ─ map ─▶ middle ─ map ─▶ bottom ◀─ merge of middle and side
    let top = MutableNode(1).named("top")
    let side = MutableNode(2).named("side")
    let middle: Node<Int>
    let bottom: Node<Int>
    let leaf: Node<Int>

    init() {
      middle = top.map { $0 + 1 }.named("middle")
      bottom = middle.merge(side).named("bottom")
      leaf = bottom.map { $0 }.named("leaf")
    }

    @Test func `12.2 a visitor walks breadth-first both ways with depths, each node and edge once`()
    {
      var visitor = Recording()
      middle.visit(&visitor)
      #expect(
        visitor.lines == [
          "middle 0", "top→middle", "middle→bottom",
          "top -1",
          "bottom 1", "side→bottom", "bottom→leaf",
          "side 0", "leaf 2",
        ])
    }

    @Test func `12.2 a visitor without a word about transforms sees the nodes`() {
      var visitor = NodesOnly()
      leaf.visit(&visitor)
      #expect(visitor.names == ["leaf", "bottom", "middle", "side", "top"])
    }

    @Test func `12.2 the depth is that at which the walk first reached the node`() {
      let a = MutableNode(0).named("a")
      let b = a.map { $0 }.named("b")
      let c = b.map { $0 }.named("c")
      let d = a.combine(c).named("d")  // one step from a, or three
      #expect(
        Dictionary(uniqueKeysWithValues: a.reachable.map { ($0.node.name!, $0.depth) })
          == ["a": 0, "b": 1, "c": 2, "d": 1])
      #expect(
        Dictionary(uniqueKeysWithValues: d.reachable.map { ($0.node.name!, $0.depth) })
          == ["d": 0, "a": -1, "c": -1, "b": 0])
    }

    @Test func `12.2 each node and edge once, also in a cycle, with parallel edges and a sync`() {
      let a = MutableNode(0).named("a")
      let b = MutableNode(0).named("b")
      let c = MutableNode(0).named("c")
      b.link(to: a)
      b.link(to: a)
      c.link(to: b)
      a.link(to: c)
      let sync = b.sync(with: c)
      var visitor = Recording()
      a.visit(&visitor)
      #expect(visitor.lines.filter { !$0.contains("→") } == ["a 0", "c -1", "b 1"])
      #expect(
        visitor.lines.filter { $0.contains("→") }.sorted()
          == ["a→b", "a→b", "b→c", "b→c", "c→a", "c→b"])
      sync.cancel()
      a.wiring.removeUpstreamNodes()
    }

    @Test func `12.2 the callback for nodes can stop the walk`() {
      var visitor = Recording(stopAtNode: "top")
      middle.visit(&visitor)
      #expect(visitor.lines == ["middle 0", "top→middle", "middle→bottom", "top -1"])
      var first = Recording(stopAtNode: "middle")
      middle.visit(&first)
      #expect(first.lines == ["middle 0"])
    }

    @Test func `12.2 the callback for edges can stop the walk`() {
      middle.upstreamTransforms[0].name = "here"
      var visitor = Recording(stopAtTransform: "here")
      middle.visit(&visitor)
      #expect(visitor.lines == ["middle 0", "top→middle"])
    }

    @Test func `12.2 an edge with a loose end is visited, and leads nowhere`() {
      let a = MutableNode(1).named("a")
      let transform = NodeTransform<Int, Int>()
      transform.from = a
      var visitor = Recording()
      a.visit(&visitor)
      #expect(visitor.lines == ["a 0", "a→–"])
    }

    @Test func `12.2 the same walk is a Swift Sequence`() {
      #expect(middle.reachable.map(\.node.name) == ["middle", "top", "bottom", "side", "leaf"])
      #expect(middle.reachable.map(\.depth) == [0, -1, 1, 0, 2])
      #expect(middle.reachable.first { $0.node.name == "bottom" }?.depth == 1)
      var iterator = middle.reachable.makeIterator()
      #expect(iterator.next()?.node === middle)
      #expect(iterator.next()?.node === top)
    }

    @Test func `12.2 a walk of a single node, and of a graph that changes meanwhile, ends`() {
      let alone = MutableNode(1)
      #expect(alone.reachable.map(\.node) == [alone])
      var made: [AnyNode] = []
      for (node, depth) in top.reachable where depth < 3 && made.count < 10 {
        if let node = node as? Node<Int> { made.append(node.map { $0 }) }
      }
      #expect(made.count >= 4)
      #expect(checkInvariants([top]) == [])
    }

    @Test func `12.2 the walk keeps what it has still to tell, and nothing afterwards`() {
      weak var seen: AnyNode?
      do {
        var source: MutableNode<Int>? = MutableNode(1)
        let end = source!.map { $0 }
        seen = source
        source = nil
        #expect(end.reachable.map(\.depth) == [0, -1])
        #expect(seen != nil)
      }
      #expect(seen == nil)
    }
  }
}
