import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 9.2 and 9.4 to 9.6.
extension Section9 {
  @Test func `9.2 listen returns a Listening: releasing it or cancel() ends it`() {
    let a = MutableNode(1)
    let journal = Journal<Int>()
    var listening: Listening? = a.listen { journal.note($0) }
    let second = a.listen { journal.note($0 * 100) }
    #expect(a.listenerCount == 2)
    a.value = 2
    #expect(journal.take() == [1, 100, 2, 200])
    keepAlive(listening)
    listening = nil
    #expect(a.listenerCount == 1)
    a.value = 3
    #expect(journal.take() == [300])
    second.cancel()
    #expect(!a.hasListener)
    a.value = 4
    #expect(journal.take() == [])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.6 one bag keeps whatever can be cancelled, and ends it in order`() {
    let a = MutableNode(1), b = MutableNode(0), journal = Journal<String>()
    let lives = LifetimeTracker()
    var bag: CancelableBag? = lives.track(CancelableBag(), "bag")
    a.listen { journal.note("a \($0)") }.store(in: bag!)
    b.listen { journal.note("b \($0)") }.store(in: bag!)
    b.link(to: a).store(in: bag!)
    ClosureCancelable { [a] in a.value = 2 }.store(in: bag!)
    a.listen(by: journal) { journal, value in journal.note("by \(value)") }.store(in: bag!)
    #expect(bag!.count == 5)
    #expect(journal.take() == ["a 1", "b 0", "b 1", "by 1"])
    bag = nil
    #expect(journal.take() == ["by 2"])
    #expect(!a.hasListener && !b.hasListener && !a.hasDownstreamNode && lives.alive == [])
  }

  @Test func `9.6 an array of cancelables keeps; releasing it ends listenings and no links`() {
    let a = MutableNode(1), b = MutableNode(0)
    var cancelables: [any Cancelable] = []
    a.listen { _ in }.store(in: &cancelables)
    b.link(to: a).store(in: &cancelables)
    cancelables = []
    a.value = 2
    #expect(!a.hasListener && b.value == 2)
    b.wiring.removeUpstreamNodes()
  }

  @Test func `9.2 store(in:) keeps many, ended together, in an array or in a bag`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1), b = MutableNode("x")
    let journal = Journal<String>()
    var array: [Listening] = []
    var bag: CancelableBag? = CancelableBag()
    lives.track(a.map { $0 }, "first").listen { journal.note("\($0)") }.store(in: &array)
    b.listen { journal.note($0) }.store(in: &array)
    a.listen { journal.note("bag \($0)") }.store(in: bag!)
    lives.track(b.map { $0 }, "second").listen { journal.note("bag \($0)") }.store(in: bag!)
    #expect(bag?.count == 2)
    #expect(journal.take() == ["1", "x", "bag 1", "bag x"])
    b.value = "y"
    #expect(journal.take() == ["y", "bag y"])
    #expect(lives.alive == ["first", "second"])
    keepAlive(array as AnyObject, bag)
    bag = nil
    array = []
    #expect(lives.alive == [])
    a.value = 2
    b.value = "z"
    #expect(journal.take() == [])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `9.4 attaching delivers the current value at once unless the node is empty`() {
    let empty = MutableNode<Int>(), full = MutableNode(1)
    let (first, second) = (Recorder(empty), Recorder(full))
    #expect(first.values == [] && second.values == [1])
    full.clean()
    let third = Recorder(full)
    #expect(third.values == [])
    full.value = 2
    empty.value = 3
    #expect(first.values == [3] && second.values == [1, 2] && third.values == [2])
  }

  @Test func `9.4 the same listener may be attached several times, each is called in order`() {
    let a = MutableNode(1)
    let owner = Section0.Owner()
    for _ in 0..<2 { a.listen(by: owner, calling: Section0.Owner.show) }
    a.listen(by: owner, calling: Section0.Owner.refresh)
    a.value = 2
    #expect(
      owner.journal.entries == ["show 1", "show 1", "refresh", "show 2", "show 2", "refresh"])
  }

  @Test func `9.4 on a scheduler each value is told later, in order, the first one too`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let journal = Journal<Int>()
    let listening = a.listen(on: clock) { journal.note($0) }
    a.value = 2
    a.value = 3
    #expect(journal.entries == [])
    clock.run()
    a.value = 4
    #expect(journal.entries == [1, 2, 3])
    clock.run()
    #expect(journal.entries == [1, 2, 3, 4])
    keepAlive(listening)
  }

  @Test func `9.4 on a concurrent queue the order holds and calls do not overlap`() {
    let a = MutableNode(0)
    let journal = Journal<Int>(), inside = Tally(), overlaps = Tally()
    let isDone = DispatchSemaphore(value: 0)
    let listening = a.listen(on: .queue(DispatchQueue(label: "many", attributes: .concurrent))) {
      value in
      inside.add()
      if inside.count != journal.count + 1 { overlaps.add() }
      journal.note(value)
      if value == 1_000 { isDone.signal() }
    }
    for value in 1...1_000 { a.value = value }
    wait(for: isDone)
    #expect(journal.entries == Array(0...1_000))
    #expect(overlaps.count == 0)
    keepAlive(listening)
  }

  @Test
  func `9.4 a ListenEdge subclass hears values and emptiness, kept by the caller or by an owner`() {
    let a = MutableNode(1)
    let mine = Section2.Log(), theirs = Section2.Log()
    var owner: Token? = Token()
    let listening = a.listen(with: mine)
    a.listen(by: owner!, with: theirs)
    a.set(2, context: "c")
    a.clean()
    keepAlive(owner)
    owner = nil
    a.value = 3
    a.clean()
    #expect(mine.journal.entries == ["1 -", "2 c", "empty", "3 -", "empty"])
    #expect(theirs.journal.entries == ["1 -", "2 c", "empty"])
    #expect(a.listenerCount == 1)
    keepAlive(listening)
  }

  @Test
  func
    `9.5 after cancel() no call starts on this thread: not for the value being told, nor for those that wait`()
  {
    let a = MutableNode(0)
    let journal = Journal<String>(), held = Journal<Listening>()
    let first = a.listen { value in
      journal.note("L1:\(value)")
      if value == 1 {
        a.value = 2
        held.entries.forEach { $0.cancel() }
      }
    }
    held.note(a.listen { journal.note("L2:\($0)") })
    held.note(a.map { $0 }.listen { journal.note("L3:\($0)") })
    let last = a.listen { journal.note("L4:\($0)") }
    _ = journal.take()
    a.value = 1
    #expect(journal.entries == ["L1:1", "L4:1", "L1:2", "L4:2"])
    #expect(checkInvariants([a]) == [])
    keepAlive(first, last)
  }

  @Test func `9.5 a listener that cancels itself hears nothing more, not even what it set`() {
    let a = MutableNode(0)
    let told = Journal<Int>(), held = Journal<Listening>()
    held.note(
      a.listen { value in
        told.note(value)
        if value == 1 {
          a.value = 2
          held.entries[0].cancel()
        }
      })
    a.value = 1
    a.value = 3
    #expect(told.entries == [0, 1])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.5 no call starts that was waiting on a queue or timer`() {
    let clock = VirtualScheduler()
    let a = MutableNode(0)
    let journal = Journal<String>()
    let owner = Token()
    let listenings: [any Cancelable] = [
      a.listen(on: clock) { journal.note("queue \($0)") },
      a.listen(by: owner, on: clock) { journal.note("owner \($1)") },
      a.deliver(on: clock).listen { journal.note("deliver \($0)") },
      a.delay(.seconds(1), on: clock).listen { journal.note("delay \($0)") },
      a.debounce(.seconds(1), on: clock).listen { journal.note("debounce \($0)") },
    ]
    clock.run()
    #expect(journal.take().count == 5)
    a.value = 1
    for listening in listenings { listening.cancel() }
    clock.run()
    a.value = 2
    clock.run()
    #expect(journal.take() == [])
    #expect(!a.hasListener && !a.hasDownstreamNode)
    #expect(clock.pendingCount == 0)
    #expect(checkInvariants([a]) == [])
    keepAlive(owner)
  }

  @Test func `9.5 a call that waits behind the one that cancels is not made`() {
    let clock = VirtualScheduler()
    let a = MutableNode(0)
    let told = Journal<Int>(), held = Journal<Listening>()
    held.note(
      a.listen(on: clock) { value in
        told.note(value)
        if value == 1 { held.entries[0].cancel() }
      })
    for value in 1...3 { a.value = value }
    clock.run()
    #expect(told.entries == [0, 1])
  }

  @Test func `9.5 on another thread at most the call that had passed its check is made`() {
    let a = MutableNode(0)
    let queue = DispatchQueue(label: "listener")
    let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let told = Journal<Int>()
    let listening = a.listen(on: .queue(queue)) { value in
      if value == 1 {
        isInside.signal()
        wait(for: mayGoOn)
      }
      told.note(value)
    }
    for value in 1...5 { a.value = value }
    wait(for: isInside)
    listening.cancel()
    mayGoOn.signal()
    queue.sync {}
    #expect(told.entries == [0, 1])
    #expect(checkInvariants([a]) == [])
  }

  @MainActor
  @Test func `9.5 a listening on the main actor, cancelled there, is never called again`() async {
    let a = MutableNode(0)
    let told = Journal<Int>()
    let first = a.listenOnMain { told.note($0) }
    var second: Listening? = a.listenOnMain { told.note($0 * 100) }
    await Section0.mainQueueIsDrained()
    #expect(told.take() == [0, 0])
    DispatchQueue.global().sync { a.value = 1 }
    first.cancel()
    keepAlive(second)
    second = nil
    await Section0.mainQueueIsDrained()
    await Section0.mainQueueIsDrained()
    #expect(told.entries == [])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.6 cancelling twice is harmless`() {
    let a = MutableNode(1), b = MutableNode(2), c = MutableNode(3)
    let owner = Token(), calls = Tally()
    let cancelables: [any Cancelable] = [
      a.listen { _ in }, a.listen(by: owner) { _, _ in }, b.link(to: a), c.sync(with: a),
      CancelableBag(), ClosureCancelable { calls.add() },
      a.listen(on: VirtualScheduler()) { _ in },
    ]
    for _ in 0..<3 { for cancelable in cancelables { cancelable.cancel() } }
    #expect(calls.count == 1)
    #expect(!a.hasListener && !a.hasDownstreamNode && !a.hasUpstreamNode)
    a.value = 9
    #expect([b.value, c.value] == [1, 1])
    #expect(checkInvariants([a, b, c]) == [])
    keepAlive(owner)
  }

  @Test func `9.6 CancelableBag cancels its members in order, and on its own end`() {
    let journal = Journal<Int>()
    var bag: CancelableBag? = CancelableBag()
    let kept = ClosureCancelable { journal.note(9) }
    for number in 1...3 { bag!.add(ClosureCancelable { journal.note(number) }) }
    bag!.add(kept)
    #expect(bag!.count == 4)
    bag!.remove(kept)
    bag!.cancel()
    #expect(journal.take() == [1, 2, 3])
    #expect(bag!.count == 0)
    for number in 4...6 { bag!.add(ClosureCancelable { journal.note(number) }) }
    #expect(journal.take() == [])
    bag = nil
    #expect(journal.take() == [4, 5, 6])
    kept.cancel()
    #expect(journal.take() == [9])
  }

  @Test func `9.6 a bag ends links, syncs and listenings alike`() {
    let a = MutableNode(1), b = MutableNode(0), c = MutableNode(0)
    let told = Journal<Int>()
    let bag = CancelableBag()
    bag.add(b.link(to: a))
    bag.add(c.sync(with: a))
    bag.add(a.listen { told.note($0) })
    a.value = 2
    bag.cancel()
    a.value = 3
    #expect([b.value, c.value] == [2, 2])
    #expect(told.entries == [1, 2])
    #expect(checkInvariants([a, b, c]) == [])
  }
}
