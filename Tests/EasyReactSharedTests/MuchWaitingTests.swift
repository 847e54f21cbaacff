import EasyReact
import EasyReactTesting
import Synchronization
import Testing

@testable import EasyReactShared

/// Much waits, and others write: what waits is computed anew no more often than need be, and what is written next before the rest.
@Suite(.watched) struct MuchWaitingTests {
  private final class Counter: Sendable {
    private let runs = Mutex(0)
    func add() { runs.withLock { $0 += 1 } }
    /// Since it was asked last.
    func take() -> Int {
      runs.withLock { runs in
        defer { runs = 0 }
        return runs
      }
    }
  }

  /// A store whose key another one has set to 0, and updates that wait: each adds one, from 1,000 on nothing.
  private struct Rules {
    let counter = Counter()
    var state: ReplicaState<Int>
    private var revision: UInt64 = 1

    init(_ telling: SharedTelling = .newest, updates: Int) {
      state = ReplicaState(ReplicaRules(telling: telling), writer: 1)
      state.received(.init(revision: 1, value: 0, envelope: Envelope(writer: 2, sequence: 1)))
      state.becameCurrent()
      _ = told
      for sequence in 1...updates { update(UInt64(sequence)) }
      _ = counter.take()
    }

    mutating func update(_ sequence: UInt64) {
      _ = state.changed(
        by: { [counter] value in
          counter.add()
          if value! >= 1_000 { return false }
          value! += 1
          return true
        }, sequence: sequence)
    }

    /// An entry of another one.
    mutating func receive(_ value: Int) {
      revision += 1
      state.received(
        .init(revision: revision, value: value, envelope: Envelope(writer: 2, sequence: revision)))
    }

    mutating func next() -> Int? {
      if case .store(let value) = state.nextTold() { value } else { nil }
    }

    /// All that is to be told.
    var told: [Int] {
      mutating get {
        var told: [Int] = []
        while state.isToBeTold { if let value = next() { told.append(value) } }
        return told
      }
    }
  }

  @Test func `20.3 what is written next is computed before the rest`() {
    var rules = Rules(updates: 500)
    rules.receive(7)
    #expect(rules.next() == nil)
    let attempt = rules.state.nextAttempt()
    #expect(attempt?.value == 7 + 64 && attempt?.earlier.map(\.value) == Array(8..<71))
    #expect(rules.counter.take() == 64)
    #expect(rules.told == [507] && rules.counter.take() == 500 - 64)
  }

  @Test func `20.3 where several entries came what waits is computed on the last of them`() {
    var rules = Rules(updates: 500)
    for value in 1...100 { rules.receive(value) }
    #expect(rules.told == [600] && rules.counter.take() == 500)
  }

  @Test func `20.3 an entry that comes before the rest was computed begins anew`() {
    var rules = Rules(updates: 500)
    rules.receive(7)
    #expect(rules.next() == nil && rules.state.nextAttempt()?.expected == 2)
    rules.receive(9)
    #expect(rules.next() == nil && rules.state.nextAttempt()?.expected == 3)
    #expect(rules.counter.take() == 128)
    #expect(rules.told == [509] && rules.counter.take() == 500 - 64)
  }

  @Test func `20.4 every value of others is told, and behind them what waits, computed once`() {
    var rules = Rules(.every, updates: 500)
    for value in 1...100 { rules.receive(value) }
    #expect(rules.next() == 1)
    #expect(rules.counter.take() == 64)
    rules.receive(101)
    #expect(rules.told == Array(2...101) + [601] && rules.counter.take() == 500)
  }

  @Test func `20.2 a set or an update on what is not computed yet`() {
    var rules = Rules(updates: 500)
    rules.receive(7)
    _ = rules.next()
    rules.update(501)
    #expect(rules.state.shown == 508 && rules.told == [])  // 507 is overtaken
    rules.receive(9)
    _ = rules.next()
    rules.state.heard(70, sequence: 502)
    #expect(rules.state.shown == 70 && rules.told == [])
    #expect(rules.counter.take() == 64 + 436 + 1 + 64 + 437)
    rules.receive(11)
    #expect(rules.told == [])  // the set stays
    #expect(rules.counter.take() == 501)  // and what goes to the store before it is computed
  }

  @Test func `20.3 one's own entry comes before the rest was computed`() {
    var rules = Rules(updates: 500)
    rules.receive(7)
    _ = rules.next()
    let attempt = rules.state.nextAttempt()!
    rules.state.received(.init(revision: 3, value: 71, envelope: attempt.envelope))
    #expect(rules.state.waiting.count == 500 - 64 && rules.told == [507])
    let next = rules.state.nextAttempt()
    #expect(next?.expected == 3 && next?.earlier.first?.value == 72)
    #expect(rules.counter.take() == 500)
  }

  @Test func `20.3 updates that find nothing to do go nowhere, however many`() {
    var rules = Rules(updates: 500)
    rules.receive(1_000)
    #expect(rules.next() == nil)
    #expect(rules.state.nextAttempt() == nil && rules.counter.take() == 64)
    #expect(rules.told == [1_000] && rules.counter.take() == 500 - 64)
    #expect(rules.state.nextAttempt() == nil && rules.state.waiting.isEmpty)
  }

  @Test func `20.3 updates found nothing to do, and do on what comes next`() {
    var rules = Rules(updates: 500)
    rules.receive(1_000)
    _ = rules.next()
    rules.receive(0)
    #expect(rules.told == [500] && rules.state.nextAttempt()?.value == 64)
  }

  @Test func `20.6 what is written is refused, and the rest was not computed`() {
    var rules = Rules(updates: 500)
    rules.state.valuesAtOnce = 1
    rules.receive(7)
    _ = rules.next()
    let attempt = rules.state.nextAttempt()!
    let problem = SharedProblem(.refused, "no", at: "the test", remedy: "None.")
    _ = rules.state.answered(attempt.number, .refused(problem))
    #expect(rules.told == [506] && rules.state.problem == problem)
  }

  @Test(arguments: [SharedTelling.newest, .every])
  func `20.3 who has been away computes once, however many entries come`(_ telling: SharedTelling) {
    let world = World()
    let one = world.machine(1, telling: telling), other = world.machine(2), counter = Counter()
    one.node.value = 0
    world.settle()
    one.store.disconnect()
    for _ in 1...500 {
      one.node.update {
        $0 += 1
        counter.add()
      }
    }
    for value in 1...200 {
      other.node.value = value * 1_000
      world.settle()
    }
    _ = counter.take()
    one.store.connect()
    world.settle()
    #expect(one.node.value == 200_500 && other.node.value == 200_500)
    #expect(counter.take() == 500 + 500)  // on the first entry, and on the rest
    if telling == .every {
      #expect(one.told.values.filter { $0 % 1_000 == 0 } == (0...200).map { $0 * 1_000 })
      #expect(one.node.status.value?.missedCount == 0)
    }
  }
}
