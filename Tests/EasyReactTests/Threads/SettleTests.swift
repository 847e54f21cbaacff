import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// `settle()` waits for everything that is under way, and for nothing else.
@Suite(.watched) struct SettleTests {
  @Test func `it returns at once when nothing is under way`() {
    let a = MutableNode(1), b = a.map { $0 + 1 }
    a.value = 2
    #expect(settle())
    #expect(b.value == 3)
  }

  @Test func `it waits for a thread that is inside, and for the messages left with it`() {
    let node = MutableNode(0), heard = Journal<Int>()
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = node.listen { value in
      heard.note(value)
      if value != 1 { return }
      isInside.signal()
      isInside.signal()
      wait(for: mayGo)
    }
    let isSettled = Tally()
    onThreads(3) { number in
      switch number {
      case 0: node.value = 1
      case 1:
        wait(for: isInside)
        node.value = 2
        // Not quiet as long as the listener waits, however long that is.
        #expect(!settle(within: .milliseconds(50)))
        #expect(isSettled.count == 0)
        mayGo.signal()
      default:
        wait(for: isInside)
        #expect(settle())
        isSettled.add()
        #expect(heard.entries == [0, 1, 2])
      }
    }
    listening.cancel()
  }

  @Test func `it waits for hops, and for those that they cause`() {
    let queues = (0..<3).map { DispatchQueue(label: "hop \($0)", attributes: .concurrent) }
    let source = MutableNode(0)
    let last = source.deliver(on: .queue(queues[0])).deliver(on: .queue(queues[1])).map { $0 }
      .deliver(on: .queue(queues[2]))
    for value in 1...200 {
      source.value = value
      #expect(settle())
      #expect(last.value == value)
    }
  }

  @Test func `it waits for a background queue that took over the mailbox`() {
    let node = MutableNode(0), heard = Heard<Int>(), count = 5_000
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = node.listen { value in
      heard.hear(value)
      if value != 1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return node.value = 1 }
      wait(for: isInside)
      for value in 2...count { node.value = value }
      mayGo.signal()
    }
    #expect(settle())
    #expect(heard.values == Array(0...count))
    listening.cancel()
  }

  @Test func `it waits for a timer that is due, not for one of the future`() {
    let queue = DispatchQueue(label: "timers"), source = MutableNode(0)
    let mayGo = DispatchSemaphore(value: 0)
    queue.async { wait(for: mayGo) }  // so that the timer is due and cannot be told
    let soon = source.delay(.nanoseconds(1), on: .queue(queue))
    let late = source.delay(.seconds(3_600), on: .queue(queue))
    #expect(!isQuiet())
    #expect(soon.value == nil)
    mayGo.signal()
    #expect(settle())
    #expect(soon.value == 0)
    #expect(late.value == nil)
  }

  /// A clock that takes a while to say the time, as a thread does that loses its processor there.
  private struct SlowClock: Clock {
    let whileAsked: Journal<@Sendable () -> Void>
    let clock = ManualClock()
    var now: ManualClock.Instant {
      for body in whileAsked.take() { body() }
      return clock.now
    }
    var minimumResolution: Duration { clock.minimumResolution }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  /// Threads were looked at first, and found outside; then a hop left its value with one that had come inside.
  @Test func `14.6 it does not miss what a hop leaves with a thread while the clocks are asked`() {
    let whileAsked = Journal<@Sendable () -> Void>()
    let late = MutableNode(1).delay(
      .seconds(1_000), on: .clock(SlowClock(whileAsked: whileAsked)))
    let queue = DispatchQueue(label: "hop"), source = MutableNode<Int>(), other = MutableNode<Int>()
    let both = source.deliver(on: .queue(queue)).merge(other)
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let queueMayGo = DispatchSemaphore(value: 0), isOver = DispatchSemaphore(value: 0)
    let listening = both.listen { value in
      if value != -1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    queue.async { wait(for: queueMayGo) }
    source.value = 7
    let hop: @Sendable () -> Void = {
      Thread {
        other.value = -1
        isOver.signal()
      }.start()
      wait(for: isInside)
      queueMayGo.signal()
      queue.sync {}
    }
    whileAsked.note(hop)
    #expect(!isQuiet())
    for body in whileAsked.take() { body() }
    #expect(!isQuiet())
    mayGo.signal()
    wait(for: isOver)
    #expect(settle())
    #expect(both.value == 7)
    keepAlive(listening, late)
  }

  @Test func `a virtual scheduler is not run, and not waited for`() {
    let clock = VirtualScheduler(), source = MutableNode(0)
    let delivered = source.deliver(on: clock), delayed = source.delay(.seconds(1), on: clock)
    #expect(settle())
    #expect(delivered.value == nil && delayed.value == nil)
    clock.run()
    #expect(delivered.value == 0 && delayed.value == 0)
  }

  @Test func `a debounce that is replaced again and again leaves no timer behind`() {
    let queue = DispatchQueue(label: "timers"), source = MutableNode(0)
    let shown = source.debounce(.seconds(3_600), on: .queue(queue))
    for value in 1...100 { source.value = value }
    #expect(settle())
    #expect(shown.value == nil)
  }

  @Test @MainActor func `on the main actor the asynchronous form lets the main queue run`() async {
    let source = MutableNode(0), heard = Heard<Int>()
    let listening = source.listenOnMain { heard.hear($0) }
    source.value = 1
    source.value = 2
    #expect(heard.values == [])
    #expect(await settle())
    #expect(heard.values == [0, 1, 2])
    listening.cancel()
  }

  @Test func `called from a listener it stops with a message`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = MutableNode(0)
      let listening = node.listen { _ in _ = settle() }
      listening.cancel()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("settle(): called from inside the graph"), "\(text)")
  }
}
