/// Changes that a batch has staged of a node whose value is kept elsewhere too, or of parts of its value: others may change the rest
/// meanwhile. They are made at once, for this thread to read; and, unless a value of the batch is under them, made again when the batch
/// ends, of what the node holds then.
///
/// While a change is made, which may run what the user wrote, the value of before can be read: so a collection would be copied for each
/// change. Instead there are two copies that are changed in turn, one of which can be read while the other is changed. That is
/// Left-Right (P. Ramalhete, A. Correia, 2015: a concurrency control technique with wait-free population oblivious reads), with one thread.
private final class StagedChanges<Value: Sendable> {
  /// Nil: a value of the batch is under them.
  var bodies: [@Sendable (inout Value) -> Bool]?
  /// Equal to what is staged. Nil: not made yet, or being changed.
  var copy: Value?
  /// How many were staged, by which it shows whether what the user wrote has staged more.
  var count = 0

  init(_ bodies: [@Sendable (inout Value) -> Bool]?) { self.bodies = bodies }

  func takeCopy() -> Value? {
    defer { copy = nil }
    return copy
  }
}

extension MutableNode {
  /// - Parameter put: What the change comes to, of the value that is read; nil: nothing. Made twice it comes to the same, for no
  ///   closure of the user's runs in it. A change without it is made of a copy each time.
  @usableFromInline final func stageChange(
    _ change: @escaping @Sendable (inout Value) -> Bool,
    put: ((Value) -> (@Sendable (inout Value) -> Bool)?)? = nil, _ context: ContextBox?,
    in batch: Batch
  ) {
    if batch.refuses { refuseToStage(.attempt(change)) }
    let body = if let put { value.flatMap(put) } else { change }
    let changes = stagedChanges(in: batch), count = changes?.count
    // Moved to and fro, for as long as it is held twice a change copies it.
    var value = changes?.takeCopy() ?? value  // staged, or stored
    let hasChanged = if let body, value != nil { body(&value!) } else { false }
    guard let present = stagedChanges(in: batch) else {
      stage(value, context, in: batch)
      let entry = batch.entry(of: self)
      entry.pointee.change = Unmanaged.passRetained(StagedChanges<Value>([change]))
      return
    }
    let isUndisturbed = changes === present && count == present.count
    present.bodies?.append(change)
    if hasChanged || present.bodies != nil {
      exchange(&value, context, present, batch.entry(of: self))
    } else {
      currentTurn().pointee.callSite = nil  // nothing comes of the call
    }
    if isUndisturbed, put != nil, !_isPOD(Value.self) {
      keep(&value, as: present, hasChanged ? body : nil, in: batch)
    }
  }

  /// The batch's own entry has some, or gets them; nil: it has no entry.
  private func stagedChanges(in batch: Batch) -> StagedChanges<Value>? {
    guard let entry = batch.ownEntry(of: storage) else { return nil }
    if let changes = entry.pointee.change {
      return unsafeDowncast(changes.takeUnretainedValue(), to: StagedChanges<Value>.self)
    }
    let changes = StagedChanges<Value>(nil)
    entry.pointee.change = Unmanaged.passRetained(changes)
    return changes
  }

  /// Leaves the value that was staged before.
  private func exchange(
    _ value: inout Value?, _ context: ContextBox?, _ changes: StagedChanges<Value>,
    _ entry: StagedPointer
  ) {
    changes.count += 1
    let old = entry.take(Value.self)
    entry.replace(value, context, change: changes)
    value = old
    changes.copy = nil  // behind the exchange, too
  }

  /// What was staged before the last change is changed too. The part that it replaced dies here, which may run what the user wrote.
  private func keep(
    _ value: inout Value?, as changes: StagedChanges<Value>,
    _ body: (@Sendable (inout Value) -> Bool)?, in batch: Batch
  ) {
    let count = changes.count
    if let body, value == nil || !body(&value!) { return }
    if stagedChanges(in: batch) === changes && changes.count == count { changes.copy = value }
  }

  /// An entry that is no value but changes. False: it is a value.
  @usableFromInline final func finishChanges(
    _ changes: AnyObject, _ ending: StagedEnding, _ context: ContextBox?, _ turn: TurnPointer
  ) -> Bool {
    guard let bodies = unsafeDowncast(changes, to: StagedChanges<Value>.self).bodies else {
      return false
    }
    let all: @Sendable (inout Value) -> Bool = { value in
      var hasChanged = false
      for body in bodies where body(&value) { hasChanged = true }
      return hasChanged
    }
    let change = bodies.count == 1 ? bodies[0] : all
    switch ending {
    case .apply: storage.bring(kept(.attempt(change)), context: context, in: turn)
    case .stageInOpenBatch: stageChange(change, context, in: turn.openBatch.unsafelyUnwrapped)
    case .drop: break
    }
    return true
  }
}
