import CEasyReact

/// Stages the sets that `body` makes on this thread, and applies them together when the outermost
/// batch ends.
///
///     let a = MutableNode(1), b = MutableNode(2)
///     let sum = a.combine(b).map { $0 + $1 }
///     let listening = sum.listen { print($0) }     // 3
///     batch {
///       a.value = 10
///       b.value = 20
///     }                                            // 30, once
///
/// Inside, this thread reads what it staged, and nobody is told; derived nodes, other threads and
/// new edges see stored values. At the end each staged node is set once, to its last staged value,
/// in the order of first staging, each with a wave of its own, all in one turn. `clean()` and
/// `update` are staged too. A batch that throws sets nothing at all; a nested one drops only its
/// own. Known as `transaction` in other libraries.
@inlinable public func batch<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let turn = currentTurn()
  let batch = turn.openNewBatch()
  let result: Result
  do {
    result = try body()
  } catch {
    turn.close(batch)
    batch.drop(turn)
    throw error
  }
  turn.close(batch)
  batch.applyAll(turn)
  return result
}

extension TurnPointer {
  @usableFromInline func openNewBatch() -> Batch {
    let outer = openBatch
    let batch =
      if outer == nil, let spare = pointee.spareBatch {
        unsafeDowncast(spare.takeRetainedValue(), to: Batch.self)
      } else {
        Batch(outer: outer)
      }
    if outer == nil { pointee.spareBatch = nil }
    pointee.batch = Unmanaged.passUnretained(batch as AnyObject)
    easyreact_add_batches(1)
    return batch
  }

  @usableFromInline func close(_ batch: Batch) {
    pointee.batch = batch.outer.map { Unmanaged.passUnretained($0 as AnyObject) }
    easyreact_add_batches(-1)
  }

  @inlinable var openBatch: Batch? {
    pointee.batch.map { unsafeDowncast($0.takeUnretainedValue(), to: Batch.self) }
  }

  /// Without retaining it: it is open as long as `body` runs. False: there is none.
  @inlinable @inline(__always) func withOpenBatch(_ body: (Batch) -> Bool) -> Bool {
    guard let batch = pointee.batch else { return false }
    return Unmanaged<Batch>.fromOpaque(batch.toOpaque())._withUnsafeGuaranteedRef(body)
  }
}

/// What one batch has staged; used only by the thread that opened it.
@usableFromInline final class Batch {
  @usableFromInline let outer: Batch?
  /// Open while the closure of a derivation runs, which sets no node.
  @usableFromInline let refuses: Bool
  /// A pointer, for a field would be checked for exclusive access each time.
  private let list: UnsafeMutablePointer<StagedList>

  init(outer: Batch?, refuses: Bool = false) {
    self.outer = outer
    self.refuses = refuses
    list = .allocate(capacity: 1)
    list.initialize(to: StagedList())
  }

  deinit {
    list.deinitialize(count: 1)
    list.deallocate()
  }

  // Unsafe: it never changes, for it refuses: nothing is staged in it.
  @usableFromInline nonisolated(unsafe) static let refusing = Batch(outer: nil, refuses: true)

  /// The newest staged value of a node, in this batch or one around it.
  @usableFromInline func staged(_ storage: NodePointer) -> StagedPointer? {
    guard let entry = list.pointee.find(storage) else { return outer?.staged(storage) }
    guard let changes = entry.pointee.change?.takeUnretainedValue() else { return entry }
    let hasValue = unsafeDowncast(changes, to: AnyStagedChanges.self).makeAll(
      of: entry.pointee.node.takeUnretainedValue(), in: self)
    // User code may have run, and staged a value in their place.
    let present = list.pointee.find(storage).unsafelyUnwrapped
    let isOver = present.pointee.change?.takeUnretainedValue() !== changes
    return hasValue || isOver ? present : outer?.staged(storage)
  }

  /// Has this batch, or one around it, staged a set of this part of a node's value, or of the whole?
  func sets(_ part: ObjectIdentifier, of storage: NodePointer) -> Bool {
    if let entry = list.pointee.find(storage) {
      guard let changes = entry.pointee.change?.takeUnretainedValue() else { return true }
      if unsafeDowncast(changes, to: AnyStagedChanges.self).sets(part) { return true }
    }
    return outer?.sets(part, of: storage) ?? false
  }

  /// This batch's own for a node, if there is one.
  func ownEntry(of storage: NodePointer) -> StagedPointer? { list.pointee.find(storage) }

  /// This batch's own for a node; a new one says so, and lacks its `end`.
  @usableFromInline func entry(of node: AnyNode) -> StagedPointer {
    list.pointee.findOrAppend(node)
  }

  /// It is closed. Sets what is staged, in order, in one turn; or stages it in the batch around this one.
  @usableFromInline func applyAll(_ turn: TurnPointer) {
    if outer == nil {
      turn.enter()
      finish(.apply, turn)
      turn.leave()
    } else {
      finish(.stageInOpenBatch, turn)
    }
  }

  /// It is closed, and its body threw.
  @usableFromInline func drop(_ turn: TurnPointer) { finish(.drop, turn) }

  /// User code runs here; it stages nothing in this batch any more.
  private func finish(_ ending: StagedEnding, _ turn: TurnPointer) {
    for index in 0..<list.pointee.count {
      let entry = list.pointee.entries + index
      entry.pointee.end(entry, ending, turn)
      entry.pointee.context?.release()
      entry.pointee.change?.release()
      entry.pointee.node.release()
    }
    list.pointee.removeAll()
    if outer == nil, turn.pointee.spareBatch == nil {
      turn.pointee.spareBatch = Unmanaged.passRetained(self as AnyObject)
    }
  }
}

// MARK: - What is staged

@usableFromInline typealias StagedPointer = UnsafeMutablePointer<Staged>

/// What a node is to be set to.
@usableFromInline struct Staged {
  @usableFromInline private(set) var storage: NodePointer
  /// Retained.
  @usableFromInline private(set) var node: Unmanaged<AnyNode>
  /// Takes the value out, since its type is known there; it captures nothing. No optional: that would be made
  /// anew each time.
  @usableFromInline var end: (StagedPointer, StagedEnding, TurnPointer) -> Void = { _, _, _ in }
  @usableFromInline var isNew = true
  /// Retained.
  @usableFromInline var context: Unmanaged<ContextBox>? = nil
  /// Retained: `AnyStagedChanges`.
  @usableFromInline var change: Unmanaged<AnyObject>? = nil
  /// For a tracer.
  @usableFromInline var callSite: SourceLocation? = nil
  @usableFromInline var hasValue = false
  /// The value, if that is a word; else where it lies.
  @usableFromInline var word: UInt64 = 0

  init(_ node: AnyNode) {
    storage = node.storage
    self.node = Unmanaged.passRetained(node)
  }

  /// The entry of a batch that is over, for another node. Its value is gone.
  mutating func begin(for node: AnyNode) {
    storage = node.storage
    self.node = Unmanaged.passRetained(node)
    (context, change, callSite) = (nil, nil, nil)
    isNew = true
  }
}

/// What becomes of a staged value.
@usableFromInline enum StagedEnding { case apply, stageInOpenBatch, drop }

extension StagedPointer {
  /// Of the call that stages it.
  @usableFromInline func takeCallSite() {
    let turn = currentTurn()
    pointee.callSite = turn.pointee.callSite
    turn.pointee.callSite = nil
  }

  @inlinable func put<Value>(_ value: consuming Value?) {
    pointee.hasValue = value != nil
    guard let value else { return }
    if isWord(Value.self) {
      pointee.word = bits(of: value)
    } else {
      let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      place.initialize(to: value)
      pointee.word = UInt64(UInt(bitPattern: place))
    }
  }

  /// What was staged earlier dies after the exchange, for that may be user code, which may stage more.
  @inlinable func replace<Value>(_ value: Value?, _ context: ContextBox?, change: AnyObject?) {
    let before = (
      take(Value.self), pointee.context?.takeRetainedValue(), pointee.change?.takeRetainedValue()
    )
    withExtendedLifetime(before) {
      if easyreact_is_traced() { takeCallSite() }
      pointee.change = change.map { Unmanaged.passRetained($0) }
      put(value)
      pointee.context = context.map { Unmanaged.passRetained($0) }
    }
  }

  @inlinable func read<Value>(_: Value.Type) -> Value? {
    if !pointee.hasValue { return nil }
    if isWord(Value.self) {
      return EasyReact.value(Value.self, of: pointee.word)
    }
    return place(Value.self).pointee
  }

  @inlinable func take<Value>(_: Value.Type) -> Value? {
    if !pointee.hasValue { return nil }
    if isWord(Value.self) { return read(Value.self) }
    pointee.hasValue = false
    let place = place(Value.self)
    defer { place.deallocate() }
    return place.move()
  }

  @inlinable @inline(__always) func place<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> {
    UnsafeMutablePointer<Value>(bitPattern: UInt(pointee.word)).unsafelyUnwrapped
  }
}

extension MutableNode {
  @inlinable final func stage(
    _ arrival: Arrival<Value>, _ context: ContextBox?, in batch: Batch
  ) {
    if batch.refuses { refuseToStage(arrival) }
    switch arrival {
    case .value(let value): stage(value, context, in: batch)
    // It is empty, and what was staged is still told.
    case .empty where storage.isEventNode(): break
    case .empty: stage(nil, context, in: batch)
    case .change where storage.pointee.traits.has(.isKept),
      .attempt where storage.pointee.traits.has(.isKept):
      stageUnknown(arrival.asAttempt!, context, in: batch)
    case .change(let change):
      guard var value = value else { return }  // staged, or stored
      change(&value)
      stage(value, context, in: batch)
    case .attempt(let change):
      guard var value = value, change(&value) else { return }
      stage(value, context, in: batch)
    case .decision: fatalError("a decision is not staged")
    }
  }

  /// In a batch that refuses nothing.
  @inlinable final func stage(_ value: Value?, _ context: ContextBox?, in batch: Batch) {
    let entry = batch.entry(of: self)
    if entry.pointee.isNew {
      entry.pointee.isNew = false
      entry.pointee.end = { entry, ending, turn in entry.finish(ending, Value.self, turn) }
      entry.pointee.context = context.map { Unmanaged.passRetained($0) }
      if easyreact_is_traced() { entry.takeCallSite() }
      return entry.put(value)
    }
    entry.replace(value, context, change: nil)
  }

  @usableFromInline final func refuseToStage(_ arrival: Arrival<Value>) -> Never {
    refuseEffect(arrival.operation)
  }
}

extension AnyNode {
  /// In the closure of a derivation.
  final func refuseEffect(_ operation: String) -> Never {
    misuse(
      operation, "a derivation's closure computes a value and sets no node", self,
      "Listen to the derived node, and set there.")
  }
}

extension StagedPointer {
  @inlinable func finish<Value: Sendable>(
    _ ending: StagedEnding, _: Value.Type, _ turn: TurnPointer
  ) {
    let storage = pointee.storage
    let context = pointee.context?.takeUnretainedValue()
    let value = take(Value.self)
    turn.pointee.callSite = ending == .drop ? nil : pointee.callSite
    if let change = pointee.change {
      let node = unsafeDowncast(pointee.node.takeUnretainedValue(), to: MutableNode<Value>.self)
      if node.finishChanges(change.takeUnretainedValue(), ending, context, turn) { return }
    }
    switch ending {
    case .apply:
      if let value {
        storage.setValue(value, context: context, in: turn)
      } else {
        storage.bring(Arrival<Value>.empty, context: context, in: turn)
      }
    case .stageInOpenBatch:
      let node = unsafeDowncast(pointee.node.takeUnretainedValue(), to: MutableNode<Value>.self)
      node.stage(
        value.map { .value($0) } ?? .empty, context, in: turn.openBatch.unsafelyUnwrapped)
    case .drop: break
    }
  }
}
