extension Node {
  /// Returns a node whose values arrive on a scheduler, later and in order.
  ///
  ///     let ready = loaded.deliver(on: .main).map { "page \($0)" }
  ///     let shown = ready.listenOnMain { view.render($0) }            // the compiler looks at the closure
  ///
  /// The setting thread does not wait, and the present value hops too, so the result is empty at
  /// first. What follows is computed, and told, on the scheduler, unless another thread is inside the result or what
  /// follows it, or derives from it: then that thread does it. The order is kept on concurrent queues as well. Waves and
  /// contexts go along. What waits when the edge is cut is dropped. On `.immediate` nothing waits: a value goes on at once, as over
  /// any other edge. Known as `receive(on:)` in Combine, `observe(on:)` in Rx.
  @inlinable
  public final func deliver(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    if scheduler is ImmediateScheduler { return handOn(.deliver, SourceLocation(file, line)) }
    let transform = NodeTransform<Value, Value>(.deliver) {
      DeliveringEdge<Value> { deliver in ScheduledQueue(scheduler, deliver) }.parts
    }
    return derive(through: transform, isHead: true, SourceLocation(file, line))
  }

  /// Returns a node whose values arrive on an actor, later and in order.
  ///
  ///     let kept = price.deliver(on: archive)
  ///     let texts = kept.map { "\($0) €" }          // not while somebody else is inside the actor, as a rule
  ///
  /// What follows is computed, and told, on the actor, unless another thread is inside the result or what follows it, or
  /// derives from it: then that thread does it. So a closure that follows must not assume that it is isolated to the actor; to touch
  /// its state use ``listen(isolatedTo:file:line:_:)``. The actor is not kept: when it is gone nothing
  /// arrives any more. In all other respects it is `deliver` on a scheduler.
  public final func deliver<Isolation: Actor>(
    on actor: Isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(.deliver) { [weak actor] in
      guard let actor else {
        return EdgeParts(state: ScheduledEdge()) { _, edge, turn in edge.stop(.cut, in: turn) }
      }
      return DeliveringEdge<Value> { deliver in
        ScheduledQueue(isolatedTo: actor) { _, items in deliver(items) }
      }.parts
    }
    return derive(through: transform, isHead: true, SourceLocation(file, line))
  }

  /// Returns a node that gets each value `interval` later, in order.
  ///
  ///     let echo = voice.delay(.seconds(1), on: .main)
  ///
  /// Each value has a timer of its own; emptying this node drops none, for each value counts. The
  /// present value waits too, so the result is empty at first. Waves and contexts go along. What
  /// waits when the edge is cut is dropped. Known as `delay` in Rx and ReactiveSwift,
  /// `delay(for:scheduler:)` in Combine.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  @inlinable public final func delay(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "delay", self)
    if scheduler is ImmediateScheduler { return handOn(.delay, SourceLocation(file, line)) }
    return timed(.delay, SourceLocation(file, line)) {
      .delayed(by: interval, scheduler, $0)
    }
  }

  /// Returns a node that changes only when this node has been quiet for `interval`.
  ///
  ///     let shown = typed.debounce(.milliseconds(300), on: .main)   // "s", "sw", "swi" within 300 ms -> "swi"
  ///
  /// The pending value is replaced by each newer one; the present value waits too; emptying the
  /// node drops what is pending. Known as `debounce` in Combine, Rx, ReactiveSwift and
  /// swift-async-algorithms, `throttle` in EasyReact. What the field calls a throttle is
  /// ``throttleFirst(_:on:file:line:)`` or ``throttleLatest(_:on:file:line:)``.
  /// - Parameter interval: Quiet time, greater than zero; anything else stops with a message.
  /// - Complexity: O(1) a value; at most one live timer a node.
  @inlinable public final func debounce(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    requirePositive(interval, "debounce", self)
    if scheduler is ImmediateScheduler { return handOn(.debounce, SourceLocation(file, line)) }
    return timed(.debounce, hearsEmptiness: true, SourceLocation(file, line)) {
      .debounced(by: interval, scheduler, $0)
    }
  }
}

/// The edge of a `deliver`: what waits on the scheduler goes with it.
@usableFromInline final class DeliveringEdge<Value: Sendable>: ScheduledEdge, @unchecked Sendable {
  // Unchecked: adds `queue`, which is set in the initialiser and never again.
  @usableFromInline typealias Items = [InFlight<Value>]
  @usableFromInline var queue: ScheduledQueue<InFlight<Value>>!

  @inlinable init(
    _ makeQueue: (@escaping @Sendable (Items) -> Void) -> ScheduledQueue<InFlight<Value>>
  ) {
    super.init()
    queue = makeQueue { [weak self] in self?.deliver($0) }
  }

  /// The edge was freed. The queue's drain goes on waiting, and keeps nothing.
  deinit { queue.clear() }

  @inlinable var parts: EdgeParts {
    let queue = queue!
    return EdgeParts(state: self) { up, edge, turn in
      let isStored = edge.stop(.waitsOnScheduler, in: turn)
      queue.append(InFlight(up.slot(Value.self).pointee, from: up, turn))
      return isStored
    }
  }
}

extension Node {
  /// Where work runs at once, the engine's loop does it: a chain of such hops uses no stack.
  @usableFromInline final func handOn(_ kind: OperatorKind, _ location: SourceLocation) -> Node<
    Value
  > {
    derive(kind, location, Value.self) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
  }
}

/// Intervals that are not positive are a programmer's error.
@usableFromInline func requirePositive(_ interval: Duration, _ operation: String, _ node: AnyNode) {
  if interval <= .zero {
    misuse(operation, "the interval \(interval) is not positive", node, "Pass more than zero.")
  }
}

extension AnyTimedEdge {
  @usableFromInline static func delayed(
    by interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet
  ) -> AnyTimedEdge {
    DelayedEdge(interval, scheduler, outlet)
  }

  @usableFromInline static func debounced(
    by interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet
  ) -> AnyTimedEdge {
    DebouncedEdge(interval, scheduler, outlet)
  }
}

/// Values on their way, each with a timer of its own; the timers of those that are not due yet.
private struct Delayed: Sendable {
  var items = Queue<InFlight<AnyValueBox>>()
  var timers = Queue<any Cancelable>()
}

private final class DelayedEdge: TimedEdge<Delayed>, @unchecked Sendable {
  // Unchecked: adds a constant.
  private let interval: Duration

  init(_ interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet) {
    self.interval = interval
    super.init(Delayed(), scheduler, outlet)
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    let isStored = edge.stop(.heldBackByTimer, in: turn)
    if let value { delay(InFlight(value, from: up, turn)) }
    return isStored
  }

  /// Timers of equal length may fire in any order on a concurrent queue: each takes the oldest
  /// value.
  private func delay(_ item: InFlight<AnyValueBox>) {
    decide { state, _ in state.items.append(item) }
    let timer = scheduler.schedule(after: interval) { [weak self] in
      self?.decide { state, plan in
        if let item = state.items.popFirst() { plan.outputs.append(item) }
        return state.timers.popFirst()
      }
    }
    // It may have fired already.
    decide { state, _ in
      if state.timers.count < state.items.count { state.timers.append(timer) }
    }
  }

  deinit { withState { $0.timers.items }.forEach { $0.cancel() } }
}

/// State: the pending value.
private final class DebouncedEdge: TimedEdge<InFlight<AnyValueBox>?>, @unchecked Sendable {
  // Unchecked: adds a constant.
  private let interval: Duration

  init(_ interval: Duration, _ scheduler: any NodeScheduler, _ outlet: Outlet) {
    self.interval = interval
    super.init(nil, scheduler, outlet)
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    let isStored = value != nil && edge.stop(.heldBackByTimer, in: turn)
    let item = value.map { InFlight($0, from: up, turn) }
    decide { pending, plan in
      defer { pending = item }
      plan.timer = item == nil ? .stop : .restart(interval)
      return pending
    }
    return isStored
  }

  override func fired(_ pending: inout InFlight<AnyValueBox>?, _ plan: inout Plan) {
    if let item = pending { plan.outputs.append(item) }
    pending = nil
  }
}
