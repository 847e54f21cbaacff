import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What ran, in order.
private final class Log: Sendable {
  private let state = Mutex<[String]>([])
  var lines: [String] { state.withLock { $0 } }
  func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// One value behind a lock, for closures.
private final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}

@Suite struct VirtualSchedulerTests {
  private let clock = VirtualScheduler()
  private let log = Log()

  private func add(_ line: String, after seconds: Int? = nil) {
    let (log, clock) = (log, clock)
    let work: @Sendable () -> Void = { log.add("\(line) \(clock.now.components.seconds)") }
    if let seconds { clock.schedule(after: .seconds(seconds), work) } else { clock.schedule(work) }
  }

  @Test func `nothing runs until time is moved, then everything due, in order of time`() {
    add("c", after: 3)
    add("a", after: 1)
    add("b", after: 2)
    #expect(log.lines == [] && clock.pendingCount == 3 && clock.now == .zero)
    clock.advance(by: .seconds(2))
    #expect(log.lines == ["a 1", "b 2"] && clock.pendingCount == 1)
    clock.advance(by: .milliseconds(999))
    #expect(log.lines.count == 2)
    clock.advance(by: .milliseconds(1))
    #expect(log.lines == ["a 1", "b 2", "c 3"])
    #expect(clock.pendingCount == 0 && clock.now == .seconds(3))
  }

  @Test func `of the same time, in order of scheduling`() {
    for number in 0..<100 { add("\(number)", after: number % 2) }
    clock.run()
    let even = stride(from: 0, to: 100, by: 2).map { "\($0) 0" }
    let odd = stride(from: 1, to: 100, by: 2).map { "\($0) 1" }
    #expect(log.lines == even + odd)
  }

  @Test func `ten thousand pieces of work at random times come in order`() {
    var random = SystemRandomNumberGenerator()
    let order = Box<[[Int]]>([])
    var expected: [[Int]] = []
    for number in 0..<10_000 {
      let due = Int.random(in: 0..<500, using: &random)
      expected.append([due, number])
      clock.schedule(after: .seconds(due)) { order.update { $0.append([due, number]) } }
    }
    clock.run()
    expected.sort { $0.lexicographicallyPrecedes($1) }
    #expect(order.value == expected)
  }

  @Test func `what is left when nearly all was cancelled comes in order`() {
    let order = Box<[Int]>([])
    let all = (0..<10_000).map { number in
      clock.schedule(after: .seconds(number * 7_919 % 10_000)) {
        order.update { $0.append(number) }
      }
    }
    for (number, work) in all.enumerated() where number % 100 != 0 { work.cancel() }
    #expect(clock.pendingCount == 100)
    clock.run()
    let left = stride(from: 0, to: 10_000, by: 100)
    #expect(order.value == left.sorted { $0 * 7_919 % 10_000 < $1 * 7_919 % 10_000 })
  }

  @Test func `work without delay runs at the present moment, after what was scheduled before it`() {
    add("later", after: 1)
    add("now")
    clock.schedule(after: .seconds(-5)) { [log] in log.add("negative delays do not wait") }
    clock.advance(by: .zero)
    #expect(log.lines == ["now 0", "negative delays do not wait"])
    #expect(clock.now == .zero && clock.pendingCount == 1)
  }

  @Test func `work that is scheduled meanwhile runs in the same advance where it is due`() {
    clock.schedule(after: .seconds(1)) { [clock, log] in
      log.add("first \(clock.now.components.seconds)")
      clock.schedule { log.add("at once \(clock.now.components.seconds)") }
      clock.schedule(after: .seconds(1)) {
        log.add("a second later \(clock.now.components.seconds)")
      }
      clock.schedule(after: .seconds(3)) { log.add("too late \(clock.now.components.seconds)") }
    }
    add("beside", after: 1)
    clock.advance(by: .seconds(3))
    #expect(log.lines == ["first 1", "beside 1", "at once 1", "a second later 2"])
    #expect(clock.pendingCount == 1 && clock.now == .seconds(3))
  }

  @Test func `advance(to:) moves to a moment, also to the present one`() {
    add("a", after: 5)
    clock.advance(to: .seconds(4))
    clock.advance(to: .seconds(4))
    #expect(log.lines == [] && clock.now == .seconds(4))
    clock.advance(to: .seconds(6))
    #expect(log.lines == ["a 5"] && clock.now == .seconds(6))
  }

  @Test func `run does everything, and time moves to the last piece of work, not beyond`() {
    add("a", after: 5)
    clock.schedule(after: .seconds(7)) { [clock, log] in
      clock.schedule(after: .seconds(2)) { log.add("b") }
    }
    clock.run()
    #expect(log.lines == ["a 5", "b"] && clock.now == .seconds(9) && clock.pendingCount == 0)
    clock.run()
    #expect(clock.now == .seconds(9))
  }

  @Test func `cancelled work does not run, and is pending no more`() {
    let kept = clock.schedule(after: .seconds(1)) { [log] in log.add("kept") }
    let first = clock.schedule(after: .seconds(1)) { [log] in log.add("first") }
    let last = clock.schedule(after: .seconds(2)) { [log] in log.add("last") }
    first.cancel()
    first.cancel()
    last.cancel()
    #expect(clock.pendingCount == 1)
    clock.run()
    #expect(log.lines == ["kept"] && clock.now == .seconds(1))
    kept.cancel()
    #expect(clock.pendingCount == 0)
  }

  @Test func `work cancels work of the same moment`() {
    let victim = Box<(any Cancelable)?>(nil)
    clock.schedule(after: .seconds(1)) { [log] in
      log.add("killer")
      victim.value?.cancel()
    }
    victim.value = clock.schedule(after: .seconds(1)) { [log] in log.add("victim") }
    clock.run()
    #expect(log.lines == ["killer"] && clock.pendingCount == 0)
  }

  @Test func `cancelling lets go of what the work held, at once`() {
    final class Thing: Sendable {}
    weak var seen: Thing?
    let cancelables: [any Cancelable]
    do {
      let thing = Thing()
      seen = thing
      cancelables = (0..<5).map { second in
        clock.schedule(after: .seconds(second)) { withExtendedLifetime(thing) {} }
      }
    }
    #expect(seen != nil)
    for cancelable in cancelables { cancelable.cancel() }
    #expect(seen == nil && clock.pendingCount == 0)
  }

  @Test func `a scheduler that goes drops its work, and cancelling afterwards is harmless`() {
    var gone: VirtualScheduler? = VirtualScheduler()
    let cancelable = gone!.schedule(after: .seconds(1)) { [log] in log.add("never") }
    gone = nil
    cancelable.cancel()
    #expect(log.lines == [])
  }

  @Test func `schedulers are independent`() {
    let other = VirtualScheduler()
    add("a", after: 1)
    other.schedule(after: .seconds(1)) { [log] in log.add("other") }
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["a 1"] && other.now == .zero)
    other.run()
    #expect(log.lines == ["a 1", "other"])
  }

  @Test func `scheduling and cancelling are allowed from many threads at once, nothing is lost`() {
    let counter = MutableNode(0)
    let (clock, count) = (clock, 1000)
    let cancelled = Box(0)
    onThreads(4) { thread in
      for number in 0..<count {
        let cancelable = clock.schedule(after: .seconds((number * 7 + thread) % 50)) {
          counter.update { $0 += 1 }
        }
        if number % 10 == 0 {
          cancelable.cancel()
          cancelled.update { $0 += 1 }
        }
      }
    }
    #expect(clock.pendingCount == 4 * count - cancelled.value)
    clock.run()
    #expect(counter.value == 4 * count * 9 / 10)
    #expect(clock.pendingCount == 0)
  }

  @Test func `scheduling is allowed from other threads while time moves`() {
    let (clock, counter) = (clock, MutableNode(0))
    clock.schedule {
      onThreads(1) { _ in clock.schedule { counter.update { $0 += 1 } } }
    }
    clock.run()
    #expect(counter.value == 1)
  }

  // MARK: Misuse

  @Test func `work that schedules itself for ever stops at the bound with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = VirtualScheduler(bound: 1000)
      @Sendable func again() { clock.schedule(after: .seconds(1), again) }
      again()
      clock.run()
    }
    #expect(
      message(result).contains(
        "VirtualScheduler: 1000 pieces of work ran by 1000.0 seconds and more is scheduled"))
    #expect(message(result).contains("something schedules itself for ever, or raise init(bound:)."))
  }

  @Test func `the message names the calls that keep scheduling, and how often`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      scheduleForEver()
    }
    let file = "schedule at EasyReactTestingTests/VirtualSchedulerTests.swift"
    #expect(
      message(result).contains(
        "At the end this scheduled: \(file):\(placesForEver[0]), 67 times; "
          + "\(file):\(placesForEver[1]), 33 times."),
      "\(message(result))")
  }

  @Test func `the message names the node whose timers never end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      echoForEver()
    }
    #expect(
      message(result).contains(
        "At the end this scheduled: a timer of the node “echo” of Int, made at "
          + "EasyReactTestingTests/VirtualSchedulerTests.swift:\(placesForEver[2]), 100 times."),
      "\(message(result))")
  }

  @Test func `the message names an interval that is run to its end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      tickForEver()
    }
    #expect(
      message(result).contains(
        "At the end this scheduled: a timer of the node “seconds” of Int, made at "
          + "EasyReactTestingTests/VirtualSchedulerTests.swift:\(placesForEver[3]), 100 times."),
      "\(message(result))")
  }

  @Test func `work whose place is not known says so`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock: any NodeScheduler = VirtualScheduler(bound: 10)
      @Sendable func again() { clock.schedule(after: .seconds(1), again) }
      again()
      (clock as? VirtualScheduler)?.run()
    }
    #expect(message(result).contains("work whose place is not known, 10 times."))
  }

  @Test func `exactly as much work as the bound is no error`() {
    let clock = VirtualScheduler(bound: 3)
    for second in 1...3 { clock.schedule(after: .seconds(second)) { [log] in log.add("x") } }
    clock.run()
    clock.schedule { [log] in log.add("x") }
    clock.schedule(after: .seconds(100)) { [log] in log.add("not due") }
    clock.advance(by: .seconds(1))
    #expect(log.lines.count == 4)
  }

  @Test func `a bound that is not positive stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualScheduler(bound: 0)
    }
    #expect(
      message(result).contains(
        "VirtualScheduler(bound: 0): the bound is not positive. Pass one or more."))
  }

  @Test func `moving time back stops with a message`() async {
    let by = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualScheduler().advance(by: .seconds(-1))
    }
    #expect(
      message(by).contains("VirtualScheduler.advance(by: -1.0 seconds): time does not go back."))
    let to = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = VirtualScheduler()
      clock.advance(by: .seconds(5))
      clock.advance(to: .seconds(4))
    }
    #expect(
      message(to).contains(
        "VirtualScheduler.advance(to: 4.0 seconds): it is 5.0 seconds already, time does not go back."
      ))
  }

  @Test func `moving time from scheduled work, or from two threads at once, stops with a message`()
    async
  {
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = VirtualScheduler()
      clock.schedule { clock.advance(by: .seconds(1)) }
      clock.run()
    }
    #expect(
      message(nested).contains(
        "VirtualScheduler: time is being moved already; do not advance from scheduled work"))
    let threads = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = VirtualScheduler()
      clock.schedule { onThreads(1) { _ in clock.run() } }
      clock.run()
    }
    #expect(message(threads).contains("VirtualScheduler: time is being moved already"))
  }
}

/// Two pieces of work, each of which schedules itself.
private func scheduleForEver() {
  let clock = VirtualScheduler(bound: 1000)
  @Sendable func tick() { clock.schedule(after: .seconds(1), tick) }
  @Sendable func again() {
    // It cannot tell where: so it counts for the call that scheduled the work which calls it.
    (clock as any NodeScheduler).schedule(after: .seconds(2), again)
  }
  tick()
  clock.schedule(after: .zero, again)
  clock.run()
}

/// A delayed value that sets the node it came from.
private func echoForEver() {
  let clock = VirtualScheduler(bound: 1000)
  let a = MutableNode(1).named("echo")
  let listening = a.delay(.seconds(1), on: clock).listen { a.value = $0 }
  clock.run()
  withExtendedLifetime(listening) {}
}

/// A source that ticks as long as it is held.
private func tickForEver() {
  let clock = VirtualScheduler(bound: 1000)
  let seconds = Node.interval(.seconds(1), on: clock).named("seconds")
  clock.run()
  withExtendedLifetime(seconds) {}
}

/// Where in the functions above.
private let placesForEver = [#line - 28, #line - 22, #line - 15, #line - 6]
