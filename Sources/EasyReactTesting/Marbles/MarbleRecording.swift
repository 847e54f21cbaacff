import EasyReact
import Synchronization

/// What a node told in a ``MarbleTest``.
///
///     let told = test.watch(a.delay(.seconds(2), on: test.clock))
///     test.run()
///     print(told.marbles)          // --1-2
public final class MarbleRecording<Value: Sendable>: Sendable {
  /// One thing that was told.
  public struct Event: Sendable {
    public let time: Duration
    /// Nil: the node was emptied.
    public let value: Value?
  }

  private final class Log: ListenEdge<Value>, @unchecked Sendable {
    // Unchecked: adds a constant and a Mutex.
    let events = Mutex<[Event]>([])
    let clock: VirtualScheduler
    init(_ clock: VirtualScheduler) { self.clock = clock }

    override func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {
      note(value)
    }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { note(nil) }

    private func note(_ value: Value?) {
      let event = Event(time: clock.now, value: value)
      events.withLock { $0.append(event) }
    }
  }

  private let log: Log
  private let listening: Listening
  private let step: Duration
  private let reading: MarbleReading<Value>
  private let expected: Marbles?
  private let clock: VirtualScheduler

  init(
    _ node: Node<Value>, _ test: MarbleTest, _ reading: MarbleReading<Value>, expected: Marbles?
  ) {
    log = Log(test.clock)
    clock = test.clock
    step = test.step
    self.reading = reading
    self.expected = expected
    listening = node.listen(with: log)
  }

  /// Everything that was told so far, in order.
  public var events: [Event] { log.events.withLock { $0 } }

  /// The same as a marble line, up to the present time. What was told between two columns stands in
  /// the first of them.
  public var marbles: Marbles {
    var steps = [[Marbles.Mark]](repeating: [], count: column(of: clock.now).step + 1)
    for event in events {
      let step = column(of: event.time).step
      let mark = event.value.map { Marbles.Mark.value(text(of: $0, in: step, steps[step].count)) }
      steps[step].append(mark ?? .emptied)
    }
    for (step, marks) in (expected?.steps ?? []).enumerated() where marks.contains(.cancelled) {
      if step < steps.count {
        steps[step].insert(.cancelled, at: marks.count == 1 ? 0 : steps[step].count)
      }
    }
    return Marbles(steps: steps)
  }

  /// What was told between two columns, for the message.
  var strays: [String] {
    events.compactMap { event in
      let (step, isExact) = column(of: event.time)
      if isExact { return nil }
      let what = event.value.map { "“\(reading.write($0))” was told" } ?? "it was emptied"
      return "\(what) at \(event.time), between columns \(step + 1) and \(step + 2)"
    }
  }

  /// When the line has a `!`, the listening ends there: before anything else of that instant if it
  /// stands alone, else at the instant's end.
  func cancelling(_ expected: Marbles) -> [MarbleTest.Action] {
    expected.steps.enumerated().compactMap { step, marks in
      if marks.last != .cancelled { return nil }
      let place = marks.count == 1 ? Work.Place.cancelling : .lateCancelling
      return MarbleTest.Action(step: step, place: place) { [listening] in listening.cancel() }
    }
  }

  /// A value that is the expected one is written as that was, and no other is: lines are compared by their texts.
  private func text(of value: Value, in step: Int, _ place: Int) -> String {
    guard let expected, step < expected.steps.count, place < expected.steps[step].count,
      case .value(let text) = expected.steps[step][place]
    else { return reading.write(value) }
    if reading.matches(value, text) { return text }
    let own = reading.write(value)
    return own == text ? "\(own), not “\(text)”" : own
  }

  private func column(of time: Duration) -> (step: Int, isExact: Bool) {
    let quotient = Int128(attoseconds: time) / Int128(attoseconds: step)
    return (Int(quotient), step * Int(quotient) == time)
  }
}

extension Int128 {
  fileprivate init(attoseconds duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
  }
}
