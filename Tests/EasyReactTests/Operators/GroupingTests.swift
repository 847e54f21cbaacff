import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, section 10.6: `groupBy`.
@Suite("10.6 Grouping", .watched) struct GroupingTests {
  @Test func `2.4, 10.6 nothing is told over an edge that the key's closure has cut`() {
    let node = MutableNode<Int>(), cut = Journal<@Sendable () -> Void>()
    let rooms = node.groupBy { value in
      if value == 2 { cut.entries[0]() }
      return 0
    }
    let heard = Recorder(rooms)
    node.value = 1
    let parted = rooms.upstreamNodes[0]
    cut.note { parted.wiring.removeUpstreamNodes() }
    let told = Recorder(heard.values[0].values)
    node.value = 2
    #expect(told.values == [1])
    _ = cut.take()
  }

  @Test func `10.6 groupBy tells a group for each new key, and each value to its group`() {
    let a = MutableNode("apple")
    let asked = Tally()
    let groups = a.groupBy { word -> Character in
      asked.add()
      return word.first!
    }
    let told = Journal<String>(), listenings = Journal<Listening>()
    let listening = groups.listen { group in
      told.note("group \(group.key)")
      listenings.note(group.values.listen { told.note("\(group.key): \($0)") })
    }
    #expect(told.take() == ["group a", "a: apple"])
    a.value = "bean"
    a.value = "avocado"
    a.clean()
    a.value = "banana"
    #expect(told.take() == ["group b", "b: bean", "a: avocado", "b: banana"])
    #expect(asked.count == 4)
    #expect(checkInvariants([a]) == [])
    keepAlive(listening)
    _ = listenings.take()
  }

  @Test
  func `10.6 a group that nobody keeps is forgotten; the next value with its key begins another`() {
    let a = MutableNode<Int>()
    let lives = LifetimeTracker()
    let groups = a.groupBy { $0 % 2 }
    let keys = Journal<Int>()
    let listening = groups.listen { group in
      keys.note(group.key)
      _ = lives.track(group.values, "\(group.key)")
    }
    for value in [1, 2, 3, 4] { a.value = value }
    // The last group told is kept by the node that told it.
    #expect(keys.entries == [1, 0, 1, 0])
    #expect(lives.alive == ["0"])
    for value in 0..<100 { a.value = value * 2 }
    #expect(keys.count == 4)
    keepAlive(listening)
  }

  @Test func `10.6 a group keeps what it comes from, and the result is not needed`() {
    let lives = LifetimeTracker()
    let source = MutableNode(1)
    var odd: Node<Int>? = lives.track(source.map { $0 }, "upstream").groupBy { $0 % 2 }.value?
      .values
    source.value = 2  // a group that nobody hears of
    source.value = 3
    #expect(odd?.value == 3)
    #expect(lives.alive == ["upstream"])
    keepAlive(odd)
    odd = nil
    #expect(lives.alive == [])
    #expect(!source.hasDownstreamNode)
  }

  @Test func `10.6 groups take part in joins without glitches, and carry the context`() {
    let a = MutableNode(1)
    let groups = a.groupBy { _ in "all" }
    let group = groups.value!.values
    let sum = Recorder(a.combine(group).map { $0 + $1 })
    a.set(2, context: "mine")
    #expect(sum.values == [2, 4])
    #expect(sum.contexts.map { $0 as? String } == [nil, "mine"])
    let paths = Journal<[String?]>()
    a.name = "a"
    group.name = "group"
    let listening = group.listenToChanges { paths.note($0.path.map(\.name)) }
    a.value = 3
    #expect(paths.entries.last == ["a", nil, "group"])
    #expect(checkInvariants([a]) == [])
    keepAlive(listening)
  }

  @Test func `10.6 two thousand groups: a value runs the closure once and reaches one group`() {
    let a = MutableNode<Int>()
    let groups = a.groupBy { $0 }
    let told = Tally(), kept = Journal<Listening>()
    let listening = groups.listen { kept.note($0.values.listen { _ in told.add() }) }
    for value in 0..<2_000 { a.value = value }
    #expect(told.take() == 2_000)
    for value in 0..<2_000 { a.value = value }
    #expect(told.count == 2_000)
    keepAlive(listening)
    _ = kept.take()
  }

  @Test func `10.6 groupBy of events tells the group, then the event`() {
    let taps = MutableNode<Int>.eventNode()
    let told = Recorder(
      taps.groupBy { $0 % 2 }.mergeMap { group in group.values.map { (group.key, $0) } }
        .map { "\($0.0): \($0.1)" })
    for value in [1, 2, 3] { taps.value = value }
    #expect(told.values == ["1: 1", "0: 2", "1: 3"])
  }

  @Test
  func `10.6 a group that was cut off hears nothing; the next value with its key begins another`()
    throws
  {
    let a = MutableNode(1)
    let result = a.groupBy { $0 % 2 }
    let groups = Recorder(result)
    let odd = groups.values[0].values
    let told = Recorder(odd)
    odd.wiring.removeUpstreamNodes()
    a.value = 3
    #expect(told.values == [1] && odd.value == 1)
    try #require(groups.values.map(\.key) == [1, 1])
    let next = groups.values[1].values
    a.value = 5
    #expect(next.value == 5 && odd.value == 1)
    #expect(groups.values.count == 2)
    #expect(checkInvariants([a, odd, next]) == [])
  }

  @Test func `10.6 a result that was cut off is told no group, and the groups there are go on`() {
    let a = MutableNode(1)
    let keys = Tally()
    let result = a.groupBy { value in
      keys.add()
      return value % 2
    }
    let groups = Recorder(result)
    let odd = groups.values[0].values
    result.wiring.removeUpstreamNodes()
    for value in [2, 3, 4] { a.value = value }
    #expect(groups.values.map(\.key) == [1])
    #expect(odd.value == 3 && keys.count == 4)
    #expect(checkInvariants([a, odd, result]) == [])
  }

  @Test func `10.6 what has set out for a group does not arrive once another thread has cut it`() {
    Stress.rounds(2_000) { round in
      let a = MutableNode<Int>()
      let result = a.groupBy { _ in "all" }
      let groups = Recorder(result)
      a.value = 0
      let group = groups.values[0].values
      round.threads(2) { member in
        if member == 0 { return a.value = 1 }
        group.wiring.removeUpstreamNodes()
        group.mutablify().value = -1
      }
      round.expect(group.value == -1, "the group ended with \(group.value ?? 0)")
      keepAlive(groups)
    }
  }

  @Test func `10.6 while another thread is inside a group that was cut off, another one begins`() {
    let a = MutableNode<Int>()
    let groups = Recorder(a.groupBy { _ in "all" })
    a.value = 0
    let first = groups.values[0].values
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let down = first.mutablify()
    let listening = first.listen { value in
      if value != -1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return down.value = -1 }
      wait(for: isInside)
      first.wiring.removeUpstreamNodes()
      a.value = 1
      a.value = 2
      #expect(groups.values.map(\.values.value) == [-1, 2])
      mayGo.signal()
    }
    #expect(first.value == -1)
    keepAlive(listening)
  }

  @Test(arguments: [false, true])
  func `10.6 what follows in a group that another thread tells is heard from the first value on`(
    ofEvents: Bool
  ) {
    let a = ofEvents ? MutableNode<Int>.eventNode() : MutableNode<Int>()
    let groups = a.groupBy { $0 / 100 }
    let told = Journal<Int>()
    let listening = groups.mergeMap { $0.values }.listen { told.note($0) }
    a.value = 1
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    onThreads(2) { number in
      if number == 0 {
        // Attached, it hears of the group that is there: this thread is inside the result.
        let late = groups.listen { group in
          if group.key != 0 { return }
          isInside.signal()
          wait(for: mayGo)
        }
        keepAlive(late)
        return
      }
      wait(for: isInside)
      for value in [101, 102, 201, 103, 202] { a.value = value }
      #expect(told.entries == [1])
      mayGo.signal()
    }
    #expect(settle())
    a.value = 104
    #expect(told.entries == [1, 101, 102, 201, 103, 202, 104])
    #expect(checkInvariants([a]) == [])
    keepAlive(listening)
  }

  @Test(arguments: [false, true])
  func `10.6 what follows in a group that waits for a busy result is heard from the first value on`(
    ofEvents: Bool
  ) {
    let a = ofEvents ? MutableNode<Int>.eventNode() : MutableNode<Int>()
    let groups = a.groupBy { $0 / 100 }, told = Journal<Int>()
    let first = groups.mergeMap { $0.values }.listen { told.note($0) }
    a.value = 1
    // Attached, it hears of the group that is there: the result is busy, what it comes from is not.
    let second = groups.listenToChanges { change in
      if change.value.key == 0 {
        for value in [101, 102, 201, 103, 202] { a.set(value, context: value) }
        #expect(told.entries == [1])
      }
      if change.value.key == 1 { a.value = 104 }
    }
    #expect(told.entries == [1, 101, 102, 201, 103, 202, 104])
    a.value = 105
    #expect(told.entries == [1, 101, 102, 201, 103, 202, 104, 105])
    #expect(checkInvariants([a]) == [])
    keepAlive([first, second] as AnyObject)
  }

  @Test func `10.6 a result that is let go of while its groups are told elsewhere loses no order`()
  {
    let a = MutableNode<Int>(), start = MutableNode<Int>(), told = Journal<Int>()
    let result = Mutex<Node<NodeGroup<Int, Int>>?>(a.groupBy { $0 % 10 })
    let hearing = Mutex<Listening?>(nil), ofGroup = Mutex<Listening?>(nil)
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let isTold = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
    // Its turn is inside the result, and tells what is left there when it ends: of the first group the last who keeps the
    // result lets go of it.
    let listening = start.listen { _ in
      let new = result.withLock { $0! }.listen { group in
        let heard = group.values.listen { value in
          told.note(value)
          if value != 11 { return }
          isTold.signal()
          wait(for: mayEnd)
        }
        ofGroup.withLock { $0 = heard }
        let (node, last) = (result.withLock { $0.take() }, hearing.withLock { $0.take() })
        last?.cancel()
        withExtendedLifetime((node, last)) {}
      }
      hearing.withLock { $0 = new }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return start.value = 1 }
      wait(for: isInside)
      for value in [1, 11, 21] { a.value = value }
      mayGo.signal()
      wait(for: isTold)
      a.value = 31
      mayEnd.signal()
    }
    #expect(settle())
    #expect(told.entries == [1, 11, 21, 31])
    #expect(result.withLock { $0 == nil })
    keepAlive(listening)
    _ = ofGroup.withLock { $0.take() }
  }

  @Test(arguments: [false, true])
  func
    `10.6 a result that its own listener lets go of while groups wait in its queue loses no order`(
      ofEvents: Bool
    )
  {
    let a = ofEvents ? MutableNode<Int>.eventNode() : MutableNode<Int>(), told = Journal<Int>()
    var result = Optional(a.groupBy { $0 / 100 })
    weak let gone = result
    let kept = Mutex<[Listening]>([])
    let listening = result!.listen { group in
      if group.key == 0 { for value in [101, 102, 201, 103] { a.value = value } }
      if group.key != 1 { return }
      let heard = group.values.listen { value in
        told.note(value)
        if value == 102 { a.value = 105 }
      }
      // The last who keeps the result lets go of it.
      let all = kept.withLock { kept in
        defer { kept = [heard] }
        return kept
      }
      for listening in all { listening.cancel() }
      a.value = 104
    }
    kept.withLock { $0 = [listening] }
    result = nil
    a.value = 1
    #expect(told.entries == [101, 102, 103, 104, 105])
    a.value = 106
    #expect(told.entries == [101, 102, 103, 104, 105, 106])
    #expect(gone == nil)
    #expect(checkInvariants([a]) == [])
    kept.withLock { $0 }.forEach { $0.cancel() }
  }
}
