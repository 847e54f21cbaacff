/// Changes that a batch has staged for a node whose value is kept elsewhere too, or for parts of its value: others may change the rest
/// meanwhile. They are made at once, for this thread to read; and, unless a value of the batch is under them, made again when the batch
/// ends, on what the node holds then.
///
/// While a change is made, which may run user code, the previous value can be read: so a collection would be copied for each
/// change. Instead there are two copies that are changed in turn, one of which can be read while the other is changed. That is
/// Left-Right (P. Ramalhete, A. Correia, 2015: a concurrency control technique with wait-free population oblivious reads), with one thread.
///
/// In a batch within another one they are made when this thread reads the node there: if they were made at once, each such
/// batch would copy the value, which the batch around it keeps because this one may throw.
private final class StagedChanges<Value: Sendable>: AnyStagedChanges {
  /// Nil: a value of the batch is under them.
  var changes: [StagedChange<Value>]?
  /// What those that are not made yet come to.
  var waiting = Queue<StagedChange<Value>.Body>()
  var isMaking = false
  /// Is there a value of the batch, to be read? Else the previous one is.
  var hasValue: Bool
  /// Equal to what is staged. Nil: not made yet, or being changed.
  var copy: Value?
  /// The parts that the first of `changes` set, as many as have been asked for.
  private var setParts: Set<ObjectIdentifier> = []
  private var counted = 0
  /// How many were made: this shows whether user code has staged more.
  var count = 0

  init(_ changes: [StagedChange<Value>]?, hasValue: Bool) {
    self.changes = changes
    self.hasValue = hasValue
  }

  func takeCopy() -> Value? {
    defer { copy = nil }
    return copy
  }

  override func sets(_ part: ObjectIdentifier) -> Bool {
    guard let changes else { return true }
    for change in changes[counted...] {
      if let part = change.part { setParts.insert(part.id) }
    }
    counted = changes.count
    return setParts.contains(part)
  }

  override func makeAll(of node: AnyNode, in batch: Batch) -> Bool {
    // Not from within, where they are made in turn.
    if !isMaking, !waiting.isEmpty {
      isMaking = true
      defer { isMaking = false }
      let node = unsafeDowncast(node, to: MutableNode<Value>.self)
      while let body = waiting.popFirst() { node.make(body, self, in: batch) }
    }
    return hasValue
  }
}

/// For any node.
class AnyStagedChanges {
  /// What waits is made. False: nothing of the batch is to be read.
  func makeAll(of node: AnyNode, in batch: Batch) -> Bool { true }
  /// Is one of them a set of this part, or of the whole?
  func sets(_ part: ObjectIdentifier) -> Bool { true }
}

/// A change that a batch stages.
struct StagedChange<Value: Sendable>: Sendable {
  /// Says whether there was anything to change.
  typealias Body = @Sendable (inout Value) -> Bool

  /// What a change comes to, which made twice comes to the same, for no closure of the user's runs in it.
  enum Outcome: Sendable {
    case itself
    /// From the value that is read, at once; nil: nothing.
    case read(@Sendable (Value) -> Body?)
    /// The user's closure is the change, and is made of a copy each time.
    case unknown
  }

  /// A part of the value.
  struct Part: Sendable {
    let id: ObjectIdentifier
    /// The set that has this number has set the part: see `PartVersion.noteSet`.
    let noteSet: @Sendable (Value, _ number: UInt64) -> Void
  }

  let body: Body
  let outcome: Outcome
  /// What it sets, if that is not the whole.
  var part: Part? = nil

  var isRepeatable: Bool {
    if case .unknown = outcome { false } else { true }
  }
}

extension MutableNode {
  @usableFromInline final func stageUnknown(
    _ body: @escaping @Sendable (inout Value) -> Bool, _ context: ContextBox?, in batch: Batch
  ) {
    stageChange(StagedChange(body: body, outcome: .unknown), context, in: batch)
  }

  final func stageChange(_ change: StagedChange<Value>, _ context: ContextBox?, in batch: Batch) {
    if batch.refuses { refuseToStage(.attempt(change.body)) }
    let body: StagedChange<Value>.Body? =
      if case .read(let read) = change.outcome { value.flatMap(read) } else { change.body }
    if batch.outer == nil || !change.isRepeatable || !leave(change, body, context, in: batch) {
      make(change, body, context, in: batch)
    }
  }

  /// To be made when it is read. False: a value of the batch is under it, which nobody else has.
  private func leave(
    _ change: StagedChange<Value>, _ body: StagedChange<Value>.Body?, _ context: ContextBox?,
    in batch: Batch
  ) -> Bool {
    let present = stagedChanges(in: batch)
    let changes = present ?? StagedChanges([], hasValue: false)
    if changes.changes == nil { return false }
    changes.changes?.append(change)
    if let body { changes.waiting.append(body) }
    if present == nil {
      stage(nil, context, in: batch)
      batch.entry(of: self).pointee.change = Unmanaged.passRetained(changes)
    } else {
      let entry = batch.entry(of: self)
      entry.replace(entry.take(Value.self), context, change: changes)
    }
    return true
  }

  /// What waited.
  fileprivate func make(
    _ body: @escaping StagedChange<Value>.Body, _ changes: StagedChanges<Value>, in batch: Batch
  ) {
    let count = changes.count
    // Not in the way that a derivation reads, which may have asked.
    var value = changes.takeCopy() ?? storage.readPresent(Value.self)
    let hasChanged = value != nil && body(&value!)
    // Else it was replaced by user code.
    guard let entry = batch.ownEntry(of: storage), stagedChanges(in: batch) === changes else {
      return
    }
    let isUndisturbed = count == changes.count
    if hasChanged { exchange(&value, changes, entry) { entry.put($0) } }
    // What is stored may be another value the next time.
    if isUndisturbed, changes.hasValue, !_isPOD(Value.self) {
      keep(&value, as: changes, hasChanged ? body : nil, in: batch)
    }
  }

  private func make(
    _ change: StagedChange<Value>, _ body: StagedChange<Value>.Body?, _ context: ContextBox?,
    in batch: Batch
  ) {
    _ = batch.staged(storage)  // what waits comes before it
    let changes = stagedChanges(in: batch)
    let count = changes?.count
    // Moved to and fro: as long as it is held twice, a change copies it.
    var value = changes?.takeCopy() ?? value  // staged, or stored
    let hasChanged = if let body, value != nil { body(&value!) } else { false }
    guard let present = stagedChanges(in: batch) else {
      stage(value, context, in: batch)
      let entry = batch.entry(of: self)
      entry.pointee.change = Unmanaged.passRetained(
        StagedChanges<Value>([change], hasValue: true))
      return
    }
    let isUndisturbed = changes === present && count == present.count
    present.changes?.append(change)
    if hasChanged || present.changes != nil {
      let entry = batch.entry(of: self)
      exchange(&value, present, entry) { entry.replace($0, context, change: present) }
    } else {
      currentTurn().pointee.callSite = nil  // nothing comes of the call
    }
    if isUndisturbed, change.isRepeatable, !_isPOD(Value.self) {
      keep(&value, as: present, hasChanged ? body : nil, in: batch)
    }
  }

  /// The batch's own entry has some, or gets them; nil: it has no entry.
  private func stagedChanges(in batch: Batch) -> StagedChanges<Value>? {
    guard let entry = batch.ownEntry(of: storage) else { return nil }
    if let changes = entry.pointee.change {
      return unsafeDowncast(changes.takeUnretainedValue(), to: StagedChanges<Value>.self)
    }
    let changes = StagedChanges<Value>(nil, hasValue: true)
    entry.pointee.change = Unmanaged.passRetained(changes)
    return changes
  }

  /// Leaves the value that was staged before.
  private func exchange(
    _ value: inout Value?, _ changes: StagedChanges<Value>, _ entry: StagedPointer,
    put: (Value?) -> Void
  ) {
    changes.count += 1
    let old = entry.take(Value.self)
    put(value)
    changes.hasValue = true
    value = old
    // After the exchange, too, and after the access to it: the copy’s end may be user code.
    _ = changes.takeCopy()
  }

  /// What was staged before the last change is changed too. The part that it replaced dies here, which may run user code.
  private func keep(
    _ value: inout Value?, as changes: StagedChanges<Value>,
    _ body: StagedChange<Value>.Body?, in batch: Batch
  ) {
    let count = changes.count
    if let body, value == nil || !body(&value!) { return }
    if stagedChanges(in: batch) === changes && changes.count == count { changes.copy = value }
  }

  /// An entry that is no value but changes. False: it is a value.
  @usableFromInline final func finishChanges(
    _ changes: AnyObject, _ ending: StagedEnding, _ context: ContextBox?, _ turn: TurnPointer
  ) -> Bool {
    guard let changes = unsafeDowncast(changes, to: StagedChanges<Value>.self).changes else {
      return false
    }
    switch ending {
    case .apply: apply(changes, context, turn)
    case .stageInOpenBatch:
      let callSite = turn.pointee.callSite
      for change in changes {
        turn.pointee.callSite = callSite
        stageChange(change, context, in: turn.openBatch.unsafelyUnwrapped)
      }
    case .drop: break
    }
    return true
  }

  private func apply(
    _ changes: [StagedChange<Value>], _ context: ContextBox?, _ turn: TurnPointer
  ) {
    turn.enter()
    let numbers = partsSet(by: changes).map { _ in newWave() }, number = numbers.last ?? newWave()
    let arrival = arrival(of: changes, by: numbers)
    if storage.claim(by: turn) {
      storage.apply(arrival, number, context: context, in: turn)
    } else {
      storage.sendSet(arrival, number, context: context, in: turn)
    }
    turn.leave()
  }

  /// In the order in which they were set last.
  private func partsSet(by changes: [StagedChange<Value>]) -> [StagedChange<Value>.Part] {
    var seen: Set<ObjectIdentifier> = []
    return changes.compactMap(\.part).reversed().filter { seen.insert($0.id).inserted }.reversed()
  }

  /// All of them as one set, which is one of each part that they set, too.
  /// - Parameter numbers: Of the parts, in the order in which they were set last: of two that are synced that one counts. The last is that of the
  ///   set.
  final func arrival(of changes: [StagedChange<Value>], by numbers: [UInt64]) -> Arrival<Value> {
    let body: StagedChange<Value>.Body = { value in
      var hasChanged = false
      for change in changes where change.body(&value) { hasChanged = true }
      return hasChanged
    }
    let parts = Array(Swift.zip(partsSet(by: changes), numbers))
    let noteSet = { @Sendable (value: Value) in
      for (part, number) in parts { part.noteSet(value, number) }
    }
    guard let keeper = keeperIfAny else {
      return .attempt { value in
        if !body(&value) { return false }
        noteSet(value)
        return true
      }
    }
    return .decision { present in
      // It may make the changes again, at another time.
      let decision = keeper.decide(present, cameOverEdge: false, by: body)
      if case .store(let value) = decision { noteSet(value) }
      return decision
    }
  }
}
