import CEasyReact
import Synchronization

// A node's value lies in its storage's block. Only the holder of the node's region writes it; any
// thread reads.
//
// A trivial value of at most eight bytes is one atomic word. Any other lies under the node's short
// lock, and the value that it replaces is destroyed after the lock is given back: its deinit is
// user code.

/// Folds to a constant when specialised.
@inlinable @inline(__always) func isWord<Value>(_: Value.Type) -> Bool {
  _isPOD(Value.self) && MemoryLayout<Value>.size <= 8
}

/// The bits of a value that is a word; it lies in the first bytes. Not by way of memory, which would cost a check of the
/// stack guard at each hop.
@inlinable @inline(__always) func bits<Value>(of value: Value) -> UInt64 {
  switch MemoryLayout<Value>.size {
  case 8: return unsafeBitCast(value, to: UInt64.self)
  case 4: return UInt64(unsafeBitCast(value, to: UInt32.self))
  case 2: return UInt64(unsafeBitCast(value, to: UInt16.self))
  case 1: return UInt64(unsafeBitCast(value, to: UInt8.self))
  case 0: return 0
  default:
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: value, as: Value.self) }
    return word
  }
}

@inlinable @inline(__always) func value<Value>(_: Value.Type, of word: UInt64) -> Value {
  switch MemoryLayout<Value>.size {
  case 8: return unsafeBitCast(word, to: Value.self)
  case 4: return unsafeBitCast(UInt32(truncatingIfNeeded: word), to: Value.self)
  case 2: return unsafeBitCast(UInt16(truncatingIfNeeded: word), to: Value.self)
  case 1: return unsafeBitCast(UInt8(truncatingIfNeeded: word), to: Value.self)
  default: return withUnsafeBytes(of: word) { $0.loadUnaligned(as: Value.self) }
  }
}

@inlinable @inline(__always) func valueOffset<Value>(_: Value.Type) -> Int {
  let alignment = max(8, MemoryLayout<Value>.alignment)
  return (MemoryLayout<NodeStorage>.size + alignment - 1) & ~(alignment - 1)
}

extension NodePointer {
  /// Where the value lies. The holder reads it in place.
  @inlinable @inline(__always) func slot<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> {
    (UnsafeMutableRawPointer(self) + valueOffset(Value.self)).assumingMemoryBound(to: Value.self)
  }

  /// Calls a function of the user's with the value in its place. Holder, while the node is busy:
  /// so the value stays.
  ///
  /// A value that is read from memory is copied for the call, which for a string costs two atomic
  /// operations. A field of a borrowed struct is not, if the borrowing is not inlined.
  @inlinable @inline(__always) func withValue<Value, Result>(_ body: (Value) -> Result) -> Result {
    if _isPOD(Value.self) { return body(slot(Value.self).pointee) }
    return UnsafeMutableRawPointer(slot(Value.self)).assumingMemoryBound(to: Lent<Value>.self)
      .pointee.pass(to: body)
  }
}

@usableFromInline struct Lent<Value>: ~Copyable {
  @usableFromInline let value: Value
  @inlinable @inline(never) borrowing func pass<Result>(to body: (Value) -> Result) -> Result {
    body(value)
  }
}

extension NodePointer {
  @inlinable @inline(__always) func wordSlot<Value>(_: Value.Type) -> UnsafeMutablePointer<
    Atomic<UInt64>
  > {
    (UnsafeMutableRawPointer(self) + valueOffset(Value.self))
      .assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Holder only.
  @inlinable @inline(__always) func store<Value>(_ value: consuming Value) { store(value) {} }

  @inlinable @inline(__always) func store<Value>(_ value: consuming Value, under wave: UInt64) {
    store(value) { pointee.wave.store(wave, ordering: .releasing) }
  }

  /// - Parameter note: Notes the version of the value: once it is stored, see `numberOfValue`; and before the old one dies, which is user
  ///   code and may make a sync. No user code itself. Where a node is emptied, no sync needs the version.
  @inlinable @inline(__always) func store<Value>(_ value: consuming Value, _ note: () -> Void) {
    if isWord(Value.self) {
      wordSlot(Value.self).pointee.store(bits(of: value), ordering: .releasing)
      pointee.hasValue.store(true, ordering: .releasing)
      note()
    } else {
      let place = slot(Value.self)
      if pointee.hasValue.load(ordering: .relaxed) {
        let flags = beginDying(Value.self)
        pointee.acquire()
        swap(&place.pointee, &value)
        note()
        pointee.release()
        _ = consume value
        endDying(Value.self, flags)
      } else {
        pointee.acquire()
        place.initialize(to: value)
        pointee.hasValue.store(true, ordering: .releasing)
        note()
        pointee.release()
      }
    }
  }

  /// Called before the exchange, since the optimiser lets a value die as soon as it is no longer used.
  @inlinable @inline(__always) func beginDying<Value>(_: Value.Type) -> NodeFlags {
    _isPOD(Value.self) ? [] : beginUntold()
  }

  @inlinable @inline(__always) func endDying<Value>(_: Value.Type, _ flags: NodeFlags) {
    if !_isPOD(Value.self) { endUntold(flags) }
  }

  /// Holder only.
  @inlinable @inline(never) func clearValue<Value>(_: Value.Type) {
    if !pointee.hasValue.load(ordering: .relaxed) { return }
    if isWord(Value.self) {
      // Whoever reads it under the lock, in `readWordLocked`, reads all of it before an event can be stored.
      pointee.acquire()
      pointee.hasValue.store(false, ordering: .releasing)
      pointee.release()
      return
    }
    let flags = beginDying(Value.self)
    pointee.acquire()
    pointee.hasValue.store(false, ordering: .releasing)
    let old = slot(Value.self).move()
    pointee.releaseAfterCopying()
    _ = consume old
    endDying(Value.self, flags)
  }
}

// MARK: - Events

extension NodePointer {
  /// While an event is told it lies where a value would: steps and listeners read it there. The node
  /// is empty meanwhile, so nobody else takes it for the node's value. Holder.
  @inlinable @inline(never) func storeEvent<Value>(_ value: consuming Value) {
    clearValue(Value.self)
    // Somebody may be reading the value that was here. A reader that finds the event also finds the mark, and looks
    // again under the lock, under which the value was cleared.
    if isWord(Value.self) { pointee.insert(.hasHeldEvent) }
    pointee.flags.insert(.holdsNoValue)
    storeNextEvent(value)
  }

  /// The same, if no value lies there and the mark is set.
  @inlinable @inline(__always) func storeNextEvent<Value>(_ value: consuming Value) {
    if isWord(Value.self) {
      wordSlot(Value.self).pointee.store(bits(of: value), ordering: .releasing)
    } else {
      slot(Value.self).initialize(to: value)
    }
    pointee.flags.insert(.event)
  }

  @inlinable @inline(__always) func storeNextEvent<Value>(
    _ value: consuming Value, under wave: UInt64
  ) {
    storeNextEvent(value)
    pointee.wave.store(wave, ordering: .releasing)
  }

  /// At rest, an event was told last, and no value was stored since.
  @inlinable @inline(__always) var isReadyForEvent: Bool {
    pointee.flags.without(.eventNode) == .holdsNoValue
  }

  @inlinable @inline(__always) func storeAfterEvent<Value>(
    _ value: consuming Value, _ note: () -> Void
  ) {
    pointee.flags.remove(.holdsNoValue)
    store(value, note)
  }

  /// The event has been told. Its deinit is user code; the node is busy.
  @inlinable func dropEvent<Value>(_: Value.Type) {
    slot(Value.self).deinitialize(count: 1)
  }

  @usableFromInline func isEventNode() -> Bool {
    pointee.sideTableIfAny()?.isEventNode ?? false
  }
}

// MARK: - Reading

/// The copy's retain must happen before the unlock. The optimiser moves a retain past an atomic
/// store, and even out of a function that is never inlined (which then returns the value unretained);
/// another thread frees the value in between. It moves none past a call that it cannot see into:
/// so first this, then the unlock.
@inlinable @inline(__always) func copyOut<Value>(_ place: UnsafeMutablePointer<Value>) -> Value {
  let value = place.pointee
  easyreact_retain_barrier()
  return value
}

extension NodePointer {
  /// The bytes of a value that is a word, for a node that has held an event. Nil: the node is empty.
  ///
  /// Between the two loads of `readStored` such a node may be emptied for an event, which then lies where
  /// the value was. So both are read again, under the lock under which a value is cleared.
  @usableFromInline func readWordLocked() -> UInt64? {
    pointee.acquire()
    defer { pointee.release() }
    // The node is emptied before an event is stored, and is full only after a value is.
    if !pointee.hasValue.load(ordering: .acquiring) { return nil }
    // Whatever its type, a word lies right behind the node's storage.
    return wordSlot(UInt64.self).pointee.load(ordering: .relaxed)
  }

  @inlinable @inline(never) func readWordAgain<Value>(_: Value.Type) -> Value? {
    guard let word = readWordLocked() else { return nil }
    return value(Value.self, of: word)
  }

  /// The stored value, for any thread.
  @inlinable @inline(__always) func readStored<Value>(_: Value.Type) -> Value? {
    if isWord(Value.self) {
      if !pointee.hasValue.load(ordering: .acquiring) { return nil }
      let word = wordSlot(Value.self).pointee.load(ordering: .acquiring)
      if pointee.has(.hasHeldEvent) { return readWordAgain(Value.self) }
      return value(Value.self, of: word)
    }
    pointee.acquire()
    if !pointee.hasValue.load(ordering: .relaxed) {
      pointee.release()
      return nil
    }
    let value = copyOut(slot(Value.self))
    pointee.release()
    return value
  }
}

// MARK: - Sent values

/// The newest value that was left for this node: all threads read it until it is stored (contract 7.5), except the one that is
/// inside the node. That one is still telling earlier values, and reads these, unless it has left a value itself, behind
/// what waits.
@usableFromInline final class PendingValue<Value: Sendable>: Sendable {
  @usableFromInline let value: Value?
  @inlinable init(_ value: Value?) { self.value = value }
}

extension NodePointer {
  @usableFromInline func pendingValue<Value: Sendable>(in turn: TurnPointer, _: Value.Type)
    -> PendingValue<Value>?
  {
    let sideTable = self.sideTable()
    let isInside = isHeld(by: turn)
    if isInside, pointee.flags.has(.busy) { return nil }
    pointee.acquire()
    let isOthers = sideTable.holdersTicket == 0 || sideTable.ticketHolder != turn.pointee.identity
    let pendingValue = isInside && isOthers ? nil : sideTable.pendingValue
    pointee.releaseAfterCopying()
    return pendingValue.map { unsafeDowncast($0, to: PendingValue<Value>.self) }
  }
}

extension NodePointer {
  /// The caller holds the node's lock, under which the message is sent too, so that the last one sent is
  /// the last one told.
  @usableFromInline func notePendingValue(
    _ sideTable: SideTable, _ pendingValue: AnyObject, in turn: TurnPointer,
    old: inout AnyObject?
  ) -> UInt64 {
    old = sideTable.pendingValue
    sideTable.pendingValue = pendingValue
    sideTable.pendingTicket += 1
    if holdsOrMaySoon(turn) {
      (sideTable.holdersTicket, sideTable.ticketHolder) = (
        sideTable.pendingTicket, turn.pointee.identity
      )
    }
    pointee.hasPendingValue.store(true, ordering: .releasing)
    return sideTable.pendingTicket
  }

  /// The turn has the region, or has set it aside.
  private func holdsOrMaySoon(_ turn: TurnPointer) -> Bool {
    let owner = pointee.region.load(ordering: .relaxed).pointee.owner.load(ordering: .relaxed)
    return owner | Region.handedOver == UInt(bitPattern: turn) | Region.handedOver
  }

  /// The message with `ticket` was delivered.
  @usableFromInline func settlePendingValue(_ ticket: UInt64) {
    let sideTable = self.sideTable()
    var old: AnyObject?
    pointee.acquire()
    if ticket >= sideTable.holdersTicket { sideTable.holdersTicket = 0 }
    if sideTable.pendingTicket == ticket, sideTable.pendingValue != nil {
      old = sideTable.pendingValue
      sideTable.pendingValue = nil
      pointee.hasPendingValue.store(false, ordering: .releasing)
    }
    pointee.releaseAfterCopying()
    _ = consume old
  }
}
