import Dispatch
import Synchronization

/// Where and when work runs: a queue, the main actor, at once, or virtual time in tests.
///
/// Operators read no other clock. `DispatchQueue`, ``MainScheduler`` (`.main`),
/// ``ImmediateScheduler`` (`.immediate`) and `VirtualScheduler` of EasyReactTesting are schedulers.
public protocol NodeScheduler: Sendable {
  /// The time since a moment that the scheduler chose; only differences mean something.
  var now: Duration { get }

  /// Runs `work` later, after what was scheduled before it.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` when `delay` has passed, unless it is cancelled before.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable
}

private let start = ContinuousClock.now

extension DispatchQueue: NodeScheduler {
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
    let timer = QueueTimer(self, isOnce: true) { _ in work() }
    timer.set(1, after: delay)
    return timer
  }
}

/// The main actor: work runs on the main queue, later, also when it is scheduled there.
public struct MainScheduler: NodeScheduler {
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
public struct ImmediateScheduler: NodeScheduler {
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

extension NodeScheduler where Self == MainScheduler {
  /// The main actor.
  public static var main: MainScheduler { MainScheduler() }
}

extension NodeScheduler where Self == ImmediateScheduler {
  /// At once.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}
