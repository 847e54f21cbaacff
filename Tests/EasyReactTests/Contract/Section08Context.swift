import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 8.
@Suite("8 Context", .watched) struct Section8 {
  private func text(_ contexts: [(any Sendable)?]) -> [String] {
    contexts.map { $0 as? String ?? "-" }
  }

  @Test func `8.1 set(value, context: c) carries c to every edge and listener of the wave`() {
    let a = MutableNode(1)
    let linked = Node<Int>(), outer = MutableNode<Node<Int>>(a)
    linked.wiring.link(to: a)
    let parted = a.switch { $0 > 0 ? "plus" : nil }
    let nodes: [Node<Int>] = [
      a, a.fork(), a.map { $0 }, a.mapReplace(0), a.compactMap { $0 }, a.filter { _ in true },
      a.ignore(-1), a.distinctUntilChanged(), a.skip(0), a.take(9), a.scan(0) { $0 + $1 }, linked,
      a.merge(MutableNode(0)), a.combine(a).map { $0.0 }, outer.flatten(),
      a.flattenMap { _ in MutableNode(1) }, parted.case("plus"),
      a.combine(a, mode: .everyValue).map { $0.1 }, a.fork().map { $0 }.fork(),
    ]
    let told = nodes.map { Recorder($0) }
    told.forEach { $0.clear() }
    a.set(5, context: "c")
    for (index, recorder) in told.enumerated() {
      #expect(!recorder.values.isEmpty, "node \(index)")
      #expect(recorder.contexts.allSatisfy { $0 as? String == "c" }, "node \(index)")
    }
    #expect(checkInvariants([a]) == [])
  }

  @Test func `8.1 timed and queue edges keep the context, each value its own`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let deliver = Recorder(a.deliver(on: clock)), delay = Recorder(a.delay(.seconds(1), on: clock))
    let long = Recorder(a.deliver(on: clock).map { $0 }.delay(.seconds(1), on: clock).fork())
    let debounce = Recorder(a.debounce(.seconds(1), on: clock))
    a.set(1, context: "one")
    a.value = 2
    a.set(3, context: "three")
    clock.run()
    for recorder in [deliver, delay, long] {
      #expect(recorder.values == [1, 2, 3])
      #expect(text(recorder.contexts) == ["one", "-", "three"])
    }
    #expect(debounce.values == [3])
    #expect(text(debounce.contexts) == ["three"])
    a.set(4, context: "four")
    a.value = 5
    clock.run()
    #expect(text(debounce.contexts) == ["three", "-"])
  }

  @Test func `8.1 listeners on schedulers get the context of their value`() {
    let clock = VirtualScheduler()
    let a = MutableNode(0)
    let journal = Journal<String>()
    let owner = Token()
    let listening = a.listenToChanges(on: clock) { change in
      journal.note("\(change.value) \(change.context as? String ?? "-")")
    }
    a.listenToChanges(by: owner, on: clock) { _, change in
      journal.note("by \(change.value) \(change.context as? String ?? "-")")
    }
    a.set(1, context: "one")
    a.value = 2
    clock.run()
    #expect(journal.entries.filter { !$0.hasPrefix("by") } == ["0 -", "1 one", "2 -"])
    #expect(journal.entries.filter { $0.hasPrefix("by") } == ["by 0 -", "by 1 one", "by 2 -"])
    keepAlive(listening, owner)
  }

  @Test func `8.1 plain sets, clean() and initial pushes carry none`() {
    let a = MutableNode<Int>()
    final class Log: ListenEdge<Int>, @unchecked Sendable {
      // Unchecked: adds a constant.
      let journal = Journal<String>()
      override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
        journal.note("\(value) \(context as? String ?? "-")")
      }
      override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
        journal.note("empty \(context as? String ?? "-")")
      }
    }
    let log = Log()
    let listening = a.listen(with: log)
    a.set(1, context: "c")
    a.value = 2
    a.clean()
    a.update { $0 += 1 }
    a.set(3, context: "d")
    let late = Recorder(a), derived = Recorder(a.map { $0 })
    a.update { $0 += 1 }
    #expect(log.journal.entries == ["1 c", "2 -", "empty -", "3 d", "4 -"])
    #expect(text(late.contexts) == ["-", "-"])
    #expect(text(derived.contexts) == ["-", "-"])
    keepAlive(listening)
  }

  @Test
  func `8.1 sets inside a listener carry their own context, and the wave keeps its own afterwards`()
  {
    let a = MutableNode(0), b = MutableNode(0)
    let below = a.map { $0 }
    let listening = a.listen { value in
      if value == 1 {
        b.set(1, context: "inner")
        b.value = 2
        a.set(2, context: "waited")
      }
    }
    let (onA, onB, onBelow) = (Recorder(a), Recorder(b), Recorder(below))
    a.set(1, context: "outer")
    #expect(text(onB.contexts) == ["-", "inner", "-"])
    #expect(text(onA.contexts) == ["-", "outer", "waited"])
    #expect(text(onBelow.contexts) == ["-", "outer", "waited"])
    #expect(checkInvariants([a, b]) == [])
    keepAlive(listening)
  }

  @Test func `8.1 a join passes the context of the newest wave that made it run`() {
    let a = MutableNode(1), b = MutableNode(2)
    let told = Recorder(a.combine(b))
    a.set(3, context: "a")
    b.set(4, context: "b")
    a.value = 5
    batch {
      b.set(6, context: "older")
      a.set(7, context: "newer")
    }
    batch {
      a.set(8, context: "older")
      b.value = 9
    }
    batch {
      a.value = 10
      b.set(11, context: "newest")
    }
    #expect(text(told.contexts) == ["-", "a", "b", "-", "newer", "-", "newest"])
    #expect(told.values.map { "\($0)" }.suffix(3) == ["(7, 6)", "(8, 9)", "(10, 11)"])
  }

  @Test func `8.1 a zip passes the context of the set that completes the pair`() {
    let a = MutableNode<Int>(), b = MutableNode<Int>()
    let told = Recorder(a.zip(b))
    a.set(1, context: "a1")
    a.set(2, context: "a2")
    b.set(3, context: "b3")
    b.value = 4
    #expect(text(told.contexts) == ["b3", "-"])
  }

  @Test
  func
    `8.1 a flatten tells the switch with the outer set's context, later values with the inner's`()
  {
    let inner = MutableNode(1)
    let outer = MutableNode<Node<Int>>()
    let told = Recorder(outer.flatten())
    outer.set(inner, context: "outer")
    inner.set(2, context: "inner")
    inner.value = 3
    #expect(told.values == [1, 2, 3])
    #expect(text(told.contexts) == ["outer", "inner", "-"])
  }

  @Test func `8.1 any Sendable value can be a context, and it is given up after the wave`() {
    struct Reason: Sendable, Equatable { var code: Int }
    let a = MutableNode(0)
    let below = a.map { $0 }.combine(a)
    let lives = LifetimeTracker()
    let codes = Journal<Int>(), tokens = Tally()
    let listening = below.listenToChanges { change in
      if let reason = change.context as? Reason { codes.note(reason.code) }
      if change.context is Token { tokens.add() }
    }
    a.set(1, context: Reason(code: 7))
    a.set(2, context: lives.track(Token(), "context"))
    #expect(codes.entries == [7])
    #expect(tokens.count == 1)
    #expect(lives.alive == [])
    keepAlive(listening)
  }

  // MARK: - The path

  private func hearPath<Value>(_ node: Node<Value>, _ journal: Journal<String>) -> Listening {
    node.listenToChanges { change in
      journal.note("\(change.value): " + change.path.map { $0.name ?? "?" }.joined(separator: " "))
    }
  }

  @Test func `8.2 a listener can ask for the path: the nodes from the set to here`() {
    let a = MutableNode<Int>().named("a")
    let b = a.map { $0 * 10 }.named("b")
    let c = b.filter { _ in true }.named("c").mutablify()
    let journal = Journal<String>()
    let listenings = [hearPath(a, journal), hearPath(c, journal)]
    a.value = 1
    c.value = 5
    a.set(2, context: "with context")
    #expect(journal.entries == ["1: a", "10: a b c", "5: c", "2: a", "20: a b c"])
    keepAlive(listenings as AnyObject)
  }

  @Test func `8.2 through several upstreams the path goes by the one whose wave came`() {
    let a = MutableNode<Int>().named("a"), b = MutableNode<Int>().named("b")
    let merged = a.merge(b).named("merge"), join = a.combine(b).map { $0 + $1 }.named("sum")
    let zip = a.zip(b).named("zip")
    let journal = Journal<String>()
    let listenings = [hearPath(merged, journal), hearPath(join, journal), hearPath(zip, journal)]
    a.value = 1
    b.value = 2
    a.value = 3
    #expect(
      journal.take() == [
        "1: a merge", "2: b merge", "(1, 2): b zip", "3: b ? sum", "3: a merge", "5: a ? sum",
      ])
    keepAlive(listenings as AnyObject)
  }

  @Test(arguments: [nil, "context"])
  func `8.2 the path of a join is of what made it run, also where its run sets something`(
    _ context: String?
  ) {
    let a = MutableNode(1).named("a"), b = MutableNode(0).named("b")
    let inner = b.map { $0 * 10 }.named("inner")
    let chosen = a.flattenMap { value in
      b.value = value
      return inner
    }.named("chosen")
    let journal = Journal<String>()
    let listening = hearPath(chosen, journal)
    _ = journal.take()
    a.set(2, context: context)
    #expect(journal.take().first == "20: a chosen")
    keepAlive(listening)
  }

  @Test(arguments: [nil, "context"])
  func
    `8.2 the path of a join is of what made it run, also where what dies in its run sets something`(
      _ context: String?
    )
  {
    let journal = Journal<String>()
    func hear<Joined>(_ join: Node<Joined>, _ numbers: @escaping @Sendable (Joined) -> [Int])
      -> Listening
    {
      join.listenToChanges { change in
        journal.note("\(numbers(change.value)) \(change.path.map { $0.name ?? "?" })")
      }
    }
    for isArray in [false, true] {
      let b = MutableNode(Dying(0)).named("b")
      let a = MutableNode(Dying(1) { b.value = Dying(7) }).named("a")
      let others = (0..<8).map { MutableNode(Dying($0)) }
      let listening =
        isArray
        ? hear(Node.combine([a, b] + others).named("join")) { $0.prefix(2).map(\.number) }
        : hear(a.combine(b).named("join")) { [$0.0.number, $0.1.number] }
      if isArray { others[0].value = Dying(8) }  // from now on the array is changed in its place
      _ = journal.take()
      a.set(Dying(2), context: context)
      #expect(journal.take() == [#"[2, 0] ["a", "join"]"#, #"[2, 7] ["b", "join"]"#])
      keepAlive(listening)
    }
  }

  @Test func `8.2 the path holds over links, queues, timers, inner nodes and syncs`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>().named("a"), linked = Node<Int>().named("linked")
    linked.wiring.link(to: a)
    let late = linked.deliver(on: clock).named("queue").delay(.seconds(1), on: clock).named("late")
    let outer = MutableNode<Node<Int>>(a).named("outer"), flat = outer.flatten().named("flat")
    let other = MutableNode<Int>().named("other")
    other.sync(with: a)
    let journal = Journal<String>()
    let listenings = [late, flat, other, a].map { hearPath($0, journal) }
    a.value = 1
    clock.run()
    #expect(
      Set(journal.take()) == ["1: a linked queue late", "1: a flat", "1: a other", "1: a"])
    other.value = 2
    clock.run()
    #expect(
      Set(journal.take()) == [
        "2: other a linked queue late", "2: other a flat", "2: other", "2: other a",
      ])
    keepAlive(listenings as AnyObject)
  }

  @Test func `8.2 a ring does not make the path endless`() {
    let a = MutableNode<Int>().named("a"), b = Node<Int>().named("b"), c = Node<Int>().named("c")
    b.wiring.link(to: a)
    c.wiring.link(to: b)
    let close = a.link(to: c)
    let journal = Journal<String>()
    let listenings = [a, b, c].map { hearPath($0, journal) }
    a.value = 1
    #expect(journal.take() == ["1: a", "1: a b", "1: a b c"])
    close.cancel()
    keepAlive(listenings as AnyObject)
  }

  @Test func `8.2 the path is built only when asked for: nothing remembers nodes of former waves`()
  {
    let lives = LifetimeTracker()
    let end = Node<Int>().named("end")
    var source: MutableNode<Int>? = lives.track(MutableNode<Int>().named("source"), "source")
    let link = end.wiring.link(to: source!)
    source!.value = 1
    link.cancel()
    source = nil
    #expect(lives.alive == [])
    let journal = Journal<String>()
    let listening = hearPath(end, journal)
    #expect(journal.entries == ["1: end"])
    keepAlive(listening)
  }

  @Test func `8.2 an owner's listener can ask for the path too`() {
    let a = MutableNode<Int>().named("a")
    let b = a.map { $0 }.named("b")
    let owner = Section0.Owner()
    b.listenToChanges(by: owner) { owner, change in
      let path = change.path.map { $0.name ?? "?" }.joined(separator: " ")
      owner.journal.note("\(change.value): \(path)")
    }
    a.value = 1
    #expect(owner.journal.entries == ["1: a b"])
  }

  @Test func `8.2 a change may be kept: its path is what still holds of it, and never another one`()
  {
    let a = MutableNode<Int>().named("a"), b = a.map { $0 }.named("b"), other = MutableNode<Int>()
    let c = b.merge(other.named("other")).filter { $0 < 10 }.named("c")
    let kept = Journal<Change<Int>>()
    let listening = c.listenToChanges { kept.note($0) }
    func names(_ change: Change<Int>) -> [String?] { change.path.map(\.name) }
    a.set(1, context: "one")
    let first = kept.entries[0]
    #expect(names(first) == ["a", "b", nil, "c"])
    // The merge has been told something newer, that went no further.
    other.value = 20
    #expect(names(first) == ["c"])
    a.value = 2
    #expect(names(first) == [] && names(kept.entries[1]) == ["a", "b", nil, "c"])
    #expect(first.value == 1 && first.context as? String == "one")
    keepAlive(listening)
  }

  /// What had to wait goes on under a new number, and the node that it came from has told something newer by then.
  @Test(arguments: [false, true])
  func `8.2 a path names no set that came after the one that waited`(_ isFiltered: Bool) {
    let x = MutableNode<Int>().named("x"), y = MutableNode<Int>().named("y")
    let z = MutableNode<Int>().named("z"), m = x.merge(y).named("m")
    let d = (isFiltered ? m.filter { $0 < 3 } : m).merge(z).named("d"), told = Journal<String>()
    let listening = d.listenToChanges { change in
      let path = change.path.map { $0.name ?? "-" }.joined(separator: " ")
      told.note("\(change.value) \(change.context ?? ""): \(path)")
      if change.value != 1 { return }
      x.set(2, context: "x")
      y.set(3, context: "y")
    }
    z.set(1, context: "z")
    #expect(
      told.entries
        == (isFiltered ? ["1 z: z d", "2 x: - d"] : ["1 z: z d", "2 x: d", "3 y: y m d"]))
    keepAlive(listening)
  }

  @Test func `8.2 a change that comes by a scheduler brings its path along`() {
    let clock = VirtualScheduler(), owner = Token()
    let a = MutableNode<Int>().named("a"), b = MutableNode<Int>().named("b")
    let sum = a.merge(b).named("sum")
    let paths = Journal<String>()
    let listening = sum.listenToChanges(on: clock) { change in
      paths.note("\(change.value) \(change.path.map { $0.name! })")
    }
    sum.listenToChanges(by: owner, on: clock) { _, change in
      paths.note("by \(change.value) \(change.path.map { $0.name! })")
    }
    a.value = 1
    b.value = 2
    clock.run()
    #expect(
      Set(paths.take()) == [
        "1 [\"a\", \"sum\"]", "2 [\"b\", \"sum\"]", "by 1 [\"a\", \"sum\"]",
        "by 2 [\"b\", \"sum\"]",
      ])
    keepAlive(owner)
    listening.cancel()
  }

  @Test func `8.2 a change keeps what it names, as long as somebody has it`() {
    let lives = LifetimeTracker()
    var change: Change<Int>?
    do {
      let kept = Journal<Change<Int>>()
      let a = lives.track(MutableNode(1).named("a"), "a"), b = lives.track(a.map { $0 }, "b")
      b.listenToChanges { kept.note($0) }.cancel()
      change = kept.entries[0]
    }
    #expect(lives.alive == ["a", "b"])
    #expect(change?.path.map(\.name) == ["a", nil])
    change = nil
    #expect(lives.alive == [])
  }

  /// Found by a hostile review: the join still named the context while that ended, and let go of it a second time.
  @Test(arguments: [false, true])
  func `8.1, 4.1 a context that a join has no more use for may set what makes it run, as it ends`(
    withContext: Bool
  ) {
    let ends = Journal<String>()
    let a = MutableNode(1), b = MutableNode(2), busy = MutableNode(true)
    let sums = [
      a.combine(b, busy).map { "\($0) \($1) \($2)" },
      Node.derived { "\(a.current) \(b.current) \(busy.current)" },
      busy.map { _ in [a as Node<Int>, b] }.flattenCombine().map { [busy] in
        "\($0[0]) \($0[1]) \(busy.current)"
      },
    ]
    let told = sums.map { Recorder($0) }
    told.forEach { $0.clear() }
    batch {
      a.set(
        10,
        context: EndingContext {
          ends.note("ends")
          if withContext { busy.set(false, context: "ended") } else { busy.value = false }
        })
      b.value = 20
    }
    #expect(ends.entries == ["ends"])
    #expect(sums.map(\.value) == ["10 20 false", "10 20 false", "10 20 false"])
    #expect(told.map { $0.values.last } == ["10 20 false", "10 20 false", "10 20 false"])
    #expect(checkInvariants([a, b, busy] + sums as [AnyNode]) == [])
  }

  private final class EndingContext: Sendable {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  @Test func `8.2 a node that listens to its own changes is freed`() {
    let lives = LifetimeTracker(), heard = Journal<Int>()
    do {
      let a = lives.track(MutableNode(1), "a")
      a.listenToChanges(by: a) { _, change in heard.note(change.value) }
      a.value = 2
    }
    #expect(heard.entries == [1, 2])
    #expect(lives.alive == [])
  }
}
