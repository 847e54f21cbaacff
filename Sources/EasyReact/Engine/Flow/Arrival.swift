import Synchronization

// What can come to a node, and what travels with it. How it comes stands in Propagation.swift.

/// What can come to a node: a value, emptiness, or a change of whatever the node holds by then. An `attempt` may find
/// nothing to change and says so; then nobody is told.
@usableFromInline enum Arrival<Value: Sendable> {
  case value(Value)
  case empty
  case change(@Sendable (inout Value) -> Void)
  case attempt(@Sendable (inout Value) -> Bool)
  /// For a node whose value is kept elsewhere too: what happens is decided when its time comes, even if the node is empty.
  case decision(@Sendable (Value?) -> Decision<Value>)
}

/// What a node is to hold.
@usableFromInline package enum Decision<Value: Sendable>: Sendable {
  /// What it holds now; nobody is told.
  case keep
  case store(Value)
  case clear
}

extension NodePointer {
  /// Sets a node to what becomes of the value that it holds.
  @inlinable func changeValue<Value: Sendable>(
    _ change: @escaping @Sendable (inout Value) -> Void, in turn: TurnPointer
  ) {
    turn.enter()
    var number = newWave()
    if claim(by: turn) || spinClaim(by: turn, &number) {
      if pointee.flags.isEmpty, !hasReached(number), !turn.pointee.isTraced,
        pointee.hasValue.load(ordering: .relaxed)
      {
        pointee.flags = .busy  // what the change sets here waits
        var value = slot(Value.self).pointee
        change(&value)
        pointee.flags.remove(.busy)
        beginWave(number, in: turn) { store(value, under: number) }
      } else {
        apply(.change(change), number, context: nil, in: turn)
      }
    } else {
      sendSet(.change(change), number, context: nil, in: turn)
    }
    turn.leave()
  }

  /// Whatever comes to the node from outside.
  @inlinable func bring<Value: Sendable>(
    _ arrival: Arrival<Value>, context: ContextBox?, in turn: TurnPointer
  ) {
    turn.enter()
    let number = newWave()
    if claim(by: turn) {
      apply(arrival, number, context: context, in: turn)
    } else {
      sendSet(arrival, number, context: context, in: turn)
    }
    turn.leave()
  }

  /// Runs the user's change on a copy. The node is busy meanwhile, so a set made by the change waits
  /// for it. Nil: there is no value, or the change had nothing to do.
  @usableFromInline func changed<Value: Sendable>(_: Value.Type, by body: (inout Value) -> Bool)
    -> Value?
  {
    guard var value = readStored(Value.self) else { return nil }
    let flags = pointee.flags.only(.busy)
    pointee.flags.insert(.busy)
    let hasChanged = body(&value)
    pointee.flags = pointee.flags.without(.busy).with(flags)
    return hasChanged ? value : nil
  }

  /// Runs the decision; the node is busy meanwhile, as above.
  @usableFromInline func decided<Value: Sendable>(
    by body: (Value?) -> Decision<Value>
  ) -> Decision<Value> {
    let value = readStored(Value.self)
    let flags = pointee.flags.only(.busy)
    pointee.flags.insert(.busy)
    let decision = body(value)
    pointee.flags = pointee.flags.without(.busy).with(flags)
    return decision
  }

  @usableFromInline func noteTiebreak(_ wave: UInt64, _ tiebreak: UInt64) {
    let sideTable = self.sideTable()
    sideTable.tiebreak.store(tiebreak, ordering: .releasing)
    sideTable.tiebreakWave.store(wave, ordering: .releasing)
  }

  @usableFromInline func keepContext(_ context: Unmanaged<ContextBox>) {
    sideTable().context = context.takeUnretainedValue()  // the last is gone: `endTelling`
  }

  /// The node has told its value: what travelled with it is forgotten.
  @inline(__always) func endTelling() {
    let carried = pointee.flags.only(.inFlight)
    if carried.isEmpty { return }
    let mustDie = pointee.traits.has(.hasTrivialValue) ? .context : NodeFlags.context.with(.event)
    if carried.has(mustDie) { dropInFlight() } else { pointee.flags.remove(.inFlight) }
  }

  @inline(never) private func dropInFlight() {
    let flags = pointee.flags
    pointee.flags = flags.without(.inFlight)
    if flags.has(.event), !pointee.traits.has(.hasTrivialValue) { dropEvent(pointee.valueType) }
    if flags.has(.context), let sideTable = pointee.sideTableIfAny() {
      if sideTable.isTracedStart.load(ordering: .relaxed) {
        sideTable.isTracedStart.store(false, ordering: .relaxed)
        traceWave(pointee.wave.load(ordering: .relaxed), began: false)
      }
      _ = exchange(&sideTable.context, nil)
    }
  }
}

/// Puts an object in the place of another one and returns that. If it ends with the call, its `deinit`, which is user code, finds the new one
/// there; an assignment may release it first, for nothing tells the optimiser that somebody else can look.
@inline(never) func exchange<Object: AnyObject>(_ place: inout Object?, _ new: Object?) -> Object? {
  let old = place
  place = new
  return old
}
