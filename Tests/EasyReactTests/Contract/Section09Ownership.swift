import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 9.1, 9.7 and what lives how long. Listening stands in
/// Section09Listening.swift, owners in Section09Owners.swift.
@Suite("9 Listening and ownership", .watched) struct Section9 {
  @Test
  func `9.1 consumers own providers: listener, listening, node, its upstream edges, their nodes`() {
    let lives = LifetimeTracker()
    var a: MutableNode<Int>? = lives.track(MutableNode(1), "a")
    var listening: Listening? = {
      let b = lives.track(a!.map { $0 }, "b")
      let c = lives.track(b.combine(a!), "c")
      let d = lives.track(Node<Int>(), "d")
      d.wiring.link(to: c, through: Sum())
      return d.listen { _ in }
    }()
    #expect(lives.alive == ["a", "b", "c", "d"])
    a = nil
    #expect(lives.alive == ["a", "b", "c", "d"])
    keepAlive(listening)
    listening = nil
    #expect(lives.alive == [])
  }

  private final class Sum: NodeTransform<(Int, Int), Int>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receive(_ value: (Int, Int), from sender: AnyNode?, context: (any Sendable)?) {
      send(value.0 + value.1)
    }
  }

  @Test func `9.1 the end of a chain keeps all of it; the middle is not kept by what it came from`()
  {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    var filtered: Node<Int>? = {
      let mapped = lives.track(a.map { $0 + 1 }, "mapped")
      return lives.track(mapped.filter { $0 > 0 }, "filtered")
    }()
    #expect(lives.alive == ["mapped", "filtered"])
    a.value = 2
    #expect(filtered?.value == 3)
    filtered = nil
    #expect(lives.alive == [])
    #expect(a.downstreamNodes == [] && a.downstreamTransforms.isEmpty)
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func
    `9.1 downstream references never keep anything alive: a link's end goes, its upstream stays`()
  {
    let lives = LifetimeTracker()
    let up = MutableNode(1)
    var down: Node<Int>? = lives.track(Node<Int>(), "down")
    down!.wiring.link(to: up)
    #expect(up.downstreamNodes == [down!])
    down = nil
    #expect(lives.alive == [])
    #expect(!up.hasDownstreamNode)
    up.value = 2
    #expect(checkInvariants([up]) == [])
  }

  /// Every operator: its node, and what its closure holds, go with the last consumer.
  @Test func `9.1 the chain is freed at once: every operator, with what its closure holds`() {
    let lives = LifetimeTracker()
    let clock = VirtualScheduler()
    let a = MutableNode(1), other = MutableNode(2)
    func token(_ name: String) -> Token { lives.track(Token(), name) }
    func make() -> [AnyNode] {
      let t = [
        "map", "compactMap", "filter", "distinct", "scan", "indexed", "flatten", "switch", "if",
      ]
      .map(token)
      let inner = MutableNode(5)
      let parted = a.switch {
        keepAlive(t[7]); return $0 > 0 ? "plus" : nil
      }
      let branches = a.if {
        keepAlive(t[8]); return $0 > 0
      }
      return [
        a.fork(),
        a.map {
          keepAlive(t[0]); return $0
        }, a.mapReplace(token("replace")),
        a.compactMap {
          keepAlive(t[1]); return $0
        },
        a.filter { _ in
          keepAlive(t[2]); return true
        },
        a.ignore(9), a.select(1),
        a.distinctUntilChanged {
          keepAlive(t[3]); return $0 == $1
        },
        a.skip(1), a.take(1),
        a.scan(0) {
          keepAlive(t[4]); return $0 + $1
        },
        a.scanIndexed(0) {
          keepAlive(t[5]); return $0 + $1 + $2
        }, a.deliver(on: clock),
        a.delay(.seconds(1), on: clock), a.debounce(.seconds(1), on: clock),
        a.flattenMap { _ in
          keepAlive(t[6]); return inner
        }, parted.case("plus"), parted.default,
        parted.unmatched, branches.thenNode, branches.elseNode, a.combine(other),
        a.combine(other, other), Node.combine([a, other]), a.combine(other, mode: .everyValue),
        a.zip(other), Node.zip([a, other]), a.merge(other),
      ]
    }
    var nodes = make()
    for (index, node) in nodes.enumerated() { _ = lives.track(node, "\(index)") }
    #expect(lives.alive.count == nodes.count + 10)
    a.value = 2
    other.value = 3
    #expect(lives.alive.count == nodes.count + 10)
    nodes = []
    #expect(lives.alive == [])
    #expect(a.downstreamTransforms.isEmpty && other.downstreamTransforms.isEmpty)
    #expect(checkInvariants([a, other]) == [])
    clock.run()
    a.value = 3
    #expect(checkInvariants([a, other]) == [])
  }

  @Test func `9.1 inside a turn the chain is freed at the turn's end`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1), trigger = MutableNode(0)
    let held = Journal<Listening>(), seen = Journal<[String]>()
    held.note(
      {
        let b = lives.track(a.map { $0 }, "b")
        return lives.track(b.map { $0 }, "c").listen { _ in }
      }())
    #expect(lives.alive == ["b", "c"])
    let listening = trigger.listen { value in
      if value == 1 {
        _ = held.take()
        seen.note(lives.alive)
        a.value = 2
      }
    }
    trigger.value = 1
    #expect(seen.entries == [["b", "c"]])
    #expect(lives.alive == [])
    #expect(!a.hasDownstreamNode)
    #expect(checkInvariants([a, trigger]) == [])
    keepAlive(listening)
  }

  @Test func `9.1 a chain can be dropped by the very wave that runs through it`() {
    let lives = LifetimeTracker()
    let a = MutableNode(0)
    let held = Journal<Listening>(), told = Journal<Int>()
    let b = lives.track(a.map { $0 }, "b"), c = lives.track(b.map { $0 }, "c")
    _ = (b, c)
    func build() -> (Node<Int>, Node<Int>) {
      let d = lives.track(a.map { $0 }, "d")
      return (d, lives.track(d.map { $0 }, "e"))
    }
    do {
      let (d, e) = build()
      held.note(d.listen { if $0 == 1 { _ = held.take() } })
      held.note(e.listen { told.note($0) })
    }
    #expect(lives.alive == ["b", "c", "d", "e"])
    a.value = 1
    #expect(told.entries == [0])
    #expect(lives.alive == ["b", "c"])
    #expect(checkInvariants([a]) == [])
    keepAlive(b, c)
  }

  @Test func `9.1 the values of freed nodes are freed with them`() {
    let lives = LifetimeTracker()
    let a = MutableNode(0)
    var derived: Node<Token>? = a.map { lives.track(Token(), "\($0)") }
    a.value = 1
    #expect(lives.alive == ["1"])
    keepAlive(derived)
    derived = nil
    #expect(lives.alive == [])
  }

  @Test func `9.7 dropping a Cancelable of a link does not cut it`() {
    let a = MutableNode(1), b = Node<Int>(), c = Node<Int>(), d = MutableNode(0)
    do {
      _ = b.wiring.link(to: a)
      _ = c.wiring.link(to: a, through: NodeTransform<Int, Int>())
      _ = d.sync(with: a)
    }
    a.value = 2
    #expect([b.value, c.value, d.value] == [2, 2, 2])
  }

  @Test func `9.7 a kept Cancelable of a link keeps neither of its nodes`() {
    let lives = LifetimeTracker()
    var up: MutableNode<Int>? = lives.track(MutableNode(1), "up")
    var down: Node<Int>? = lives.track(Node<Int>(), "down")
    let link = down!.wiring.link(to: up!)
    up = nil
    #expect(lives.alive == ["up", "down"])
    keepAlive(down)
    down = nil
    #expect(lives.alive == [])
    link.cancel()
  }
}
