import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, section 2.5 and 2.6: transforms and listen edges of the user's own, and receivers.
extension Section2 {
  /// Sends each value as often as it says: none for zero, and nothing for negative ones.
  final class Repeated: NodeTransform<Int, String>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      for index in 0..<max(0, value) { send("\(value).\(index)") }
    }
  }

  final class Doubled: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    let calls = Journal<String>()
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      calls.note("\(value) from \(sender?.name ?? "-") with \(context as? String ?? "-")")
      send(value * 2)
    }
  }

  final class PassesEmptiness: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { sendEmpty() }
  }

  final class SaysEmpty: NodeTransform<Int, String>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      send("\(value)")
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { send("empty") }
  }

  /// Counts the values of one life.
  final class Numbered: NodeTransform<String, String>, @unchecked Sendable {
    // Unchecked: `begin` and `receive` are called one at a time.
    private var count = 0
    override func begin() { count = 0 }
    override func receive(_ value: String, from sender: AnyNode?, context: (any Sendable)?) {
      count += 1
      send("\(count) \(value)")
    }
  }

  @Test func `2.5 a NodeTransform as it is forwards what it receives`() {
    let up = MutableNode(1), down = Node<Int>()
    let told = Recorder(down)
    down.wiring.link(to: up, through: NodeTransform())
    up.value = 2
    #expect(told.values == [1, 2])
  }

  @Test func `2.5 receive gets the value, the sender and the context, and may send one`() {
    let up = MutableNode(1).named("up"), down = Node<Int>()
    let doubled = Doubled()
    down.wiring.link(to: up, through: doubled)
    let told = Recorder(down.map { $0 + 1 })
    up.set(2, context: "c")
    up.value = 3
    #expect(doubled.calls.entries == ["1 from up with -", "2 from up with c", "3 from up with -"])
    #expect(told.values == [3, 5, 7])
    #expect(told.contexts.map { $0 as? String } == [nil, "c", nil])
    #expect(checkInvariants([up]) == [])
  }

  @Test
  func `2.5 through makes a new node behind a transform, which it keeps and which can be cut`() {
    let up = MutableNode(1).named("up")
    let doubled = Doubled()
    var down: Node<Int>? = up.through(doubled).named("down")
    let told = Recorder(down!)
    up.set(2, context: "c")
    #expect(told.values == [2, 4])
    #expect(told.contexts.map { $0 as? String } == [nil, "c"])
    #expect(doubled.calls.entries == ["1 from up with -", "2 from up with c"])
    #expect(doubled.from === up && doubled.to === down)
    #expect(down?.upstreamTransforms.map { $0 === doubled } == [true])
    #expect(down?.created.file == "EasyReactTests/Section02Transforms.swift")
    #expect(checkInvariants([up]) == [])
    let other = MutableNode(10)
    doubled.from = other
    up.value = 3
    other.value = 11
    #expect(told.values == [2, 4, 20, 22])
    doubled.from = nil
    other.value = 12
    #expect(told.values == [2, 4, 20, 22])
    #expect(down?.value == 22)
    #expect(checkInvariants([up, other, down!]) == [])
    told.cancel()
    down = nil
    #expect(doubled.to == nil && doubled.from == nil)
  }

  @Test func `2.5 through a transform that sends none or many, from inside and from outside`() {
    let up = MutableNode<Int>()
    let repeated = Repeated()
    let told = Recorder(up.through(repeated))
    up.value = 3
    up.value = 0
    up.value = 2
    #expect(told.values == ["3.0", "3.1", "3.2", "2.0", "2.1"])
    repeated.send("late", context: "c")
    #expect(told.values.last == "late")
    #expect(told.contexts.last.flatMap { $0 as? String } == "c")
    #expect(checkInvariants([up]) == [])
  }

  /// Sets its own downstream in the midst of receiving.
  final class SetsDown: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      if value < 10 {
        send(value)
        to?.mutablify().value = value + 100
        send(value + 1)
      }
    }
  }

  @Test(arguments: [true, false])
  func `2.5 what else comes to the downstream while receive runs waits behind what was sent`(
    isDerived: Bool
  ) {
    let up = MutableNode<Int>()
    let transform = SetsDown()
    let down: Node<Int>
    if isDerived {
      down = up.through(transform)
    } else {
      down = Node()
      down.wiring.link(to: up, through: transform)
    }
    let told = Recorder(down)
    up.value = 1
    up.value = 5
    #expect(told.values == [1, 101, 2, 5, 105, 6])
    #expect(checkInvariants([up, down]) == [])
  }

  @Test func `2.5 receive may send none or many: each is told whole, in order, with the context`() {
    let up = MutableNode<Int>(), down = Node<String>()
    down.wiring.link(to: up, through: Repeated())
    let journal = Journal<String>()
    let listenings = [
      down.listenToChanges { journal.note("first \($0.value) \($0.context as? String ?? "-")") },
      down.listen { journal.note("second \($0)") },
    ]
    let below = Recorder(down.map { $0.count })
    up.set(0, context: "none")
    #expect(journal.take() == [])
    up.set(1, context: "one")
    #expect(journal.take() == ["first 1.0 one", "second 1.0"])
    up.set(3, context: "many")
    #expect(
      journal.take() == [
        "first 3.0 many", "second 3.0", "first 3.1 many", "second 3.1", "first 3.2 many",
        "second 3.2",
      ])
    #expect(down.value == "3.2")
    #expect(below.values.count == 4)
    #expect(below.contexts.map { $0 as? String } == ["one", "many", "many", "many"])
    #expect(checkInvariants([up]) == [])
    keepAlive(listenings as AnyObject)
  }

  @Test
  func
    `2.5 what receive sends belongs to the wave: a join below runs once, a ring passes once round`()
  {
    let a = MutableNode(1), b = Node<Int>(), many = Node<String>()
    b.wiring.link(to: a, through: Doubled())
    many.wiring.link(to: a, through: Repeated())
    let sums = Recorder(a.combine(b).map { $0 + $1 })
    let texts = Recorder(a.combine(many).map { "\($0) \($1)" })
    a.value = 3
    #expect(sums.values == [3, 9])
    #expect(texts.values == ["1 1.0", "3 3.2"])
    let c = MutableNode<Int>(), d = Node<Int>()
    d.wiring.link(to: c, through: Doubled())
    c.link(to: d, through: Doubled())
    let (onC, onD) = (Recorder(c), Recorder(d))
    c.value = 1
    #expect(onC.values == [1])
    #expect(onD.values == [2])
    #expect(checkInvariants([a, b, c]) == [])
  }

  @Test func `2.5 by default emptiness does not pass`() {
    let up = MutableNode(1), down = Node<Int>()
    let doubled = Doubled()
    down.wiring.link(to: up, through: doubled)
    up.clean()
    #expect(down.value == 2)
    #expect(doubled.calls.count == 1)
  }

  @Test func `2.5 receiveEmpty may pass emptiness on, or send a value for it`() {
    let up = MutableNode(1), down = Node<Int>(), below = Node<Int>(), text = Node<String>()
    down.wiring.link(to: up, through: PassesEmptiness())
    below.wiring.link(to: down, through: PassesEmptiness())
    text.wiring.link(to: up, through: SaysEmpty())
    let (values, texts) = (Recorder(below), Recorder(text))
    up.clean()
    #expect(down.isEmpty && below.isEmpty)
    up.value = 2
    #expect(values.values == [1, 2])
    #expect(texts.values == ["1", "empty", "2"])
    #expect(checkInvariants([up]) == [])
  }

  @Test func `2.5 begin is called for each life, so counters of a subclass are reset too`() {
    let a = MutableNode("a"), b = MutableNode("b"), down = Node<String>()
    let told = Recorder(down)
    let numbered = Numbered()
    down.wiring.link(to: a, through: numbered)
    a.value = "c"
    numbered.from = b
    b.value = "d"
    #expect(told.values == ["1 a", "2 c", "1 b", "2 d"])
  }

  /// Says when `begin` finds a thread inside `receive`, and stays there for one value.
  final class Lingering: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds constants, atomics and semaphores.
    private let isInside = Atomic(false)
    let overlaps = Tally(), begun = Tally()
    let hasCome = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    override func begin() {
      begun.add()
      if isInside.load(ordering: .sequentiallyConsistent) { overlaps.add() }
    }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      if isInside.exchange(true, ordering: .sequentiallyConsistent) { overlaps.add() }
      if value == 100 {
        hasCome.signal()
        wait(for: mayGo)
      }
      isInside.store(false, ordering: .sequentiallyConsistent)
      send(value)
    }
  }

  @Test(arguments: [false, true])
  func `2.5 a new life begins when no thread is inside the one before it`(isCutFirst: Bool) {
    let a = MutableNode(1), b = MutableNode(2), c = MutableNode(3), down = Node<Int>()
    let told = Recorder(down), lingering = Lingering()
    down.wiring.link(to: a, through: lingering)
    onThreads(2) { number in
      if number == 0 { return a.value = 100 }
      wait(for: lingering.hasCome)
      if isCutFirst { lingering.from = nil }
      lingering.from = b
      b.value = 20
      lingering.from = c
      c.value = 30
      #expect(lingering.begun.count == 1)
      lingering.mayGo.signal()
    }
    #expect(settle())
    #expect(lingering.overlaps.count == 0)
    #expect(lingering.begun.count == 2)
    // What is sent when the transform has other ends is a wave of its own, at the present one.
    #expect(told.values == [1, 100, 30])
    #expect(checkInvariants([a, b, c, down]) == [])
  }

  @Test func `2.5 a node made through it waits for the life before too`() {
    let a = MutableNode(1), b = MutableNode(2), down = Node<Int>(), made = Journal<Node<Int>>()
    let lingering = Lingering()
    down.wiring.link(to: a, through: lingering)
    onThreads(2) { number in
      if number == 0 { return a.value = 100 }
      wait(for: lingering.hasCome)
      lingering.from = nil
      lingering.to = nil
      made.note(b.through(lingering))
      #expect(lingering.begun.count == 1)
      lingering.mayGo.signal()
    }
    #expect(settle())
    #expect(lingering.overlaps.count == 0 && lingering.begun.count == 2)
    #expect(made.entries[0].value == 2)
    b.value = 5
    #expect(made.entries[0].value == 5)
  }

  /// Calls a transform of the library's own from its own closure.
  private final class Inward: @unchecked Sendable {
    // Unchecked: one thread.
    var transform: NodeTransform<Int, Int>?
    func receive(_ value: Int) { transform?.receive(value, from: nil, context: nil) }
  }

  @Test func `2.6 what a transform receives in its own closure waits until that has returned`() {
    let a = MutableNode(0), inward = Inward(), log = Journal<String>()
    let mapped = a.map { value in
      log.note("in \(value)")
      if value == 1 { for next in 2...4 { inward.receive(next) } }
      log.note("out \(value)")
      return value * 10
    }
    inward.transform = mapped.upstreamTransforms[0] as? NodeTransform<Int, Int>
    let told = Recorder(mapped)
    _ = log.take()
    a.value = 1
    #expect(
      log.entries == [
        "in 1", "out 1", "in 2", "out 2", "in 3", "out 3", "in 4", "out 4",
      ])
    #expect(told.values == [0, 10, 20, 30, 40])
    a.value = 5
    #expect(told.values.last == 50)
    #expect(checkInvariants([a]) == [])
    inward.transform = nil
  }

  @Test func `2.6 so does what a listener brings while the transform's node is told`() {
    let a = MutableNode(0), inward = Inward()
    let sums = a.scan(into: 0) { total, value in
      total += value
      if value == 1 { inward.receive(10) }
    }
    inward.transform = sums.upstreamTransforms[0] as? NodeTransform<Int, Int>
    let listening = sums.listen { if $0 == 1 { inward.receive(100) } }
    let told = Recorder(sums)
    a.value = 1
    #expect(told.values == [0, 1, 11, 111])
    keepAlive(listening)
    inward.transform = nil
  }

  @Test
  func `2.6, 3.1 what waited for what a listener brings leaves the listener's wave as it was`() {
    let a = MutableNode(0), b = MutableNode<Int>(), x = MutableNode(0), told = Journal<Int>()
    b.link(to: a)
    let link = b.upstreamTransforms[0] as! NodeTransform<Int, Int>
    let empties = b.listen { if $0 == 7 { a.clean() } }  // waits until `a` has been told
    let brings = x.listen { if $0 == 1 { link.receive(7, from: nil, context: nil) } }
    let listening = x.listen { told.note($0) }
    let mapped = x.map { $0 }
    x.value = 1
    #expect(told.entries == [0, 1] && mapped.value == 1)
    #expect(a.isEmpty && b.value == 7)
    keepAlive([empties, brings, listening] as AnyObject)
  }

  @Test
  func `2.6, 7.6 what another thread brings to a transform keeps its place before what it sets`() {
    let a = MutableNode(0), told = Journal<Int>()
    let tens = a.map { $0 * 10 }
    let listening = tens.listen { told.note($0) }
    let transform = tens.upstreamTransforms[0] as! NodeTransform<Int, Int>
    whileInside(a, settingTo: 100) {
      transform.receive(1, from: nil, context: nil)
      a.value = 2
    }
    #expect(told.entries == [0, 1_000, 10, 20])
    keepAlive(listening)
  }

  @Test func `2.6, 8.1 so do contexts`() {
    let a = MutableNode(0), b = MutableNode<Int>(), x = MutableNode(0), told = Journal<String>()
    b.link(to: a)
    let link = b.upstreamTransforms[0] as! NodeTransform<Int, Int>
    let sets = b.listen { if $0 == 7 { a.set(8, context: "another's") } }
    let brings = x.listen { if $0 != 0 { link.receive(7, from: nil, context: nil) } }
    let listening = x.listenToChanges { told.note("\($0.value) \($0.context ?? "-")") }
    x.value = 1
    x.set(2, context: "own")
    #expect(told.entries == ["0 -", "1 -", "2 own"])
    keepAlive([sets, brings, listening] as AnyObject)
  }

  /// An operator that is built of a graph of its own.
  private final class ViaGraph: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: set in the initialiser only.
    private let inner = MutableNode<Int>()
    private var listening: Listening?
    override init() {
      super.init()
      listening = inner.listen { [unowned self] in send($0) }
    }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      inner.value = value
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { inner.value = 0 }
  }

  @Test
  func `2.5, 3.1 what is sent by a listener that receive makes run goes on with the wave received`()
  {
    let a = MutableNode(1), b = MutableNode<Int>()
    b.link(to: a, through: ViaGraph())
    let mapped = b.map { $0 }, other = b.map { $0 }
    let told = Recorder(b), first = Recorder(mapped), second = Recorder(other)
    a.clean()
    #expect(told.values == [1, 0] && mapped.value == 0 && other.value == 0)
    a.set(5, context: "c")
    #expect(told.values == [1, 0, 5])
    #expect(first.contexts.last as? String == "c" && second.contexts.last as? String == "c")
    // Round a cycle it ends where it began.
    a.link(to: b)
    a.value = 6
    #expect(b.value == 6 && told.values.suffix(2) == [5, 6])
    #expect(checkInvariants([a, b]) == [])
  }

  /// The same with a graph that is made anew for each value.
  private final class ViaFreshGraph: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    private let also: MutableNode<Int>?
    init(_ also: MutableNode<Int>? = nil) {
      self.also = also
      super.init()
    }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      also?.value = 0
      _ = MutableNode(value).listen { [unowned self] in send($0) }
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
      _ = MutableNode(0).listen { [unowned self] in send($0) }
    }
  }

  @Test func `2.5, 3.1 so does what is sent by a listener that receive makes, which hears at once`()
  {
    let a = MutableNode(1), b = MutableNode<Int>()
    b.link(to: a, through: ViaFreshGraph())
    let told = Recorder(b)
    a.clean()
    #expect(told.values == [1, 0])
    a.set(5, context: "c")
    #expect(told.values == [1, 0, 5] && told.contexts.last as? String == "c")
    let synced = MutableNode<Int>(), other = MutableNode<Int>(), source = MutableNode<Int>()
    synced.sync(with: other)
    synced.link(to: source, through: ViaFreshGraph(other))
    source.value = 7
    #expect(synced.value == other.value)
  }

  @Test func `2.2, 8.1 what is pushed through such a transform has no context`() {
    let a = MutableNode(1), b = MutableNode<Int>(), linked = Journal<Int>()
    let listening = a.listenToChanges { change in
      if change.value == 5, linked.entries == [] {
        linked.note(1)
        b.link(to: a, through: ViaGraph())
      }
    }
    let told = Recorder(b)
    a.set(5, context: "c")
    #expect(told.values == [5] && told.contexts[0] == nil)
    keepAlive(listening)
  }

  @Test func `2.1, 2.6 a closure may point its transform elsewhere and hand it a value`() {
    let inward = Made<String>(), first = MutableNode("a"), second = MutableNode("b")
    let mapped = first.map { value in
      if value == "x" {
        inward.transform?.from = second
        inward.transform?.receive("y", from: nil, context: nil)
      }
      return value + "!"
    }
    inward.transform = mapped.upstreamTransforms[0] as? NodeTransform<String, String>
    inward.transform?.receive("x", from: nil, context: nil)
    #expect(mapped.value == "y!" || mapped.value == "x!")
    second.value = "z"
    #expect(mapped.value == "z!")
    inward.transform = nil
  }

  private final class Made<Value: Sendable>: @unchecked Sendable {
    // Unchecked: one thread.
    var transform: NodeTransform<Value, Value>?
  }

  @Test func `2.5, 7.6 what is sent so for an event is a value, which stays`() {
    let source = MutableNode<Int>.eventNode(), b = MutableNode<Int>()
    b.link(to: source, through: ViaGraph())
    let mapped = b.map { $0 }
    source.value = 5
    #expect(b.value == 5 && mapped.value == 5)
  }

  @Test func `2.5 a transform may send later, as a wave of its own with a context`() {
    let down = Node<Int>(), up = MutableNode<Int>()
    let told = Recorder(down.map { $0 })
    let transform = NodeTransform<Int, Int>()
    transform.send(0)
    down.wiring.link(to: up, through: transform)
    transform.send(1)
    transform.send(2, context: "later")
    #expect(told.values == [1, 2])
    #expect(told.contexts.map { $0 as? String } == [nil, "later"])
    transform.sendEmpty()
    #expect(down.isEmpty)
    transform.to = nil
    transform.send(3)
    #expect(told.values == [1, 2])
    #expect(checkInvariants([up, down]) == [])
  }

  @Test
  func `2.5 a transform with one end only shows in that node's transforms and in no node list`() {
    let node = MutableNode(1)
    let loose = NodeTransform<Int, Int>(), ending = NodeTransform<Int, Int>()
    loose.from = node
    ending.to = node
    #expect(node.downstreamTransforms.map { $0 === loose } == [true])
    #expect(node.upstreamTransforms.map { $0 === ending } == [true])
    #expect(node.upstreamNodes == [] && node.downstreamNodes == [])
    #expect(!node.hasUpstreamNode && !node.hasDownstreamNode)
    node.value = 2
    #expect(node.value == 2)
    let other = Node<Int>()
    loose.to = other
    #expect(node.downstreamTransforms.count == 1 && node.downstreamNodes == [other])
    loose.from = nil
    #expect(node.downstreamTransforms.isEmpty)
    #expect(other.upstreamTransforms.map { $0 === loose } == [true] && other.upstreamNodes == [])
    ending.to = nil
    #expect(node.upstreamTransforms.isEmpty)
    #expect(checkInvariants([node, other]) == [])
  }

  @Test
  func `2.5 a transform keeps from, not to: when to is gone it has one end, and can be used again`()
  {
    let lives = LifetimeTracker()
    var up: MutableNode<Int>? = lives.track(MutableNode(1), "up")
    var down: Node<Int>? = lives.track(Node<Int>(), "down")
    let transform = NodeTransform<Int, Int>()
    down!.wiring.link(to: up!, through: transform)
    down = nil
    #expect(lives.alive == ["up"])
    #expect(transform.to == nil)
    #expect(transform.from === up)
    #expect(up!.downstreamTransforms.map { $0 === transform } == [true])
    let other = Node<Int>()
    transform.to = other
    #expect(other.value == 1)
    transform.to = nil
    #expect(checkInvariants([up!, other]) == [])
    up = nil
    #expect(lives.alive == ["up"])
    transform.from = nil
    #expect(lives.alive == [])
  }

  @Test func `2.5 a transform whose edge was cut from outside has lost an end in all that it says`()
  {
    let up = MutableNode(1), down = Node<Int>()
    for cut in 0..<3 {
      let transform = NodeTransform<Int, Int>()
      let link = down.wiring.link(to: up, through: transform)
      switch cut {
      case 0: link.cancel()
      case 1: down.wiring.removeUpstreamNodes()
      default: up.wiring.removeDownstreamNode(down)
      }
      #expect(transform.to == nil)
      #expect(
        up.downstreamTransforms.map { $0 === transform }
          == (transform.from == nil ? [] : [true]))
      #expect(down.upstreamTransforms.isEmpty)
      #expect(up.downstreamNodes == [] && down.upstreamNodes == [])
      transform.from = nil
    }
  }

  @Test func `2.6 mutable nodes, transforms and listen edges are Receivers`() {
    let node = MutableNode(1), down = Node<Int>()
    let told = Recorder(node), below = Recorder(down)
    let transform = NodeTransform<Int, Int>()
    transform.to = down
    let edge = Log()
    let receivers: [any Receiver<Int>] = [node, transform, edge]
    for receiver in receivers { receiver.receive(2, from: nil, context: "c") }
    #expect(told.values == [1, 2])
    #expect(told.contexts.map { $0 as? String } == [nil, "c"])
    #expect(below.values == [2])
    #expect(below.contexts.map { $0 as? String } == ["c"])
    for receiver in receivers { receiver.receiveEmpty(from: node, context: nil) }
    #expect(node.isEmpty)
    #expect(down.value == 2)
    #expect(edge.journal.entries == ["2 c", "empty"])
  }

  final class Log: ListenEdge<Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    let journal = Journal<String>()
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      journal.note("\(value) \(context as? String ?? "-")")
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
      journal.note("empty")
    }
  }

  @Test func `2.6 a ListenEdge subclass hears values with sender and context, and emptiness`() {
    final class Sender: ListenEdge<Int>, @unchecked Sendable {
      // Unchecked: adds a constant.
      let senders = Journal<AnyNode?>()
      override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
        senders.note(sender)
      }
    }
    let node = MutableNode(1)
    let log = Log(), sender = Sender()
    let listenings = [node.listen(with: log), node.listen(with: sender)]
    node.set(2, context: "c")
    node.clean()
    node.clean()
    node.value = 3
    #expect(log.journal.entries == ["1 -", "2 c", "empty", "empty", "3 -"])
    #expect(sender.senders.entries == [node, node, node])
    listenings.forEach { $0.cancel() }
    node.clean()
    #expect(log.journal.count == 5)
    #expect(checkInvariants([node]) == [])
  }

  /// Found by a hostile review: who is told of the first value may re-point the transform, and the link's Cancelable knew that life.
  @Test func `2.1 the Cancelable of a link cuts no life that began while it was being linked`() {
    let a = MutableNode(1), b = MutableNode<Int>(), d = MutableNode<Int>()
    let transform = NodeTransform<Int, Int>()
    let listening = b.listen { _ in if transform.to === b { transform.to = d } }
    let link = b.link(to: a, through: transform)
    a.value = 2
    #expect(d.value == 2 && b.value == 1)
    link.cancel()
    a.value = 3
    #expect(d.value == 3 && transform.from === a)
    keepAlive(listening)
  }

  private final class Parting: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    let journal: Journal<String>
    init(_ journal: Journal<String>) {
      self.journal = journal
      super.init()
    }
    deinit { journal.note("\(self) \(toNode == nil)") }
  }

  /// Found by a hostile review: who let go of the transform last looked at an edge that another thread had freed.
  @Test func `7.1 a transform may end on any thread, and looks at its own ends only`() {
    let journal = Journal<String>()
    Stress.rounds(300) { round in
      let a = MutableNode(1).named("a"), b = MutableNode<Int>().named("b")
      let c = MutableNode(1).named("c"), d = MutableNode<Int>().named("d")
      b.link(to: a, through: Parting(journal))
      round.threads(2) { member in
        if member == 0 {
          for _ in 0..<50 where b.upstreamTransforms.isEmpty { return }
        } else {
          b.wiring.removeUpstreamNode(a)
          d.link(to: c)
        }
      }
      let heard = journal.take()
      round.expect(heard == ["Parting(– → –) true"], "\(heard)")
      keepAlive([a, b, c, d] as AnyObject)
    }
  }
}
