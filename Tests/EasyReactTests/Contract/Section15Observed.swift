import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Observation
import Synchronization
import Testing

/// Contract, 15.1: nodes as observable objects.
@Suite(.watched) @MainActor struct `15 Observed nodes` {
  /// Reads, is told of a change once, before it is made; `again` reads again later.
  @MainActor final class Watcher<Value: Sendable> {
    private let body: @MainActor () -> Value
    var seen: [Value] = []
    /// What is read when the tracker is told.
    var atChange: [Value] = []
    var isDue = false

    init(_ body: @escaping @MainActor () -> Value) {
      self.body = body
      read()
    }

    func read() {
      isDue = false
      seen.append(
        withObservationTracking(body) { [weak self] in
          MainActor.assumeIsolated {
            guard let self else { return }
            self.atChange.append(self.body())
            self.isDue = true
          }
        })
    }

    /// As a view: if it was told, it is drawn again.
    func draw() { if isDue { read() } }
  }

  @Test func `15.1 who reads the value is told of a change, and then reads the new one`() {
    let node = MutableNode(1)
    let watcher = Watcher { node.observed.value }
    #expect(watcher.seen == [1] && !watcher.isDue)
    node.value = 2
    #expect(watcher.isDue && watcher.atChange == [1], "before the change")
    watcher.draw()
    node.value = 3
    watcher.draw()
    node.clean()
    watcher.draw()
    #expect(watcher.seen == [1, 2, 3, nil])
  }

  @Test
  func `15.1 it is told before set returns: no text field shows an older text than its node holds`()
  {
    let text = MutableNode("")
    let field = text.observed
    for character in ["a", "ab", "abc"] {
      text.value = character
      #expect(field.value == character)
      field.current = character + "!"
      #expect(field.current == character + "!" && text.value == character + "!")
    }
    field.value = nil
    #expect(text.isEmpty && field.value == nil)
  }

  @Test func `15.1 what is typed is shown at once, also while another thread is inside the node`() {
    let text = MutableNode("")
    let field = text.observed
    let derived = text.map { $0.count }.observed
    whileInside(text, settingTo: "from elsewhere") {
      field.current = "typed"
      #expect(field.current == "typed" && text.value == "typed")
      text.map { $0 }.observed.node.fork().named("another turn")
      #expect(field.current == "typed")
    }
    #expect(text.value == "typed")
    // The steps come later, and what is older is not shown any more.
    let other = MutableNode(0), shown = other.observed
    other.value = 1
    #expect(shown.value == 1 && field.current == "typed" && derived.value == 5)
  }

  @Test
  func `15.1 so is what a tracker types in a step that brings an older value`() {
    let text = MutableNode(""), other = MutableNode(""), gate = MutableNode<Int>()
    let field = text.observed, label = other.observed
    let listening = gate.listen { _ in
      text.value = "old"
      other.value = "old"
    }
    withObservationTracking {
      _ = label.value
    } onChange: {
      MainActor.assumeIsolated { field.current = "typed" }
    }
    let begins = MutableNode(0), begun = begins.observed
    whileInside(text, settingTo: "inside", after: { gate.value = 1 }) {
      begins.value = 1  // the step
      #expect(begun.value == 1 && label.value == "old")
      #expect(field.current == "typed" && text.value == "typed")
    }
    #expect(field.current == "typed")
    keepAlive(listening)
  }

  /// When this thread comes to a certain event, another one sets the node, once.
  private final class SetsMeanwhile: GraphTracer {
    private let isWaitedFor: @Sendable (GraphEvent.Kind) -> Bool
    private let thread = threadNumber(), isDue = Mutex(true)
    private let set: @Sendable () -> Void

    init(
      at isWaitedFor: @escaping @Sendable (GraphEvent.Kind) -> Bool,
      _ set: @escaping @Sendable () -> Void
    ) {
      (self.isWaitedFor, self.set) = (isWaitedFor, set)
    }
    func trace(_ event: GraphEvent) {
      if threadNumber() != thread || !isWaitedFor(event.kind) { return }
      if isDue.withLock({ isDue in
        defer { isDue = false }
        return isDue
      }) {
        onThread(set)
      }
    }
  }

  /// Another thread has set the node to 1, and is inside a listener that was there before all others; and again when it
  /// tells `last`. Returns what `read` shows after `meanwhile`, then, and at the end; each time a step has been made.
  private func stepsWhileInside(
    _ node: MutableNode<Int>, last: Int, meanwhile: () -> Void, read: () -> Int
  ) -> [Int] {
    let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0), other = MutableNode(0), step = other.observed
    var seen: [Int] = []
    func look() {
      other.value! += 1
      #expect(step.value == other.value, "no step")
      seen.append(read())
    }
    let listening = node.listen {
      if $0 != 1, $0 != last { return }
      isInside.signal()
      wait(for: mayGoOn)
    }
    startThread {
      node.value = 1
    } whenOver: {
      isOver.signal()
    }
    wait(for: isInside)
    meanwhile()
    look()
    mayGoOn.signal()
    wait(for: isInside)
    look()
    mayGoOn.signal()
    wait(for: isOver)
    look()
    keepAlive(listening)
    return seen
  }

  /// Found by a hostile review: numbers were compared, which are given before the sets are left there.
  @Test func `15.1 what is typed gives way to nothing that the node tells before it`() {
    let node = MutableNode(0), field = node.observed
    let seen = stepsWhileInside(node, last: 9) {
      traced(
        by: SetsMeanwhile(at: { if case .turnBegan = $0 { true } else { false } }) {
          node.value = 8
        }
      ) {
        field.current = 9
      }
      #expect(field.current == 9)
    } read: {
      field.current
    }
    #expect(seen == [9, 9, 9] && node.value == 9)
  }

  /// Found by a hostile review: what was shown first was read when the listener was on its way, and went back to what it then heard.
  @Test func `15.1, 7.5 what is shown first is no newer than what the node tells next`() {
    let node = MutableNode(0)
    var field: ObservedMutableNode<Int>?
    let seen = stepsWhileInside(node, last: 3) {
      onThread { node.value = 2 }
      let isLeft: @Sendable (GraphEvent.Kind) -> Bool = {
        if case .stopped(.leftInMailbox) = $0 { true } else { false }
      }
      traced(by: SetsMeanwhile(at: isLeft) { node.value = 3 }) { field = node.observed }
    } read: {
      field!.current
    }
    #expect(seen == [2, 2, 3] && node.value == 3)
  }

  @Test
  func `15.1 what is shown first is gone where the node was emptied before it began to listen`() {
    let node = MutableNode(0)
    var field: ObservedMutableNode<Int>?
    let seen = stepsWhileInside(node, last: 3) {
      onThread { node.value = 3 }
      traced(
        by: SetsMeanwhile(at: { if case .edgeMade = $0 { true } else { false } }) { node.clean() }
      ) {
        field = node.observed
      }
    } read: {
      field!.value ?? -1
    }
    #expect(seen == [3, 3, -1] && node.isEmpty)
  }

  private final class Probe {
    var hook: (() -> Void)?
    var number = 0 { didSet { hook?() } }
  }

  @Test func `15.1 what is set in a step shows in the next one, with all that follows from it`() {
    let a = MutableNode(1), b = MutableNode(2), sum = a.combine(b).map { $0 + $1 }
    let (one, two, three) = (a.observed, b.observed, sum.observed)
    let first = Probe(), second = Probe()
    b.assign(to: \.number, of: first)
    b.assign(to: \.number, of: second)
    var seen: [[Int?]] = []
    first.hook = {
      if a.value == 1 { one.value = 50 }
      seen.append([one.value, two.value, three.value])
    }
    second.hook = { seen.append([one.value, two.value, three.value]) }
    b.value = 7
    #expect(seen == [[1, 7, 8], [1, 7, 8]])
    #expect([one.value, two.value, three.value] == [50, 7, 57])
  }

  @Test
  func `15.1 so is what is typed through a lens, while another thread is inside the whole`() async {
    let person = MutableNode(Person())
    let field = person[\.name].observed, watcher = Watcher { field.value }
    whileInside(person, settingTo: Person(age: 1)) {
      for text in ["t", "ty"] {
        field.current = text
        #expect(field.current == text && watcher.isDue)
        watcher.draw()
      }
    }
    await settled()
    #expect(field.current == "ty" && person.value == Person(name: "ty", age: 1))
    person[\.name].value = "Grace"
    watcher.draw()
    #expect(watcher.seen.first == "Ada" && watcher.seen.last == "Grace")
    #expect(!watcher.seen.dropFirst().contains("Ada"))
  }

  @Test func `15.1 where that finds no part to set, the lens shows what it holds`() async {
    let lines = MutableNode(["one", "two"]), second = lines[index: 1], field = second.observed
    whileUpdating(lines, by: { $0.removeLast() }) {
      field.current = "typed"
      #expect(field.value == "typed")
    }
    await settled()
    #expect(field.value == nil && lines.value == ["one"])
    field.value = "lost"
    #expect(field.value == nil)
    lines.update { $0.append("deux") }
    #expect(field.value == "deux")
  }

  private final class ReadsOnceAgain: GraphTracer {
    let node: MutableNode<Int>, read = Mutex<[Int?]>([])
    let watcher = Mutex<AnyObject?>(nil)
    init(_ node: MutableNode<Int>) { self.node = node }
    func trace(_ event: GraphEvent) {
      guard case .edgeMade(to: nil) = event.kind, event.node == node.id, read.withLock(\.isEmpty)
      else { return }
      read.withLock { $0.append(nil) }
      MainActor.assumeIsolated {
        let watcher = Watcher { self.node.observed.value }
        read.withLock { $0 = watcher.seen }
        self.watcher.withLock { $0 = watcher }
      }
    }
  }

  @Test func `15.1 who looks at a node while it begins to be observed sees what it holds`() {
    let node = MutableNode(7), tracer = ReadsOnceAgain(node)
    traced(by: tracer) { #expect(node.observed.value == 7) }
    #expect(tracer.read.withLock { $0 } == [7])
    let watcher = tracer.watcher.withLock { $0 } as? Watcher<Int?>
    node.value = 8
    #expect(watcher?.isDue == true && node.observed.value == 8)
    watcher?.draw()
    #expect(watcher?.seen == [7, 8])
  }

  @Test
  func
    `15.1 all observed nodes that a turn changed change in one step: a tracker of each sees no mixture`()
  {
    let a = MutableNode(1)
    let b = a.map { $0 + 1 }, c = a.map { $0 * 10 }, d = b.combine(c).map { $0 + $1 }
    func snapshot() -> [Int] { [a, b, c, d].map { $0.observed.current } }
    // One that reads all, and one for each node, which looks at all when it is told.
    let watchers =
      [Watcher(snapshot)]
      + [a, b, c, d].map { node in
        Watcher {
          _ = node.observed.value
          return snapshot()
        }
      }
    for number in 2...20 {
      a.value = number
      for watcher in watchers {
        #expect(watcher.isDue)
        watcher.draw()
      }
    }
    let good = (1...20).map { [$0, $0 + 1, $0 * 10, $0 * 11 + 1] }
    for watcher in watchers {
      #expect(watcher.seen == good)
      #expect(Set(watcher.atChange).isSubset(of: good) && !watcher.atChange.isEmpty)
    }
  }

  @Test func `15.1 several sources that one batch or one turn sets change in one step`() {
    let a = MutableNode(0), b = MutableNode(0)
    let watcher = Watcher { [a.observed.current, b.observed.current] }
    batch {
      a.value = 1
      b.value = 1
    }
    watcher.draw()
    // A set in a listener is part of the turn.
    let listening = a.listen { b.value = $0 }
    a.value = 2
    watcher.draw()
    #expect(watcher.seen == [[0, 0], [1, 1], [2, 2]])
    #expect(watcher.atChange == [[0, 0], [1, 1]])
    keepAlive(listening)
  }

  /// Threads set `source`; meanwhile each of `nodes` is watched, by one who reads all. Returns what was read.
  private func watch(
    _ nodes: [Node<Int>], while threads: Int, set source: MutableNode<Int>
  ) async -> [[Int]] {
    let watchers = nodes.map { node in
      Watcher {
        _ = node.observed.value
        return nodes.map { $0.observed.current }
      }
    }
    let ended = Tally()
    for thread in 1...threads {
      Thread {
        for number in 1...3_000 { source.value = number * threads + thread }
        ended.add()
      }.start()
    }
    while ended.count < threads {
      await mainQueue()
      for watcher in watchers { watcher.draw() }
    }
    #expect(await settle())
    await mainQueue()
    for watcher in watchers {
      watcher.draw()
      #expect(watcher.seen.last == nodes.map(\.current))
    }
    return watchers.flatMap { $0.seen + $0.atChange }
  }

  @Test
  func `15.1 from another thread: later, in order, and no tracker of a diamond reads a mixture`()
    async
  {
    let a = MutableNode(0)
    let b = a.map { $0 + 1 }, c = a.map { $0 * 10 }, d = b.combine(c).map { $0 + $1 }
    for seen in await watch([a, b, c, d], while: 1, set: a) {
      #expect(seen == [seen[0], seen[0] + 1, seen[0] * 10, seen[0] * 11 + 1])
    }
  }

  @Test func `15.1 the same from several threads, which leave each other what they find held`()
    async
  {
    let a = MutableNode(0)
    let b = a.map { $0 + 1 }, c = b.map { $0 * 10 }
    for seen in await watch([a, b, c], while: 3, set: a) {
      #expect(seen == [seen[0], seen[0] + 1, seen[0] * 10 + 10])
    }
  }

  @Test func `15.1 a set from another thread is not seen before the main actor comes to it`() async
  {
    let node = MutableNode(0)
    let watcher = Watcher { node.observed.current }
    onThread { for number in 1...100 { node.value = number } }
    #expect(node.observed.value == 0 && !watcher.isDue)
    await mainQueue()
    #expect(node.observed.value == 100 && watcher.isDue && watcher.atChange == [0])
  }

  @Test func `15.1 a set here brings what waits first, so order is kept`() {
    let a = MutableNode(0), b = MutableNode(0)
    let watcher = Watcher { [a.observed.current, b.observed.current] }
    onThread { a.value = 1 }
    b.value = 1
    watcher.draw()
    #expect(watcher.seen == [[0, 0], [1, 1]])
  }

  @Test func `15.1 two threads that set one node by turns: the last value is shown`() async {
    for _ in 0..<20 {
      let node = MutableNode(0), observed = node.observed
      let ended = Tally()
      for thread in 1...2 {
        Thread {
          for number in 1...200 { node.value = number * 2 + thread }
          ended.add()
        }.start()
      }
      while ended.count < 2 {
        node.value = -1
        #expect(observed.value != nil)
        await mainQueue()
      }
      #expect(await settle())
      await mainQueue()
      #expect(observed.value == node.value)
    }
  }

  @Test func `15.1 what a tracker sets is a step of its own`() {
    let a = MutableNode(0), b = MutableNode(0)
    let both = [a.observed, b.observed]
    withObservationTracking {
      _ = both[0].value
    } onChange: {
      b.value = 7
    }
    a.value = 1
    #expect(both.map(\.value) == [1, 7])
  }

  @Test func `15.1 it is the same object while somebody keeps it, of a Node too`() {
    let node = MutableNode(1)
    let observed = node.observed
    #expect(observed === node.observed)
    #expect((node as Node<Int>).observed === observed)
    #expect(observed.node === node)
    let read: ObservedNode<Int> = node.map { $0 * 2 }.observed
    #expect(read.current == 2)
    node.value = 2
    #expect(read.current == 4, "it keeps its node")
    #expect(node.listenerCount == 1)
  }

  @Test func `15.1 a node that nobody observes pays nothing`() {
    let node = MutableNode(0)
    _ = node.observed.value
    #expect(node.listenerCount == 1)
    // A tracker is told of a change once; who does not read again does not observe it any more.
    node.value = 1
    for _ in 0..<2 { node.lookWhetherItIsRead() }  // what a timer does
    #expect(!node.hasListener)
    #expect(node.observed.value == 1 && node.hasListener)
    // Kept, read again, or not changed since, it is observed.
    let kept = node.observed, other = MutableNode(0), quiet = MutableNode(0)
    let watcher = Watcher { other.observed.value }
    #expect(quiet.observed.value == 0)
    for number in 1...10 {
      node.value = number
      other.value = number
      watcher.draw()
      for _ in 0..<3 { for node in [node, other, quiet] { node.lookWhetherItIsRead() } }
    }
    #expect(node.listenerCount == 1 && kept.value == 10)
    #expect(other.listenerCount == 1 && watcher.seen.count == 11 && quiet.hasListener)
  }

  /// Reads again at once whenever it is told.
  @MainActor private final class HastyWatcher {
    let node: Node<Int>
    var told = 0
    init(_ node: Node<Int>) { self.node = node }

    func read() {
      withObservationTracking {
        _ = node.observed.value
      } onChange: {
        MainActor.assumeIsolated {
          self.told += 1
          self.read()
        }
      }
    }
  }

  @Test func `15.1 a tracker that reads anew while it is told of a change is told of the next one`()
  {
    let node = MutableNode(0), watcher = HastyWatcher(node)
    watcher.read()
    node.value = 1
    for _ in 0..<3 { node.lookWhetherItIsRead() }
    node.value = 2
    #expect(watcher.told == 2)
  }

  private final class Unread: UnreadValue {
    private let whenLookedAt: @MainActor () -> Void
    private(set) var looks = 0
    init(_ whenLookedAt: @escaping @MainActor () -> Void = {}) { self.whenLookedAt = whenLookedAt }

    @MainActor func isStillAwaited() -> Bool {
      looks += 1
      whenLookedAt()
      return looks < 2
    }
  }

  @Test func `15.1 a value that changes while others are looked at is looked at too`() {
    let clock = VirtualScheduler(), values = UnreadValues(on: clock)
    let second = Unread(), first = Unread { values.add(second) }
    values.add(first)
    clock.advance(by: .seconds(1))
    #expect(first.looks == 1 && second.looks == 0)
    clock.advance(by: .seconds(1))
    #expect(first.looks == 2 && second.looks == 1)
    clock.advance(by: .seconds(10))
    #expect(first.looks == 2 && second.looks == 3, "added twice, and ended twice")
  }

  @Test func `15.1, 4.3 what a batch stages does not show before it is set`() {
    let node = MutableNode<Int>(), other = MutableNode<Int>()
    try? batch {
      node.value = 5
      #expect(node.observed.value == nil)
      throw Refusal()
    }
    #expect(node.isEmpty && node.observed.value == nil)
    batch {
      other.value = 5
      #expect(other.observed.value == nil)
    }
    #expect(other.observed.value == 5)
  }

  @Test func `15.1 of optionals, of events, and of a lens`() {
    let optional = MutableNode<Int?>(nil), event = MutableNode<Int>.eventNode()
    #expect(optional.observed.value == .some(nil))
    optional.observed.value = nil
    #expect(!optional.isEmpty)
    optional.observed.current = 3
    #expect(optional.value == 3)
    let watcher = Watcher { event.observed.value }
    event.value = 1
    #expect(watcher.isDue && event.observed.value == nil, "it is told, and holds nothing")
    let person = MutableNode(Person())
    let name = person[\.name].observed
    name.current = "Grace"
    #expect(name.current == "Grace" && person.value?.name == "Grace")
  }

  @Test func `15.1 setting it inside a batch or a listener is staged or waits, like any set`() {
    let node = MutableNode(0), observed = node.observed
    struct Stop: Error {}
    try? batch {
      observed.value = 5
      #expect(observed.value == 0, "a step is made when the batch ends")
      throw Stop()
    }
    #expect(observed.value == 0 && node.value == 0)
    let listening = node.listenOnMain { _ in }
    observed.value = 1
    #expect(observed.value == 1)
    keepAlive(listening)
  }

  @Test func `15.1 an empty node has no current value: the message says what and the remedy`() async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run {
        let node = MutableNode<Int>().named("price")
        _ = node.observed.current
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EasyReact: observed.current: the node is empty"))
    #expect(text.contains("node “price” of Int"))
    #expect(text.contains("Set it first, or read `observed.value`."))
  }

  @Test func `15.1 Observations hear the last value`() async {
    let node = MutableNode(0), observed = node.observed
    let values = Observations { observed.value ?? -1 }
    let task = Task {
      var seen: [Int] = []
      for await value in values {
        seen.append(value)
        if value == 3 { break }
      }
      return seen
    }
    for number in 1...3 {
      node.value = number
      await mainQueue()
    }
    let seen = await task.value
    #expect(seen.last == 3 && seen == seen.sorted())
  }

  @Test func `15.1 kept by whoever uses it: nothing is left`() async throws {
    let a = MutableNode(1)
    try expectFreed {
      let node = a.map { $0 * 2 }
      let watcher = Watcher { node.observed.value }
      a.value = 2
      watcher.draw()
      #expect(watcher.seen == [2, 4])
    }
    try expectFreed {
      let observed = a.map { $0 * 2 }.observed
      a.value = 3
      #expect(observed.value == 6)
    }
    weak var weakly: ObservedNode<Int>?
    do {
      let observed = a.observed
      weakly = observed
      onThread { a.value = 4 }
    }
    #expect(weakly == nil)
    await mainQueue()
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func
    `15.1 who makes a node while he reads changes nothing that is observed: what others left comes later`()
    async
  {
    let node = MutableNode(1), observed = node.observed
    let derived = node.map { value in
      if value == 1 { onThread { node.value = 2 } }  // left with this thread, which is inside
      return value
    }
    #expect(node.value == 2 && derived.value == 2)
    #expect(observed.value == 1)
    await mainQueue()
    #expect(observed.value == 2)
  }

  @Test func `15.1 settled waits for the step`() async {
    let node = MutableNode(0), observed = node.observed
    onThread { node.value = 1 }
    #expect(await settle())
    #expect(observed.value == 1)
  }

  @Test
  func `15.1 nodes that are observed, read, dropped and observed anew while threads set them`()
    async
  {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    let sources = (0..<4).map { _ in MutableNode(0) }
    let ended = Tally()
    for thread in 0..<3 {
      Thread {
        for number in 1...2_000 { sources[(number + thread) % 4].value = number }
        ended.add()
      }.start()
    }
    var derived: [Node<Int>] = [], kept: [ObservedNode<Int>] = []
    while ended.count < 3 {
      let source = sources[Int.random(in: 0..<4, using: &generator)]
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: derived.append(source.map { $0 * 2 })
      case 1: if !derived.isEmpty { derived.removeFirst() }
      case 2: kept.append((derived.last ?? source).observed)
      case 3: kept.removeAll()
      case 4: source.observed.current += 1
      case 5: for node in derived { node.lookWhetherItIsRead() }
      default: await mainQueue()
      }
      for node in derived.suffix(3) { _ = node.observed.value }
    }
    #expect(await settle())
    await mainQueue()
    for node in sources + derived {
      #expect(node.observed.value == node.value, "seed \(seed)")
      #expect(checkInvariants([node]) == [])
    }
  }

  @Test func `15.1 values that die in a step may set nodes`() {
    final class Bell: Sendable {
      let node: MutableNode<Int>
      init(_ node: MutableNode<Int>) { self.node = node }
      deinit { node.update { $0 += 1 } }
    }
    let rung = MutableNode(0), counter = rung.observed
    let node = MutableNode(Bell(rung)), observed = node.observed
    node.value = Bell(rung)
    #expect(observed.value != nil)
    node.clean()
    #expect(rung.value == 2 && counter.value == 2)
  }
}
