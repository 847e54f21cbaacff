import EasyReact
import Synchronization

/// A scheduler whose time moves only when a test moves it.
///
///     let clock = VirtualScheduler()
///     let typed = MutableNode<String>()
///     let shown = Recorder(typed.debounce(.milliseconds(300), on: clock))
///     typed.value = "s"; typed.value = "sw"
///     clock.advance(by: .milliseconds(299))      // shown.values == []
///     clock.advance(by: .milliseconds(1))        // shown.values == ["sw"]
///
/// Everything due runs on the thread that moves the time, in order of time, then of scheduling,
/// work scheduled meanwhile included. Scheduling is allowed from any thread; time is moved by one
/// thread at a time. Schedulers are independent, so tests may run in parallel.
///
/// Known as `TestScheduler` in Rx and in the testing packages for Combine, `ManualClock` in
/// swift-async-algorithms.
public final class VirtualScheduler: NodeScheduler {
  private let state = Mutex(State())
  private let bound: Int

  /// - Parameter bound: How many pieces of work one `advance` or `run` may do before it stops with
  ///   a message that names what keeps scheduling: the guard against work that schedules itself for
  ///   ever.
  public init(bound: Int = 10_000_000) {
    if bound <= 0 {
      fatalError("VirtualScheduler(bound: \(bound)): the bound is not positive. Pass one or more.")
    }
    self.bound = bound
  }

  /// The virtual time since the scheduler was made. Any thread.
  public var now: Duration { state.withLock { $0.now } }

  /// How much work waits: what was cancelled does not count.
  public var pendingCount: Int { state.withLock { $0.bodies.count } }

  // MARK: Scheduling

  @_disfavoredOverload
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    _ = add(after: .zero, site: nil, work)
  }

  @_disfavoredOverload @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    cancelable(add(after: delay, site: nil, work))
  }

  /// Runs `work` at the present moment, after what was scheduled before it, when time is moved.
  ///
  ///     clock.schedule { print("now") }
  ///     clock.run()                                // now
  ///
  /// - Parameters file, line: The call, for the message about work that never ends.
  public func schedule(
    file: StaticString = #fileID, line: UInt = #line, _ work: @escaping @Sendable () -> Void
  ) {
    _ = add(after: .zero, site: WorkSite(file, line), work)
  }

  /// Runs `work` when `delay` has passed, unless it is cancelled before; a negative delay does not
  /// wait.
  ///
  ///     let alarm = clock.schedule(after: .seconds(5)) { print("late") }
  ///     clock.advance(by: .seconds(4))
  ///     alarm.cancel()                             // nothing is printed
  ///
  /// - Parameters file, line: The call, for the message about work that never ends.
  @discardableResult
  public func schedule(
    after delay: Duration, file: StaticString = #fileID, line: UInt = #line,
    _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    cancelable(add(after: delay, site: WorkSite(file, line), work))
  }

  /// Work of a marble test: at `time`, in its place among what is due then.
  func schedule(at time: Duration, _ place: Work.Place, _ work: @escaping @Sendable () -> Void) {
    _ = add(after: time - now, place, site: nil, work)
  }

  // MARK: Moving time

  /// Moves the time on by `duration`, and does everything due on the way, what is due exactly then
  /// included. At most by 2³² seconds at a time; delays are no longer either.
  public func advance(by duration: Duration) {
    if duration < .zero {
      fatalError("VirtualScheduler.advance(by: \(duration)): time does not go back.")
    }
    runAll(until: now + duration.asDelay)
  }

  /// Moves the time on to `time`, and does everything due on the way. At most as far as `advance(by:)` goes.
  public func advance(to time: Duration) {
    let now = now
    if time < now {
      fatalError(
        "VirtualScheduler.advance(to: \(time)): it is \(now) already, time does not go back.")
    }
    runAll(until: now + (time - now).asDelay)
  }

  /// Does everything that is scheduled, in order, until nothing is; time moves to the last piece of
  /// work.
  ///
  /// If something is always scheduled, as by an `interval`, use ``advance(by:)``: `run` would
  /// stop at the bound.
  public func run() { runAll(until: nil) }
}

// MARK: - Running

extension VirtualScheduler {
  private func runAll(until end: Duration?) {
    state.withLock { state in
      if state.runner != nil {
        fatalError(
          "VirtualScheduler: time is being moved already; do not advance from scheduled work.")
      }
      state.runner = RecordedThread.current
      state.left = bound
    }
    while let work = next(until: end) { work() }
    state.withLock { state in
      if let end { state.now = max(state.now, end) }
      state.runner = nil
      state.site = nil
      state.left = nil
      state.schedulers = [:]
      state.shrinkIfSparse()
    }
  }

  /// The next piece of work that is due; time moves to it.
  private func next(until end: Duration?) -> (@Sendable () -> Void)? {
    let (body, isEndless) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      guard let first = state.firstDue(by: end) else { return (nil, false) }
      if state.left == 0 { return (nil, true) }
      _ = state.heap.pop()
      state.left! -= 1
      state.now = max(state.now, first.due)
      let body = state.bodies.removeValue(forKey: first.number)!
      state.site = body.site
      return (body.run, false)
    }
    if isEndless { stopEndlessRun() }
    return body
  }

  private func stopEndlessRun() -> Never {
    let (now, schedulers) = state.withLock { ($0.now, $0.schedulers) }
    let most = schedulers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
    let names = most.map { "\($0.key), \($0.value) \($0.value == 1 ? "time" : "times")" }
    fatalError(
      "VirtualScheduler: \(bound) pieces of work ran by \(now) and more is scheduled; "
        + "something schedules itself for ever, or raise init(bound:). "
        + "At the end this scheduled: \(names.joined(separator: "; ")).")
  }

  private func add(
    after delay: Duration, _ place: Work.Place = .usual, site: WorkSite?,
    _ body: @escaping @Sendable () -> Void
  ) -> UInt64 {
    let (number, mustName, cause) = state.withLock { state in
      // If work schedules something that cannot tell where, it was scheduled where that work was.
      let cause = state.runner == RecordedThread.current ? state.site : nil
      state.number += 1
      state.bodies[state.number] = Body(run: body, site: site ?? cause)
      let due = state.now + delay.asDelay
      state.heap.push(Work(due: due, place: place, number: state.number))
      return (state.number, state.left.map { $0 < Self.named } ?? false, cause)
    }
    if mustName {
      let name =
        site?.name ?? whereaboutsOfNodeBeingTold().map { "a timer of the \($0)" }
        ?? cause?.name ?? "work whose place is not known"
      state.withLock { $0.schedulers[name, default: 0] += 1 }
    }
    return number
  }

  /// How many of the last pieces of work before the bound tell who schedules.
  private static var named: Int { 100 }

  private func cancelable(_ number: UInt64) -> any Cancelable {
    ClosureCancelable { [weak self] in self?.cancel(number) }
  }

  private func cancel(_ number: UInt64) {
    // The closure is destroyed outside of the lock.
    let dropped = state.withLock { $0.cancel(number) }
    _ = consume dropped
  }
}

// MARK: - State

extension VirtualScheduler {
  private struct State {
    var now: Duration = .zero
    var number: UInt64 = 0
    /// What was cancelled stays in it until its time, or until more than half of it was.
    var heap = WorkHeap()
    /// By number: what is still to be done.
    var bodies: [UInt64: Body] = [:]
    /// While time is moved: by whom, how much work may still run, and where the running work was
    /// scheduled.
    var runner: RecordedThread?
    var left: Int?
    var site: WorkSite?
    /// Who scheduled how often, shortly before the bound.
    var schedulers: [String: Int] = [:]

    mutating func cancel(_ number: UInt64) -> Body? {
      guard let body = bodies.removeValue(forKey: number) else { return nil }
      shrinkIfSparse()
      return body
    }

    /// What once had to wait needs no room for good.
    mutating func shrinkIfSparse() {
      if heap.count > 2 * bodies.count + 64 { heap = heap.filter { bodies[$0.number] != nil } }
      bodies.shrinkIfSparse()
      heap.shrinkIfSparse()
    }

    /// Drops what was cancelled from the top of the heap.
    mutating func firstDue(by end: Duration?) -> Work? {
      while let first = heap.first {
        if bodies[first.number] != nil {
          return end.map { first.due <= $0 } ?? true ? first : nil
        }
        _ = heap.pop()
      }
      return nil
    }
  }

  private struct Body {
    let run: @Sendable () -> Void
    let site: WorkSite?
  }

  private struct WorkSite {
    let file: StaticString
    let line: UInt
    init(_ file: StaticString, _ line: UInt) {
      self.file = file
      self.line = line
    }
    var name: String { "schedule at \(file):\(line)" }
  }
}
