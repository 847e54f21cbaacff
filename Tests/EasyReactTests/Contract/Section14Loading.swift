import EasyReact
import EasyReactTesting
import Testing

/// Contract, 14.4: nodes that tell how far a call is; and the look-up that everybody writes.
@Suite(.watched) struct `14 Loading` {
  private let clock = VirtualScheduler()

  private static func text(_ state: Loading<Int>) -> String {
    switch state {
    case .loading(let previous): "…\(previous.map { "\($0)" } ?? "")"
    case .loaded(let value): "\(value)"
    case .failed(_, let previous): "✗\(previous.map { "\($0)" } ?? "")"
    }
  }

  @Test func `14.4 load tells loading at once, then how it ended, with what was loaded before`()
    throws
  {
    let test = MarbleTest()
    let service = Service(test.clock, refusing: [3: 1])
    let a = try test.node("1--3---5-6----", as: Int.self)
    let page = a.load(on: test.clock) { try await service.tryToAnswer($0, after: 2) }
    try test.expect(
      page, "'…'-1'…1'-'✗1'-'…1'-'…1'-6--", show: Self.text)
    #expect(page.value?.value == 6)
  }

  @Test func `14.4 load: a newer value cancels the call, and nothing of it is told`() throws {
    let test = MarbleTest(), service = Service(test.clock)
    let a = try test.node("1-2-------", as: Int.self)
    let page = a.load(on: test.clock) { await service.stubbornAnswer($0, after: 3) }
    try test.expect(page, "'…'-'…'--2----", show: Self.text)
  }

  @Test func `14.4 8.1 loading is told in the value's wave, and both carry its context`() {
    let a = MutableNode(1), service = Service(clock)
    let page = a.load(on: clock) { await service.answer($0, after: 1) }
    let states = a.combine(page.map(Self.text)).map { "\($0) \($1)" }
    let told = Recorder(states), loads = Recorder(page)
    a.set(2, context: "who")
    clock.run()
    a.value = 3
    clock.run()
    #expect(told.values == ["1 …", "2 …", "2 2", "3 …2", "3 3"])
    #expect(loads.contexts.map { $0 as? String } == [nil, "who", "who", nil, nil])
  }

  @Test func `14.4 load of events holds how far the last one got`() {
    let taps = MutableNode<Int>.eventNode(), service = Service(clock)
    let sent = taps.load(on: clock) { await service.answer($0, after: 1) }
    #expect(sent.isEmpty)
    taps.value = 1
    #expect(sent.value == .loading(previous: nil))
    clock.run()
    #expect(sent.value == .loaded(1))
  }

  @Test func `14.4 load in a ring ends, and does not stay in loading`() {
    let a = MutableNode<Int>(), b = MutableNode<Int>(), service = Service(clock)
    let page = a.load(on: clock) { await service.answer($0, after: 1) }
    b.link(to: page.compactMap(\.value))
    a.link(to: b)
    let told = Recorder(page)
    a.value = 1
    clock.run()
    b.value = 2
    clock.run()
    #expect(told.values.last == .loaded(2) && told.values.count < 10)
    #expect(a.value == 2 && b.value == 2)
    #expect(checkInvariants([a, b, page]) == [])
    b.wiring.removeUpstreamNodes()
  }

  @Test func `14.4 dropped, load cancels its call, and nothing is kept`() throws {
    let lives = LifetimeTracker(), a = MutableNode<Token>(), clock = clock
    try expectFreed {
      let page = a.load(on: clock) { token in
        try await clock.sleep(for: .seconds(2))
        return lives.track(Token(), "page")
      }
      a.value = lives.track(Token(), "value")
      clock.advance(by: .seconds(2))
      a.value = lives.track(Token(), "value")
      #expect(page.value?.isLoading == true && page.value?.value != nil)
      clock.advance(by: .seconds(1))
    }
    a.clean()
    clock.run()
    #expect(lives.alive == [] && clock.pendingCount == 0)
  }

  @Test func `14.4 the parts of a Loading, and when two are equal`() {
    struct Plain: Error { let number: Int }
    let all: [Loading<Int>] = [
      .loading(previous: nil), .loading(previous: 1), .loaded(1), .loaded(2),
      .failed(Refusal(), previous: nil), .failed(Refusal(), previous: 1),
      .failed(Refusal(reason: "other"), previous: 1), .failed(Plain(number: 1), previous: 1),
      .failed(Plain(number: 2), previous: 1),
    ]
    #expect(all.map(\.value) == [nil, 1, 1, 2, nil, 1, 1, 1, 1])
    #expect(all.map(\.isLoading) == [true, true] + Array(repeating: false, count: 7))
    #expect(
      all.map { $0.error != nil } == [false, false, false, false] + Array(repeating: true, count: 5)
    )
    #expect(all.map { $0.result == nil }.prefix(3) == [true, true, false])
    #expect(all.map { $0.map { $0 * 2 }.value } == [nil, 2, 2, 4, nil, 2, 2, 2, 2])
    for (a, one) in all.enumerated() {
      for (b, other) in all.enumerated() { #expect((one == other) == (a == b)) }
    }
    #expect(throws: Refusal.self) { _ = try all[2].map { _ throws(Refusal) in throw Refusal() } }
  }
}

// MARK: - Looking up

extension `14 Loading` {
  @Test func `14.4 a debounced, cancelled, retried look-up is three operators, in virtual time`()
    throws
  {
    let test = MarbleTest(), clock = test.clock
    // 2 is refused twice, 3 is overtaken in the middle of its attempts, 4 is refused for good.
    let service = Service(clock, refusing: [2: 2, 3: 9, 4: 9])
    let query = try test.node("[12]-------------3-4-------------", as: Int.self)

    let found = query.debounce(.seconds(1), on: clock)
      .retry(times: 2, delay: .seconds(1), on: clock) { question in
        Node(question).mapAsync(on: clock) { try await service.tryToAnswer($0, after: 3) }
      }

    // What stands for an older question is not shown beside a newer one.
    try test.expect(found, "-~----------2--~-~----------✗----") {
      (try? $0.get()).map { "\($0)" } ?? "✗"
    }
    #expect(
      service.journal.entries == [
        "begin 2", "refuse 2", "begin 2", "refuse 2", "begin 2", "end 2",
        "begin 3", "begin 4", "cancel 3", "refuse 4", "begin 4", "refuse 4", "begin 4", "refuse 4",
      ])
  }
}
