import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 5. Set-up and life of syncs stand in Section05Sync.swift, endless listeners in
/// Section05Endless.swift.
@Suite("5 Cycles", .watched) struct Section5 {
  /// Nodes 0 → 1 → … → 0, made by hand, and a recorder of each.
  static func ring(_ count: Int) -> (nodes: [MutableNode<Int>], told: [Recorder<Int>]) {
    let nodes = (0..<count).map { _ in MutableNode<Int>() }
    for index in nodes.indices { nodes[(index + 1) % count].link(to: nodes[index]) }
    return (nodes, nodes.map { Recorder($0) })
  }
}

// MARK: - 5.1

extension Section5 {
  /// Comes to a join that is being made, once the first of its edges is.
  private final class Comer: GraphTracer, @unchecked Sendable {
    // Unchecked: one thread.
    private var come: (() -> Void)?
    init(_ come: @escaping () -> Void) { self.come = come }
    func trace(_ event: GraphEvent) {
      if event.name == "first", case .edgeMade(.some) = event.kind, let come {
        self.come = nil
        come()
      }
    }
  }

  enum Joining: String, CaseIterable {
    case merge, race, combine, every, many, zip, withLatest, sample

    func callAsFunction(_ a: Node<Int>, _ b: Node<Int>) -> AnyNode {
      switch self {
      case .merge: a.merge(b)
      case .race: a.race(b)
      case .combine: a.combine(b)
      case .every: a.combine(b, mode: .everyValue)
      case .many: Node.combine([a, b])
      case .zip: a.zip(b)
      case .withLatest: a.withLatest(from: b)
      case .sample: a.sample(on: b)
      }
    }
  }

  /// One that was linked between the making of two edges closed cycles which nobody had counted yet: the ranks rose for ever.
  @Test(arguments: Joining.allCases)
  func `5.1 who finds a node that is being made finds all its edges`(_ join: Joining) {
    let a = MutableNode<Int>().named("first"), b = MutableNode<Int>()
    let found = Journal<[AnyNode]>()
    let comer = Comer { for node in a.downstreamNodes { found.note(node.upstreamNodes) } }
    var node: AnyNode?
    traced(by: comer) { node = join(a, b) }
    #expect(found.entries == [[a, b]])
    keepAlive(node)
  }

  @Test(arguments: [false, true])
  func `4.1, 5.1 who follows a join that is being made closes a cycle with its other edges`(
    closes: Bool
  ) {
    let a = MutableNode(1).named("first"), b = MutableNode(1), made = Journal<Node<Int>>()
    let comer = Comer {
      let join = a.downstreamNodes[0] as! Node<(Int, Int)>
      let sum = join.map { $0 + $1 }
      made.note(sum)
      if closes { b.link(to: sum) } else { made.note(sum.combine(a).map { $0 + $1 }) }
    }
    let second: Node<Int> = closes ? b : b.map { $0 }.map { $0 }.map { $0 }
    let joins = Journal<Node<(Int, Int)>>()
    traced(by: comer) { joins.note(a.combine(second)) }
    let join = joins.entries[0]
    #expect(made.entries.count == (closes ? 1 : 2))
    #expect(checkInvariants([a, b, join] + made.entries) == [])
    let told = Recorder(join.map { [$0, $1] })
    if checkInvariants([a, b, join]) == [] { b.value = 5 }
    #expect(told.values.last == [1, 5])
  }

  @Test func `5.1 a.sync(with b) tells each side once per set`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    a.sync(with: b)
    let told = [Recorder(a), Recorder(b)]
    a.value = 1
    #expect(told.map(\.values) == [[1], [1]])
    b.value = 2
    #expect(told.map(\.values) == [[1, 2], [1, 2]])
    a.value = 2
    #expect(told.map(\.values) == [[1, 2, 2], [1, 2, 2]])
    #expect(checkInvariants([a]) == [])
  }

  @Test(arguments: [2, 3, 4, 5, 7, 16, 100])
  func `5.1 a ring of any length made by link passes once round, whichever member was set`(
    length: Int
  ) {
    let (nodes, told) = Self.ring(length)
    var expected: [Int] = []
    for start in 0..<length {
      nodes[start].value = start
      expected.append(start)
      #expect(told.allSatisfy { $0.values == expected }, "set at \(start)")
      #expect(nodes.allSatisfy { $0.value == start }, "set at \(start)")
    }
    #expect(checkInvariants(nodes) == [])
    nodes[0].wiring.removeUpstreamNodes()
  }

  @Test func `5.1 a ring passes once round in whatever order its edges were linked`() {
    for order in Self.orders(of: [0, 1, 2, 3]) {
      let nodes = (0..<4).map { _ in MutableNode<Int>() }
      for index in order { nodes[(index + 1) % 4].link(to: nodes[index]) }
      let told = nodes.map { Recorder($0) }
      for start in 0..<4 { nodes[start].value = start }
      #expect(
        told.map(\.values) == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]], "\(order)")
      #expect(checkInvariants(nodes) == [])
      nodes.forEach { $0.wiring.removeUpstreamNodes() }
    }
  }

  static func orders(of items: [Int]) -> [[Int]] {
    if items.isEmpty { return [[]] }
    return items.flatMap { first in
      orders(of: items.filter { $0 != first }).map { [first] + $0 }
    }
  }

  @Test func `5.1 a ring that is closed while it holds a value passes it once round`() {
    let nodes = [MutableNode(1), MutableNode<Int>(), MutableNode<Int>()]
    nodes[1].link(to: nodes[0])
    nodes[2].link(to: nodes[1])
    let told = nodes.map { Recorder($0) }
    told.forEach { $0.clear() }
    nodes[0].link(to: nodes[2])
    #expect(told.map(\.values) == [[1], [1], []])
    nodes[0].wiring.removeUpstreamNodes()
  }

  @Test func `5.1 a ring with a delay in it passes once round, with the context`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let b = a.delay(.seconds(1), on: clock)
    a.link(to: b)
    let told = [Recorder(a), Recorder(b)]
    a.set(1, context: "c")
    clock.run()
    #expect(told.map(\.values) == [[1], [1]])
    #expect(told[1].contexts.map { $0 as? String } == ["c"])
    a.wiring.removeUpstreamNodes()
  }

  @Test(arguments: [2, 3, 4, 8])
  func `5.1 a ring of syncs of any length tells each member once, whichever was set`(length: Int) {
    let nodes = (0..<length).map { _ in MutableNode<Int>() }
    for index in nodes.indices { nodes[index].sync(with: nodes[(index + 1) % length]) }
    let told = nodes.map { Recorder($0) }
    for start in 0..<length {
      nodes[start].value = start
      #expect(told.allSatisfy { $0.values == Array(0...start) }, "set at \(start)")
    }
    #expect(checkInvariants(nodes) == [])
  }

  @Test(arguments: 2...8)
  func `5.1 a full mesh of n synced nodes makes n notifications per set`(count: Int) {
    let nodes = (0..<count).map { _ in MutableNode<Int>() }
    for first in 0..<count {
      for second in (first + 1)..<count { nodes[first].sync(with: nodes[second]) }
    }
    let calls = Tally()
    let told = nodes.map { Recorder($0) }
    let counting = nodes.map { node in node.listen { _ in calls.add() } }
    for start in 0..<count {
      nodes[start].value = start
      #expect(calls.take() == count, "set at \(start)")
      #expect(told.allSatisfy { $0.values.last == start }, "set at \(start)")
    }
    #expect(counting.count == count)
    #expect(checkInvariants(nodes) == [])
  }

  @Test func `5.1 cycles are allowed and every wave ends: two rings through one node, and chords`()
  {
    let (first, toldFirst) = Self.ring(4)
    let (second, toldSecond) = Self.ring(3)
    first[0].sync(with: second[0])
    first[2].link(to: first[0])
    first[1].link(to: first[3])
    for (index, node) in (first + second).enumerated() {
      node.value = index
      #expect((first + second).allSatisfy { $0.value == index }, "set at \(index)")
    }
    #expect(toldFirst[0].values.last == 6)
    #expect(toldSecond[2].values.last == 6)
    #expect(checkInvariants(first + second) == [])
    first.forEach { $0.wiring.removeUpstreamNodes() }
    second.forEach { $0.wiring.removeUpstreamNodes() }
  }

  @Test func `5.1 a ring through a join ends, and the join's upstreams are what it was told`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let sum = a.combine(b).map { $0 + $1 }
    let back = a.link(to: sum)
    let told = Recorder(a)
    #expect(a.value == 3)
    b.value = 10
    #expect(a.value == 13)
    #expect(told.values == [3, 13])
    #expect(checkInvariants([a, b]) == [])
    back.cancel()
    a.value = 1
    #expect(sum.value == 11)
  }

  @Test func `5.1 a ring of maps that change the value passes once round`() {
    let a = MutableNode(0)
    let b = a.map { $0 + 1 }
    let c = b.map { $0 + 1 }
    let link = a.link(to: c)
    let told = [Recorder(a), Recorder(b), Recorder(c)]
    told.forEach { $0.clear() }
    a.value = 10
    #expect(told.map(\.values) == [[10], [11], [12]])
    b.mutablify().value = 20
    #expect(told.map(\.values) == [[10, 21], [11, 20], [12, 21]])
    link.cancel()
  }
}

// MARK: - 5.2

extension Section5 {
  @Test func `5.2 synced nodes end equal when a source reaches both`() {
    let source = MutableNode(0)
    let a = Node<Int>()
    let b = Node<Int>()
    a.wiring.sync(with: b)
    a.wiring.link(to: source)
    b.wiring.link(to: source.map { $0 * 10 })
    let toldA = Recorder(a)
    for value in 1...3 {
      source.value = value
      #expect(a.value == b.value, "after \(value)")
      #expect(b.value == value * 10, "the later arrival wins")
    }
    #expect(toldA.values.suffix(2) == [3, 30])
    #expect(checkInvariants([source]) == [])
  }

  @Test func `5.2 synced nodes end equal when a listener sets the other in mid-wave`() {
    let a = MutableNode(0)
    let b = MutableNode(0)
    a.sync(with: b)
    let listening = a.listen { if $0 == 1 { b.value = 2 } }
    a.value = 1
    #expect(a.value == 2)
    #expect(b.value == 2)
    #expect(checkInvariants([a]) == [])
    _ = listening
  }

  @Test(arguments: 2...6)
  func `5.2 a mesh of syncs ends equal when every listener sets its own node once in mid-wave`(
    count: Int
  ) {
    let nodes = (0..<count).map { _ in MutableNode(0) }
    for first in 0..<count {
      for second in (first + 1)..<count { nodes[first].sync(with: nodes[second]) }
    }
    var bag: [Listening] = []
    for (index, node) in nodes.enumerated() {
      node.listen { if $0 % 100 == index { nodes[(index + 1) % count].value = $0 + 1 } }
        .store(in: &bag)
    }
    nodes[0].value = 100
    let last = nodes[0].value
    #expect(last != nil)
    #expect(nodes.allSatisfy { $0.value == last })
    #expect(checkInvariants(nodes) == [])
  }

  @Test
  func
    `5.2 a value that comes round a cycle late does not overwrite a newer one: tested when it is stored, out of a queue`()
  {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let b = a.delay(.seconds(10), on: clock)
    a.link(to: b)
    let toldA = Recorder(a)
    let toldB = Recorder(b)
    a.value = 1
    clock.advance(by: .seconds(5))
    a.value = 2
    clock.run()
    #expect(toldA.values == [1, 2])
    #expect(toldB.values == [1, 2])
    #expect(a.value == 2)
    #expect(checkInvariants([a]) == [])
    a.wiring.removeUpstreamNodes()
  }

  @Test
  func `5.2 every other delivery into a node that was reached already goes on under a new number`()
  {
    // `merged` is reached twice by one wave; its synced partner hears both values, so the two end
    // equal. The map was linked to the source before the merge.
    let source = MutableNode(1)
    let merged = source.merge(source.map { $0 * 10 })
    let partner = MutableNode<Int>()
    partner.sync(with: merged)
    let told = [Recorder(merged), Recorder(partner)]
    told.forEach { $0.clear() }
    source.value = 2
    #expect(told.map(\.values) == [[20, 2], [20, 2]])
    #expect(checkInvariants([source]) == [])
  }

  @Test
  func `5.2 a join goes on with the newest wave that made it run, so what it feeds ends equal`() {
    let a = MutableNode(1)
    let b = MutableNode(1)
    let sum = a.combine(b).map { $0 + $1 }
    let left = Node<Int>()
    let right = Node<Int>()
    left.wiring.sync(with: right)
    left.wiring.link(to: sum)
    let told = Recorder(right)
    told.clear()
    batch {
      a.value = 10
      right.mutablify().value = -1
      b.value = 20
    }
    #expect(told.values == [-1, 30])
    #expect(left.value == 30)
    #expect(checkInvariants([a, b]) == [])
  }
}

// MARK: - Edges that lead back

extension Section5 {
  @Test func `5 when a cut opens the cycle an edge that led back becomes an ordinary edge again`() {
    // `early` is made before `late` and below `c`, which leads back: while the ring stands it may
    // run too early.
    let source = MutableNode(1)
    let a = Node<Int>()
    let early = a.combine(source)
    let c = Node<Int>()
    let b = Node<Int>()
    b.wiring.link(to: a)
    let cut = c.wiring.link(to: b)
    a.wiring.link(to: c)  // closes a → b → c → a
    let late = source.combine(source).map { $0 + $1 }
    c.wiring.link(to: late)
    #expect(checkInvariants([source]) == [])
    let told = Recorder(early)
    cut.cancel()
    #expect(checkInvariants([source]) == [])
    told.clear()
    source.value = 2
    // c → a is ordinary now, so `early` has a greater rank than `late` and runs once, after it.
    #expect(told.values.map { "\($0)" } == ["(4, 2)"])
    #expect(b.value == 4)
  }

  @Test
  func
    `5 while the cycle stands, the last link of it leads back and the graph settles all the same`()
  {
    let source = MutableNode(1)
    let a = Node<Int>()
    let early = a.combine(source)
    let b = Node<Int>()
    b.wiring.link(to: a)
    let back = a.wiring.link(to: b)
    b.wiring.link(to: source.combine(source).map { $0 + $1 })
    let told = Recorder(early)
    source.value = 5
    #expect(told.values.last.map { "\($0)" } == "(10, 5)")
    #expect(checkInvariants([source]) == [])
    back.cancel()
    #expect(checkInvariants([source]) == [])
  }
}
