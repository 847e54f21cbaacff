import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// Contract, section 11.
@Suite("11 Time", .watched) struct Section11 {
  /// A scheduler of the user's own that says what it was asked for.
  final class Asked: NodeScheduler {
    let requests = Journal<String>()
    let clock = VirtualScheduler()
    var now: Duration { clock.now }
    func schedule(_ work: @escaping @Sendable () -> Void) {
      requests.note("now")
      clock.schedule(work)
    }
    @discardableResult
    func schedule(
      after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> any Cancelable {
      requests.note("after \(delay)")
      return clock.schedule(after: delay, work)
    }
  }
}

// MARK: - The schedulers

extension Section11 {
  @Test
  func
    `11 time and queues come through a NodeScheduler: one of the user's own is asked for everything`()
  {
    let asked = Asked()
    let a = MutableNode(1)
    let told = [
      Recorder(a.deliver(on: asked)), Recorder(a.delay(.seconds(3), on: asked)),
      Recorder(a.debounce(.seconds(4), on: asked)), Recorder(a.debounce(.seconds(5), on: asked)),
    ]
    #expect(
      asked.requests.take() == [
        "now", "after \(Duration.seconds(3))", "after \(Duration.seconds(4))",
        "after \(Duration.seconds(5))",
      ])
    #expect(told.allSatisfy { $0.values.isEmpty })
    asked.clock.run()
    #expect(told.allSatisfy { $0.values == [1] })
    let listening = a.listen(on: asked) { _ in }
    #expect(asked.requests.take() == ["now"])
    listening.cancel()
  }

  @Test
  func
    `11 a dispatch queue makes a scheduler: work runs on it, later and in order, also after a Duration`()
  {
    let queue = DispatchQueue(label: "section 11")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let scheduler: any NodeScheduler = .queue(queue)
    let journal = Journal<String>()
    let done = DispatchSemaphore(value: 0)
    let began = scheduler.now
    queue.suspend()
    for index in 0..<3 {
      scheduler.schedule { journal.note("\(index) \(DispatchQueue.getSpecific(key: key) == true)") }
    }
    #expect(journal.entries == [])
    scheduler.schedule(after: .milliseconds(20)) {
      journal.note("late")
      done.signal()
    }
    let cancelled = scheduler.schedule(after: .milliseconds(1)) { journal.note("cancelled") }
    cancelled.cancel()
    queue.resume()
    wait(for: done)
    #expect(journal.entries == ["0 true", "1 true", "2 true", "late"])
    #expect(scheduler.now - began >= .milliseconds(20))
  }

  @Test
  @MainActor
  func `11 the main actor is a scheduler: work runs there, later, also when it is scheduled there`()
    async
  {
    let journal = Journal<String>()
    await withCheckedContinuation { continuation in
      let scheduler: any NodeScheduler = .main
      scheduler.schedule { MainActor.assumeIsolated { journal.note("work") } }
      scheduler.schedule(after: .milliseconds(1)) {
        MainActor.assumeIsolated { journal.note("timer") }
        continuation.resume()
      }
      journal.note("scheduled")
    }
    #expect(journal.entries == ["scheduled", "work", "timer"])
  }

  @Test func `11 immediate runs work at once, on the calling thread`() {
    let journal = Journal<String>()
    let scheduler = ImmediateScheduler()
    scheduler.schedule { journal.note("work") }
    scheduler.schedule(after: .seconds(1000)) { journal.note("timer") }.cancel()
    #expect(journal.entries == ["work", "timer"])
    let a = MutableNode(1)
    #expect(a.delay(.seconds(1000), on: .immediate).value == 1)
    #expect(a.debounce(.seconds(1000), on: .immediate).value == 1)
    #expect(scheduler.now == .zero)
  }

  @Test func `11 VirtualScheduler runs everything in time order on the calling thread`() {
    let clock = VirtualScheduler()
    let journal = Journal<String>()
    let thread = ObjectIdentifier(Thread.current)
    @Sendable func note(_ text: String) {
      journal.note(ObjectIdentifier(Thread.current) == thread ? text : "other thread")
    }
    clock.schedule(after: .seconds(2)) { note("2 s") }
    clock.schedule(after: .seconds(1)) {
      note("1 s")
      clock.schedule { note("1 s, meanwhile") }
      clock.schedule(after: .seconds(1)) { note("2 s, later") }
    }
    clock.schedule { note("now") }
    let cancelled = clock.schedule(after: .seconds(1)) { note("cancelled") }
    cancelled.cancel()
    #expect(journal.entries == [])
    clock.advance(by: .seconds(1))
    #expect(journal.take() == ["now", "1 s", "1 s, meanwhile"])
    #expect(clock.now == .seconds(1))
    #expect(clock.pendingCount == 2)
    clock.advance(to: .seconds(10))
    #expect(journal.take() == ["2 s", "2 s, later"])
    #expect(clock.now == .seconds(10))
  }

  @Test
  func
    `11 no operator reads a clock by another way: nothing happens until the scheduler's time moves`()
  {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let told = Recorder(
      a.delay(.nanoseconds(1), on: clock).debounce(.nanoseconds(1), on: clock)
        .deliver(on: clock), clock: clock)
    // What each has to do waits in the scheduler, and nowhere else: one after the other.
    for _ in 0..<2 {
      #expect(clock.pendingCount == 1)
      #expect(told.values == [])
      clock.advance(by: .nanoseconds(1))
    }
    #expect(clock.pendingCount == 0)
    #expect(told.values == [1])
    #expect(told.times == [.nanoseconds(2)])
  }

  @Test func `11 intervals are Durations of any length`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let short = Recorder(a.delay(Duration(secondsComponent: 0, attosecondsComponent: 1), on: clock))
    let long = Recorder(a.delay(.seconds(1 << 40), on: clock))
    clock.advance(by: .nanoseconds(1))
    #expect(short.values == [1])
    clock.advance(by: .seconds(1 << 40))
    #expect(long.values == [1])
  }
}

// MARK: - Misuse

extension Section11 {
  @Test func `11 feedback over the immediate scheduler uses constant stack`() {
    let a = MutableNode(0), count = Sanitizer.part(of: 100_000)
    let listening = a.deliver(on: .immediate).listen { if $0 < count { a.value = $0 + 1 } }
    let other = MutableNode(0)
    let second = other.listen(on: .immediate) { if $0 < count { other.value = $0 + 1 } }
    #expect(a.value == count)
    #expect(other.value == count)
    listening.cancel()
    second.cancel()
  }

  /// Each hands on in the engine's loop, as any other edge does.
  @Test
  func
    `11 a chain of 10,000 hops on the immediate scheduler is set, and freed, on a stack of 512 KiB`()
  {
    let values = onSmallStack { () -> [Int?] in
      let source = MutableNode(1)
      var ends: [Node<Int>] = []
      for make in [
        { $0.deliver(on: .immediate) }, { $0.delay(.seconds(1), on: .immediate) },
        { $0.debounce(.seconds(1), on: .immediate) },
        { $0.sample(every: .seconds(1), on: .immediate) },
        { $0.buffer(for: .seconds(1), on: .immediate).map { $0[0] } },
        { $0.buffer(for: .seconds(1), orCount: 2, on: .immediate).map { $0[0] } },
      ] as [(Node<Int>) -> Node<Int>] {
        var end: Node<Int> = source
        for _ in 0..<10_000 { end = make(end) }
        ends.append(end)
      }
      source.value = 2
      return ends.map(\.value)
    }
    #expect(values == [2, 2, 2, 2, 2, 2])
  }

  @Test func `11 what hops on the immediate scheduler keeps its place: each branch to its end`() {
    let journal = Journal<String>()
    let a = MutableNode(0)
    let hopped = a.deliver(on: .immediate)
    let nodes = [
      ("1", hopped.deliver(on: .immediate).map { $0 }), ("2", hopped.map { $0 }),
      ("3", a.map { $0 }),
    ]
    let listenings = nodes.map { name, node in node.listen { journal.note("\(name): \($0)") } }
    _ = journal.take()
    a.value = 1
    #expect(journal.entries == ["1: 1", "2: 1", "3: 1"])
    keepAlive(listenings as AnyObject)
  }
}

extension Section11 {
  @Test func `11 a zero or negative interval of delay stops with a message naming the operator`()
    async
  {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").delay(.zero, on: .immediate)
    }
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").delay(.seconds(-1), on: .immediate)
    }
    Self.expectMessage(zero, "delay", Duration.zero)
    Self.expectMessage(negative, "delay", Duration.seconds(-1))
  }

  @Test func `11 a zero or negative interval of debounce stops with a message naming the operator`()
    async
  {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").debounce(.zero, on: .immediate)
    }
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").debounce(.seconds(-5), on: .immediate)
    }
    Self.expectMessage(zero, "debounce", Duration.zero)
    Self.expectMessage(negative, "debounce", Duration.seconds(-5))
  }

  static func expectMessage(_ result: ExitTest.Result?, _ operation: String, _ interval: Duration) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EasyReact: \(operation): the interval \(interval) is not positive"))
    #expect(text.contains("“source”"))
    #expect(text.contains("Section11Time.swift"))
    #expect(text.contains("Pass more than zero."))
  }
}
