import EasyReact
import EasyReactTesting
import Testing

// The edges of operators are transforms like others: they can be seen, cut and re-pointed (contract
// 2.1, 12.1).

extension Section10 {
  @Test
  func `10 every operator's edge shows in the transforms of its nodes, under the operator's name`()
  {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let b = MutableNode(2)
    let outer = MutableNode<Node<Int>>(b)
    let lines = a.switch { $0 }
    let made: [(AnyNode, String)] = [
      (a.fork(), "Fork"), (a.map { $0 }, "Map"), (a.mapReplace(1), "MapReplace"),
      (a.compactMap { $0 }, "CompactMap"), (a.filter { $0 > 0 }, "Filter"),
      (a.ignore(5), "Ignore"), (a.select(1), "Select"),
      (a.distinctUntilChanged(), "DistinctUntilChanged"),
      (a.skip(1), "Skip"), (a.take(1), "Take"), (a.scan(0) { $0 + $1 }, "Scan"),
      (a.deliver(on: clock), "Deliver"), (a.delay(.seconds(1), on: clock), "Delay"),
      (a.debounce(.seconds(1), on: clock), "Debounce"), (a.flattenMap { _ in b }, "Flatten"),
      (outer.flatten(), "Flatten"), (lines.node, "Switch"), (lines.case(1), "Case"),
      (lines.default, "Default"), (lines.unmatched, "Unmatched"), (a.combine(b), "Combine"),
      (a.combine(b, mode: .everyValue), "Combine"), (a.zip(b), "Zip"), (a.merge(b), "Merge"),
    ]
    for (node, name) in made {
      #expect(node.upstreamTransforms.first?.name == name)
      #expect(node.upstreamTransforms.first?.toNode === node, "\(name)")
      #expect(node.upstreamTransforms.count == node.upstreamNodes.count, "\(name)")
    }
    #expect(a.downstreamTransforms.count == a.downstreamNodes.count)
    #expect(a.downstreamTransforms.allSatisfy { $0.fromNode === a })
    let sync = MutableNode(1)
    sync.sync(with: b)
    #expect(sync.upstreamTransforms.map(\.name) == ["Sync"])
    #expect(sync.downstreamTransforms.map(\.name) == ["Sync"])
    #expect(checkInvariants([a, b, outer, sync]) == [])
  }

  @Test
  func `10 re-pointing the end of an operator's edge begins a new life of it at the other node`()
    throws
  {
    let a = MutableNode(1)
    let first = a.take(2)
    let edge = try #require(first.upstreamTransforms.first as? NodeTransform<Int, Int>)
    a.value = 2
    a.value = 3
    let other = Node<Int>()
    edge.to = other
    #expect(other.value == 3)
    a.value = 4
    a.value = 5
    #expect(other.value == 4)
    #expect(first.value == 2)
    #expect(!first.hasUpstreamNode)
    #expect(checkInvariants([a, first, other]) == [])
  }

  @Test func `10.4 cutting the inner edge by hand: the next switch links again`() {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = outer.flatten()
    flat.wiring.removeUpstreamNode(inner)
    inner.value = 2
    #expect(flat.value == 1)
    outer.value = inner
    #expect(flat.value == 2)
    inner.value = 3
    #expect(flat.value == 3)
    #expect(checkInvariants([outer, inner]) == [])
  }

  @Test func `10.4 cutting the outer edge lets go of the inner node`() {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = outer.flatten()
    flat.wiring.removeUpstreamNode(outer)
    inner.value = 2
    #expect(flat.value == 1)
    #expect(!inner.hasDownstreamNode)
    #expect(checkInvariants([outer, inner, flat]) == [])
  }

  @Test
  func
    `10.4 a flatten that a listener switches in mid-wave tells the values of one inner node only`()
  {
    let first = MutableNode(0)
    let second = MutableNode(100)
    let outer = MutableNode<Node<Int>>(first)
    let flat = outer.flatten()
    let told = Recorder(flat)
    let switching = first.listen { if $0 == 2 { outer.value = second } }
    first.value = 1
    first.value = 2  // its listener switches before the edge to `flat` is followed
    second.value = 101
    #expect(told.values == [0, 1, 100, 101])
    #expect(checkInvariants([outer, first, second]) == [])
    _ = switching
  }

  @Test func `10.4 inner nodes are freed when the next one is followed`() {
    let outer = MutableNode<Int>(0)
    weak var gone: MutableNode<Int>?
    let made = Journal<MutableNode<Int>>()
    let flat = outer.flattenMap { value in
      let inner = MutableNode(value)
      made.note(inner)
      return inner.fork()
    }
    gone = made.take().first
    #expect(gone != nil)
    outer.value = 1
    #expect(gone == nil)
    #expect(flat.value == 1)
  }

  @Test(arguments: ["deliver", "delay", "debounce", "flatten", "scan", "switch", "distinct"])
  func `10 an operator's node is freed when it is dropped, and leaves nothing behind`(kind: String)
  {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let inner = MutableNode(5)
    weak var gone: AnyNode?
    do {
      let node: AnyNode =
        switch kind {
        case "deliver": a.deliver(on: clock)
        case "delay": a.delay(.seconds(1), on: clock)
        case "debounce": a.debounce(.seconds(1), on: clock)
        case "flatten": a.flattenMap { _ in inner }
        case "scan": a.scan(0) { $0 + $1 }
        case "switch": a.switch { $0 }.case(1)
        default: a.distinctUntilChanged()
        }
      gone = node
      a.value = 2
    }
    #expect(gone == nil)
    #expect(a.downstreamTransforms.isEmpty)
    #expect(inner.downstreamTransforms.isEmpty)
    clock.run()
    #expect(checkInvariants([a, inner]) == [])
  }
}
