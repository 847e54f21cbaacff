import CEasyReact
import Synchronization

// What passes over an edge, and the quick ways: they do what `passSlowly` and `arrive` do (Propagation.swift), if nothing is
// unusual.

extension EdgePointer {
  /// The rare cases of an edge in the loop: cut, starting, filtered, or the node was emptied.
  func mayPass(in turn: TurnPointer) -> Bool {
    let flags = pointee.allFlags
    if flags.has([.cut, .starting]) { return stop(.cut, in: turn) }
    if turn.pointee.wave.flags.has(.emptied), !pointee.hearsEmptiness { return false }
    let delivery = delivery(in: turn)
    let down = pointee.down.unsafelyUnwrapped
    if delivery.isFiltered && down.isReached(by: delivery), !pointee.isJudgedBelow(),
      !(flags.has(.sync) && mayBeOlderThanSync(turn))
    {
      if let join = pointee.joinBelow() {
        // First: after the other note a run reads what this one makes it read.
        join.missChange()
        if join.mayHaveSkipped(delivery.wave.number) || !down.refuses(delivery, join, over: self) {
          return true
        }
      }
      return stop(.reachedAlready, in: turn)
    }
    return true
  }
}

extension EdgeStorage {
  /// Is what is older than the value below refused there, by the holder? So it is where even that has to be known: a join
  /// chooses by the newest that came which nodes it follows, whatever makes it run.
  borrowing func isJudgedBelow() -> Bool {
    traits.has(.filtersItself) || state?._withUnsafeGuaranteedRef { $0.movingJoin } != nil
  }
}

extension EdgePointer {
  /// A value, or an event, for a node at rest that an ordinary wave reaches. False: nothing was done, except perhaps a claim.
  @inlinable @inline(__always) func passCopy<Value: Sendable>(
    _ value: Value, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    let down = pointee.down.unsafelyUnwrapped
    let wave = turn.pointee.wave.number
    let flags = pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue
    guard flags & ~NodeFlags.event.rawValue == 0,
      up.sharesRegion(down)
        || down.claimOutlined(by: turn) && pointee.flags.load(ordering: .relaxed) == 0,
      down.pointee.wave.load(ordering: .relaxed) < wave, !turn.pointee.isTraced
    else { return false }
    if flags == 0 {
      if !down.pointee.flags.isEmpty { return false }
      down.store(value, under: wave)
    } else {
      if !down.isReadyForEvent || pointee.traits.has(.keepsEvents) { return false }
      down.storeNextEvent(value, under: wave)
    }
    down.pointee.sender.store(up, ordering: .relaxed)
    return true
  }

  /// Asks the same for a value that is no event. If true, `storeQuickly` comes next.
  @inlinable @inline(__always) func isQuick(from up: NodePointer, in turn: TurnPointer) -> Bool {
    let down = pointee.down.unsafelyUnwrapped
    // The edge is looked at again after a claim: see `isOver`.
    return isQuickHeld(in: turn) {
      up.sharesRegion(down)
        || down.claimOutlined(by: turn) && pointee.flags.load(ordering: .relaxed) == 0
    }
  }

  /// The same, if the region of the other node is held.
  @inlinable @inline(__always) func isQuickHeld(
    in turn: TurnPointer, _ isHeld: () -> Bool = { true }
  ) -> Bool {
    let down = pointee.down.unsafelyUnwrapped
    return pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue == 0
      && isHeld()
      && down.pointee.flags.isEmpty
      && down.pointee.wave.load(ordering: .relaxed) < turn.pointee.wave.number
      && !turn.pointee.isTraced
  }

  @inlinable @inline(__always) func storeQuickly<Value: Sendable>(
    _ value: consuming Value, from up: NodePointer, in turn: TurnPointer
  ) {
    let down = pointee.down.unsafelyUnwrapped
    // Read before the old value dies, whose deinit may set anything.
    let wave = turn.pointee.wave.number
    down.store(value, under: wave)
    down.pointee.sender.store(up, ordering: .relaxed)
  }

  /// For an event that is no word, and for whatever is unusual.
  @inlinable @inline(never) func passOtherwise<Value: Sendable>(
    _ value: consuming Value, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    if !isWord(Value.self), passCopy(copy value, from: up, in: turn) { return true }
    return passSlowly(.value(value), from: up, in: turn)
  }
}
