import DequeModule
import Synchronization

extension Node {
  /// Returns a node whose values arrive on a scheduler, later and in order.
  ///
  ///     let shown = loaded.deliver(on: .main).map { view.render($0) }
  ///
  /// The setting thread does not wait, and the present value hops too, so the result is empty at
  /// first. The order is kept on concurrent queues as well. Waves and contexts go along. What waits
  /// when the edge is cut is dropped. Known as `receive(on:)` in Combine, `observe(on:)` in Rx.
  public final func deliver(
    on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let transform = Transform<Value, Value>(.deliver) {
      let hop = DeliverHop<Value>(scheduler)
      return LifeParts(hop: hop) { up, edge, turn in
        hop.note(edge)
        hop.queue.append(Travelling(slot(up, Value.self).pointee, turn))
        return stop(.waitsOnScheduler, edge, turn)
      }
    }
    return derive(through: transform, isHead: true, Site(file, line))
  }

  /// Returns a node that gets each value `interval` later, in order.
  ///
  ///     let echo = voice.delay(.seconds(1), on: .main)
  ///
  /// Each value has a timer of its own. What waits when the edge is cut is dropped.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  public final func delay(
    _ interval: Duration, on scheduler: some Scheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "delay", self)
    let transform = Transform<Value, Value>(.delay) {
      let hop = DelayHop<Value>()
      return LifeParts(hop: hop) { up, edge, turn in
        hop.note(edge)
        hop.delay(Travelling(slot(up, Value.self).pointee, turn), interval, scheduler)
        return stop(.heldBackByTimer, edge, turn)
      }
    }
    return derive(through: transform, isHead: true, Site(file, line))
  }

  /// Returns a node that changes only when this node has been quiet for `interval`.
  ///
  ///     let shown = typed.throttle(.milliseconds(300), on: .main)   // "s", "sw", "swi" within 300 ms -> "swi"
  ///
  /// The pending value is replaced by each newer one; the present value waits too; emptying the
  /// node drops what is pending. This is EasyReact's `throttle`; the field calls it
  /// ``debounce(_:on:file:line:)``.
  /// - Parameter interval: Quiet time, greater than zero; anything else stops with a message.
  /// - Complexity: O(1) a value; at most one live timer a node.
  public final func throttle(
    _ interval: Duration, on scheduler: some Scheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "throttle", self)
    let transform = Transform<Value, Value>(.throttle, hearsEmptiness: true) {
      let hop = ThrottleHop<Value>()
      return LifeParts(hop: hop) { up, edge, turn in
        hop.note(edge)
        if up.pointee.hasValue.load(ordering: .relaxed) {
          hop.replace(Travelling(slot(up, Value.self).pointee, turn), interval, scheduler)
          return stop(.heldBackByTimer, edge, turn)
        }
        hop.drop()
        return false
      }
    }
    return derive(through: transform, isHead: true, Site(file, line))
  }

  /// The same as ``throttle(_:on:file:line:)``, under the field's name.
  ///
  /// Known as `debounce` in Combine, Rx and swift-async-algorithms.
  public final func debounce(
    _ interval: Duration, on scheduler: some Scheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "debounce", self)
    return throttle(interval, on: scheduler, file: file, line: line)
  }
}

/// Intervals that are not positive are a programmer's error.
func requirePositive(_ interval: Duration, _ operation: String, _ node: AnyNode) {
  if interval <= .zero {
    misuse(operation, "the interval \(interval) is not positive", node, "Pass more than zero.")
  }
}

private final class DeliverHop<Value: Sendable>: EdgeHop<Value>, @unchecked Sendable {
  // Unchecked: `queue` is set in the initialiser.
  private(set) var queue: HopQueue<Travelling<Value>>!

  init(_ scheduler: some Scheduler) {
    super.init()
    queue = HopQueue(scheduler) { [weak self] item in self?.deliver(item) }
  }
}

private final class DelayHop<Value: Sendable>: EdgeHop<Value>, @unchecked Sendable {
  // Unchecked: a Mutex.
  private let queue = Mutex(Deque<Travelling<Value>>())

  /// Timers of equal length may fire in any order on a concurrent queue: each takes the oldest
  /// value.
  func delay(_ item: Travelling<Value>, _ interval: Duration, _ scheduler: some Scheduler) {
    queue.withLock { $0.append(item) }
    scheduler.schedule(after: interval) { [weak self] in
      guard let self, let item = self.queue.withLock({ $0.popFirst() }) else { return }
      self.deliver(item)
    }
  }
}

private final class ThrottleHop<Value: Sendable>: EdgeHop<Value>, @unchecked Sendable {
  // Unchecked: a Mutex.
  private struct State {
    var pending: Travelling<Value>?
    var timer: (any Cancelable)?
    var generation = 0
  }
  private let state = Mutex(State())

  func replace(_ item: Travelling<Value>, _ interval: Duration, _ scheduler: some Scheduler) {
    let (generation, old) = take(item)
    old.timer?.cancel()
    let timer = scheduler.schedule(after: interval) { [weak self] in self?.fire(generation) }
    state.withLock { if $0.generation == generation, $0.pending != nil { $0.timer = timer } }
  }

  func drop() { take(nil).old.timer?.cancel() }

  /// What it replaces is destroyed by the caller, after the lock.
  private func take(_ item: Travelling<Value>?) -> (generation: Int, old: State) {
    state.withLock { state in
      let old = state
      state = State(pending: item, timer: nil, generation: old.generation + 1)
      return (state.generation, old)
    }
  }

  private func fire(_ generation: Int) {
    let old = state.withLock { state -> State? in
      guard state.generation == generation else { return nil }
      defer { state = State(generation: generation) }
      return state
    }
    if let item = old?.pending { deliver(item) }
  }

  deinit { state.withLock { $0.timer }?.cancel() }
}
