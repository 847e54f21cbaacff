import EasyReact
import EasyReactTesting
import Synchronization
import Testing

@Suite(.watched) struct `12 Looking at the graph` {}

extension `12 Looking at the graph` {
  @Suite struct Neighbours {
    @Test
    func
      `12.1 upstreamNodes and downstreamNodes: the neighbours, one entry an edge, in order of linking`()
    {
      let a = MutableNode(1).named("a")
      let b = MutableNode(2).named("b")
      let c = Node<Int>().named("c")
      c.wiring.link(to: b)
      c.wiring.link(to: a)
      c.wiring.link(to: b)
      let d = c.map { $0 + 1 }.named("d")
      let e = c.fork().named("e")
      #expect(c.upstreamNodes.map(\.name) == ["b", "a", "b"])
      #expect(c.downstreamNodes.map(\.name) == ["d", "e"])
      #expect(b.downstreamNodes.map(\.name) == ["c", "c"])
      #expect(a.upstreamNodes.isEmpty && d.downstreamNodes.isEmpty && e.downstreamNodes.isEmpty)
      #expect(checkInvariants([a]) == [])
      c.wiring.removeUpstreamNode(b)
      #expect(c.upstreamNodes.map(\.name) == ["a"])
      #expect(b.downstreamNodes.isEmpty)
      #expect(checkInvariants([a, b]) == [])
    }

    @Test
    func
      `12.1 upstreamNodes: several upstreams of a join, a zip and a merge, in the order of the arguments`()
    {
      let a = MutableNode(1).named("a")
      let b = MutableNode(2).named("b")
      let c = MutableNode(3).named("c")
      let names = ["a", "b", "c"]
      let combined = a.combine(b, c)
      let zipped = a.zip(b, c)
      let merged = a.merge(b, c)
      #expect(combined.upstreamNodes.map(\.name) == names)
      #expect(zipped.upstreamNodes.map(\.name) == names)
      #expect(merged.upstreamNodes.map(\.name) == names)
      #expect(b.downstreamNodes == [combined, zipped, merged])
    }

    @Test func `12.1 transforms(from:) and (to:) find what is linked to a lens`() {
      let person = MutableNode(Person()), name = person[\.name], source = MutableNode("x")
      name.link(to: source)
      let found = source.downstreamTransforms(to: name)
      #expect(found.count == 1 && found.first?.toNode === name)
      #expect(name.upstreamTransforms(from: source).map { $0 === found.first } == [true])
      #expect(name.upstreamTransforms(from: person).map(\.name) == ["Lens"])
      #expect(person.downstreamTransforms(to: name).map(\.name) == ["Lens"])
      #expect(name.downstreamTransforms(to: source).isEmpty)
      source.wiring.removeDownstreamNode(name)
      #expect(source.downstreamTransforms(to: name).isEmpty)
      #expect(name.upstreamTransforms(from: source).isEmpty)
    }

    @Test func `12.1 a listener is no neighbour, hasListener tells of it`() {
      let a = MutableNode(1)
      #expect(!a.hasListener && !a.hasDownstreamNode && !a.hasUpstreamNode)
      let listening = a.listen { _ in }
      #expect(a.hasListener && a.listenerCount == 1)
      #expect(!a.hasDownstreamNode && a.downstreamNodes.isEmpty && a.downstreamTransforms.isEmpty)
      listening.cancel()
      #expect(!a.hasListener)
    }

    @Test func `12.1 hasListener: not once an owner is gone`() {
      final class Owner: Sendable {}
      let a = MutableNode(1)
      var owner: Owner? = Owner()
      a.listen(by: owner!) { _, _ in }
      #expect(a.hasListener)
      owner = nil
      #expect(!a.hasListener)
    }

    @Test func `12.1 hasUpstreamNode and hasDownstreamNode follow linking, cutting and release`() {
      let a = MutableNode(1)
      let b = Node<Int>()
      let link = b.wiring.link(to: a)
      #expect(b.hasUpstreamNode && a.hasDownstreamNode)
      #expect(!a.hasUpstreamNode && !b.hasDownstreamNode)
      link.cancel()
      #expect(!b.hasUpstreamNode && !a.hasDownstreamNode)
      var mapped: Node<Int>? = a.map { $0 }
      #expect(a.hasDownstreamNode && mapped?.hasUpstreamNode == true)
      mapped = nil
      #expect(!a.hasDownstreamNode)
      #expect(checkInvariants([a, b]) == [])
    }

    @Test
    func
      `12.1 upstreamTransforms and downstreamTransforms: the same objects from both sides and each time`()
    {
      let a = MutableNode(1)
      let b = a.map { $0 * 2 }
      let fromAbove = a.downstreamTransforms
      #expect(fromAbove.count == 1)
      #expect(fromAbove[0] === b.upstreamTransforms[0])
      #expect(fromAbove[0] === a.downstreamTransforms[0])
      #expect(fromAbove[0].fromNode === a && fromAbove[0].toNode === b)
    }

    @Test
    func
      `12.1 upstreamTransforms and downstreamTransforms: of joins, zips, merges, syncs and flattens too`()
      throws
    {
      let a = MutableNode(1)
      let b = MutableNode(2)
      let combined = a.combine(b)
      let zipped = a.zip(b)
      let merged = a.merge(b)
      let flat = a.flattenMap { _ in b }
      #expect(combined.upstreamTransforms.map(\.name) == ["Combine", "Combine"])
      #expect(zipped.upstreamTransforms.map(\.name) == ["Zip", "Zip"])
      #expect(merged.upstreamTransforms.map(\.name) == ["Merge", "Merge"])
      #expect(flat.upstreamTransforms.map(\.name) == ["Flatten", "Inner"])
      #expect(combined.upstreamTransforms.map(\.fromNode) == [a, b])
      #expect(combined.upstreamTransforms.allSatisfy { $0.toNode === combined })
      #expect(a.downstreamTransforms.map(\.name) == ["Combine", "Zip", "Merge", "Flatten"])
      let sync = a.sync(with: b)
      #expect(a.upstreamTransforms.map(\.name) == ["Sync"])
      sync.cancel()
      #expect(a.upstreamTransforms.isEmpty)
      #expect(checkInvariants([a, b]) == [])
    }

    @Test
    func
      `12.1 upstreamTransforms: an edge of a join outlives its nodes in somebody's hands, with loose ends`()
    {
      let a = MutableNode(1)
      var combined: Node<(Int, Int)>? = a.combine(MutableNode(2))
      let edge = combined!.upstreamTransforms[0]
      #expect(edge.fromNode === a && edge.toNode === combined)
      combined = nil
      #expect(edge.toNode == nil)
      #expect(!a.hasDownstreamNode)
    }

    @Test func `12.1 a transform with one end shows in that node's transforms and in no node list`()
    {
      let up = MutableNode(1)
      let down = Node<Int>()
      let out = NodeTransform<Int, Int>()
      let into = NodeTransform<Int, Int>()
      out.from = up
      into.to = down
      #expect(up.downstreamTransforms.map { $0 === out } == [true])
      #expect(down.upstreamTransforms.map { $0 === into } == [true])
      #expect(up.downstreamNodes.isEmpty && down.upstreamNodes.isEmpty)
      #expect(!up.hasDownstreamNode && !down.hasUpstreamNode)
      #expect(out.to == nil && into.from == nil)
      out.to = down
      #expect(up.downstreamTransforms.map { $0 === out } == [true])
      #expect(down.upstreamTransforms.map { $0 === into || $0 === out } == [true, true])
      #expect(up.downstreamNodes == [down] && down.value == 1)
      out.to = nil
      #expect(up.downstreamTransforms.map { $0 === out } == [true])
      #expect(down.upstreamTransforms.map { $0 === into } == [true])
      out.from = nil
      into.to = nil
      #expect(up.downstreamTransforms.isEmpty && down.upstreamTransforms.isEmpty)
      #expect(checkInvariants([up, down]) == [])
    }

    @Test
    func
      `12.1 upstreamTransforms(from:) and downstreamTransforms(to:): all edges between two nodes, in order`()
    {
      let a = MutableNode(1)
      let b = MutableNode(2)
      let c = Node<Int>()
      let (first, second, other) = (
        NodeTransform<Int, Int>(), NodeTransform<Int, Int>(), NodeTransform<Int, Int>()
      )
      c.wiring.link(to: a, through: first)
      c.wiring.link(to: b, through: other)
      c.wiring.link(to: a, through: second)
      #expect(c.upstreamTransforms(from: a).map { $0 === first } == [true, false])
      #expect(c.upstreamTransforms(from: a).map { $0 === second } == [false, true])
      #expect(a.downstreamTransforms(to: c).map { $0 === first } == [true, false])
      #expect(c.upstreamTransforms(from: b).map { $0 === other } == [true])
      #expect(b.upstreamTransforms(from: a).isEmpty && a.downstreamTransforms(to: b).isEmpty)
    }
  }

  @Suite struct Names {
    @Test func `12.1 name on nodes: nil at first, settable, and named returns the very same node`()
    {
      let a = MutableNode(1)
      #expect(a.name == nil)
      #expect(a.named("price") === a)
      #expect(a.name == "price")
      a.name = nil
      #expect(a.name == nil)
    }

    @Test func `12.1 name on edges: the kind of operator unless it was given one`() {
      let clock = VirtualScheduler()
      let a = MutableNode(1)
      let second = Duration.seconds(1)
      let nodes: [(AnyNode, String)] = [
        (a.fork(), "Fork"), (a.map { $0 }, "Map"), (a.mapReplace(0), "MapReplace"),
        (a.compactMap { $0 }, "CompactMap"), (a.filter { _ in true }, "Filter"),
        (a.ignore(0), "Ignore"), (a.select(0), "Select"),
        (a.distinctUntilChanged(), "DistinctUntilChanged"), (a.skip(1), "Skip"),
        (a.take(1), "Take"), (a.scan(0) { $0 + $1 }, "Scan"),
        (a.deliver(on: clock), "Deliver"), (a.delay(second, on: clock), "Delay"),
        (a.debounce(second, on: clock), "Debounce"),
        (a.switch { _ in 1 }.node, "Switch"), (a.switch { _ in 1 }.case(1), "Case"),
        (a.switch { _ in 1 }.default, "Default"), (a.switch { _ in 1 }.unmatched, "Unmatched"),
      ]
      for (node, name) in nodes {
        #expect(node.upstreamTransforms.map(\.name) == [name])
      }
      let edge = nodes[1].0.upstreamTransforms[0]
      edge.name = "doubling"
      #expect(nodes[1].0.upstreamTransforms.map(\.name) == ["doubling"])
      #expect(a.snapshot().edges.map(\.name).contains("doubling"))
      // Nodes are released after their last use, and a walk down does not keep them.
      withExtendedLifetime(nodes) {}
    }

    @Test func `12.1 name on edges: of a transform of the user's own, its type`() {
      // Unchecked: adds no state.
      final class Halved: NodeTransform<Int, Int>, @unchecked Sendable {}
      // Unchecked: adds no state.
      final class Wrapped<T: Sendable>: NodeTransform<T, T>, @unchecked Sendable {}
      let a = MutableNode(1)
      let b = Node<Int>()
      b.wiring.link(to: a, through: Halved())
      b.wiring.link(to: a, through: Wrapped())
      b.wiring.link(to: a)
      #expect(b.upstreamTransforms.map(\.name) == ["Halved", "Wrapped", "Link"])
    }

    @Test func `12.1 from and to on edges: typed, and nil where the end is loose`() {
      let a = MutableNode(1)
      let b = Node<String>()
      final class Text: NodeTransform<Int, String>, @unchecked Sendable {
        // Unchecked: adds no state.
        override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
          send("\(value)")
        }
      }
      let text = Text()
      #expect(text.from == nil && text.to == nil)
      #expect(text.fromNode == nil && text.toNode == nil)
      b.wiring.link(to: a, through: text)
      #expect(text.from === a && text.to === b)
      #expect(b.value == "1")
      b.wiring.removeUpstreamNodes()
      #expect(text.from == nil && text.to == nil)
      #expect(b.value == "1")
    }
  }

  @Test func `12.1 hasUpstreamNode agrees with upstreamNodes where one was let go of in mid-turn`()
  {
    let a = MutableNode(1), journal = Journal<String>()
    let other = Mutex<MutableNode<Int>?>(MutableNode(2))
    other.withLock { _ = a.sync(with: $0!) }
    let listening = a.listen { value in
      if value != 5 { return }
      other.withLock { $0 = nil }
      journal.note("\(a.hasUpstreamNode) \(a.upstreamNodes.count) \(a.hasDownstreamNode)")
    }
    a.value = 5
    #expect(journal.take() == ["false 0 false"])
    keepAlive(listening)
  }

  /// It looks at the front of the list, and farther where all owners there are gone.
  @Test(arguments: [0, 1, 7, 8, 9, 63, 64, 65, 72, 600])
  func `12.1 hasListener agrees with listenerCount, however many owners are gone`(_ gone: Int) {
    final class Owner: Sendable {}
    for behind in ["nothing", "an owner", "a listening"] {
      for inFront in [0, 1] {
        let node = MutableNode<Int>(), living = (0..<2).map { _ in Owner() }
        do {
          let owners = (0..<gone).map { _ in Owner() }
          for owner in living.prefix(inFront) + owners { node.listen(by: owner) { _, _ in } }
          withExtendedLifetime(owners) {
            if behind == "an owner" { node.listen(by: living[1]) { _, _ in } }
          }
        }
        let listening = behind == "a listening" ? node.listen { _ in } : nil
        let count = inFront + (behind == "nothing" ? 0 : 1)
        #expect(node.listenerCount == count)
        #expect(node.hasListener == (count > 0), "\(gone) gone, \(inFront), \(behind)")
        withExtendedLifetime((living, listening)) {}
      }
    }
  }
}
