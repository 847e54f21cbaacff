import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.1 and 14.2 beside 7: tasks that hear what threads set.
@Suite(.watched) struct AsyncValuesTests {
  /// What a task heard, for a thread that waits for its end.
  private final class Outcome<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let isOver = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () async -> [Value]) {
      Task {
        let values = await body()
        self.values.withLock { $0 = values }
        isOver.signal()
      }
    }

    func wait() -> [Value] {
      EasyReactTests.wait(for: isOver)
      return values.withLock { $0 }
    }
  }

  @Test func `14.1 every task hears every value of every thread, in the thread's order`() {
    Stress.rounds(40) { round in
      let node = MutableNode(TextStamp(0, 0)), senders = 3, count = 60
      let outcomes = (0..<6).map { _ in
        // Unsafe: used by the one task that is begun with it.
        nonisolated(unsafe) let made = node.values(buffering: .unbounded).makeAsyncIterator()
        return Outcome {
          var iterator = made
          var heard: [TextStamp] = []
          while let stamp = await iterator.next(), stamp.sender >= 0 { heard.append(stamp) }
          return heard
        }
      }
      round.threads(senders) { member in
        for number in 1...count { node.value = TextStamp(member + 1, number) }
      }
      node.value = TextStamp(-1, 1)
      let all = outcomes.map { $0.wait() }
      for (task, heard) in all.enumerated() {
        round.expectAll(heard, of: 1...senders, count: count, "task \(task)")
        round.expect(heard == all[0], "task \(task) heard another order than task 0")
      }
    }
  }

  @Test func `14.1 with the newest only, order is kept and the last comes`() {
    Stress.rounds(60) { round in
      let node = MutableNode(WordStamp(0, 0)), senders = 2, count = 100
      let values = node.values
      let outcomes = (0..<4).map { _ in
        Outcome {
          var heard: [WordStamp] = []
          for await stamp in values {
            heard.append(stamp)
            if stamp.sender == 9 { break }
          }
          return heard
        }
      }
      round.threads(senders) { member in
        for number in 1...count { node.value = WordStamp(member + 1, number) }
      }
      node.value = WordStamp(9, 1)
      for (task, outcome) in outcomes.enumerated() {
        let heard = outcome.wait()
        round.expectInOrder(heard, "task \(task)")
        round.expect(heard.last == WordStamp(9, 1), "task \(task) missed the last value")
        round.expect(heard.count <= senders * count + 2, "task \(task) heard values twice")
      }
    }
  }

  @Test func `14.1 iterators made while threads set hear a run of what is told, to its end`() {
    Stress.rounds(60) { round in
      let node = MutableNode(0), count = 200
      let outcomes = Mutex<[Outcome<Int>]>([])
      round.threads(3) { member in
        if member == 0 { for value in 1...count { node.value = value } }
        for _ in 0..<(member == 0 ? 0 : 10) {
          let outcome = Outcome { [values = node.values(buffering: .unbounded)] in
            var heard: [Int] = []
            for await value in values {
              heard.append(value)
              if value == count { break }
            }
            return heard
          }
          outcomes.withLock { $0.append(outcome) }
        }
      }
      for outcome in outcomes.withLock({ $0 }) {
        round.expectRun(outcome.wait(), of: Array(0...count), toTheEnd: true, "a task")
      }
    }
  }

  @Test func `14.1 cancelled while threads set, every wait ends and nothing is left`() {
    Stress.rounds(100) { round in
      let node = MutableNode(0), derived = node.map { $0 + 1 }
      let ended = DispatchSemaphore(value: 0), begun = DispatchSemaphore(value: 0)
      let tasks = (0..<4).map { number in
        Task {
          begun.signal()
          switch number {
          case 0: for await _ in derived.values {}
          case 1: for await _ in derived.values(buffering: .oldest(1)) {}
          case 2: _ = try? await derived.first { $0 < 0 }
          default:
            while let value = try? await derived.next() { round.expect(value > 0, "\(value)") }
          }
          ended.signal()
        }
      }
      for _ in tasks { wait(for: begun) }
      round.threads(2) { member in
        var random = round.generator(member)
        for value in 1...50 {
          if member == 0 { node.value = value }
          if member == 1, random.oneIn(10) { tasks[random.below(4)].cancel() }
        }
      }
      for task in tasks { task.cancel() }
      for _ in tasks { wait(for: ended) }
      round.expect(!derived.hasListener, "a listener is left")
    }
  }

  @Test
  func
    `14.2 a next that is called before a set gets that value or one before it, never a later one`()
  {
    Stress.rounds(100) { round in
      let node = MutableNode(0), executor = ManualExecutor()
      let task = executor.task { try? await node.next() }
      round.threads(2) { member in
        if member == 0 { for value in 1...20 { node.value = value } } else { executor.run() }
      }
      executor.run()
      let outcome = Outcome { [await task.value] }
      round.expect(outcome.wait() == [1], "next was not the first value told after the call")
    }
  }
}
