import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.4: calls of async functions, in virtual time.
@Suite(.watched) struct `14 Calls` {
  private let clock = VirtualScheduler()

  // MARK: What overlaps

  @Test
  func `14.4 latest, the default: a newer value cancels the running call, which tells nothing`()
    throws
  {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("1-2----3-----", as: Int.self)
    let found = a.mapAsync(on: test.clock) { await service.answer($0, after: 3) }
    try test.expect(found, "-----2----3--")
    #expect(
      service.journal.entries == [
        "begin 1", "cancel 1", "begin 2", "end 2", "begin 3", "end 3",
      ])
  }

  @Test func `14.4 latest: a late result of a cancelled call is never told, though it ends`() throws
  {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("1-2------", as: Int.self)
    let found = a.mapAsync(on: test.clock) {
      await service.stubbornAnswer($0, after: $0 == 1 ? 6 : 2)
    }
    try test.expect(found, "----2----")
    #expect(
      service.journal.entries == ["begin 1", "begin 2", "end 2", "end 1, cancelled"])
  }

  @Test func `14.4 latest: a result that comes behind a newer value, in one mailbox, is not told`()
    async
  {
    let a = MutableNode(2), told = Answers<Int>(), gate = Gate()
    let found = a.mapAsync { value in
      if value == 2 { await gate.pass() }
      return value
    }
    await gate.isReached()
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = found.listen { value in
      told.hear(value)
      if value != 100 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    let other = found.mutablify()
    DispatchQueue.global().async { other.value = 100 }
    wait(for: isInside)
    a.value = 3  // left with the thread that is inside
    gate.open()  // so is the result of 2, if it comes in time
    mayGo.signal()
    #expect(await told.first(2) == [100, 3])
    #expect(await settled())
    #expect(told.values == [100, 3])
    keepAlive(listening)
  }

  @Test func `14.4 ordered: results in the order of the values, so many calls at a time`() throws {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("[412]--3---", as: Int.self)
    let found = a.mapAsync(.ordered(maxConcurrent: 2), on: test.clock) {
      await service.answer($0, after: $0)
    }
    // 1 waits for 4; 2 begins when 1 has ended, 3 when 2 has.
    try test.expect(found, "----[412]-3----")
    #expect(
      service.journal.entries == [
        "begin 4", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 4", "end 3",
      ])
  }

  @Test func `14.4 ordered with one at a time: the next call begins when a result was told`() throws
  {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("321-------", as: Int.self)
    let found = a.mapAsync(.ordered(maxConcurrent: 1), on: test.clock) {
      await service.answer($0, after: $0)
    }
    try test.expect(found, "---3-21---")
  }

  @Test func `14.4 unordered: results as they come, so many calls at a time`() throws {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("[412]------", as: Int.self)
    let found = a.mapAsync(.unordered(maxConcurrent: 2), on: test.clock) {
      await service.answer($0, after: $0)
    }
    try test.expect(found, "-1-24------")
  }

  @Test func `14.4 dropWhileBusy: values that come during a call are dropped`() throws {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("12-34-5---", as: Int.self)
    let found = a.mapAsync(.dropWhileBusy, on: test.clock) {
      await service.answer($0, after: 2)
    }
    try test.expect(found, "--1--3--5-")
  }

  // MARK: What is told

  @Test func `14.4 a closure that throws gives results, and keeps its type of error`() {
    let a = MutableNode<Int>()
    let any = a.mapAsync(.ordered(maxConcurrent: 1), on: clock) { value in
      if value == 2 { throw Refusal(reason: "two") }
      if value == 3 { throw CancellationError() }  // of its own accord: a failure as any other
      return "\(value)"
    }
    let typed: Node<Result<String, Refusal>> = a.mapAsync(on: clock) {
      value async throws(Refusal) in
      throw Refusal(reason: "\(value)")
    }
    let told = Recorder(any)
    for value in 1...3 { a.value = value }
    clock.run()
    #expect(told.values.map { (try? $0.get()) ?? "✗" } == ["1", "✗", "✗"])
    let errors = told.values.compactMap { result -> (any Error)? in
      if case .failure(let error) = result { error } else { nil }
    }
    #expect(errors[0] as? Refusal == Refusal(reason: "two") && errors[1] is CancellationError)
    #expect(typed.value == .failure(Refusal(reason: "3")))
  }

  @Test func `14.4 what a cancelled call throws is not told`() {
    let a = MutableNode(1), service = Service(clock)
    let told = Recorder(a.mapAsync(on: clock) { try await service.tryToAnswer($0, after: 1) })
    clock.advance(by: .milliseconds(500))
    a.value = 2
    clock.run()
    #expect(told.values.map { try? $0.get() } == [2])
  }

  @Test func `14.4 8.1 a result carries the context of the value that it answers`() {
    for policy in [OverlapPolicy.ordered(maxConcurrent: 1), .unordered(maxConcurrent: 3)] {
      let a = MutableNode<Int>(), service = Service(clock)
      let told = Recorder(
        a.mapAsync(policy, on: clock) { await service.answer($0, after: 4 - $0) }.map { $0 })
      for value in 1...3 { a.set(value, context: "who \(value)") }
      a.value = 3
      clock.run()
      #expect(told.values.count == 4)
      let pairs = zip(told.values, told.contexts.map { $0 as? String ?? "-" }).map { "\($0) \($1)" }
      #expect(Set(pairs) == ["1 who 1", "2 who 2", "3 who 3", "3 -"])
    }
  }

  @Test func `14.4 the present value is called for at once, an empty node's result is empty`() {
    let service = Service(clock)
    let present = MutableNode(7).mapAsync(on: clock) { await service.answer($0, after: 1) }
    let none = MutableNode<Int>().mapAsync(on: clock) { await service.answer($0, after: 1) }
    #expect(present.isEmpty && none.isEmpty)
    clock.run()
    #expect(present.value == 7 && none.isEmpty)
  }

  @Test func `14.4 emptying does nothing: what is under way goes on, and what waits too`() {
    let a = MutableNode<Int>(), service = Service(clock)
    let last = Recorder(a.mapAsync(on: clock) { await service.answer($0, after: 2) })
    let each = Recorder(
      a.mapAsync(.ordered(maxConcurrent: 1), on: clock) { await service.answer($0, after: 2) })
    a.value = 1
    a.value = 2
    clock.advance(by: .seconds(1))
    a.clean()
    clock.run()
    #expect(last.values == [2] && each.values == [1, 2])
  }

  @Test func `14.4 the result of an event is an event`() {
    let taps = MutableNode<Int>.eventNode(), service = Service(clock)
    let answers = taps.mapAsync(.dropWhileBusy, on: clock) { await service.answer($0, after: 1) }
    let told = Recorder(answers)
    taps.value = 1
    taps.value = 2
    clock.run()
    taps.value = 3
    clock.run()
    #expect(told.values == [1, 3])
    #expect(answers.isEmpty)
  }

  @Test func `14.4 12.4 a tracer hears that a value waits for its call, or was dropped`() {
    let a = MutableNode(1), service = Service(clock)
    let each = a.mapAsync(.ordered(maxConcurrent: 1), on: clock) {
      await service.answer($0, after: 1)
    }
    let some = a.mapAsync(.dropWhileBusy, on: clock) { await service.answer($0, after: 1) }
    let log = traced { a.value = 2 }
    #expect(log.stops(each) == [.waitsForCall] && log.stops(some) == [.filtered])
    clock.run()
    #expect(each.value == 2 && some.value == 1)
  }

  @Test func `14.4 a policy with room for no call stops with a message`() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").mapAsync(.ordered(maxConcurrent: 0)) { $0 }
    }
    Operators.expectMessage(
      none, "mapAsync(.ordered(maxConcurrent:)): the count 0 is not positive", "Pass one or more.")
    let less = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").mapAsync(.unordered(maxConcurrent: -1)) { $0 }
    }
    Operators.expectMessage(
      less, "mapAsync(.unordered(maxConcurrent:)): the count -1 is not positive")
  }
}

// MARK: - The end

extension `14 Calls` {
  @Test(arguments: [
    OverlapPolicy.latest, .ordered(maxConcurrent: 2), .unordered(maxConcurrent: 2), .dropWhileBusy,
  ])
  func `14.4 dropped, the node cancels what runs, and drops what waits`(_ policy: OverlapPolicy) {
    let a = MutableNode(1), service = Service(clock)
    var listening: Listening? = a.mapAsync(policy, on: clock) {
      await service.answer($0, after: 5)
    }.listen { _ in Issue.record("told") }
    keepAlive(listening)
    clock.advance(by: .seconds(1))
    for value in 2...4 { a.value = value }
    clock.advance(by: .seconds(1))
    let begun = service.journal.take().filter { $0.hasPrefix("begin") }.map { $0.dropFirst(6) }
    listening = nil
    #expect(!a.hasDownstreamNode)
    clock.run()
    #expect(
      service.journal.take().sorted()
        == begun.suffix(policy == .latest ? 1 : begun.count).map { "cancel \($0)" })
    #expect(clock.pendingCount == 0)
  }

  @Test func `14.4 nothing is kept after the end: values, contexts, answers, what waits`() throws {
    let lives = LifetimeTracker(), begun = Tally()
    let a = MutableNode<Token>()
    try expectFreed {
      let each = a.mapAsync(.ordered(maxConcurrent: 2), on: clock) { token in
        // The first one takes longest, so the second one's answer waits for it.
        try? await clock.sleep(for: .seconds(begun.add() == 1 ? 9 : 1))
        return lives.track(Token(), "answer")
      }
      let told = Recorder(each)
      for number in 1...3 {
        a.set(lives.track(Token(), "value \(number)"), context: lives.track(Token(), "context"))
      }
      clock.advance(by: .seconds(2))
      #expect(told.values.count == 0)
    }
    a.clean()
    clock.run()
    #expect(lives.alive == [])
  }

  @Test
  func `14.4 a closure that ignores its cancellation keeps what it captured, until it returns`()
    throws
  {
    let lives = LifetimeTracker(), service = Service(clock)
    let a = MutableNode(1)
    try expectFreed {
      let token = lives.track(Token(), "captured")
      let found = a.mapAsync(on: clock) { value in
        _ = await service.stubbornAnswer(value, after: 5)
        keepAlive(token)
        return lives.track(Token(), "answer")
      }
      keepAlive(found)
      clock.advance(by: .seconds(1))
    }
    #expect(lives.alive == ["captured"])
    clock.run()
    #expect(lives.alive == [])
  }

  @Test func `14.4 a cut edge tells nothing more, a new life begins afresh`() throws {
    let a = MutableNode(1), b = MutableNode(7), service = Service(clock)
    let found = a.mapAsync(.dropWhileBusy, on: clock) { await service.answer($0, after: 2) }
    let told = Recorder(found)
    clock.advance(by: .seconds(1))
    try Operators.repoint(found, to: b)  // the call for 1 is cancelled, so 7 is not dropped
    clock.run()
    #expect(told.values == [7])
    a.value = 2
    b.value = 8
    clock.advance(by: .seconds(1))
    found.wiring.removeUpstreamNodes()
    clock.run()
    #expect(told.values == [7] && found.value == 7)
    #expect(service.journal.entries.suffix(2) == ["begin 8", "cancel 8"])
    #expect(checkInvariants([a, b, found]) == [])
  }

  @Test func `14.4 the consumer lets go of the last reference while it is being told`() throws {
    let a = MutableNode<Int>(), service = Service(clock)
    try expectFreed {
      let kept = Mutex<Listening?>(nil), told = Journal<Int>()
      let listening = a.mapAsync(.ordered(maxConcurrent: 2), on: clock) {
        await service.answer($0, after: $0)
      }.listen { value in
        told.note(value)
        let last = kept.withLock { kept in
          defer { kept = nil }
          return kept
        }
        last?.cancel()
      }
      kept.withLock { $0 = listening }
      a.value = 2
      a.value = 1
      a.value = 3
      clock.run()
      #expect(told.entries == [2])
    }
    #expect(service.journal.entries.suffix(1) == ["cancel 3"])
    #expect(!a.hasDownstreamNode)
  }

  @Test func `14.4 a cancellation handler may set the source, and let go of the result`() {
    let a = MutableNode(1), clock = clock
    let kept = Mutex<Node<Int>?>(nil)
    let found = a.mapAsync(on: clock) { value in
      await withTaskCancellationHandler {
        try? await clock.sleep(for: .seconds(2))
      } onCancel: {
        if value == 1 { a.value = 3 }
        if value == 3 { kept.withLock { $0.take() }?.wiring.removeUpstreamNodes() }
      }
      return value
    }
    kept.withLock { $0 = found }
    let told = Recorder(found)
    clock.advance(by: .seconds(1))
    a.value = 2  // cancels 1, which sets 3, which cancels 2
    clock.run()
    #expect(told.values == [3])
    a.value = 3
    clock.advance(by: .seconds(1))
    a.value = 4  // cancels 3, which cuts the edge
    clock.run()
    #expect(told.values == [3] && !found.hasUpstreamNode)
    #expect(checkInvariants([a, found]) == [])
  }

  @Test func `14.4 a listener of the result may set the source`() {
    for policy in [OverlapPolicy.latest, .ordered(maxConcurrent: 1), .dropWhileBusy] {
      let a = MutableNode(1), service = Service(clock)
      let found = a.mapAsync(policy, on: clock) { await service.answer($0, after: 1) }
      let told = Journal<Int>()
      let listening = found.listen { value in
        told.note(value)
        if value < 5 { a.value = value + 1 }
      }
      clock.run()
      #expect(told.entries == [1, 2, 3, 4, 5])
      #expect(checkInvariants([a, found]) == [])
      keepAlive(listening)
    }
  }

  @Test func `14.4 on immediate the calls run on Swift's pool, as without a scheduler`() async {
    let a = MutableNode(1), heard = Answers<Int>()
    let found = a.mapAsync(.ordered(maxConcurrent: 1), on: .immediate) { $0 * 10 }
    let listening = found.listen { heard.hear($0) }
    a.value = 2
    #expect(await heard.first(2) == [10, 20])
    keepAlive(listening)
  }

  @Test func `14.4 on a queue a call runs on that queue, and settled waits for it`()
    async
  {
    let queue = DispatchQueue(label: "calls"), key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 1)
    queue.suspend()
    let a = MutableNode(0), places = Journal<Int?>()
    let found = a.mapAsync(.ordered(maxConcurrent: 1), on: .queue(queue)) { value in
      places.note(DispatchQueue.getSpecific(key: key))
      await hop()
      places.note(DispatchQueue.getSpecific(key: key))
      return value + 1
    }
    let told = Answers<Int>()
    let listening = found.listen { told.hear($0) }
    queue.resume()
    for value in 1...20 { a.value = value }
    _ = await told.first(21)
    #expect(told.values == Array(1...21))
    #expect(places.count == 42 && places.entries.allSatisfy { $0 == 1 })
    let quick = a.mapAsync(on: .queue(queue)) { $0 * 2 }
    #expect(await settled())
    #expect(quick.value == 40)
    keepAlive(listening)
  }
}
