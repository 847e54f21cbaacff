// Rate limits. EasyReact's `throttle` is no rate limit, but `debounce`: see Delivering.swift.

extension Node {
  /// Returns a node of at most one value per interval: the first passes at once, what follows
  /// within `interval` is dropped.
  ///
  ///     let pressed = taps.throttleFirst(.milliseconds(500), on: .main)   // double taps count once
  ///
  /// The value passes on the thread that sets, as part of its wave; the scheduler only tells the
  /// time. A value that comes exactly `interval` after the last one that passed, passes. The present
  /// value counts; emptying does nothing. Re-pointing the edge begins anew. Where delays do not wait
  /// (`.immediate`) every value passes. Known as `throttle(latest: false)` in RxSwift and Combine,
  /// but Combine delivers on the scheduler.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  public final func throttleFirst(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "throttleFirst", self)
    let waits = !(scheduler is ImmediateScheduler)
    let transform = NodeTransform<Value, Value>(.throttleFirst) {
      let last = Cell<Duration?>(nil)
      return EdgeParts { up, edge, turn in
        let now = scheduler.now
        if waits, let last = last.place.pointee, now - last < interval {
          return edge.stop(.filtered, in: turn)
        }
        last.place.pointee = now
        return edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// Returns a node of at most one value per interval: the first passes at once, then the latest
  /// of each interval at its end.
  ///
  ///     let shown = progress.throttleLatest(.milliseconds(100), on: .main)
  ///
  /// The first value passes on the thread that sets, as part of its wave, and opens an interval; at
  /// its end the latest value that came meanwhile is told on the scheduler and opens the next one.
  /// An interval in which nothing came is followed by none: the next value passes at once. Emptying
  /// this node drops what waits. What the scheduler runs before the timer, at the same moment,
  /// belongs to the interval. Re-pointing the edge begins anew. Known as `throttle` in RxSwift,
  /// `throttle(latest: true)` in Combine, `throttle(_:on:)` in ReactiveSwift.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  /// - Complexity: O(1) a value; at most one live timer.
  @inlinable public final func throttleLatest(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "throttleLatest", self)
    return timed(.throttleLatest, hearsEmptiness: true, SourceLocation(file, line)) {
      .throttled(by: interval, scheduler, $0)
    }
  }

  /// Returns a node that takes this node's latest value at the end of each interval, if there was a
  /// new one in it.
  ///
  ///     let drawn = position.sample(every: .milliseconds(16), on: .main)
  ///
  /// The intervals follow each other from the moment at which the edge is made. The present value
  /// belongs to the first; emptying this node drops what waits. The value is told on the scheduler,
  /// as part of its wave. What the scheduler runs before the timer, at the same moment, belongs to
  /// the interval that ends. While nothing comes no timer runs. Re-pointing the edge begins anew.
  /// Known as `sample` with a period in Rx (`sample(_:)` of an `interval` in RxSwift); Combine has
  /// none.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  @inlinable public final func sample(
    every interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "sample(every:)", self)
    if scheduler is ImmediateScheduler { return handOn(.sampleEvery, SourceLocation(file, line)) }
    return timed(.sampleEvery, hearsEmptiness: true, SourceLocation(file, line)) {
      .sampled(every: interval, scheduler, $0)
    }
  }
}

extension AnyTimedEdge {
  @usableFromInline static func throttled(
    by interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet
  ) -> AnyTimedEdge {
    ThrottledEdge(interval, scheduler, outlet)
  }

  @usableFromInline static func sampled(
    every interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet
  ) -> AnyTimedEdge {
    SampledEdge(interval, scheduler, outlet)
  }
}

/// An interval that is open, with the latest value that came in it.
private struct OpenInterval: Sendable {
  var isOpen = false
  var pending: InFlight<AnyValueBox>?
}

private final class ThrottledEdge: TimedEdge<OpenInterval>, @unchecked Sendable {
  // Unchecked: adds a constant.
  private let interval: Duration

  init(_ interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet) {
    self.interval = interval
    super.init(OpenInterval(), scheduler, outlet)
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    guard let value else { return drop() }
    return decide(over: edge, up, turn, passing: { !$0.isOpen }) { state, plan, passes in
      if !passes {
        defer { state.pending = InFlight(value, from: up, turn) }
        return state.pending
      }
      state.isOpen = true
      plan.passes = value
      plan.timer = .restart(interval)
      return nil
    }
  }

  private func drop() -> Bool {
    decide { state, _ in
      defer { state.pending = nil }
      return state.pending
    }
    return false
  }

  override func fired(_ state: inout OpenInterval, _ plan: inout Plan) {
    state.isOpen = state.pending != nil
    guard let item = state.pending else { return }
    state.pending = nil
    plan.outputs.append(item)
    plan.timer = .restart(interval)
  }
}

private final class SampledEdge: TimedEdge<InFlight<AnyValueBox>?>, @unchecked Sendable {
  // Unchecked: adds a constant.
  private let windows: Windows

  init(_ interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet) {
    windows = Windows(from: scheduler.now, interval)
    super.init(nil, scheduler, outlet)
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    guard let value else { return drop() }
    let isStored = edge.stop(.heldBackByTimer, in: turn)
    let rest = windows.rest(at: scheduler.now)
    decide { pending, plan in
      if pending == nil { plan.timer = .restart(rest) }
      defer { pending = InFlight(value, from: up, turn) }
      return pending
    }
    return isStored
  }

  private func drop() -> Bool {
    decide { pending, plan in
      plan.timer = .stop
      defer { pending = nil }
      return pending
    }
    return false
  }

  override func fired(_ pending: inout InFlight<AnyValueBox>?, _ plan: inout Plan) {
    if let item = pending { plan.outputs.append(item) }
    pending = nil
  }
}

/// Intervals that follow each other without a gap from a moment on. A timer is set for the end of
/// one only when something waits for it.
struct Windows: Sendable {
  private var start: Duration
  private let interval: Duration

  init(from start: Duration, _ interval: Duration) {
    self.start = start
    self.interval = interval
  }

  /// How long the interval that `now` lies in still lasts; more than zero.
  func rest(at now: Duration) -> Duration {
    let passed = max(0, (now - start).attoseconds) % interval.attoseconds
    return interval - Duration(attoseconds: passed)
  }

  mutating func restart(at now: Duration) { start = now }
}
