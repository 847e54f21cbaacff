import CEasyReact
import Synchronization

// A node's value lies in its core's block. Only the holder of the node's region writes it; any
// thread reads.
//
// A trivial value of at most eight bytes is one atomic word. Any other lies under the core's short
// lock, and the value that it replaces is destroyed after the lock is given back: its deinit is
// user code.

/// Folds to a constant when specialised.
@inlinable @inline(__always) func isWord<Value>(_: Value.Type) -> Bool {
  _isPOD(Value.self) && MemoryLayout<Value>.size <= 8
}

@inlinable @inline(__always) func valueOffset<Value>(_: Value.Type) -> Int {
  let alignment = max(8, MemoryLayout<Value>.alignment)
  return (MemoryLayout<Core>.size + alignment - 1) & ~(alignment - 1)
}

/// Where the value lies. The holder reads it in place.
@inlinable @inline(__always) func slot<Value>(
  _ core: CorePointer, _: Value.Type
) -> UnsafeMutablePointer<Value> {
  (UnsafeMutableRawPointer(core) + valueOffset(Value.self)).assumingMemoryBound(to: Value.self)
}

/// Calls a function of the user's with the value where it lies. The holder, while the node is busy:
/// so the value stays.
///
/// A value that is read from memory is copied for the call, which for a string costs two atomic
/// operations. A field of a borrowed struct is not, if the borrowing is not inlined.
@inlinable @inline(__always) func withValue<Value, Result>(
  of core: CorePointer, _ body: (Value) -> Result
) -> Result {
  if _isPOD(Value.self) { return body(slot(core, Value.self).pointee) }
  return UnsafeMutableRawPointer(slot(core, Value.self)).assumingMemoryBound(to: Lent<Value>.self)
    .pointee.pass(to: body)
}

@usableFromInline struct Lent<Value>: ~Copyable {
  @usableFromInline let value: Value
  @inlinable @inline(never) borrowing func pass<Result>(to body: (Value) -> Result) -> Result {
    body(value)
  }
}

@inlinable @inline(__always) func wordSlot<Value>(
  _ core: CorePointer, _: Value.Type
) -> UnsafeMutablePointer<Atomic<UInt64>> {
  (UnsafeMutableRawPointer(core) + valueOffset(Value.self))
    .assumingMemoryBound(to: Atomic<UInt64>.self)
}

/// Holder only.
@inlinable @inline(__always) func store<Value>(_ core: CorePointer, _ value: consuming Value) {
  if isWord(Value.self) {
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: value, as: Value.self) }
    wordSlot(core, Value.self).pointee.store(word, ordering: .releasing)
    core.pointee.hasValue.store(true, ordering: .releasing)
  } else {
    let place = slot(core, Value.self)
    if core.pointee.hasValue.load(ordering: .relaxed) {
      let bits = beginDying(core, Value.self)
      core.pointee.acquire()
      swap(&place.pointee, &value)
      core.pointee.release()
      _ = consume value
      endDying(core, Value.self, bits)
    } else {
      core.pointee.acquire()
      place.initialize(to: value)
      core.pointee.hasValue.store(true, ordering: .releasing)
      core.pointee.release()
    }
  }
}

/// While the value that a node held dies: that is user code, which may set the node, and then waits
/// until the new value has been told. Begins before the exchange, for the optimiser lets a value
/// die as soon as it is not used any more.
@inlinable @inline(__always) func beginDying<Value>(_ core: CorePointer, _: Value.Type) -> UInt8 {
  if _isPOD(Value.self) { return 0 }
  let bits = core.pointee.bits
  core.pointee.bits = bits | Bits.busy
  return bits & Bits.busy
}

@inlinable @inline(__always) func endDying<Value>(
  _ core: CorePointer, _: Value.Type, _ bits: UInt8
) {
  if _isPOD(Value.self) { return }
  core.pointee.bits = core.pointee.bits & ~Bits.busy | bits
}

/// Holder only.
@inlinable func clearValue<Value>(_ core: CorePointer, _: Value.Type) {
  if !core.pointee.hasValue.load(ordering: .relaxed) { return }
  if isWord(Value.self) {
    core.pointee.hasValue.store(false, ordering: .releasing)
    return
  }
  let bits = beginDying(core, Value.self)
  core.pointee.acquire()
  core.pointee.hasValue.store(false, ordering: .releasing)
  let old = slot(core, Value.self).move()
  core.pointee.releaseAfterCopying()
  _ = consume old
  endDying(core, Value.self, bits)
}

// MARK: - Events

/// An event lies where a value would, while it is told: steps and listeners read it there. The node
/// is empty meanwhile, so nobody else takes it for its value. Holder only.
@inlinable func storeEvent<Value>(_ core: CorePointer, _ value: consuming Value) {
  clearValue(core, Value.self)
  if isWord(Value.self) {
    // Somebody may be reading the value that was here. Who finds the event finds the mark, and looks
    // again under the lock.
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: value, as: Value.self) }
    core.pointee.acquire()
    core.pointee.hasHeldEvent.store(true, ordering: .relaxed)
    wordSlot(core, Value.self).pointee.store(word, ordering: .releasing)
    core.pointee.release()
  } else {
    slot(core, Value.self).initialize(to: value)
  }
}

/// The event has been told. Its deinit is user code; the node is busy.
@inlinable func dropEvent<Value>(_ core: CorePointer, _: Value.Type) {
  slot(core, Value.self).deinitialize(count: 1)
}

@usableFromInline func isEventNode(_ core: CorePointer) -> Bool {
  core.pointee.extrasIfAny()?.isEventNode ?? false
}

// MARK: - Reading

/// The copy's retain must happen before the unlock. The optimiser moves a retain behind an atomic
/// store, and even out of a function that is never inlined (it then returns the value unretained);
/// another thread frees the value in between. It moves none behind a call that it cannot see into:
/// so this, then the unlock.
@inlinable @inline(__always) func copyOut<Value>(_ place: UnsafeMutablePointer<Value>) -> Value {
  let value = place.pointee
  easyreact_retain_barrier()
  return value
}

/// The same as `readStored` for a word whose type is not known here: copies its bytes; false: the
/// node is empty.
@inlinable @inline(__always) func copyWord(
  _ core: CorePointer, to place: UnsafeMutableRawPointer, size: Int
) -> Bool {
  if !core.pointee.hasValue.load(ordering: .acquiring) { return false }
  // A word lies right behind the core, whatever its type.
  var word = wordSlot(core, UInt64.self).pointee.load(ordering: .acquiring)
  if core.pointee.hasHeldEvent.load(ordering: .relaxed) {
    guard let again = readWordLocked(core) else { return false }
    word = again
  }
  place.copyMemory(from: &word, byteCount: size)
  return true
}

/// The bytes of a value that is a word, of a node that has held an event; nil: the node is empty.
///
/// Between the two loads of `readStored` such a node may be emptied for an event, which then lies where
/// the value was. So they are read again, under the lock that an event is stored under.
@usableFromInline func readWordLocked(_ core: CorePointer) -> UInt64? {
  core.pointee.acquire()
  defer { core.pointee.release() }
  // Emptied before an event is stored, and full only after a value is.
  if !core.pointee.hasValue.load(ordering: .acquiring) { return nil }
  // A word lies right behind the core, whatever its type.
  return wordSlot(core, UInt64.self).pointee.load(ordering: .relaxed)
}

@inlinable @inline(never) func readWordAgain<Value>(_ core: CorePointer, _: Value.Type) -> Value? {
  guard let word = readWordLocked(core) else { return nil }
  return withUnsafeBytes(of: word) { $0.loadUnaligned(as: Value.self) }
}

/// The stored value, for any thread.
@inlinable @inline(__always) func readStored<Value>(_ core: CorePointer, _: Value.Type) -> Value? {
  if isWord(Value.self) {
    if !core.pointee.hasValue.load(ordering: .acquiring) { return nil }
    let word = wordSlot(core, Value.self).pointee.load(ordering: .acquiring)
    if core.pointee.hasHeldEvent.load(ordering: .relaxed) { return readWordAgain(core, Value.self) }
    return withUnsafeBytes(of: word) { $0.loadUnaligned(as: Value.self) }
  }
  core.pointee.acquire()
  if !core.pointee.hasValue.load(ordering: .relaxed) {
    core.pointee.release()
    return nil
  }
  let value = copyOut(slot(core, Value.self))
  core.pointee.release()
  return value
}

/// What `node.value` tells this thread: what it staged in a batch, what was posted last, or what is
/// stored.
///
/// The switch of the whole process only spares the look at this thread and this node where nobody
/// stages or posts anything.
@inlinable @inline(__always) func readValue<Value: Sendable>(
  _ core: CorePointer, _: Value.Type
) -> Value? {
  if easyreact_is_unsettled() { return readUnsettled(core, Value.self) }
  return readStored(core, Value.self)
}

@inlinable @inline(never) func readUnsettled<Value: Sendable>(
  _ core: CorePointer, _: Value.Type
) -> Value? {
  let turn = currentTurn()
  if turn.pointee.batch == nil, !core.pointee.hasPosted.load(ordering: .acquiring) {
    return readStored(core, Value.self)
  }
  if isEventNode(core) { return nil }
  if let batch = turn.pointee.batch?.takeUnretainedValue(), let staged = batch.staged(core) {
    return unsafeDowncast(staged, to: Staged<Value>.self).value
  }
  // Inside a notification of the node the value that is being told is read (contract 3.3, 7.5).
  if core.pointee.hasPosted.load(ordering: .acquiring), !isNotifying(core, turn) {
    if let posted = readPosted(core, Value.self) { return posted.value }
  }
  return readStored(core, Value.self)
}

@inlinable func isNotifying(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  isHeld(core, by: turn) && core.pointee.bits & Bits.busy != 0
}

// MARK: - Posted values

/// The newest value that was left with another thread for this node: everybody outside a
/// notification of the node reads it until it is stored. `ticket` tells whether a later one was
/// posted since.
@usableFromInline final class Posted<Value: Sendable>: Sendable {
  @usableFromInline let value: Value?
  @inlinable init(_ value: Value?) { self.value = value }
}

@usableFromInline func readPosted<Value: Sendable>(
  _ core: CorePointer, _: Value.Type
) -> Posted<Value>? {
  let extras = extras(of: core)
  core.pointee.acquire()
  let posted = extras.posted
  core.pointee.releaseAfterCopying()
  return posted.map { unsafeDowncast($0, to: Posted<Value>.self) }
}

/// Does this thread read a value of the node: one that it holds, or that was left with the thread that
/// is inside it?
func hasTold<Value: Sendable>(_ node: Node<Value>) -> Bool {
  if node.core.pointee.hasPosted.load(ordering: .acquiring),
    let posted = readPosted(node.core, Value.self)
  {
    return posted.value != nil
  }
  return node.core.pointee.hasValue.load(ordering: .acquiring)
}

/// Caller holds the core's lock, under which the letter is posted too, so that the last posted is
/// the last told.
@usableFromInline func notePosted(
  _ core: CorePointer, _ extras: Extras, _ posted: AnyObject, old: inout AnyObject?
) -> UInt64 {
  old = extras.posted
  if old == nil { easyreact_add_unsettled(1) }
  extras.posted = posted
  extras.postedTicket += 1
  core.pointee.hasPosted.store(true, ordering: .releasing)
  return extras.postedTicket
}

/// The letter with `ticket` was delivered.
@usableFromInline func settlePosted(_ core: CorePointer, _ ticket: UInt64) {
  let extras = extras(of: core)
  var old: AnyObject?
  core.pointee.acquire()
  if extras.postedTicket == ticket, extras.posted != nil {
    old = extras.posted
    extras.posted = nil
    core.pointee.hasPosted.store(false, ordering: .releasing)
    easyreact_add_unsettled(-1)
  }
  core.pointee.releaseAfterCopying()
  _ = consume old
}
