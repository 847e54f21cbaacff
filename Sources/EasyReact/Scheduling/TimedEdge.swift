import Synchronization

/// An edge whose values wait for a timer. It keeps an operator's state, its timer and what is on its
/// way out under one lock, so whatever the scheduler's threads do, values leave in the order in
/// which it was decided that they leave.
///
/// An operator decides under the lock, in a closure that runs no user code; timers are set and
/// values delivered after it. A subclass says what happens when a value comes and when the timer fires. The types of values are
/// not known here: only what takes a value in, and the `Outlet`, are compiled for them.
class TimedEdge<State: Sendable>: AnyTimedEdge, @unchecked Sendable {
  // Unchecked: adds a Mutex and constants; `alarm` is one from the end of the initialiser on.
  private struct Guarded {
    var state: State
    /// Of the present deadline: one before it that fires late does nothing.
    var generation = 0
    var outbox = Queue<InFlight<AnyValueBox>>()
    var isDelivering = false
    /// No value is on its way out.
    var isFree: Bool { !isDelivering && outbox.isEmpty }
  }
  private let guarded: Mutex<Guarded>
  final let scheduler: any NodeScheduler
  private let outlet: Outlet
  private var alarm: (any Alarm)!

  init(_ state: State, _ scheduler: any NodeScheduler, _ outlet: Outlet) {
    guarded = Mutex(Guarded(state: state))
    self.outlet = outlet
    self.scheduler = scheduler
    super.init()
    alarm = makeAlarm(scheduler) { [weak self] in self?.fire($0) }
  }

  deinit { alarm.cancel() }

  /// A timer's time has come, perhaps that of one before the present one. No lock is held.
  func willFire() {}

  /// The present timer's time has come; decides under the lock.
  func fired(_ state: inout State, _ plan: inout Plan) {}

  /// What an operator decides.
  struct Plan {
    /// No other value is on its way out.
    let isFree: Bool
    /// To be delivered, in order, on the thread that decides.
    var outputs: [InFlight<AnyValueBox>] = []
    /// To go on at once with the wave that is being told; see `decide(over:)`.
    var passes: AnyValueBox?
    var timer: TimerChange?
  }

  /// - Returns: From `body`, what is dropped: it is destroyed after the lock, for that may be user
  ///   code.
  final func decide<Dropped>(_ body: (inout State, inout Plan) -> Dropped) {
    let decision = decided(body, in: nil)
    if decision.mustDeliver { drain() }
  }

  /// The same for a step, which may let one value pass as part of the present wave. True: it was
  /// stored.
  ///
  /// What waits is reported before it waits: from then on a timer may go on with it.
  /// - Parameters:
  ///   - passes: May the value pass, as far as the operator is concerned?
  ///   - body: Is told that, and lets it pass then.
  final func decide<Dropped>(
    over edge: EdgePointer, _ up: NodePointer, _ turn: TurnPointer,
    passing passes: (State) -> Bool, _ body: (inout State, inout Plan, Bool) -> Dropped
  ) -> Bool {
    var mustReport = false
    // Does nothing where that is found.
    func attempt(isReported: Bool) -> Decision {
      decided(
        { state, plan -> Dropped? in
          let mayPass = passes(state)
          mustReport = !isReported && !(mayPass && plan.isFree)
          return mustReport ? nil : body(&state, &plan, mayPass)
        }, in: (up, turn))
    }
    var decision = attempt(isReported: !turn.pointee.isTraced)
    if mustReport {
      _ = edge.stop(.heldBackByTimer, in: turn)
      // It may pass all the same, if the timer has fired meanwhile.
      decision = attempt(isReported: true)
    }
    guard let output = decision.passes else {
      if decision.mustDeliver { drain() }
      return false
    }
    let isStored = outlet.pass(output, edge, up, turn)
    // What was decided meanwhile waits at the result until the loop has told this value.
    edge.pointee.down!.whileStored(isStored, in: turn) { drain() }
    return isStored
  }

  final func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    guarded.withLock { body(&$0.state) }
  }

  /// What is left to do after the lock.
  private struct Decision {
    var passes: AnyValueBox?
    var mustDeliver = false
    /// The deadline's, if it changes; without an interval there is none any more.
    var deadline: (generation: Int, interval: Duration?)?
  }

  private func decided<Dropped>(
    _ body: (inout State, inout Plan) -> Dropped, in step: (up: NodePointer, turn: TurnPointer)?
  ) -> Decision {
    let (decision, dropped) = guarded.withLock { guarded in
      var plan = Plan(isFree: guarded.isFree)
      let dropped = body(&guarded.state, &plan)
      return (settle(plan, &guarded, in: step), dropped)
    }
    _ = consume dropped
    setAlarm(decision)
    return decision
  }

  /// Under the lock.
  private func settle(
    _ plan: Plan, _ guarded: inout Guarded, in step: (up: NodePointer, turn: TurnPointer)?
  ) -> Decision {
    var decision = Decision()
    guarded.outbox.append(contentsOf: plan.outputs)
    if let output = plan.passes, let (up, turn) = step {
      if guarded.isFree {
        decision.passes = output
      } else {
        guarded.outbox.append(InFlight(output, from: up, turn))
      }
    }
    decision.mustDeliver = !guarded.isDelivering && !guarded.outbox.isEmpty
    if decision.mustDeliver || decision.passes != nil { guarded.isDelivering = true }
    guard let timer = plan.timer else { return decision }
    guarded.generation += 1
    decision.deadline = (guarded.generation, timer.interval)
    return decision
  }

  /// Another thread may be first; then its deadline, which was decided later, stays.
  private func setAlarm(_ decision: Decision) {
    guard let (generation, interval) = decision.deadline else { return }
    alarm.set(generation, after: interval)
  }

  private func fire(_ generation: Int) {
    if hasEnded { return }
    willFire()
    let decision = guarded.withLock { guarded -> Decision? in
      if guarded.generation != generation { return nil }
      var plan = Plan(isFree: guarded.isFree, timer: .stop)
      fired(&guarded.state, &plan)
      return settle(plan, &guarded, in: nil)
    }
    guard let decision else { return }
    setAlarm(decision)
    if decision.mustDeliver { drain() }
  }

  /// One thread at a time; whoever finds another one delivering leaves its values to it.
  private func drain() {
    while let item = next() { outlet.deliver(self, item) }
  }

  private func next() -> InFlight<AnyValueBox>? {
    guarded.withLock { guarded in
      let item = guarded.outbox.popFirst()
      if item == nil { guarded.isDelivering = false }
      return item
    }
  }
}

/// What the step of a timed edge knows of it.
@usableFromInline class AnyTimedEdge: ScheduledEdge, @unchecked Sendable {
  // Unchecked: adds no state; a subclass answers for its own.

  /// - Parameter value: Nil: the upstream was emptied.
  /// - Returns: True: the downstream stored a value that passes at once.
  @usableFromInline func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    false
  }
}

/// A value whose type is not known.
@usableFromInline class AnyValueBox: @unchecked Sendable {
  // Unchecked: no state; its one subclass adds a constant.
  @inlinable init() {}

  @inlinable final func value<Value: Sendable>(_: Value.Type) -> Value {
    unsafeDowncast(self, to: ValueBox<Value>.self).content
  }
}

@usableFromInline final class ValueBox<Value: Sendable>: AnyValueBox, @unchecked Sendable {
  // Unchecked: adds a constant.
  @usableFromInline let content: Value
  @inlinable init(_ content: Value) { self.content = content }
}

/// How what was boxed goes on: made where its type is known.
@usableFromInline struct Outlet: Sendable {
  @usableFromInline let deliver: @Sendable (ScheduledEdge, InFlight<AnyValueBox>) -> Void
  @usableFromInline let pass: @Sendable (AnyValueBox, EdgePointer, NodePointer, TurnPointer) -> Bool

  @inlinable init<Value: Sendable>(_: Value.Type) {
    deliver = { edge, item in edge.deliver(item.carrying(item.value.value(Value.self))) }
    pass = { box, edge, up, turn in edge.pass(box.value(Value.self), from: up, in: turn) }
  }
}

extension Node {
  /// A node that follows this one through an edge whose values wait for a timer.
  /// - Parameter box: Takes the value of the node; made where its type is known, as the outlet is.
  @usableFromInline final func timed<Output: Sendable>(
    _ kind: OperatorKind, hearsEmptiness: Bool = false, _ location: SourceLocation, _: Output.Type,
    _ box: @escaping @Sendable (NodePointer) -> AnyValueBox, _ outlet: Outlet,
    _ makeState: @escaping @Sendable (Outlet) -> AnyTimedEdge
  ) -> Node<Output> {
    let transform = NodeTransform<Value, Output>(kind, hearsEmptiness: hearsEmptiness) {
      let state = makeState(outlet)
      return EdgeParts(state: state) { up, edge, turn in
        state.heard(turn.isEmptied ? nil : box(up), over: edge, from: up, in: turn)
      }
    }
    return derive(through: transform, isHead: true, location)
  }

  /// The same, for values that go on as they are.
  @inlinable final func timed(
    _ kind: OperatorKind, hearsEmptiness: Bool = false, _ location: SourceLocation,
    _ makeState: @escaping @Sendable (Outlet) -> AnyTimedEdge
  ) -> Node<Value> {
    timed(
      kind, hearsEmptiness: hearsEmptiness, location, Value.self,
      { ValueBox($0.slot(Value.self).pointee) }, Outlet(Value.self), makeState)
  }
}

enum TimerChange: Sendable {
  case stop
  /// In place of the present one, if there is one.
  case restart(Duration)

  var interval: Duration? { if case .restart(let interval) = self { interval } else { nil } }
}
