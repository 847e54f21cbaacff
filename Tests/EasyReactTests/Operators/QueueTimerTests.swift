import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// What operators of time keep on a dispatch queue, in bytes. Each is a process of its own, so that
/// nothing else allocates.
@Suite(
  "10 Timers of queues", .watched,
  .notUnderSanitizers("their allocators do not tell how much they have given out"))
struct QueueTimerTests {
  private static let count = 40_000
  private static let enough = 1_000_000

  /// Ends the process unless `body` leaves less behind than a timer a value would be.
  private static func expectLittle(_ body: () -> Void) {
    guard let before = allocatedBytes() else { return }
    body()
    let kept = allocatedBytes()! - before
    if kept < enough { return }
    fatalError("\(kept) bytes are kept")
  }

  /// Sets a node that a result follows; sets run on a thread that has set before.
  private static func setMany<Output: Sendable>(
    _ make: (Node<Int>) -> Node<Output>
  ) {
    let source = MutableNode(0)
    let result = make(source)
    for value in 1...100 { source.value = value }
    expectLittle { for value in 1...count { source.value = value } }
    withExtendedLifetime(result) {}
  }

  @Test func `10.2 debounce keeps one timer on a queue, however many values come`()
    async
  {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "timers")
      QueueTimerTests.setMany { $0.debounce(.seconds(600), on: .queue(queue)) }
      QueueTimerTests.setMany { $0.debounce(.seconds(600), on: .main) }
    }
  }

  @Test func `10.6 timeout keeps one timer on a queue, however many values come`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "timers")
      QueueTimerTests.setMany { $0.timeout(.seconds(600), on: .queue(queue)) }
    }
  }

  @Test func `10.6 a buffer that its count fills again and again keeps one timer on a queue`() async
  {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "timers")
      QueueTimerTests.setMany { $0.buffer(for: .seconds(600), orCount: 2, on: .queue(queue)) }
    }
  }

  @Test func `10 a scheduler of the user's own that forwards to a queue keeps no cancelled timer`()
    async
  {
    await #expect(processExitsWith: .success) {
      struct Forwarding: NodeScheduler {
        let queue: QueueScheduler
        var now: Duration { queue.now }
        func schedule(_ work: @escaping @Sendable () -> Void) { queue.schedule(work) }
        func schedule(
          after delay: Duration, _ work: @escaping @Sendable () -> Void
        ) -> any Cancelable { queue.schedule(after: delay, work) }
      }
      let queue = DispatchQueue(label: "timers")
      let source = MutableNode(0),
        shown = source.debounce(.seconds(600), on: Forwarding(queue: .queue(queue)))
      QueueTimerTests.expectLittle {
        for value in 1...QueueTimerTests.count { source.value = value }
        QueueTimerTests.letGo(queue)
      }
      keepAlive(shown)
    }
  }

  @Test func `10 a delay that is cut keeps neither values nor timers`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "timers")
      let source = MutableNode(0), delayed = source.delay(.seconds(600), on: .queue(queue))
      QueueTimerTests.expectLittle {
        for value in 1...QueueTimerTests.count { source.value = value }
        delayed.wiring.removeUpstreamNodes()
        QueueTimerTests.letGo(queue)
      }
    }
  }

  /// Dispatch frees timers behind our back, in order: a later one has fired when it has.
  private static func letGo(_ queue: DispatchQueue) {
    let isOver = DispatchSemaphore(value: 0)
    QueueScheduler(queue).schedule(after: .nanoseconds(1)) { isOver.signal() }
    precondition(isOver.wait(timeout: patience) == .success)
  }
}
