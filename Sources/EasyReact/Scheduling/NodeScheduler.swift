import Dispatch
import Synchronization

/// Where and when work runs: a queue, the main actor, at once, or virtual time in tests.
///
///     let shown = typed.debounce(.milliseconds(300), on: .main)
///     let saved = shown.deliver(on: .queue(storage))
///
/// Operators read no other clock. There are ``QueueScheduler`` (`.queue(_:)`, `.global()`),
/// ``MainScheduler`` (`.main`), ``ImmediateScheduler`` (`.immediate`), and `VirtualScheduler` of
/// EasyReactTesting.
public protocol NodeScheduler: Sendable {
  /// The time since a moment that the scheduler chose; only differences mean something.
  var now: Duration { get }

  /// Runs `work` later, after what was scheduled before it.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` when `delay` has passed, unless it is cancelled before.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable
}

extension Duration {
  /// What is added to a scheduler's time: none that is negative, and none that would overflow. Nobody lives to see the end of a longer
  /// one: some 136 years.
  package var asDelay: Duration { min(max(.zero, self), .seconds(1 << 32)) }
}

private let start = ContinuousClock.now

/// A dispatch queue as a scheduler, serial or concurrent.
///
///     let queue = DispatchQueue(label: "prices")
///     let listening = price.listen(on: .queue(queue)) { print($0) }
///
/// Its time is a monotonic clock's.
public struct QueueScheduler: NodeScheduler {
  public let queue: DispatchQueue

  public init(_ queue: DispatchQueue) { self.queue = queue }

  public var now: Duration { start.duration(to: .now) }

  public func schedule(_ work: @escaping @Sendable () -> Void) {
    pendingWork.begin()
    queue.async {
      work()
      pendingWork.end()
    }
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    let timer = QueueTimer(queue, isOnce: true) { _ in work() }
    timer.set(1, after: delay)
    return timer
  }
}

/// The main actor: work runs on the main queue, later, even when it is scheduled there.
public struct MainScheduler: NodeScheduler {
  public init() {}
  private var queue: QueueScheduler { QueueScheduler(.main) }
  public var now: Duration { queue.now }
  public func schedule(_ work: @escaping @Sendable () -> Void) { queue.schedule(work) }
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    queue.schedule(after: delay, work)
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

extension NodeScheduler where Self == QueueScheduler {
  /// The scheduler of a dispatch queue: `node.deliver(on: .queue(queue))`.
  public static func queue(_ queue: DispatchQueue) -> QueueScheduler { QueueScheduler(queue) }

  /// The system's concurrent queue of a quality of service.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> QueueScheduler {
    QueueScheduler(.global(qos: qos))
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

// MARK: - A queue in a scheduler's place

// A conformance that cannot be used makes `deliver(on: queue)` say what to write instead, for every
// operator at once and without a second overload of any. What it must have is named so that nothing of
// ours is offered on other people's type.
@available(*, unavailable, message: "write .queue(queue), or .main for the main queue")
extension DispatchQueue: NodeScheduler {
  @_implements(NodeScheduler,now)
  public var _nowOfScheduler: Duration { fatalError() }
  @_implements(NodeScheduler,schedule(_:))
  public func _scheduleOfScheduler(_ work: @escaping @Sendable () -> Void) { fatalError() }
  @_implements(NodeScheduler,schedule(after:_:))
  public func _scheduleOfScheduler(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable { fatalError() }
}
