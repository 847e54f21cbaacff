import EasyReact
import EasyReactTesting
import Testing

/// Contract, 5 and 14.4: what calls answer goes round a cycle as what any other edge brings does.
@Suite(.watched) struct `14 Rings` {
  private let clock = VirtualScheduler()

  private static let policies: [OverlapPolicy] = [
    .latest, .ordered(maxConcurrent: 1), .ordered(maxConcurrent: 2),
    .unordered(maxConcurrent: 2), .dropWhileBusy,
  ]

  @Test(arguments: policies.indices)
  func `5.2 an answer that comes round a cycle does not overwrite what was set meanwhile`(
    policy: Int
  ) {
    let a = MutableNode<Int>(), service = Service(clock)
    let found = a.mapAsync(Self.policies[policy], on: clock) { await service.answer($0, after: 1) }
    let link = a.link(to: found.map { $0 * 10 })
    let told = Recorder(a), answers = Recorder(found)
    a.value = 1
    clock.advance(by: .milliseconds(500))
    a.value = 2
    clock.advance(by: .seconds(20))
    #expect(told.values == [1, 2])
    switch policy {
    case 0: #expect(answers.values == [2])
    case 4: #expect(answers.values == [1])
    default: #expect(answers.values == [1, 2])
    }
    #expect(checkInvariants([a, found]) == [])
    link.cancel()
  }

  @Test func `5.2 nor where what was set meanwhile does not lead to the call`() {
    let a = MutableNode<Int>(), service = Service(clock)
    let asked = a.filter { $0 < 100 }
    let found = asked.mapAsync(on: clock) { await service.answer($0, after: 1) }
    let page = asked.load(on: clock) { await service.answer($0, after: 2) }
    let links = [a.link(to: found.map { $0 * 10 }), a.link(to: page.compactMap(\.value))]
    let told = Recorder(a), pages = Recorder(page)
    a.value = 1
    clock.advance(by: .milliseconds(500))
    a.value = 200
    clock.advance(by: .seconds(20))
    #expect(told.values == [1, 200])
    #expect(found.value == 1)
    #expect(pages.values == [.loading(previous: nil), .loaded(1)])
    for link in links { link.cancel() }
  }

  @Test func `5.1 an answer goes once round a ring, as any other value`() {
    let a = MutableNode<Int>(), service = Service(clock)
    let found = a.mapAsync(on: clock) { await service.answer($0, after: 1) }
    let link = a.link(to: found.map { $0 + 1 })
    let told = Recorder(a)
    for value in [100, 200] {
      a.value = value
      clock.advance(by: .seconds(20))
    }
    #expect(told.values == [100, 200])
    #expect(service.journal.entries == ["begin 100", "end 100", "begin 200", "end 200"])
    link.cancel()
  }

  /// The query is told again, and asked again, with each other part that changes: the last answer comes.
  @Test(arguments: [false, true])
  func `14.4, 15.4 a part has what a call makes of another part`(isDistinct: Bool) {
    struct Form: Sendable { var query = "", result = "", page = 0 }
    let service = Service(clock), form = MutableNode(Form())
    let query = form[\.query], result = form[\.result], page = form[\.page]
    let asked: Node<String> = isDistinct ? query.distinctUntilChanged() : query
    let link = result.link(
      to: asked.map(\.count).mapAsync(on: clock) { await service.answer($0, after: 2) }
        .map { "\($0) letters" })
    clock.advance(by: .seconds(5))
    #expect(result.value == "0 letters")
    query.value = "swift"
    clock.advance(by: .seconds(1))
    page.value = 1
    clock.advance(by: .seconds(1))
    // One second after it was asked again.
    #expect(result.value == (isDistinct ? "5 letters" : "0 letters"))
    clock.advance(by: .seconds(20))
    #expect(result.value == "5 letters" && form.value?.page == 1)
    let asks = service.journal.entries.count { $0 == "begin 5" }
    // By the set, by that of the page, and once by the answer itself (5.1).
    #expect(asks == (isDistinct ? 1 : 3))
    #expect(checkInvariants([form, query, result, page]) == [])
    link.cancel()
  }

  @Test(arguments: [1, 2, 3])
  func `5.1 a ring of several loads ends, and none stays in loading`(count: Int) {
    let a = MutableNode<Int>(), service = Service(clock)
    var pages: [Node<Loading<Int>>] = [], end: Node<Int> = a
    for _ in 0..<count {
      pages.append(end.load(on: clock) { await service.answer($0, after: 1) })
      end = pages.last!.compactMap(\.value)
    }
    let link = a.link(to: end)
    a.value = 1
    clock.advance(by: .seconds(100))
    let calls = service.journal.entries.count
    #expect(calls <= 2 * 3 * count)
    clock.advance(by: .seconds(100))
    #expect(service.journal.entries.count == calls && clock.pendingCount == 0)
    #expect(pages.map(\.value) == Array(repeating: .loaded(1), count: count))
    #expect(checkInvariants([a] + pages as [AnyNode]) == [])
    link.cancel()
  }

  @Test func `5.3 who is synced with a load hears what it tells, and keeps what is set after it`() {
    let a = MutableNode<Int>(), service = Service(clock)
    let page = a.load(on: clock) { await service.answer($0, after: 1) }
    let shown = MutableNode<Loading<Int>>()
    let sync = shown.sync(with: page.mutablify())
    let told = Recorder(shown)
    a.value = 1
    clock.advance(by: .seconds(1))
    shown.value = .loaded(7)
    #expect(told.values == [.loading(previous: nil), .loaded(1), .loaded(7)])
    #expect(page.value == .loaded(7))
    a.value = 2
    clock.advance(by: .seconds(1))
    #expect(told.values.suffix(2) == [.loading(previous: 1), .loaded(2)])
    #expect(page.value == shown.value)
    sync.cancel()
  }

  @Test func `4.1 a join of the value and its load runs with each state`() {
    let a = MutableNode<Int>(), service = Service(clock)
    let page = a.load(on: clock) { await service.answer($0, after: 1) }
    let both = Recorder(a.combine(page).map { "\($0) \($1.isLoading)" })
    let list = Recorder(Node.combine([page.map { $0.value ?? 0 }, a]))
    for value in 1...3 {
      a.value = value
      clock.advance(by: .seconds(1))
    }
    #expect(both.values == ["1 true", "1 false", "2 true", "2 false", "3 true", "3 false"])
    #expect(list.values == [[0, 1], [1, 1], [1, 2], [2, 2], [2, 3], [3, 3]])
  }
}
