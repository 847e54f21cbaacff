import Dispatch
import Synchronization

/// Where and when work runs: a queue, the main actor, at once, or virtual time in tests.
///
/// Operators read no other clock. `DispatchQueue`, ``MainScheduler`` (`.main`),
/// ``ImmediateScheduler`` (`.immediate`) and `VirtualScheduler` of EasyReactTesting are schedulers.
public protocol Scheduler: Sendable {
  /// The time since a moment that the scheduler chose; only differences mean something.
  var now: Duration { get }

  /// Runs `work` later, after what was scheduled before it.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` when `delay` has passed, unless it is cancelled before.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable
}

private let start = ContinuousClock.now

extension DispatchQueue: Scheduler {
  public var now: Duration { start.duration(to: .now) }

  public func schedule(_ work: @escaping @Sendable () -> Void) {
    pendingWork.wrappingAdd(1, ordering: .relaxed)
    async {
      work()
      pendingWork.wrappingSubtract(1, ordering: .releasing)
    }
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    let cancelled = Flag()
    let timer = timers.begin(ContinuousClock.now + delay)
    asyncAfter(deadline: .now() + delay.timeInterval) {
      if !cancelled.isSet { work() }
      timers.end(timer)
    }
    return ClosureCancelable {
      cancelled.set()
      timers.end(timer)
    }
  }
}

/// When the timers of dispatch queues are due: for `isQuiet`.
final class Timers: Sendable {
  private struct State {
    var number: UInt64 = 0
    var due: [UInt64: ContinuousClock.Instant] = [:]
  }
  private let state = Mutex(State())

  func begin(_ due: ContinuousClock.Instant) -> UInt64 {
    state.withLock { state in
      state.number += 1
      state.due[state.number] = due
      return state.number
    }
  }

  /// It has run, or it never will. Once is enough.
  func end(_ number: UInt64) { state.withLock { _ = $0.due.removeValue(forKey: number) } }

  func isAnyDue(at now: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.due.values.contains { $0 <= now } }
  }
}

let timers = Timers()

extension Duration {
  /// For Dispatch: nanoseconds, saturated at the two ends.
  fileprivate var timeInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .nanoseconds(0) : .never }
    return .nanoseconds(Int(clamping: max(0, product + attoseconds / 1_000_000_000)))
  }
}

final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

/// The main actor: work runs on the main queue, later, also when it is scheduled there.
public struct MainScheduler: Scheduler {
  public init() {}
  public var now: Duration { DispatchQueue.main.now }
  public func schedule(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.schedule(work) }
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    DispatchQueue.main.schedule(after: delay, work)
  }
}

/// At once, on the calling thread; delays do not wait. For tests and for turning asynchrony off.
public struct ImmediateScheduler: Scheduler {
  public init() {}
  public var now: Duration { .zero }
  public func schedule(_ work: @escaping @Sendable () -> Void) { work() }
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    work()
    return ClosureCancelable.over
  }
}

extension Scheduler where Self == MainScheduler {
  /// The main actor.
  public static var main: MainScheduler { MainScheduler() }
}

extension Scheduler where Self == ImmediateScheduler {
  /// At once.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}
