import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract 16: derivations on cycles, whose edges move.
@Suite(.watched) struct Section16Cycles {
  /// Each run makes the node that it reads anew.
  @Test(arguments: ["map", "derived", "flattenMap"])
  func `16.4 a cycle over a node that the closure makes ends`(_ kind: String) {
    let x = MutableNode(1), z = MutableNode(0), runs = Tally()
    let d = Node.derived { () -> Int? in
      if runs.add() > 1_000 { return nil }
      let inner =
        switch kind {
        case "derived": Node.derived { z.value }
        case "flattenMap": x.flattenMap { _ in z }
        default: z.map { $0 }
        }
      return (x.current + (inner.value ?? 0)) % 10
    }
    z.link(to: d.combine(x).map { $0 + $1 })
    let told = Recorder(d)
    told.clear()
    x.value = 2
    x.value = 3
    #expect(told.values == [4, 9])
    #expect(runs.take() < 10)
    #expect(checkInvariants([x, z, d]) == [])
    z.wiring.removeUpstreamNodes()
  }

  private final class Pair: Sendable {
    let a = Mutex<Node<Int>?>(nil), b = Mutex<Node<Int>?>(nil)
    func node(_ isA: Bool) -> Node<Int>? { isA ? a.withLock { $0 } : b.withLock { $0 } }
  }

  /// Both make what they read anew, in each run.
  @Test(arguments: [false, true], ["map", "derived", "flattenMap", "combine"])
  func `16.4 two derivations that read each other through nodes which they make end`(
    _ waitBoth: Bool, _ kind: String
  ) {
    let on = MutableNode(false), x = MutableNode(1), pair = Pair(), runs = Tally()
    @Sendable func read(_ node: Node<Int>?) -> Int {
      guard let node else { return 0 }
      return switch kind {
      case "derived": Node.derived { node.value }.value ?? 0
      case "flattenMap": x.flattenMap { _ in node }.value ?? 0
      case "combine": node.combine(x).map { value, _ in value }.value ?? 0
      default: node.map { $0 }.value ?? 0
      }
    }
    let a = Node.derived { () -> Int? in
      if runs.add() > 1_000 { return nil }
      return try on.get() ? (x.get() + read(pair.node(false))) % 10 : x.get()
    }
    pair.a.withLock { $0 = a }
    let b = Node.derived { () -> Int? in
      if runs.add() > 1_000 { return nil }
      if waitBoth { _ = try on.get() }
      return (1 + read(pair.node(true))) % 10
    }
    pair.b.withLock { $0 = b }
    on.value = true
    x.value = 2
    x.value = 3
    #expect(runs.take() < 40)
    #expect(checkInvariants([on, x, a, b]) == [])
    pair.a.withLock { $0 = nil }
    pair.b.withLock { $0 = nil }
  }

  /// Each reads one of two maps of the other, by turns of its own value: an edge moves in each run.
  @Test func `16.4 derivations whose edges move in each run end`() {
    let x = MutableNode(1), pair = Pair(), runs = Tally()
    let ofA = Mutex<[Node<Int>]>([]), ofB = Mutex<[Node<Int>]>([])
    let a = Node.derived { () -> Int? in
      if runs.add() > 1_000 { return nil }
      let maps = ofB.withLock { $0 }
      if maps.isEmpty { return try x.get() }
      let turn = (pair.node(true)?.value ?? 0) % 2
      return try 1 - turn + 2 * (x.get() + maps[turn].get()) % 50
    }
    pair.a.withLock { $0 = a }
    let b = Node.derived { () -> Int? in
      if runs.add() > 1_000 { return nil }
      let maps = ofA.withLock { $0 }
      if maps.isEmpty { return try a.get() }
      let turn = (pair.node(false)?.value ?? 0) % 2
      return try 1 - turn + 2 * maps[turn].get() % 50
    }
    pair.b.withLock { $0 = b }
    ofA.withLock { $0 = [a.map { $0 }, a.map { $0 }] }
    ofB.withLock { $0 = [b.map { $0 }, b.map { $0 }] }
    _ = runs.take()
    x.value = 2
    #expect(runs.take() < 10)
    #expect(checkInvariants([x, a, b]) == [])
    ofA.withLock { $0 = [] }
    ofB.withLock { $0 = [] }
    pair.a.withLock { $0 = nil }
    pair.b.withLock { $0 = nil }
  }

  /// What is turned to waits, and nothing ordinary leads to it: a link must not take it out of its place.
  @Test(arguments: [false, true])
  func `16.2, 4.5 a join that turns to a waiting derivation is told once`(_ isFlatten: Bool) {
    let choice = MutableNode(0), mode = MutableNode(0), z = MutableNode<Int>(), none = Node(-1)
    let later = Mutex<Node<Int>?>(nil)
    // The older one, so of one rank it comes first.
    let c =
      isFlatten
      ? choice.flattenMap { $0 == 0 ? none : later.withLock { $0! } }
      : Node.derived { try choice.get() == 0 ? -1 : later.withLock { $0! }.get() }
    let d = Node.derived { () -> Int? in
      untracked { mode.current } == 0 ? try mode.get() : z.value
    }
    later.withLock { $0 = d }
    let below = c.map { $0 }
    z.link(to: d.map { $0 })
    mode.value = 1  // d reads z: z → d leads back
    let told = Recorder(c)
    told.clear()
    batch {
      z.value = 7
      choice.value = 1
    }
    #expect(told.values == [7])
    #expect(checkInvariants([choice, mode, z, d, c]) == [])
    z.wiring.removeUpstreamNodes()
    later.withLock { $0 = nil }
    keepAlive(below)
  }

  private final class Doubling: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      send(value * 2)
    }
  }

  @Test(arguments: ["send", "sendEmpty", "receive"])
  func `16.2 what a transform sends in the closure, or is given there, stops with a message`(
    _ way: String
  ) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [way = way as String] in
      let from = MutableNode(1), to = MutableNode<Int>().named("to"), transform = Doubling()
      to.link(to: from, through: transform)
      let map = from.map { $0 }.named("map")
      let step = map.upstreamTransforms[0] as! NodeTransform<Int, Int>
      let derived = Node.derived { () -> Int? in
        switch way {
        case "send": transform.send(3)
        case "sendEmpty": transform.sendEmpty()
        default: step.receive(3, from: nil, context: nil)
        }
        return try from.get()
      }
      print(derived)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let operation = way == "receive" ? "receive" : "send"
    #expect(
      text.contains("\(operation): a derivation's closure computes a value and sets no node"))
    #expect(text.contains("Section16Cycles.swift"))
  }

  @Test func `16.1 an operator of one's own may be made in the closure`() {
    let from = MutableNode(1)
    let derived = Node.derived { () -> Int? in
      let to = MutableNode<Int>()
      to.link(to: from, through: Doubling())
      return to.value
    }
    let told = Recorder(derived)
    from.value = 2
    #expect(told.values.last == 4)
  }
}
