import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// The letter before the colon, none without a colon.
@Sendable private func key(_ line: String) -> String? {
  line.contains(":") ? String(line.prefix { $0 != ":" }) : nil
}

// MARK: - 10.3 Switch

extension Section10 {
  @Test func `10 switch parts the values by key; each case hears the values of its key in order`() {
    let a = MutableNode("L:1")
    let lines = a.switch { key($0) }
    let told = [Recorder(lines.case("L")), Recorder(lines.case("H")), Recorder(lines.default)]
    for line in ["L:2", "H:1", "plain", "X:9", "L:3"] { a.value = line }
    #expect(told.map(\.values) == [["L:1", "L:2", "L:3"], ["H:1"], ["plain"]])
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func
    `10.3 switch keys are optional; default takes the values without a key, not those that nobody asked for`()
  {
    let a = MutableNode("X:1")
    let lines = a.switch { key($0) }
    let told = Recorder(lines.default)
    a.value = "plain"
    a.value = "X:2"
    a.value = "simple"
    #expect(told.values == ["plain", "simple"])
  }

  /// Like `Double.nan`.
  private final class Odd: Hashable, Sendable {
    static func == (a: Odd, b: Odd) -> Bool { false }
    func hash(into hasher: inout Hasher) {}
  }

  @Test func `10.3, 9.8 a key that is not equal to itself leaves nothing behind`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1), numbers = a.switch { _ -> Odd? in Odd() }
    let lost = Recorder(numbers.unmatched)
    do {
      let asked = numbers.case(lives.track(Odd(), "key"))
      a.value = 2
      #expect(asked.isEmpty && lost.values == [1, 2], "nobody can ask for it")
    }
    #expect(lives.alive == [])
  }

  @Test func `10.3 unmatched takes the values whose key nobody asked for`() {
    let a = MutableNode("plain")
    let lines = a.switch { key($0) }
    let told = Recorder(lines.unmatched)
    var asked: Node<String>? = lines.case("L")
    for line in ["L:1", "X:1", "plain", "X:2"] { a.value = line }
    #expect(told.values == ["X:1", "X:2"])
    #expect(asked?.value == "L:1")
    // Nobody asks for it any more.
    asked = nil
    a.value = "L:2"
    #expect(told.values == ["X:1", "X:2", "L:2"])
    asked = lines.case("X")
    a.value = "X:3"
    #expect(told.values == ["X:1", "X:2", "L:2"])
    #expect(asked?.value == "X:3")
  }

  @Test func `10.3 a case attached late never replays an outdated value`() {
    let a = MutableNode("H:1")
    let lines = a.switch { key($0) }
    a.value = "L:1"
    let h = lines.case("H")
    let told = Recorder(h)
    #expect(h.isEmpty)
    a.value = "H:2"
    #expect(told.values == ["H:2"])
    // Attached while the present value has its key: that value at once.
    #expect(lines.case("H").value == "H:2")
  }

  @Test func `10.3 keys that nobody listens to any more are forgotten`() {
    let a = MutableNode(0)
    let lines = a.switch { $0 }
    for value in 1...1000 {
      a.value = value
      #expect(lines.case(value).value == value)
    }
    #expect(lines.node.downstreamTransforms.isEmpty)
    #expect(!lines.node.hasDownstreamNode)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10 the same case twice is two nodes, each of which hears everything`() {
    let a = MutableNode("L:1")
    let lines = a.switch { key($0) }
    let first = lines.case("L")
    let second = lines.case("L")
    #expect(first !== second)
    let told = [Recorder(first), Recorder(second)]
    a.value = "L:2"
    #expect(told.map(\.values) == [["L:1", "L:2"], ["L:1", "L:2"]])
  }

  @Test func `10 the closure of a switch runs once a value, whatever the number of cases`() {
    let a = MutableNode("L:1")
    let runs = Tally()
    let lines = a.switch { line in
      runs.add()
      return key(line)
    }
    let cases = ["L", "H", "X"].map { lines.case($0) }
    a.value = "X:1"
    #expect(runs.count == 2)
    #expect(cases.map(\.value) == ["L:1", nil, "X:1"])
  }

  @Test func `10 switchMap parts and maps in one step`() {
    let a = MutableNode("L:1")
    let words = a.switchMap { (key($0), $0.count) }
    let told = [Recorder(words.case("L")), Recorder(words.default)]
    a.value = "none"
    a.value = "L:100"
    #expect(told.map(\.values) == [[3, 5], [4]])
  }

  @Test
  func
    `10 switch of an empty node: all branches are empty, emptying leaves them, the context goes along`()
    throws
  {
    let a = MutableNode<String>()
    let lines = a.switch { key($0) }
    let l = lines.case("L")
    #expect(l.isEmpty && lines.default.isEmpty && lines.unmatched.isEmpty)
    let told = Recorder(l)
    a.set("L:1", context: "c")
    a.clean()
    #expect(l.value == "L:1")
    #expect(told.contexts.map { $0 as? String } == ["c"])
    let edge = try #require(
      lines.node.upstreamTransforms.first as? NodeTransform<String, Switch<String, String>>)
    edge.from = MutableNode("L:7")
    #expect(told.values == ["L:1", "L:7"])
  }
}

// MARK: - If

extension Section10 {
  @Test func `10 if parts the values in then and else, and its closure runs once a value`() {
    let a = MutableNode(0)
    let runs = Tally()
    let signs = a.if { value in
      runs.add()
      return value > 0
    }
    let nodes = Journal<ObjectIdentifier>()
    signs.then { nodes.note(ObjectIdentifier($0)) }.else { nodes.note(ObjectIdentifier($0)) }
    #expect(nodes.entries == [ObjectIdentifier(signs.thenNode), ObjectIdentifier(signs.elseNode)])
    let told = [Recorder(signs.thenNode), Recorder(signs.elseNode)]
    for value in [1, -1, 2] { a.value = value }
    a.clean()
    #expect(told.map(\.values) == [[1, 2], [0, -1]])
    #expect(runs.count == 4)
  }
}

// MARK: - 10.4 Flatten

extension Section10 {
  @Test func `5.1 a ring over concatMap ends, also where messages wait at the inner node`() {
    let a = MutableNode<Int>(), b = MutableNode(0), laps = Tally()
    let result = a.concatMap { _ in b }
    a.link(to: result)
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listenings = [
      a.listen { _ in if laps.add() == 1_000 { a.wiring.removeUpstreamNodes() } },
      b.listen { value in
        if value != 1 { return }
        isInside.signal()
        wait(for: mayGo)
        a.value = 5
      },
    ]
    onThreads(2) { number in
      if number == 0 { return b.value = 1 }
      wait(for: isInside)
      b.value = 2  // left in the mailbox
      mayGo.signal()
    }
    #expect(waitForBackgroundWork())
    #expect(laps.count < 20)
    a.wiring.removeUpstreamNodes()
    keepAlive(listenings as AnyObject)
  }

  @Test func `10.4 the edge from an inner node is the operator's: its ends cannot be set`() {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = outer.flatten()
    let edges = flat.upstreamTransforms.filter { $0.name == "Inner" }
    #expect(edges.count == 1 && inner.downstreamTransforms.count == 1)
    #expect((edges + inner.downstreamTransforms).allSatisfy { !($0 is NodeTransform<Int, Int>) })
    #expect(flat.value == 1)
  }

  @Test func `10.4 flatten that turns to a join which waits and then says nothing has its value`() {
    let number = MutableNode(1), tick = MutableNode(0), other = MutableNode(100)
    let sampled = number.sample(on: tick)
    let outer = MutableNode<Node<Int>>(other)
    let flat = outer.flatten()
    let listening = tick.map { $0 }.listen { if $0 == 1 { outer.value = sampled } }
    tick.value = 1
    #expect(sampled.value == 1 && flat.value == 1)
    let first = MutableNode(1), second = MutableNode(2), others = MutableNode([0])
    let members = MutableNode<[Node<Int>]>([first, second])
    let all = members.flattenCombine()
    let outerAll = MutableNode<Node<[Int]>>(others)
    let flatAll = outerAll.flatten()
    let listeningAll = first.map { $0 }.listen { if $0 == 5 { outerAll.value = all } }
    second.clean()
    first.value = 5
    #expect(all.value == [1, 2] && flatAll.value == [1, 2])
    keepAlive(listening, listeningAll)
  }

  @Test func `10.4 flatten follows the latest inner node`() {
    let first = MutableNode(1)
    let second = MutableNode(4)
    let outer = MutableNode<Node<Int>>(first)
    let told = Recorder(outer.flatten())
    first.value = 3
    outer.value = second
    first.value = 99
    second.value = 5
    #expect(told.values == [1, 3, 4, 5])
    outer.value = second  // the same once more: its value is told again
    #expect(told.values == [1, 3, 4, 5, 5])
    #expect(!first.hasDownstreamNode)
    #expect(checkInvariants([outer, first, second]) == [])
  }

  @Test func `10.4 an empty inner node empties the result`() {
    let full = MutableNode(1)
    let empty = MutableNode<Int>()
    let outer = MutableNode<Node<Int>>(full)
    let flat = outer.flatten()
    let told = Recorder(flat)
    outer.value = empty
    #expect(flat.isEmpty)
    empty.value = 2
    #expect(told.values == [1, 2])
  }

  @Test
  func
    `10.4 emptying an inner node after the switch, or the outer node, leaves the result as it is`()
  {
    let inner = MutableNode(8)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = outer.flatten()
    inner.clean()
    #expect(flat.value == 8)
    outer.clean()
    #expect(flat.value == 8)
    inner.value = 9
    #expect(flat.value == 9)
  }

  @Test func `10.4 flatten of an empty node is empty, and re-pointing drops the inner node`() throws
  {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>()
    let flat = outer.flatten()
    #expect(flat.isEmpty)
    outer.value = inner
    let told = Recorder(flat)
    let edge = try #require(
      flat.upstreamTransforms.first { $0.fromNode === outer } as? NodeTransform<Node<Int>, Int>)
    edge.from = MutableNode<Node<Int>>()
    inner.value = 2
    #expect(told.values == [1])
    #expect(!inner.hasDownstreamNode)
    #expect(checkInvariants([outer, inner]) == [])
  }

  @Test func `10.4 flattenMap: every inner value of the latest inner node counts`() {
    let outer = MutableNode<Int>()
    let flat = outer.flattenMap { count -> Node<Int> in
      let inner = MutableNode<Int>()
      return (0..<count).reduce(inner.fork()) { node, index in
        inner.value = index
        return node
      }
    }
    let told = Recorder(flat)
    for value in 1...3 { outer.value = value }
    #expect(
      told.values == [0, 1, 2], "what was set before the node is returned is its present value")
  }

  @Test func `10.4 an inner node that feeds back from the result is told once a set`() {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = outer.flatten()
    let link = inner.link(to: flat)
    let told = [Recorder(inner), Recorder(flat)]
    told.forEach { $0.clear() }
    inner.value = 2
    #expect(told.map(\.values) == [[2], [2]])
    link.cancel()
  }

  @Test func `8.1 flatten: a switch has the outer set's context, later inner values their own`() {
    let first = MutableNode(1)
    let second = MutableNode(2)
    let outer = MutableNode<Node<Int>>(first)
    let told = Recorder(outer.flatten())
    outer.set(second, context: "outer")
    second.set(3, context: "inner")
    #expect(told.values == [1, 2, 3])
    #expect(told.contexts.map { $0 as? String } == [nil, "outer", "inner"])
  }
}
