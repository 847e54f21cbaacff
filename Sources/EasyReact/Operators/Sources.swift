import Synchronization

// Nodes that a scheduler sets.

extension Node where Value == Int {
  /// Returns a node that tells 0, 1, 2, … on the scheduler, one per interval, the first after one interval.
  ///
  ///     let seconds = Node.interval(.seconds(1), on: .main)
  ///     let clock = seconds.map { "\($0 + 1) s" }
  ///
  /// It runs while somebody holds the node or what follows it, and holds the last number; it is
  /// empty before the first. Each tick is due a whole number of intervals after the start, so being
  /// late does not add up; ticks that are missed altogether are left out, and not counted. Known as
  /// `interval` in Rx, `Timer.publish` in Combine, `SignalProducer.timer` in ReactiveSwift.
  /// - Parameter interval: Greater than zero; anything else stops with a message, as does
  ///   `.immediate`, which would never wait.
  public static func interval(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Int> {
    let location = SourceLocation(file, line)
    requirePositive(interval, "interval", at: location)
    requireWaiting(scheduler, "interval", at: location)
    return ticks(.interval, after: interval, every: interval, scheduler, location)
  }

  /// Returns a node that tells 0 after `delay`, and then 1, 2, … once a `period`, if there is one.
  ///
  ///     let once = Node.timer(after: .seconds(3), on: .main)
  ///     let later = Node.timer(after: .seconds(3), every: .seconds(1), on: .main)
  ///
  /// The rest is as in ``interval(_:on:file:line:)``. Known as `timer` in Rx.
  /// - Parameter delay: Greater than zero, like `period`; anything else stops with a message.
  public static func timer(
    after delay: Duration, every period: Duration? = nil, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Int> {
    let location = SourceLocation(file, line)
    requirePositive(delay, "timer", at: location)
    if let period {
      requirePositive(period, "timer", at: location)
      requireWaiting(scheduler, "timer", at: location)
    }
    return ticks(.timer, after: delay, every: period, scheduler, location)
  }

  private static func ticks(
    _ kind: OperatorKind, after delay: Duration, every period: Duration?,
    _ scheduler: any NodeScheduler,
    _ location: SourceLocation
  ) -> Node<Int> {
    let node: MutableNode<Int> = makeSource(nil, isMutable: false, location)
    let ticker = Ticker(kind, first: delay, period: period, scheduler)
    ticker.to = node  // which keeps it
    ticker.start()
    return node
  }
}

private func requirePositive(_ interval: Duration, _ operation: String, at location: SourceLocation)
{
  if interval <= .zero {
    misuse(
      operation, "the interval \(interval) is not positive", at: location, "Pass more than zero.")
  }
}

private func requireWaiting(
  _ scheduler: some NodeScheduler, _ operation: String, at location: SourceLocation
) {
  if scheduler is ImmediateScheduler {
    misuse(
      operation, "the immediate scheduler does not wait, so this would never end", at: location,
      "Pass a scheduler on which time passes.")
  }
}

/// An edge without upstream that tells numbers.
private final class Ticker: NodeTransform<Never, Int>, @unchecked Sendable {
  // Unchecked: adds constants and a Mutex.
  private struct State {
    var due: Duration
    /// How often the timer fired, and how many of those ticks have been told.
    var ticked = 0
    var number = 0
    var isSending = false
    var timer: (any Cancelable)?

    /// To the next moment that is a whole number of periods after the last one and not over already. A period may be an
    /// attosecond, so their number may be one that no `Int` holds.
    mutating func goOn(from now: Duration, by period: Duration) {
      let late = (now - due).attoseconds
      let count = late > 0 ? (late - 1) / period.attoseconds + 1 : 1
      due += Duration(attoseconds: count * period.attoseconds)
    }
  }
  private let state: Mutex<State>
  private let period: Duration?
  private let scheduler: any NodeScheduler

  init(_ kind: OperatorKind, first: Duration, period: Duration?, _ scheduler: any NodeScheduler) {
    state = Mutex(State(due: scheduler.now + first.asDelay))
    self.period = period?.asDelay
    self.scheduler = scheduler
    super.init(kind) { EdgeParts { _, _, _ in false } }
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  func start() {
    let now = scheduler.now
    let (wait, ticked) = state.withLock { (max(.zero, $0.due - now), $0.ticked) }
    let timer = TimerOwner.whileSettingTimer(of: toNode) {
      scheduler.schedule(after: wait) { [weak self] in self?.tick() }
    }
    let old = state.withLock { state -> (any Cancelable)? in
      if state.ticked != ticked { return nil }
      defer { state.timer = timer }
      return state.timer
    }
    _ = consume old
  }

  /// The next tick is scheduled before this one is told, and ticks are told one at a time.
  private func tick() {
    let now = scheduler.now
    let mustSend = state.withLock { state in
      state.ticked += 1
      if let period { state.goOn(from: now, by: period) }
      defer { state.isSending = true }
      return !state.isSending
    }
    if period != nil { start() }
    if mustSend { while let number = next() { send(number) } }
  }

  private func next() -> Int? {
    state.withLock { state in
      if state.number == state.ticked {
        state.isSending = false
        return nil
      }
      defer { state.number += 1 }
      return state.number
    }
  }
}
