import EasyReact
import EasyReactTesting
import Testing

// MARK: - Combine

extension Section10 {
  @Test func `10 combine tells the latest values once all nodes have one`() {
    let a = MutableNode<Int>()
    let b = MutableNode<String>()
    let pair = a.combine(b)
    let told = Recorder(pair)
    a.value = 1
    #expect(pair.isEmpty)
    b.value = "1"
    a.value = 2
    b.value = "2"
    a.value = 3
    #expect(
      told.values.map { "\($0.0)\($0.1)" } == ["11", "21", "22", "32"])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `10 combine takes any number of nodes of any types`() {
    let a = MutableNode(1)
    let b = MutableNode("b")
    let c = MutableNode(2.5)
    let d = MutableNode<Int?>(nil)
    let e = MutableNode([1])
    let three: Node<(Int, String, Double)> = a.combine(b, c)
    let five = a.combine(b, c, d, e)
    #expect(three.value.map { "\($0)" } == "(1, \"b\", 2.5)")
    #expect(five.value.map { "\($0)" } == "(1, \"b\", 2.5, nil, [1])")
    let eight = a.combine(a, a, a, a, a, a, a)
    let twenty = a.combine(b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e)
    a.value = 2
    #expect(eight.value.map { "\($0)" } == "(2, 2, 2, 2, 2, 2, 2, 2)")
    #expect(twenty.value?.15 == 2)
    #expect(twenty.value?.19 == [1])
  }

  @Test
  func `10 combine of three to ten nodes: each stands at its place, and each can be the empty one`()
  {
    let nodes = (0..<10).map { MutableNode($0) }
    func n(_ index: Int) -> Node<Int> { nodes[index] }
    let combinations: [(count: Int, node: AnyNode)] = [
      (3, n(0).combine(n(1), n(2))),
      (4, n(0).combine(n(1), n(2), n(3))),
      (5, n(0).combine(n(1), n(2), n(3), n(4))),
      (6, n(0).combine(n(1), n(2), n(3), n(4), n(5))),
      (7, n(0).combine(n(1), n(2), n(3), n(4), n(5), n(6))),
      (8, n(0).combine(n(1), n(2), n(3), n(4), n(5), n(6), n(7))),
      (9, n(0).combine(n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8))),
      (10, n(0).combine(n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9))),
    ]
    func elements(_ node: AnyNode) -> [Int] {
      node.anyValue.map { Mirror(reflecting: $0).children.compactMap { $0.value as? Int } } ?? []
    }
    for (count, node) in combinations {
      #expect(elements(node) == Array(0..<count))
      #expect(node.upstreamNodes.count == count)
    }
    for index in 0..<10 {
      nodes[index].clean()
      nodes[index == 0 ? 1 : 0].value = index == 0 ? 1 : 0
      for (count, node) in combinations where index < count {
        // Silent while one is empty: the value is the one before, told no more.
        #expect(elements(node) == Array(0..<count))
      }
      nodes[index].value = index + 100
      for (count, node) in combinations {
        #expect(elements(node) == (0..<count).map { $0 == index ? $0 + 100 : $0 })
      }
      nodes[index].value = index
    }
    #expect(checkInvariants(combinations.map(\.node)) == [])
  }

  @Test func `10 combine of many types lays out small and large values and leaves none behind`() {
    struct Odd: Equatable, Sendable { var a: UInt8 = 1, b: UInt16 = 2, c: UInt8 = 3 }
    struct Wide: Equatable, Sendable { var a = SIMD4<Double>(1, 2, 3, 4), b: UInt8 = 5 }
    final class Object: Sendable {}
    weak var gone: Object?
    do {
      let flag = MutableNode(true)
      let byte = MutableNode<Int8>(-1)
      let odd = MutableNode(Odd())
      let wide = MutableNode(Wide())
      let object = MutableNode(Object())
      let maybe = MutableNode<String?>(nil)
      let last = MutableNode<UInt8>()
      gone = object.value
      let all = flag.combine(byte, odd, wide, object, maybe, last, flag, byte)
      #expect(all.isEmpty)  // the object was copied, then the last one was empty
      last.value = 9
      let values = all.value
      #expect(values?.0 == true && values?.1 == -1 && values?.2 == Odd() && values?.3 == Wide())
      #expect(values?.4 === gone && values?.5 == .some(nil) && values?.6 == 9)
      #expect(values?.7 == true && values?.8 == -1)
      maybe.value = "a string that is longer than fifteen bytes"
      #expect(all.value?.5 == "a string that is longer than fifteen bytes")
      object.value = Object()
      #expect(gone != nil)  // held by `values`
      #expect(checkInvariants([all]) == [])
    }
    #expect(gone == nil)
  }

  @Test func `10 combine has a form for an array of like nodes; of none it holds an empty array`() {
    let nodes = (1...100).map { MutableNode($0) }
    let all = Node.combine(nodes)
    let told = Recorder(all)
    nodes[99].value = 0
    #expect(told.values == [Array(1...100), Array(1...99) + [0]])
    #expect(Node<Int>.combine([]).value == [])
    #expect(Node.combine([nodes[0]]).value == [1])
  }

  /// It reads only what has changed, and looks first where one was empty: against one that reads all.
  @Test(arguments: [3, 40, 300])
  func
    `10.5 combine of n nodes that are set, cleaned, set in batches and set twice tells what it is to`(
      size: Int
    )
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let nodes = (0..<size).map { _ in MutableNode<Int>() }
    let told = Recorder(Node.combine(nodes))
    var held = [Int?](repeating: nil, count: size), expected: [[Int]] = []
    for value in 0..<(8 * size) {
      let places = (0..<Int.random(in: 1...size, using: &random)).map { _ in
        Int.random(in: 0..<size, using: &random)
      }
      if Int.random(in: 0..<(2 * size), using: &random) == 0 {
        nodes[places[0]].clean()
        held[places[0]] = nil
        continue
      }
      // While many are empty they are filled one by one.
      let set = held.contains(nil) ? [held.firstIndex(of: nil)!] : places
      batch { for place in set { nodes[place].value = value + place } }
      for place in set { held[place] = value + place }
      if !held.contains(nil) { expected.append(held.map { $0! }) }
    }
    #expect(told.values == expected, "seed \(seed)")
  }

  @Test func `10.5 combine is silent whenever an upstream is empty, also one that was cleaned`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let pair = a.combine(b)
    let all = Node.combine([a, b])
    let every = a.combine(b, mode: .everyValue)
    let told = [Recorder(pair.map { "\($0)" }), Recorder(all.map { "\($0)" })]
    let toldEvery = Recorder(every.map { "\($0)" })
    a.clean()
    b.value = 3
    b.value = 4
    #expect(told.map(\.values) == [["(1, 2)"], ["[1, 2]"]])
    #expect(pair.value.map { "\($0)" } == "(1, 2)", "it keeps what it told last")
    a.value = 5
    #expect(told.map(\.values) == [["(1, 2)", "(5, 4)"], ["[1, 2]", "[5, 4]"]])
    #expect(toldEvery.values == ["(1, 2)", "(5, 4)"])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `10.5 losing an upstream edge ends a combine, and is visible as isTerminated`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    for pair in [a.combine(b), a.combine(b, mode: .everyValue)] {
      let told = Recorder(pair.map { "\($0)" })
      let before = told.values
      #expect(!pair.isTerminated)
      pair.wiring.removeUpstreamNode(b)
      #expect(pair.isTerminated)
      a.value = 3
      b.value = 4
      #expect(told.values == before)
      #expect(pair.upstreamNodes == [a], "the rest stays linked")
    }
    #expect(checkInvariants([a, b]) == [])
  }

  @Test
  func
    `10.5 a combine of an array ends too; so does one that loses its edge in the turn in which it waits`()
  {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let all = Node.combine([a, b])
    let told = Recorder(all)
    let listening = b.map { $0 }.listen { if $0 == 3 { all.wiring.removeUpstreamNode(a) } }
    b.value = 3
    #expect(all.isTerminated)
    #expect(told.values == [[1, 2]])
    #expect(checkInvariants([a, b]) == [])
    _ = listening
  }

  @Test func `10 another node linked to a combine is a plain upstream of it`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let all = Node.combine([a, b])
    let extra = MutableNode([9])
    all.wiring.link(to: extra)
    let told = Recorder(all)
    a.value = 3
    extra.value = [8]
    #expect(told.values == [[9], [3, 2], [8]])
    #expect(!all.isTerminated)
  }

  @Test func `8.1 a join passes the context of the newest wave that made it run`() {
    let a = MutableNode(1)
    let b = MutableNode("1")
    let told = Recorder(a.combine(b))
    a.set(2, context: "a")
    b.set("2", context: "b")
    a.value = 3
    #expect(told.contexts.map { $0 as? String } == [nil, "a", "b", nil])
  }
}

// MARK: - Zip

extension Section10 {
  @Test
  func
    `10 zip pairs the first values, then the second ones; present values count, emptying does not`()
  {
    let a = MutableNode(1)
    let b = MutableNode<String>()
    let told = Recorder(a.zip(b))
    a.value = 2
    a.clean()
    #expect(told.values.isEmpty)
    for value in ["x", "y", "z"] { b.value = value }
    #expect(told.values.map { "\($0.0)\($0.1)" } == ["1x", "2y"])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `10 zip takes any number of nodes, and an array of like nodes`() {
    let a = MutableNode(1)
    let b = MutableNode("b")
    let c = MutableNode<Int?>(nil)
    let three: Node<(Int, String, Int?)> = a.zip(b, c)
    #expect(three.value.map { "\($0)" } == "(1, \"b\", nil)")
    let nodes = (0..<20).map { MutableNode($0) }
    let told = Recorder(Node.zip(nodes))
    for node in nodes { node.update { $0 += 100 } }
    #expect(told.values == [Array(0..<20), Array(100..<120)])
    #expect(Node<Int>.zip([]).isEmpty)
  }

  @Test func `10 zip of one node with itself pairs each value with itself`() {
    let a = MutableNode(1)
    let told = Recorder(a.zip(a))
    a.value = 2
    #expect(told.values.map { "\($0)" } == ["(1, 1)", "(2, 2)"])
  }

  @Test func `10 losing an upstream edge ends a zip, and is visible as isTerminated`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let pairs = a.zip(b)
    let told = Recorder(pairs)
    #expect(!pairs.isTerminated)
    pairs.wiring.removeUpstreamNode(a)
    #expect(pairs.isTerminated)
    a.value = 3
    b.value = 4
    #expect(told.values.count == 1)
    #expect(checkInvariants([a, b]) == [])
  }

  /// Nothing can come of it any more. Found by a hostile review.
  @Test(arguments: [2, 3, 9], [true, false])
  func `10 a zip that has ended keeps nothing of what waits`(count: Int, cutsTheFilled: Bool) {
    let lives = LifetimeTracker(), sources = (0..<count).map { _ in MutableNode<Token>() }
    let zipped: AnyNode =
      switch count {
      case 2: sources[0].zip(sources[1])
      case 3: sources[0].zip(sources[1], sources[2])
      default: Node.zip(sources)
      }
    for source in sources.dropLast() {
      for _ in 0..<3 { source.value = lives.track(Token()) }
      source.clean()
    }
    #expect(lives.alive.count == 3 * (count - 1))
    zipped.wiring.removeUpstreamNode(cutsTheFilled ? sources[0] : sources.last!)
    #expect(zipped.isTerminated)
    #expect(lives.alive == [])
    for source in sources {
      source.value = lives.track(Token())
      source.clean()
    }
    #expect(lives.alive == [])
    keepAlive(zipped)
  }

  /// What goes with it may set what it zipped.
  @Test func `10 a value that waits in a zip may do anything in its deinit`() {
    final class Last: Sendable {
      let act: @Sendable () -> Void
      init(_ act: @escaping @Sendable () -> Void) { self.act = act }
      deinit { act() }
    }
    let a = MutableNode<Last>(), b = MutableNode<Int>(), ended = Tally()
    let zipped = a.zip(b)
    for _ in 0..<3 {
      a.value = Last { [weak a, weak b] in
        ended.add()
        a?.value = Last { ended.add() }
        b?.value = 1
        a?.clean()
      }
    }
    a.clean()
    zipped.wiring.removeUpstreamNode(b)
    #expect(ended.count == 6 && zipped.isEmpty)
    #expect(checkInvariants([a, b, zipped]) == [])
  }

  @Test func `10 a zip keeps 100,000 values waiting for their partners`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    let told = Recorder(a.zip(b).map { $0 == $1 }), count = Sanitizer.part(of: 100_000)
    for value in 0..<count { a.value = value }
    for value in 0..<count { b.value = value }
    #expect(told.values.count == count)
    #expect(told.values.allSatisfy { $0 })
  }
}

// MARK: - Merge

extension Section10 {
  @Test
  func `10 merge ends its set-up on the last node that has a value, and then passes every value`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let empty = MutableNode<Int>()
    let merged = a.merge(b, empty)
    let told = Recorder(merged)
    a.value = 3
    b.value = 9
    b.clean()
    a.value = 3
    empty.value = 4
    #expect(told.values == [2, 3, 9, 3, 4])
    #expect(checkInvariants([a, b, empty]) == [])
  }

  @Test func `10 merge of an array; its upstreams can be cut and added later`() {
    let nodes = (0..<5).map { MutableNode($0) }
    let merged = Node.merge(nodes)
    let told = Recorder(merged)
    merged.wiring.removeUpstreamNode(nodes[0])
    nodes[0].value = 10
    nodes[1].value = 11
    let late = MutableNode(12)
    merged.wiring.link(to: late)
    late.value = 13
    #expect(told.values == [4, 11, 12, 13])
    #expect(!merged.isTerminated)
    #expect(Node<Int>.merge([]).isEmpty)
    #expect(Node.merge([MutableNode<Int>(), MutableNode<Int>()]).isEmpty)
  }

  @Test func `10 a merge of a node with itself tells each value twice`() {
    let a = MutableNode(1)
    let told = Recorder(a.merge(a))
    a.value = 2
    #expect(told.values == [1, 2, 2])
  }

  @Test(arguments: ["combine", "zip", "merge", "everyValue"])
  func `10 a node of several upstreams is freed when it is dropped, and leaves nothing behind`(
    kind: String
  ) {
    let a = MutableNode(1)
    let b = MutableNode(2)
    weak var gone: AnyNode?
    do {
      let node: AnyNode =
        switch kind {
        case "combine": a.combine(b)
        case "zip": a.zip(b)
        case "merge": a.merge(b)
        default: a.combine(b, mode: .everyValue)
        }
      gone = node
      a.value = 2
    }
    #expect(gone == nil)
    #expect(!a.hasDownstreamNode && !b.hasDownstreamNode)
    #expect(a.downstreamTransforms.isEmpty)
    #expect(checkInvariants([a, b]) == [])
  }
}
