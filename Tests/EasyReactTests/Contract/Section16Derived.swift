import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract 16: derivations that track what they read.
@Suite(.watched) struct Section16Derived {
  // MARK: 16.1 What it follows

  @Test
  func `16.1 it computes from what it read by value, get and current, and anew when that changes`()
  {
    let a = MutableNode(1), b = MutableNode(10), c = MutableNode(100)
    let sum = Node.derived { try (a.value ?? 0) + b.get() + c.current }, told = Recorder(sum)
    a.value = 2
    b.value = 20
    c.value = 200
    #expect(told.values == [111, 112, 122, 222])
    #expect(checkInvariants([sum]) == [])
  }

  @Test func `16.1 a run that reads other nodes moves the edges`() {
    let isBig = MutableNode(false), big = MutableNode(100), small = MutableNode(1)
    let chosen = Node.derived { try isBig.get() ? big.get() : small.get() }, told = Recorder(chosen)
    #expect(chosen.upstreamNodes == [isBig, small])
    big.value = 101
    #expect(told.values == [1])
    isBig.value = true
    #expect(chosen.upstreamNodes == [isBig, big])
    #expect(!small.hasDownstreamNode)
    small.value = 2
    big.value = 102
    isBig.value = false
    #expect(told.values == [1, 101, 102, 2])
    #expect(chosen.dot().contains("Derived"))
    #expect(checkInvariants([chosen, big, small]) == [])
  }

  @Test func `16.1 it says nothing while a get throws, and where the closure returns nil`() {
    let price = MutableNode<Int>(), count = MutableNode(3)
    let total = Node.derived { try price.get() * count.get() }
    let odd = Node.derived { (count.value ?? 0) % 2 == 0 ? nil : count.value }
    let totals = Recorder(total), odds = Recorder(odd)
    #expect(total.isEmpty)
    count.value = 4
    #expect(total.isEmpty && odd.value == 3)
    price.value = 5
    count.value = 5
    price.clean()
    count.value = 6
    #expect(total.value == 25)
    price.value = 1
    #expect(totals.values == [20, 25, 6])
    #expect(odds.values == [3, 5])
  }

  @Test(arguments: [3, 8, 9, 40])
  func `16.1 many nodes, some read twice, in an order that changes, are each followed once`(
    count: Int
  ) {
    let order = Mutex(Array(0..<count)), run = MutableNode(0)
    let nodes = (0..<count).map { MutableNode($0) }
    let sum = Node.derived {
      _ = run.value
      let places = order.withLock { $0 }
      return (places + places).reduce(0) { $0 + (nodes[$1].value ?? 0) }
    }
    let told = Recorder(sum)
    var random = SeededGenerator(seed: UInt64(count))
    for round in 1...60 {
      let places = Array((0..<count).shuffled(using: &random).prefix(1 + round % count))
      order.withLock { $0 = places }
      run.value = round
      #expect(Set(sum.upstreamNodes) == Set(places.map { nodes[$0] } + [run]))
      #expect(sum.upstreamNodes.count == places.count + 1)
      #expect(told.values.count == 1 + 2 * (round - 1) + 1)
      nodes[places[0]].value! += 1
      #expect(told.values.count == 1 + 2 * round)
      #expect(sum.value == 2 * places.reduce(0) { $0 + nodes[$1].value! })
    }
    #expect(checkInvariants(nodes) == [])
  }

  @Test func `16.1 an edge that the user cuts is there again when the next run reads the node`() {
    let a = MutableNode(1), b = MutableNode(2)
    let sum = Node.derived { try a.get() + b.get() }, told = Recorder(sum)
    sum.wiring.removeUpstreamNode(a)
    a.value = 10
    #expect(told.values == [3])
    b.value = 20
    a.value = 11
    #expect(told.values == [3, 30, 31])
    sum.wiring.removeUpstreamNodes()
    a.value = 0
    #expect(told.values == [3, 30, 31])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `16.1 contexts go through, and the tracer names the edges`() {
    let price = MutableNode(4).named("price")
    let double = Node.derived { try price.get() * 2 }.named("double")
    let heard = Journal<String>()
    let listening = double.listenToChanges { heard.note("\($0.value) \($0.context ?? "-")") }
    price.set(5, context: "import")
    #expect(heard.entries == ["8 -", "10 import"])
    #expect(double.dot().contains("Derived"))
    keepAlive(listening)
  }

  // MARK: 16.2 No glitch

  @Test func `16.2 it is told once a turn, after all that it read is final`() {
    let x = MutableNode(1)
    let double = x.map { $0 * 2 }, sum = double.combine(x).map { $0 + $1 }
    let all = Node.derived { try [x.get(), double.get(), sum.get()] }, told = Recorder(all)
    x.value = 2
    batch {
      x.value = 3
      x.value = 4
    }
    #expect(told.values == [[1, 2, 3], [2, 4, 6], [4, 8, 12]])
  }

  @Test func `16.2 a node that it turns to, and that ranks higher, is final when it is told`() {
    let x = MutableNode(0)
    func deep(_ factor: Int) -> Node<Int> {
      (0..<5).reduce(x.map { $0 * factor }) { deep, _ in deep.combine(x).map { $0 + $1 } }
    }
    let ways = [Node(-1), deep(1), deep(10)]
    let chosen = Node.derived { try ways[x.get() % 3].get() }, told = Recorder(chosen)
    let after = Recorder(chosen.combine(x).map { $0 - $1 })
    for value in 1...4 { x.value = value }
    #expect(told.values == [-1, 6, 30, -1, 24])
    #expect(after.values == [-1, 5, 28, -4, 20])
  }

  @Test(arguments: 0..<40)
  func
    `16.2 random derivations over each other tell at most once a turn, and what their closures give`(
      seed: UInt64
    )
  {
    let world = World(seed: seed), told = world.nodes.map { Recorder($0) }
    var random = SeededGenerator(seed: seed &+ 1_000)
    for step in 0..<120 {
      let before = told.map { $0.values.count }, old = world.expected()
      if step % 5 == 0 {
        batch {
          for source in world.sources { source.value = Int.random(in: 0..<20, using: &random) }
        }
      } else {
        world.sources.randomElement(using: &random)!.value = Int.random(in: 0..<20, using: &random)
      }
      let new = world.expected()
      for place in world.nodes.indices {
        let count = told[place].values.count - before[place]
        #expect(count <= 1, "seed \(seed), step \(step), node \(place)")
        #expect(world.nodes[place].value == new[place], "seed \(seed), step \(step), node \(place)")
        if old[place] != new[place] { #expect(count == 1, "seed \(seed), step \(step)") }
      }
    }
    #expect(checkInvariants(world.sources) == [], "seed \(seed)")
  }

  @Test(arguments: 0..<UInt64(4))
  func `16.2 set from several threads, each equals its closure when all is quiet`(seed: UInt64)
    async
  {
    let world = World(seed: seed), listenings = world.nodes.map { $0.listen { _ in } }
    onThreads(3) { thread in
      var random = SeededGenerator(seed: seed &* 10 &+ UInt64(thread))
      for _ in 0..<Int(300 * Stress.scale) {
        world.sources.randomElement(using: &random)!.value = Int.random(in: 0..<20, using: &random)
      }
    }
    #expect(await settle())
    #expect(world.nodes.map(\.value) == world.expected(), "seed \(seed)")
    #expect(checkInvariants(world.sources) == [], "seed \(seed)")
    for listening in listenings { keepAlive(listening) }
  }

  // MARK: 16.3 Without an edge

  @Test
  func
    `16.3 untracked reads make no edge, nor does a read on another thread or behind the closure`()
  {
    let a = MutableNode(1), b = MutableNode(10), c = MutableNode(100)
    let later = Mutex<(@Sendable () -> Int?)?>(nil)
    let sum = Node.derived {
      let other = Journal<Int>()
      onThread { other.note(b.value!) }
      later.withLock { $0 = { c.value } }
      return try a.get() + other.entries[0] + untracked { try c.get() }
    }
    let told = Recorder(sum)
    #expect(later.withLock { $0 }!() == 100)
    #expect(sum.upstreamNodes == [a])
    b.value = 20
    c.value = 200
    #expect(told.values == [111])
    a.value = 2
    #expect(told.values == [111, 222])
    #expect(untracked { a.value } == 2)
  }

  @Test func `16.3 a derivation in a derivation reads for itself`() {
    let a = MutableNode(1), b = MutableNode(10)
    let outer = Node.derived {
      let inner = Node.derived { try a.get() * 2 }
      return try inner.get() + b.get()
    }
    #expect(outer.value == 12)
    #expect(outer.upstreamNodes.count == 2 && !outer.upstreamNodes.contains(a))
    a.value = 2
    b.value = 20
    #expect(outer.value == 24)
  }

  // MARK: 16.4 Cycles

  @Test func `16.4 a cycle over a derivation ends with the edge that leads back`() {
    let a = MutableNode(1), limit = MutableNode(5)
    let next = Node.derived { try Swift.min(a.get() + 1, limit.get()) }, told = Recorder(next)
    a.link(to: next)
    a.value = 3
    #expect(told.values.last == 4 && a.value == 3)
    limit.value = 2
    #expect(next.value == 2 && a.value == 2)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `16.4 its own value makes no edge`() {
    let step = MutableNode(1), place = Mutex<Node<Int>?>(nil)
    let total = Node.derived {
      try step.get() + (place.withLock { $0 }?.value ?? 0)
    }
    place.withLock { $0 = total }
    step.value = 2
    step.value = 3
    #expect(total.value == 6)
    #expect(total.upstreamNodes == [step])
    place.withLock { $0 = nil }
  }

  // MARK: Effects, lives

  @Test func `16.2 a set in its closure stops with a message: what, where and the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let price = MutableNode(1).named("price"), log = MutableNode(0).named("log")
      let double = Node.derived {
        log.value = 1
        return try price.get() * 2
      }
      print(double)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in [
      "EasyReact: set: a derivation's closure computes a value and sets no node",
      "node “log” of Int, made at", "Listen to the derived node, and set there.",
    ] {
      #expect(text.contains(part))
    }
  }

  @Test(arguments: ["set", "clean", "update", "batch", "untracked", "lens"])
  func `16.2 so does every other way to set`(way: String) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [way = way as String] in
      let node = MutableNode(1)
      let copy = Node.derived { () -> Int? in
        switch way {
        case "clean": node.clean()
        case "update": node.update { $0 += 1 }
        case "batch": batch { node.value = 2 }
        case "untracked": untracked { node.value = 2 }
        case "lens": node[\.self].value = 2
        default: node.set(2, context: "x")
        }
        return node.value
      }
      print(copy)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a derivation's closure computes a value and sets no node"))
  }

  @Test func `16.1 another error than NodeIsEmpty stops with a message`() async {
    struct Outage: Error {}
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let copy = Node<Int>.derived { throw Outage() }
      print(copy)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in ["EasyReact: derived: its closure threw Outage()", "catch others in the closure"] {
      #expect(text.contains(part))
    }
  }

  @Test func `16.1 nothing is left of it when it is dropped, whatever it followed`() throws {
    let flag = MutableNode(true), nodes = (0..<20).map { MutableNode($0) }
    try expectFreed {
      let some = Node.derived {
        try flag.get() ? nodes.reduce(0) { $0 + $1.current } : 0
      }
      flag.value = false
      flag.value = true
      nodes[3].value = 7
      let none = Node.derived { untracked { nodes[0].value } }
      print(some.value!, none.value!)
    }
    #expect(!flag.hasDownstreamNode && nodes.allSatisfy { !$0.hasDownstreamNode })
  }

  @Test
  func `16.5 a hundred thousand upstreams, and a chain as long, come and go without a deep stack`()
  {
    let size = Sanitizer.part(of: 100_000)
    let nodes = (0..<size).map { MutableNode($0) }, isOn = MutableNode(true)
    var sum: Node<Int>? = Node.derived {
      try isOn.get() ? nodes.reduce(0) { $0 &+ $1.current } : 0
    }
    nodes[size / 2].value = 0
    #expect(sum!.value == size * (size - 1) / 2 - size / 2)
    isOn.value = false
    #expect(sum!.value == 0 && !nodes[7].hasDownstreamNode)
    isOn.value = true
    sum = nil
    #expect(!nodes[7].hasDownstreamNode)
    onThread(stackSize: 512 << 10) {
      let first = MutableNode(0)
      var last: Node<Int> = first
      for _ in 0..<size {
        let before = last
        last = Node.derived { try before.get() + 1 }
      }
      first.value = 1
      #expect(last.value == size + 1)
    }
  }
}

// MARK: - Random derivations

/// Sources, and nodes over them: derivations that choose what they read by what they have read, and maps
/// and combines between.
private final class World: Sendable {
  private enum Kind: Sendable { case derivation([Int]), map(Int), combine(Int, Int) }
  let sources: [MutableNode<Int>]
  let nodes: [Node<Int>]
  private let kinds: [Kind]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let sources = (0..<4).map { _ in MutableNode(Int.random(in: 0..<20, using: &random)) }
    var nodes: [Node<Int>] = [], kinds: [Kind] = []
    for _ in 0..<12 {
      let all = sources.map { $0 as Node<Int> } + nodes
      func place() -> Int { Int.random(in: 0..<all.count, using: &random) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let up = place()
        kinds.append(.map(up))
        nodes.append(all[up].map { $0 + 1 })
      case 1:
        let (a, b) = (place(), place())
        kinds.append(.combine(a, b))
        nodes.append(all[a].combine(all[b]).map { $0 - $1 })
      default:
        let places = (0..<Int.random(in: 1..<12, using: &random)).map { _ in place() }
        kinds.append(.derivation(places))
        nodes.append(Node.derived { World.compute(places) { all[$0].value! } })
      }
    }
    (self.sources, self.nodes, self.kinds) = (sources, nodes, kinds)
  }

  /// Where the next read goes depends on the sum of those before.
  private static func compute(_ places: [Int], _ read: (Int) -> Int) -> Int {
    var sum = 0
    for turn in 0..<4 { sum = (sum &+ read(places[abs(sum &+ turn) % places.count])) % 1_000 }
    return sum
  }

  /// By the definitions alone.
  func expected() -> [Int] {
    var values = sources.map { $0.value! }
    for kind in kinds {
      switch kind {
      case .map(let up): values.append(values[up] + 1)
      case .combine(let a, let b): values.append(values[a] - values[b])
      case .derivation(let places): values.append(World.compute(places) { values[$0] })
      }
    }
    return Array(values[sources.count...])
  }
}
