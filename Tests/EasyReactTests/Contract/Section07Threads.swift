import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, section 7. Each sentence once, with as little around it as can be; the suites in
/// `Threads/` race whole graphs. What must not compile stands in `Tests/Compile`.
@Suite("7 Threads", .watched) struct Section7 {
  @MainActor private final class Screen {
    var lines: [String] = []
    let title: String
    init(_ title: String) { self.title = title }
  }

  /// One thread is inside a node: its listener is being told a value and waits.
  private final class Inside<Value: Sendable & Equatable>: Sendable {
    private let isInside = DispatchSemaphore(value: 0)
    private let mayGo = DispatchSemaphore(value: 0)
    private let value: Value
    init(telling value: Value) { self.value = value }

    /// For the listener.
    func hear(_ told: Value) {
      if told != value { return }
      isInside.signal()
      wait(for: mayGo)
    }

    /// Sets the node to the value on one thread; runs `body` on another while the first is inside.
    func run(_ node: MutableNode<Value>, _ body: @escaping @Sendable () -> Void) {
      onThreads(2) { [self] number in
        if number == 0 { return node.value = value }
        wait(for: isInside)
        body()
        mayGo.signal()
      }
      #expect(waitForBackgroundWork())
    }
  }

  // MARK: 7.1

  @Test func `7.1 every node and edge is Sendable, and main-actor objects can be values`() async {
    func isSendable(_: some Sendable) -> Bool { true }
    let node = MutableNode(1), transform = NodeTransform<Int, Int>()
    #expect(isSendable(node) && isSendable(node.map { $0 }) && isSendable(transform))
    #expect(isSendable(node.listen { _ in }) && isSendable(node as AnyNode))
    let screens = MutableNode<Screen>()
    screens.value = await Screen("first")
    let titles = screens.flattenMap { _ in Node("a screen") }
    #expect(titles.value == "a screen")
  }

  @Test func `7.1 everything public may be called from any thread`() {
    Stress.rounds(10) { round in
      let a = MutableNode(0).named("a"), b = a.map { $0 + 1 }.named("b")
      round.threads(4) { member in
        var generator = round.generator(member)
        for number in 1...60 {
          switch generator.below(12) {
          case 0: a.set(number, context: "who")
          case 1: a.update { $0 += 1 }
          case 2: batch { a.value = number }
          case 3: round.expect(b.value! >= 1 && !b.isEmpty, "b holds \(b.value as Any)")
          case 4: round.expect(b.upstreamNodes == [a], "b follows another node")
          case 5: b.name = "b"
          case 6: round.expect(a.dot().contains("digraph"), "a picture without a graph")
          case 7: round.expect(a.snapshot().nodes.count >= 2, "a snapshot without nodes")
          case 8: _ = leakReport()
          case 9: Node<Int>().wiring.link(to: b).cancel()
          case 10: a.listenToChanges { _ = $0.path.count }.cancel()
          default: round.expect(b.description.contains("b"), "\(b)")
          }
        }
      }
      round.expect(b.value == a.value! + 1, "b holds \(b.value!) of \(a.value!)")
      round.expectRest([a])
    }
  }

  @Test @MainActor
  func `7.1 the main-actor form of listen is called later, in order, also from the main thread`()
    async
  {
    let screen = Screen("main"), node = MutableNode("a")
    let listening = node.listenOnMain { screen.lines.append($0) }
    node.value = "b"
    #expect(screen.lines == [])
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        node.value = "c"
        done.resume()
      }
    }
    node.value = "d"
    #expect(await settle())
    #expect(screen.lines == ["a", "b", "c", "d"])
    listening.cancel()
    node.value = "e"
    #expect(await settle())
    #expect(screen.lines.count == 4)
  }

  // MARK: 7.2

  @Test func `7.2 every receiver of a node sees the same sequence of values, one at a time`() {
    Stress.rounds(40) { round in
      let node = MutableNode(0), heard = (0..<3).map { Heard<Int>(letsOthersRunEvery: $0 + 1) }
      let listenings = heard.map { receiver in node.listen { receiver.hear($0) } }
      round.threads(3) { member in for number in 1...30 { node.value = member * 100 + number } }
      round.expect(heard.allSatisfy { $0.values == heard[0].values }, "sequences differ")
      round.expect(heard.allSatisfy { $0.overlaps == 0 }, "calls overlapped")
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `7.2 no value is lost, and those of one thread are told in the order of its sets`() {
    Stress.rounds(40) { round in
      let node = MutableNode(TextStamp(0, 0)), heard = Heard<TextStamp>(letsOthersRunEvery: 1)
      let listening = node.listen { heard.hear($0) }
      round.threads(4) { member in
        for number in 1...30 { node.value = TextStamp(member + 1, number) }
      }
      round.expectAll(heard.values, of: 1...4, count: 30, "the listener")
      listening.cancel()
    }
  }

  @Test func `7.2 calls never overlap, also not those of a listener of several nodes' merge`() {
    Stress.rounds(40) { round in
      let nodes = (0..<3).map { _ in MutableNode(0) }, heard = Heard<Int>(letsOthersRunEvery: 1)
      let listening = Node.merge(nodes).listen { heard.hear($0) }
      round.threads(3) { member in for number in 1...30 { nodes[member].value = number } }
      round.expect(heard.overlaps == 0, "calls overlapped")
      round.expect(heard.values.count == 91, "heard \(heard.values.count)")
      listening.cancel()
    }
  }

  @Test func `7.2 what has set out over an edge does not arrive once another thread has cut it`()
    throws
  {
    /// The step of a `map`, between nodes that can be set.
    func repointed(_ up: MutableNode<Int>, _ down: MutableNode<Int>, _ inside: Inside<Int>) throws
      -> @Sendable () -> Void
    {
      let mapped = up.map { value in
        inside.hear(value)
        return value
      }
      let transform = try #require(mapped.upstreamTransforms.first as? NodeTransform<Int, Int>)
      transform.to = down
      return { transform.to = nil }
    }
    func synced(_ up: MutableNode<Int>, _ down: MutableNode<Int>, _ inside: Inside<Int>)
      -> @Sendable () -> Void
    {
      let sync = down.sync(
        with: up,
        transform: { value in
          inside.hear(value)
          return value
        }, revert: { $0 })
      return { sync.cancel() }
    }
    for join in [repointed, synced] {
      let up = MutableNode(0), down = MutableNode<Int>(), heard = Journal<Int>()
      let inside = Inside(telling: 1), cut = try join(up, down, inside)
      let listening = down.listen { heard.note($0) }
      inside.run(up) {
        cut()
        down.value = 5
      }
      #expect(down.value == 5)
      #expect(heard.entries == [0, 5])
      #expect(checkInvariants([up, down]) == [])
      keepAlive(listening)
    }
  }

  @Test func `7.2 what a transform has sent from outside does not arrive once it is cut`() {
    final class Doubling: NodeTransform<Int, Int>, @unchecked Sendable {
      // Unchecked: adds no state.
      override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
        send(value * 2)
      }
    }
    let up = MutableNode(1), down = MutableNode<Int>(), transform = Doubling()
    let inside = Inside(telling: 4), heard = Journal<Int>()
    down.link(to: up, through: transform)
    let listenings = [down.listen { heard.note($0) }, down.listen { inside.hear($0) }]
    inside.run(down) {
      transform.send(7)  // left with the thread inside
      transform.to = nil
      down.value = 5
    }
    #expect(heard.entries == [2, 4, 5])
    transform.send(8)
    #expect(down.value == 5)
    keepAlive(listenings as AnyObject)
  }

  @Test func `7.2 a flatten that another thread cut off turns to no inner node any more`() {
    let outer = MutableNode(0), inner = [MutableNode(10), MutableNode(20)]
    let inside = Inside(telling: 1)
    let flat = outer.flattenMap { value in
      inside.hear(value)
      return inner[value]
    }
    inside.run(outer) { flat.wiring.removeUpstreamNodes() }
    inner[1].value = 21
    #expect(flat.value == 10)
    #expect(flat.upstreamNodes.isEmpty)
    #expect(inner.allSatisfy { !$0.hasDownstreamNode })
    #expect(checkInvariants([outer, flat] + inner) == [])
  }

  /// Found by a hostile review: the choice had come round the sync, so what it brought was refused behind the next one.
  @Test(arguments: [false, true], [false, true])
  func
    `4.5, 7.6 a flatten off every cycle follows what it chose while another thread was inside it`(
      _ comesRoundSync: Bool, _ isOutersSync: Bool
    )
  {
    let source = MutableNode(0), inner = source.map { $0 }, other = MutableNode(-1)
    let outer = MutableNode(0), partner = MutableNode(0)
    if isOutersSync { outer.sync(with: partner) } else { partner.sync(with: outer) }
    let flat = outer.flattenMap { $0 == 0 ? other as Node<Int> : inner }
    whileInside(source, settingTo: 5) {
      if comesRoundSync { partner.value = 1 } else { outer.value = 1 }
      outer.value = 1
    }
    #expect(inner.value == 5 && flat.value == 5)
  }

  // MARK: 7.3

  @Test func `7.3 no set waits for another thread's callbacks: the value is left, and told next`() {
    let node = MutableNode(0), inside = Inside(telling: 1), heard = Journal<Int>()
    let threads = Journal<UInt>()
    let listenings = [
      node.listen {
        heard.note($0)
        threads.note(threadNumber())
      },
      node.listen { inside.hear($0) },
    ]
    inside.run(node) {
      // All of these return while the listener waits.
      node.value = 2
      node.update { $0 += 1 }
      node.set(4, context: "c")
      #expect(heard.entries == [0, 1])
    }
    #expect(heard.entries == [0, 1, 2, 3, 4])
    #expect(Set(threads.entries.dropFirst()).count == 1)
    keepAlive(listenings as AnyObject)
  }

  @Test func `7.3 a listener that blocks on another thread which sets the same graph goes on`() {
    let node = MutableNode(0), heard = Journal<Int>(), below = node.map { $0 * 10 }
    let listenings = [
      below.listen { value in if value == 10 { onThread { node.value = 2 } } },
      below.listen { heard.note($0) },
    ]
    node.value = 1
    #expect(heard.entries == [0, 10, 20])
    keepAlive(listenings as AnyObject)
  }

  @Test func `7.3 a set may run listeners for values that other threads left`() {
    let node = MutableNode(0), inside = Inside(telling: 1)
    let told = Journal<UInt>(), setters = Journal<UInt>()
    let listenings = [
      node.listen { if $0 > 0 { told.note(threadNumber()) } }, node.listen { inside.hear($0) },
    ]
    inside.run(node) {
      setters.note(threadNumber())
      node.value = 2
    }
    #expect(told.count == 2)
    #expect(told.entries[1] == told.entries[0] && told.entries[1] != setters.entries[0])
    keepAlive(listenings as AnyObject)
  }

  @Test
  func `7.3 a thread is inside what it made something follow until its turn ends, also long after`()
  {
    let node = MutableNode(0), other = MutableNode(0), inside = Inside(telling: 1)
    let heard = Journal<Int>()
    let listenings = [
      other.listen { heard.note($0) },
      node.listen { if $0 == 1 { other.listen { _ in }.cancel() } },
      node.listen { inside.hear($0) },
    ]
    inside.run(node) {
      other.value = 2  // left with the one who only touched it, and waits in a listener of `node`
      #expect(other.value == 2)
      #expect(heard.entries == [0])
    }
    #expect(heard.entries == [0, 2])
    other.value = 3
    #expect(heard.entries == [0, 2, 3])
    keepAlive(listenings as AnyObject)
  }

  @Test(arguments: [1_000, 10])
  func `7.3 after 1,000 operations left by others (settable) a background queue takes over`(
    limit: Int
  ) async {
    await #expect(processExitsWith: .success) { [limit] in
      if limit != 1_000 { GraphLimits.messagesPerTurn = limit }
      let node = MutableNode(0), count = 3 * limit + 5, told = Journal<UInt>()
      let inside = Inside(telling: -1), holder = Journal<UInt>()
      let listenings = [
        node.listen { if $0 == -1 { holder.note(threadNumber()) } },
        node.listen { if $0 > 0 { told.note(threadNumber()) } }, node.listen { inside.hear($0) },
      ]
      inside.run(node) { for value in 1...count { node.value = value } }
      #expect(settle())
      #expect(told.count == count)
      #expect(told.entries.prefix(limit).allSatisfy { $0 == holder.entries[0] })
      #expect(told.entries[limit] != holder.entries[0])
      #expect(node.value == count)
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `7.3 what a dead owner's listener kept may wait for a thread that sets the node`() {
    final class Slow: Sendable {
      let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    }
    final class Kept: Sendable {
      let slow: Slow
      init(_ slow: Slow) { self.slow = slow }
      deinit {
        slow.isInside.signal()
        wait(for: slow.mayGo)
      }
    }
    let node = MutableNode(0), slow = Slow(), told = Journal<Int>()
    let listening = node.listen { told.note($0) }
    do {
      let kept = Kept(slow)
      node.listen(by: Token()) { _, _ in keepAlive(kept) }
    }
    onThreads(2) { number in
      if number == 0 {
        let owner = Token()
        node.listen(by: owner) { _, _ in }
        return
      }
      wait(for: slow.isInside)
      node.value = 1
      node.value = 2
      #expect(node.value == 2)
      slow.mayGo.signal()
    }
    #expect(settle())
    #expect(told.entries == [0, 1, 2])
    keepAlive(listening)
  }

  @Test
  func `7.3 what others end in a node counts for the bound, also where the holder sets it again`()
    async
  {
    await #expect(processExitsWith: .success) {
      final class Kept: Sendable {
        let died: Journal<UInt>
        init(_ died: Journal<UInt>) { self.died = died }
        deinit { died.note(threadNumber()) }
      }
      let limit = 10, count = 100, died = Journal<UInt>(), setter = Journal<UInt>()
      GraphLimits.messagesPerTurn = limit
      let node = MutableNode(0), inside = Inside(telling: 1), others = Journal<Listening>()
      for _ in 0..<count {
        let kept = Kept(died)
        others.note(node.listen { _ in keepAlive(kept) })
      }
      let listening = node.listen { value in
        inside.hear(value)
        if value != 1 { return }
        setter.note(threadNumber())
        node.value = 2
      }
      inside.run(node) { _ = others.take() }
      #expect(settle())
      #expect(died.count == count && node.value == 2)
      #expect(died.entries.count { $0 == setter.entries[0] } <= limit)
      keepAlive(listening)
    }
  }

  /// With one message a turn, so another thread takes the node over from the one that was told 1, and has left 4 itself.
  @Test func `7.5 who takes a node over reads there what it tells, not what waits`() async {
    await #expect(processExitsWith: .success) {
      GraphLimits.messagesPerTurn = 1
      let node = MutableNode(0), other = MutableNode(0), inside = Inside(telling: 1)
      let sum = node.combine(other).map { $0 + $1 }
      let setter = Journal<UInt>(), reads = Journal<[Int?]>()
      let listenings = [
        node.listen { value in
          inside.hear(value)
          if value != 1 { return }
          setter.note(threadNumber())
          node.value = 4
        },
        sum.listen { value in
          let isSetter = setter.entries.first == threadNumber()
          reads.note([value, node.value, isSetter ? 1 : 0])
        },
      ]
      inside.run(node) {
        node.value = 2
        node.value = 3
      }
      #expect(settle())
      // The setter reads what it has set, or a later value.
      #expect(reads.entries.allSatisfy { $0[2] == 1 || $0[1] == $0[0] })
      #expect(reads.entries.contains { $0[0] == 3 && $0[2] == 0 })
      #expect(sum.value == 4)
      keepAlive(listenings as AnyObject)
    }
  }

  // MARK: 7.4

  @Test func `7.4 without contention a listener runs on the thread that set`() {
    let node = MutableNode(0), threads = Journal<UInt>()
    let below = node.map { $0 }.combine(node).map { $0 + $1 }
    let listenings = [
      node.listen { _ in threads.note(threadNumber()) },
      below.listen { _ in threads.note(threadNumber()) },
    ]
    for value in 1...20 {
      _ = threads.take()
      onThread {
        node.value = value
        #expect(threads.take() == [threadNumber(), threadNumber()])
      }
    }
    keepAlive(listenings as AnyObject)
  }

  /// Listening by an owner ends a few listeners of dead owners, whose nodes are strange to the thread.
  @Test func `7.4 that another thread ends a node's listeners of dead owners is no contention`() {
    Stress.rounds(1) { round in
      let count = Int(20_000 * max(1, Stress.scale)), isOver = Atomic(false)
      round.threads(2) { member in
        if member == 1 {
          let strange = MutableNode(0), owner = Token()
          while !isOver.load(ordering: .relaxed) { strange.listen(by: owner) { _, _ in }.cancel() }
          return
        }
        let node = MutableNode(0), me = threadNumber(), here = Tally(), elsewhere = Tally()
        let listening = node.map { $0 }.listen { _ in
          if threadNumber() == me { here.add() } else { elsewhere.add() }
        }
        for number in 1...count {
          node.listen(by: Token()) { _, _ in }
          _ = here.take()
          node.value = number
          if here.take() == 1 { continue }
          round.expect(false, "set \(number) was left with the other thread")
          break
        }
        round.expect(elsewhere.count == 0, "\(elsewhere.count) calls on the other thread")
        isOver.store(true, ordering: .relaxed)
        keepAlive(listening)
      }
    }
  }

  @Test func `7.4 that a listener of another graph ends listeners of dead owners is none either`()
    async
  {
    // In a process of its own, where nobody else finds the dead owner.
    await #expect(processExitsWith: .success) {
      let node = MutableNode(0), strange = MutableNode(0), owner = Token()
      let inside = Inside(telling: 1), told = Journal<UInt>()
      let listenings = [
        node.map { $0 }.listen { _ in told.note(threadNumber()) },
        strange.listen { _ in for _ in 0..<10 { strange.listen(by: owner) { _, _ in } } },
        strange.listen { inside.hear($0) },
      ]
      node.map { -$0 }.listen(by: Token()) { _, _ in }
      _ = told.take()
      inside.run(strange) {
        node.value = 1
        #expect(told.entries == [threadNumber()])
      }
      #expect(node.downstreamNodes.count == 1)  // the other one is gone
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `7.4 nor does a dead owner that another thread finds change the order of nested sets`()
    async
  {
    // In a process of its own, where nobody else finds the dead owner.
    await #expect(processExitsWith: .success) {
      let a = MutableNode(0), node = MutableNode(0), inside = Inside(telling: 1)
      let tens = node.map { $0 * 10 }, other = MutableNode(5), told = Journal<[Int?]>()
      let listening = a.listen { value in
        if value != 1 { return }
        node.value = 1
        node.listen(by: Token()) { _, _ in }
        node.combine(other).listen(by: Token()) { _, _ in }
        inside.hear(value)
        node.value = 2
        node.update { $0 += 1 }
        told.note([node.value, tens.value])
      }
      inside.run(a) {
        let strange = MutableNode(0), owner = Token()
        for _ in 0..<10 { strange.listen(by: owner) { _, _ in } }
      }
      #expect(told.entries == [[3, 30]])
      keepAlive(listening)
    }
  }

  // MARK: 7.5

  @Test func `7.5 after set returns this thread reads that value or a later one, never an earlier`()
  {
    for kind in StampKind.allCases {
      switch kind {
      case .word: readBack(WordStamp.self)
      case .text: readBack(TextStamp.self)
      }
    }
  }

  private func readBack<Value: Stamp>(_: Value.Type) {
    Stress.rounds(30) { round in
      let node = MutableNode(Value(0, 0)), heard = Heard<Value>(letsOthersRunEvery: 1)
      let listening = node.listen { heard.hear($0) }
      let reads = Journal<(own: Value, read: Value)>()
      round.threads(4) { member in
        for number in 1...40 {
          let own = Value(member + 1, number)
          node.value = own
          reads.note((own, node.value!))
        }
      }
      var places: [Value: Int] = [:]
      for (place, value) in heard.values.enumerated() { places[value] = place }
      for (own, read) in reads.entries {
        guard let mine = places[own], let there = places[read] else {
          round.expect(false, "\(own) or \(read) was never told")
          continue
        }
        round.expect(there >= mine, "after setting \(own) a thread read \(read), told before it")
      }
      listening.cancel()
    }
  }

  @Test func `7.5 a value that still waits for another thread is read, and so is emptiness`() {
    let node = MutableNode(0), inside = Inside(telling: 1)
    let listening = node.listen { inside.hear($0) }
    inside.run(node) {
      node.value = 2
      #expect(node.value == 2)
      node.clean()
      #expect(node.value == nil && node.isEmpty)
      node.value = 3
      #expect(node.value == 3)
    }
    #expect(node.value == 3)
    listening.cancel()
  }

  /// The node is moved to a region of its own while a message waits for it, which is set aside until that has come.
  @Test func `7.5 what another thread sets in a region that is set aside is not read for it`() {
    let source = MutableNode(0), node = source.map { $0 }, below = node.map { $0 }
    let elsewhere = MutableNode(0), setter = Mutex<MutableNode<Int>?>(nil)
    let reads = Journal<Int?>(), isArmed = Mutex(false), bag = CancelableBag()
    bag.add(
      source.listen { value in
        if value == 1 {
          onThread { source.value = 5 }
          onThread {
            let late = below.listen { _ in if isArmed.withLock({ $0 }) { reads.note(node.value) } }
            bag.add(late)
          }
          let own = node.mutablify()
          setter.withLock { $0 = own }
          own.value = 7
          reads.note(node.value)
        } else if value == 5 {
          onThread {
            bag.add(elsewhere.listen { _ in setter.withLock { $0 }!.value = 9 })
          }
          reads.note(node.value)
          isArmed.withLock { $0 = true }
        }
      })
    source.value = 1
    #expect(settle())
    // Read is what this thread has set, or what is newer.
    #expect(reads.entries.prefix(2) == [7, 9] && !reads.entries.dropFirst(2).contains(0))
    #expect(reads.entries.count > 2)
    bag.cancel()
  }

  @Test
  func
    `7.5 inside a notification of the node, and of what it causes, the value being told is read`()
  {
    let node = MutableNode(0), inside = Inside(telling: 1), reads = Journal<[Int?]>()
    let below = node.map { $0 * 10 }.mutablify()
    let listenings = [
      node.listen { inside.hear($0) },
      node.listen { reads.note([$0, node.value]) },
      below.listen { reads.note([$0, node.value, below.value]) },
    ]
    _ = reads.take()
    inside.run(node) {
      node.value = 2
      #expect(node.value == 2)
    }
    #expect(reads.entries == [[1, 1], [10, 1, 10], [2, 2], [20, 2, 20]])
    keepAlive(listenings as AnyObject)
  }

  @Test(arguments: ["combine", "combine of an array", "derived", "zip", "synced"])
  func `7.5 so is it in what a join tells, which the notification caused`(_ kind: String) {
    let node = MutableNode(0), other = MutableNode(5), inside = Inside(telling: 1)
    let synced = MutableNode(0)
    let below =
      switch kind {
      case "combine": node.combine(other).map { $0 + $1 }
      case "combine of an array": Node.combine([node, other]).map { $0.reduce(0, +) }
      case "zip": node.zip(node.map { $0 }).map { $0.0 }
      case "synced": synced.mutablify()
      default: Node.derived { node.value! + other.value! }
      }
    let sync = kind == "synced" ? synced.sync(with: node) : nil
    let reads = Journal<[Int?]>()
    let listenings = [
      node.listen { inside.hear($0) },
      below.listen { _ in
        let told = node.value
        if told == 2 { node.value = 8 }  // behind what waits
        reads.note([told, node.value, node.isEmpty ? 1 : 0])
      },
    ]
    _ = reads.take()
    inside.run(node) {
      for value in [2, 3] { node.value = value }
      #expect(node.value == 3)
      node.clean()
      #expect(node.isEmpty)
      node.value = 4
    }
    // No joins these two: the node is still being told, also what it was set to meanwhile.
    let isJoin = !["synced", "zip"].contains(kind)
    let expected = isJoin ? [[1, 1, 0], [2, 8, 0]] : [[1, 1, 0], [2, 2, 0]]
    #expect(Array(reads.entries.prefix(2)) == expected)
    #expect(reads.entries.last == [8, 8, 0] && node.value == 8)
    keepAlive((listenings, sync) as AnyObject)
  }

  /// Found by a hostile review: the first half of the set came to the join as a message, and the second, over a sync, was
  /// refused as older than what the join had gone on with; for ever, also when the cycle was cut.
  ///
  /// - Parameter hasRun: Else the join has told nothing but its first value.
  @Test(
    arguments: ["combine", "combine of an array", "derived", "flattenMap", "flatten"],
    [true, false])
  func `4.1, 7.6 a join on a cycle hears all of a set of which a part had to wait`(
    _ kind: String, _ hasRun: Bool
  ) {
    let a = MutableNode(1), b = MutableNode(1), c = MutableNode(0), last = hasRun ? 1 : 0
    let told = Journal<[Int]>(), listenings = Journal<Listening>(), steps = Steps()
    let answers = [1, 9].map { number in b.combine(c).map { [number, $0, $1] } }
    let sum =
      switch kind {
      case "combine": a.combine(b, c).map { [$0, $1, $2] }
      case "derived": Node.derived { [a.value!, b.value!, c.value!] }
      case "flattenMap": a.flattenMap { answers[$0 / 9] }
      case "flatten": a.map { answers[$0 / 9] }.flatten()
      default: Node.combine([a, b, c])
      }
    let above = a.map { $0 }.listen {
      if $0 != 9 { return }
      steps.note { $0.runs[1] = 1 }
      steps.wait { $0.returned == 1 }
    }
    let listen = { @Sendable in
      let listening = sum.listen {
        told.note($0)
        if $0 != [1, 1, last] { return }
        steps.note { $0.runs[0] = 1 }
        steps.wait { $0.runs[1] == 1 }
      }
      listenings.note(listening)
    }
    if hasRun { listen() }
    a.sync(with: b)
    let back = b.link(to: sum.map { $0[0] }.filter { _ in false })
    onThreads(2) { thread in
      if thread == 0 {
        // Inside what `sum` tells, until the other thread has left its arrival and is not at `b` yet.
        if hasRun { c.value = 1 } else { listen() }
        steps.note { $0.returned = 1 }
      } else {
        steps.wait { $0.runs[0] == 1 }
        a.value = 9
      }
    }
    #expect(settle())
    #expect(sum.value == [9, 9, last] && told.entries.last == [9, 9, last])
    back.cancel()
    #expect(sum.value == [9, 9, last])
    keepAlive(listenings, above)
  }

  @Test func `7.5 an update that is left with another thread is readable once it has run`() {
    let node = MutableNode(0), inside = Inside(telling: 1)
    let listening = node.listen { inside.hear($0) }
    inside.run(node) {
      node.update { $0 += 10 }
      #expect(node.value == 1)
    }
    #expect(node.value == 11)
    listening.cancel()
  }

  @Test func `1.6 no concurrent set falls into an update, which runs on the thread that holds`() {
    let node = MutableNode(0), inside = Inside(telling: 1), threads = Journal<UInt>()
    let listenings = [
      node.listen { if $0 == 1 { threads.note(threadNumber()) } }, node.listen { inside.hear($0) },
    ]
    inside.run(node) {
      node.update { value in
        threads.note(threadNumber())
        value += 5
      }
      node.value = 7
    }
    #expect(Set(threads.entries).count == 1 && threads.count == 2)
    #expect(node.value == 7)
    keepAlive(listenings as AnyObject)
  }

  // MARK: 7.6

  @Test
  func
    `7.6 when all threads are quiet every map and combine equals its definition, and syncs hold`()
  {
    Stress.rounds(40) { round in
      let a = MutableNode(0), b = MutableNode(0), c = MutableNode(0)
      b.sync(with: c)
      let sum = a.combine(b).map { $0 + $1 }, product = sum.combine(a.map { -$0 }).map { $0 * $1 }
      let listenings = [sum.listen { _ in letOthersRun() }, product.listen { _ in }]
      round.threads(4) { member in
        let node = [a, b, c][member % 3]
        for number in 1...40 { node.value = member * 100 + number }
      }
      round.expect(settle(), "it does not come to rest")
      round.expect(b.value == c.value, "\(b.value!) is synced with \(c.value!)")
      round.expect(sum.value == a.value! + b.value!, "the sum is \(sum.value!)")
      round.expect(product.value == sum.value! * -a.value!, "the product is \(product.value!)")
      round.expectRest([a, b, c])
      keepAlive(listenings as AnyObject)
    }
  }
}
