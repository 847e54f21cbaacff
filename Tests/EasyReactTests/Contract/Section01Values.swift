import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// Contract, section 1.
@Suite("1 Values", .watched) struct Section1 {
  @Test func `1.1 value is Value?, nil means empty`() {
    let full: Node<Int> = Node(15), empty = Node<Int>()
    let value: Int? = full.value
    #expect(value == 15 && !full.isEmpty)
    #expect(empty.value == nil && empty.isEmpty)
  }

  @Test func `1.1 Node<Int?> can hold nil as a value, which is not empty`() {
    let node = MutableNode<Int?>(nil)
    let told = Recorder(node)
    #expect(node.value == .some(nil))
    #expect(!node.isEmpty)
    node.set(1)
    node.set(nil)
    node.value = .some(nil)
    #expect(told.values == [nil, 1, nil, nil])
    #expect(!node.isEmpty)
    node.clean()
    #expect(node.isEmpty)
    #expect(node.value == Int??.none)
    #expect(told.values.count == 4)
    let empty = Node<Int?>()
    #expect(empty.isEmpty)
    #expect(MutableNode<Int?>().isEmpty)
  }

  @Test func `1.1 a nil value passes through derived nodes`() {
    let node = MutableNode<Int?>(nil)
    let text = node.map { $0.map(String.init) ?? "nil" }, pair = node.combine(node)
    #expect(text.value == "nil")
    #expect(pair.value.map { "\($0)" } == "(nil, nil)")
    let log = NilLog()
    let listening = node.listen(with: log)
    node.set(nil)
    node.clean()
    #expect(log.journal.entries == ["nil", "nil", "empty"])
    keepAlive(listening)
  }

  private final class NilLog: ListenEdge<Int?>, @unchecked Sendable {
    // Unchecked: adds a constant.
    let journal = Journal<String>()
    override func receive(_ value: Int?, from sender: AnyNode?, context: (any Sendable)?) {
      journal.note("\(value.map(String.init) ?? "nil")")
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
      journal.note("empty")
    }
  }

  @Test func `1.2 Node(15), Node<Int>(), MutableNode(15), MutableNode<Int>()`() {
    let nodes = [Node(15), Node<Int>(), MutableNode(15), MutableNode<Int>()]
    #expect(nodes.map(\.value) == [15, nil, 15, nil])
    #expect(nodes.map(\.isMutable) == [false, false, true, true])
    #expect(nodes.map { $0 is MutableNode<Int> }.suffix(2) == [true, true])
    #expect(checkInvariants(nodes) == [])
  }

  @Test func `1.2 values of every layout are held: words, strings, objects, large and empty ones`()
  {
    struct Large: Equatable, Sendable { var (a, b, c, d, e) = (1, 2, 3, 4, "five") }
    struct Aligned: Equatable, Sendable {
      var vector = SIMD16<Float>(repeating: 1)
    }
    func check<Value: Equatable & Sendable>(_ first: Value, _ second: Value) {
      let node = MutableNode(first)
      let told = Recorder(node.map { $0 })
      node.value = second
      node.clean()
      #expect(node.value == nil)
      node.value = first
      #expect(told.values == [first, second, first])
      #expect(node.value == first)
      #expect(checkInvariants([node]) == [])
    }
    check(1, -1)
    check(UInt8(255), 0)
    check("a", String(repeating: "long", count: 100))
    check(Large(), Large(a: 9, b: 8, c: 7, d: 6, e: "other"))
    check(Aligned(), Aligned(vector: .init(repeating: 2)))
    check([1, 2], [])
    check(Double.pi, .infinity)
    check(Int?.some(1), nil)
    check(ObjectIdentifier(Token.self), ObjectIdentifier(AnyNode.self))
  }

  @Test func `1.2 only a MutableNode has a settable value`() {
    let readable: AnyKeyPath = \Node<Int>.value, settable: AnyKeyPath = \MutableNode<Int>.value
    #expect(!(readable is ReferenceWritableKeyPath<Node<Int>, Int?>))
    #expect(settable is ReferenceWritableKeyPath<MutableNode<Int>, Int?>)
  }

  @Test
  func `1.3 clean() empties the node: listeners are not told, default edges do not pass it on`() {
    let a = MutableNode(1)
    let fork = a.fork(), map = a.map { $0 * 2 }, filter = a.filter { $0 > 0 }
    let pair = a.combine(a)
    let link = Node<Int>()
    link.wiring.link(to: a)
    let told = [a, fork, map, filter, link].map { Recorder($0) }
    let pairs = Recorder(pair)
    a.clean()
    #expect(a.isEmpty && a.value == nil)
    #expect([fork, map, filter, link].map(\.value) == [1, 2, 1, 1])
    #expect(pair.value.map { "\($0)" } == "(1, 1)")
    #expect(told.map(\.values) == [[1], [1], [2], [1], [1]])
    #expect(pairs.values.count == 1)
    a.value = nil
    a.clean()
    #expect(told.allSatisfy { $0.values.count == 1 })
    a.value = 3
    #expect(told.map(\.values) == [[1, 3], [1, 3], [2, 6], [1, 3], [1, 3]])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `1.2 wiring links, syncs and cuts any node, also one whose type is not known`() {
    let a = MutableNode(1), read = Node<Int>(), text = Node<String>()
    let link = read.wiring.link(to: a)
    #expect(read.value == 1)
    a.value = 2
    #expect(read.value == 2)
    link.cancel()
    a.value = 3
    #expect(read.value == 2)

    text.wiring.sync(with: a, transform: { "\($0)" }, revert: { Int($0)! })
    #expect(text.value == "3")
    a.value = 4
    #expect(text.value == "4")
    text.wiring.removeDownstreamNode(a)
    text.wiring.removeUpstreamNode(a)
    a.value = 5
    #expect(text.value == "4")

    let other = Node<Int>(), anyNode: AnyNode = other
    other.wiring.sync(with: a)
    a.wiring.link(to: other)
    #expect(other.upstreamNodes == [a] && other.downstreamNodes == [a, a])
    anyNode.wiring.removeUpstreamNodes()
    anyNode.wiring.removeDownstreamNodes()
    #expect(other.upstreamNodes == [] && other.downstreamNodes == [])
    #expect(other.value == 5 && !other.isMutable)
  }

  @Test func `1.2 a MutableNode is linked and synced directly, and wiring is the same`() {
    let a = MutableNode(1), b = MutableNode<Int>(), c = MutableNode<Int>()
    b.link(to: a)
    c.wiring.link(to: a)
    #expect(b.value == 1 && c.value == 1)
    #expect(b.upstreamTransforms.map(\.name) == c.upstreamTransforms.map(\.name))
    b.link(to: b)
    b.wiring.link(to: b)
    #expect(b.upstreamNodes == [a])
  }

  @Test func `1.3 clean() gives the value up at once`() {
    let lives = LifetimeTracker()
    let node = MutableNode(lives.track(Token(), "token"))
    #expect(lives.alive == ["token"])
    node.clean()
    #expect(lives.alive == [])
    keepAlive(node)
  }

  @Test func `1.4 mutablify() returns the very same object as a MutableNode, for good`() {
    let node = Node(33)
    let other = node
    #expect(!node.isMutable && !other.isMutable)
    let told = Recorder(node)
    let mutable: MutableNode<Int> = node.mutablify()
    #expect(mutable === node)
    #expect(node.isMutable && other.isMutable)
    #expect(node.mutablify() === mutable)
    mutable.value = 34
    #expect(other.value == 34)
    #expect(told.values == [33, 34])
    #expect(node.isMutable)
  }

  @Test func `1.4 a derived node made mutable is set by hand and still follows its upstream`() {
    let up = MutableNode(1)
    let down = up.map { $0 }
    let below = down.map { $0 * 10 }
    let told = Recorder(below)
    let mutable = down.mutablify()
    #expect(mutable === down)
    #expect(checkInvariants([up]) == [])
    mutable.value = 3
    #expect([up.value, down.value, below.value] == [1, 3, 30])
    up.value = 4
    #expect(told.values == [10, 30, 40])
    #expect(checkInvariants([up]) == [])
  }

  @Test func `1.5 there is no equality filter: setting 1 twice is heard twice`() {
    let a = MutableNode<Int>()
    let told = Recorder(a), mapped = Recorder(a.map { $0 })
    a.value = 1
    a.value = 1
    #expect(told.values == [1, 1])
    #expect(mapped.values == [1, 1])
  }
}
