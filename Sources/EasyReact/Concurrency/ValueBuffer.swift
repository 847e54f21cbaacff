import Synchronization

/// What a consumer of ``Node/values(buffering:file:line:)`` gets when it is slower than its node.
///
///     for await price in price.values(buffering: .newest(1)) { print(price) }
///
/// Values that have to wait for the consumer wait in order. Capacities are one or more; anything else
/// stops with a message.
public enum BufferingPolicy: Sendable, Hashable {
  /// The newest values, this many: an older one makes room.
  case newest(Int)
  /// The first values, this many: what comes while they wait is dropped.
  case oldest(Int)
  /// All of them. What a consumer leaves there takes memory until it, or the consumer, goes.
  case unbounded

  /// Nil: there is no limit.
  var capacity: Int? {
    switch self {
    case .newest(let count), .oldest(let count): count
    case .unbounded: nil
    }
  }
}

/// What a node told and its consumer has not taken yet, and the task that waits for more.
final class ValueBuffer<Value: Sendable>: Sendable {
  private struct State {
    var values = Queue<Value>()
    /// Is the last of them one that the node keeps, so that the next one may take its place?
    var endsWithKept = false
    var waiting: CheckedContinuation<Void, Never>?
    var isOver = false

    /// Returns what is dropped for it.
    mutating func keep(_ value: Value, _ policy: BufferingPolicy?, _ isEvent: Bool) -> Value? {
      var dropped: Value?
      switch policy {
      case .oldest(let capacity) where values.count >= capacity: return value
      case .newest(let capacity) where values.count >= capacity: dropped = values.popFirst()
      case nil where endsWithKept && !isEvent: dropped = values.popLast()
      default: break
      }
      values.append(value)
      endsWithKept = !isEvent
      return dropped
    }
  }
  private let state = Mutex(State())
  /// Nil: every event, and of the values that the node keeps, the newest.
  private let policy: BufferingPolicy?
  /// For a message; the listener's edge keeps it, too.
  private let node: AnyNode

  init(_ policy: BufferingPolicy?, of node: AnyNode) {
    self.policy = policy
    self.node = node
  }

  /// What wakes the task up does not bring the value: a newer one may come before it runs.
  func append(_ value: Value, isEvent: Bool) {
    let (waiting, dropped) = state.withLock { state in
      state.isOver ? (nil, value) : (state.waiting.take(), state.keep(value, policy, isEvent))
    }
    waiting?.resume()
    _ = consume dropped  // no deinit is run under the lock
  }

  /// The next value; nil, for good, once the task that asks has been cancelled.
  nonisolated(nonsending) func next() async -> Value? {
    if Task.isCancelled { end() }
    while true {
      let (value, isOver) = state.withLock {
        $0.isOver ? (nil, true) : ($0.values.popFirst(), false)
      }
      if let value { return value }
      if isOver { return nil }
      await wait()
    }
  }

  /// Until there is a value, or the end.
  nonisolated(nonsending) private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (needsNot, isTaken) = state.withLock { state in
          if state.isOver || !state.values.isEmpty { return (true, false) }
          if state.waiting != nil { return (false, true) }
          state.waiting = continuation
          return (false, false)
        }
        if needsNot { continuation.resume() }
        if isTaken { refuseSecondTask() }
      }
    } onCancel: {
      end()
    }
  }

  /// The task's locks may be held here, so no value dies: `clear` is for the task itself.
  private func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      return state.waiting.take()
    }
    waiting?.resume()
  }

  func clear() {
    let dropped = state.withLock { state in
      defer { state.values = Queue() }
      return state.values
    }
    _ = consume dropped  // as above
  }

  private func refuseSecondTask() -> Never {
    misuse(
      "values", "two tasks wait at once for the next value of one iterator", node,
      "Give each a `for await` over the sequence, which makes an iterator of its own.")
  }
}
