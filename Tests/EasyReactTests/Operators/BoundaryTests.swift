import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: the boundaries of each timed operator, to the attosecond.
@Suite("10.6 Boundaries of time", .watched) struct BoundaryTests {
  /// Sets the values at their times, in seconds, and returns what was told when.
  private static func run(
    _ values: [(Double, Int)], _ make: (Node<Int>, VirtualScheduler) -> Node<String>
  ) -> [String] {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let told = Recorder(make(a, clock), clock: clock)
    for (time, value) in values {
      clock.advance(to: .seconds(time))
      a.value = value
    }
    clock.run()
    return told.entries.map { "\($0.value)@\(Double($0.time.attoseconds) / 1e18)" }
  }

  /// The same with the sets as scheduled work, made before the operator's timers: at an equal moment
  /// they run first.
  private static func runScheduled(
    _ values: [(Double, Int)], _ make: (Node<Int>, VirtualScheduler) -> Node<String>
  ) -> [String] {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    for (time, value) in values { clock.schedule(after: .seconds(time)) { a.value = value } }
    let told = Recorder(make(a, clock), clock: clock)
    clock.run()
    return told.entries.map { "\($0.value)@\(Double($0.time.attoseconds) / 1e18)" }
  }

  @Test func `10.6 debounce: exactly at the end, before the timer, is newer`() {
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.debounce(.seconds(1), on: clock).map { "\($0)" }
    }
    #expect(Self.run([(0, 1), (0.999, 2), (1.999, 3)], make) == ["2@1.999", "3@2.999"])
    #expect(Self.runScheduled([(0, 1), (1, 2), (2, 3)], make) == ["3@3.0"])
    #expect(Self.runScheduled([(0, 1), (0, 2), (1.001, 3)], make) == ["2@1.0", "3@2.001"])
  }

  @Test
  func `10.6 delay tells values of one instant in order, and a value that comes when one is due`() {
    let values = [(0, 1), (0, 2), (0.5, 3), (1, 4)]
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.delay(.seconds(1), on: clock).map { "\($0)" }
    }
    let told = ["1@1.0", "2@1.0", "3@1.5", "4@2.0"]
    #expect(Self.run(values, make) == told)
    #expect(Self.runScheduled(values, make) == told)
  }

  @Test func `10.6 throttleFirst passes the first of an interval; exactly at its end, the next`() {
    let values = [(0, 1), (0.5, 2), (0.999, 3), (1, 4), (1.5, 5), (3, 6)]
    #expect(
      Self.run(values) { $0.throttleFirst(.seconds(1), on: $1).map { "\($0)" } } == [
        "1@0.0", "4@1.0", "6@3.0",
      ])
  }

  @Test
  func `10.6 throttleLatest tells the first at once and the latest at the end of each interval`() {
    let values = [(0, 1), (0.25, 2), (0.5, 3), (1.25, 4), (3.5, 5), (3.75, 6)]
    #expect(
      Self.run(values) { $0.throttleLatest(.seconds(1), on: $1).map { "\($0)" } } == [
        "1@0.0", "3@1.0", "4@2.0", "5@3.5", "6@4.5",
      ])
  }

  @Test func `10.6 throttleLatest: exactly at the end, before the timer, belongs to the interval`()
  {
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.throttleLatest(.seconds(1), on: clock).map { "\($0)" }
    }
    #expect(Self.run([(0, 1), (1, 2)], make) == ["1@0.0", "2@1.0"])
    #expect(Self.runScheduled([(0, 1), (0.5, 2), (1, 3)], make) == ["1@0.0", "3@1.0"])
  }

  @Test func `10.6 throttleLatest: the end of an interval in which all was emptied opens the way`()
  {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let told = Recorder(a.throttleLatest(.seconds(1), on: clock), clock: clock)
    a.value = 1
    a.value = 2
    a.clean()
    clock.advance(to: .seconds(1))
    a.value = 3
    #expect(told.values == [1, 3])
    #expect(told.times == [.zero, .seconds(1)])
  }

  @Test func `10.6 sample(every:) looks at whole intervals since it was made`() {
    let values = [(0.25, 1), (0.75, 2), (2.25, 3), (3, 4), (4.5, 5)]
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.sample(every: .seconds(1), on: clock).map { "\($0)" }
    }
    #expect(Self.run(values, make) == ["2@1.0", "3@3.0", "4@4.0", "5@5.0"])
    // At the end of an interval: whatever the scheduler runs before the timer belongs to it.
    #expect(Self.runScheduled([(0.5, 1), (1, 2)], make) == ["2@1.0"])
    #expect(Self.runScheduled([(1, 2)], make) == ["2@2.0"])
  }

  @Test func `10.6 buffer(for:) tells what came in each interval and nothing of an empty one`() {
    let values = [(0, 1), (0.5, 2), (1, 3), (3.25, 4), (3.75, 5)]
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.buffer(for: .seconds(1), on: clock).map { "\($0)" }
    }
    #expect(Self.run(values, make) == ["[1, 2]@1.0", "[3]@2.0", "[4, 5]@4.0"])
    #expect(Self.runScheduled([(0.5, 1), (1, 2)], make) == ["[1, 2]@1.0"])
  }

  @Test func `10.6 buffer(for:orCount:) tells a full array at once; a new interval begins then`() {
    let values = [(0.5, 1), (0.75, 2), (0.75, 3), (1.5, 4), (1.75, 5), (2.5, 6)]
    #expect(
      Self.run(values) { $0.buffer(for: .seconds(1), orCount: 3, on: $1).map { "\($0)" } } == [
        "[1, 2, 3]@0.75", "[4]@1.75", "[5, 6]@2.75",
      ])
  }

  @Test func `10.6 buffer carries the context of its last value, and emptying drops nothing`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let told = Recorder(a.buffer(for: .seconds(1), on: clock))
    a.set(1, context: "first")
    a.set(2, context: "last")
    a.clean()
    clock.run()
    #expect(told.values == [[1, 2]])
    #expect(told.contexts.map { $0 as? String } == ["last"])
  }

  @Test func `10.6 timeout fails once for each silence, also at first; in time is in time`() {
    let make = { (a: Node<Int>, clock: VirtualScheduler) in
      a.timeout(.seconds(1), on: clock).map { $0.text }
    }
    #expect(
      Self.run([(1.5, 1), (2.5, 2)], make) == [
        "late@1.0", "1@1.5", "late@2.5", "2@2.5", "late@3.5",
      ])
    #expect(Self.runScheduled([(1, 1)], make) == ["1@1.0", "late@2.0"])
    #expect("\(TimeoutError(interval: .seconds(1)))" == "no value for 1.0 seconds")
  }

  @Test func `10.6 timeout of a node that follows a timed one passes on what that tells in time`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let told = Recorder(
      a.delay(.seconds(1), on: clock).timeout(.seconds(1), on: clock).map { $0.text },
      clock: clock)
    clock.run()
    // The delay's timer was set first.
    #expect(told.values == ["1", "late"])
    #expect(told.times == [.seconds(1), .seconds(2)])
  }

  @Test func `10.6 the failure of a timeout is an event where its node tells events`() {
    let clock = VirtualScheduler()
    let taps = MutableNode<Int>.eventNode(), state = MutableNode<Int>()
    let outcomes = [taps, taps.map { $0 }.filter { _ in true }].map {
      $0.timeout(.seconds(1), on: clock)
    }
    let kept = [taps.held(), taps.count(), state.map { $0 }].map {
      $0.timeout(.seconds(1), on: clock)
    }
    let told = (outcomes + kept).map { node in Recorder(node.map { $0.text }) }
    for value in 1...2 {
      clock.advance(by: .seconds(2))
      #expect(outcomes.filter { !$0.isEmpty }.isEmpty && kept.filter { $0.isEmpty }.isEmpty)
      taps.value = value
      #expect(outcomes.filter { !$0.isEmpty }.isEmpty)
    }
    #expect(told[0].values == ["late", "1", "late", "2"] && told[1].values == told[0].values)
  }

  // MARK: Sources

  @Test func `10.6 interval tells 0, 1, 2, one an interval, and holds the last`() {
    let clock = VirtualScheduler()
    let node = Node.interval(.seconds(2), on: clock)
    #expect(node.isEmpty)
    let told = Recorder(node, clock: clock)
    clock.advance(to: .seconds(5))
    let late = Recorder(node)
    clock.advance(to: .seconds(6))
    #expect(told.values == [0, 1, 2])
    #expect(told.times == [2, 4, 6].map { .seconds($0) })
    #expect(late.values == [1, 2])
    #expect(node.upstreamTransforms.map(\.name) == ["Interval"])
    #expect(clock.pendingCount == 1)
    #expect(checkInvariants([node]) == [])
  }

  @Test func `10.6 interval stops when nobody holds it or what follows it`() {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    var text: Node<String>? = lives.track(Node.interval(.seconds(1), on: clock), "interval")
      .map { "\($0)" }
    clock.advance(by: .seconds(1))
    #expect(text?.value == "0")
    #expect(lives.alive == ["interval"])
    text = nil
    #expect(lives.alive == [])
    #expect(clock.pendingCount == 0)
  }

  @Test func `10.6 interval dropped by its own listener stops`() {
    let clock = VirtualScheduler()
    let ticks = Tally()
    let bag = CancelableBag()
    bag.add(
      Node.interval(.seconds(1), on: clock).listen { [weak bag] number in
        ticks.add()
        if number == 2 { bag?.cancel() }
      })
    clock.run()
    #expect(ticks.count == 3)
    #expect(clock.pendingCount == 0)
  }

  @Test func `10.6 timer tells once, or goes on with a period`() {
    let clock = VirtualScheduler()
    let once = Recorder(Node.timer(after: .seconds(3), on: clock), clock: clock)
    let more = Recorder(
      Node.timer(after: .seconds(3), every: .seconds(1), on: clock), clock: clock)
    clock.advance(to: .seconds(5))
    #expect(once.values == [0])
    #expect(once.times == [.seconds(3)])
    #expect(more.values == [0, 1, 2])
    #expect(more.times == [3, 4, 5].map { .seconds($0) })
    more.cancel()
    #expect(Node.timer(after: .seconds(1), on: .immediate).value == 0)
  }

  /// A scheduler whose time can run ahead of its timers, as on a machine that was asleep.
  private final class Sleepy: NodeScheduler, Sendable {
    let clock = VirtualScheduler()
    let asleep = MutableNode(Duration.zero)
    var now: Duration { clock.now + (asleep.value ?? .zero) }
    func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }
    func schedule(
      after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> any Cancelable {
      clock.schedule(after: delay, work)
    }
  }

  @Test func `10.6 interval leaves out the ticks that it missed and keeps its rhythm`() {
    let sleepy = Sleepy()
    let told = Recorder(Node.interval(.seconds(1), on: sleepy), clock: sleepy)
    sleepy.clock.advance(to: .seconds(1))
    sleepy.asleep.value = .milliseconds(3500)
    sleepy.clock.advance(to: .seconds(4))
    #expect(told.values == [0, 1, 2, 3])
    // The timer of 2 s fires at 5.5 s by this clock; then the rhythm of whole seconds again.
    #expect(told.times == [.seconds(1), .seconds(5.5), .seconds(6), .seconds(7)])
  }

  @Test func `10.6 sources refuse a period of zero and a scheduler that does not wait`() async {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Node.interval(.zero, on: VirtualScheduler())
    }
    let immediate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Node.interval(.seconds(1), on: .immediate)
    }
    let timer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Node.timer(after: .seconds(-1), on: .immediate)
    }
    let period = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Node.timer(after: .seconds(1), every: .zero, on: .immediate)
    }
    let texts = [zero, immediate, timer, period].map {
      String(decoding: $0?.standardErrorContent ?? [], as: UTF8.self)
    }
    #expect(texts[0].contains("EasyReact: interval: the interval 0.0 seconds is not positive"))
    #expect(texts[1].contains("EasyReact: interval: the immediate scheduler does not wait"))
    #expect(texts[2].contains("EasyReact: timer: the interval -1.0 seconds is not positive"))
    #expect(texts[3].contains("EasyReact: timer: the interval 0.0 seconds is not positive"))
    // There is no node yet: the message says where it was to be made, and the remedy.
    let place = "(a node that would be made at EasyReactTests/BoundaryTests.swift:"
    #expect(texts.allSatisfy { $0.contains(place) && $0.contains(". Pass ") })
  }
}
