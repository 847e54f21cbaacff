import CEasyReact
import Synchronization

// Who may touch a region: steps 1 and 3 of the protocol in Region.swift.

extension NodePointer {
  @inlinable @inline(__always) func isHeld(by turn: TurnPointer) -> Bool {
    pointee.region.load(ordering: .acquiring).pointee.owner.load(ordering: .relaxed)
      == UInt(bitPattern: turn)
  }

  /// True: this turn holds the node's region and nothing waits there. False: send.
  @inlinable @inline(__always) func claim(by turn: TurnPointer) -> Bool {
    let region = pointee.region.load(ordering: .acquiring)
    if region.take(in: turn), pointee.region.load(ordering: .relaxed) == region { return true }
    return claimSlow(by: turn)
  }
}

extension RegionPointer {
  /// Makes a free region this turn's. Sequentially consistent: whoever leaves a message there afterwards knows that this thread is inside,
  /// also when `isQuiet` counts it.
  @inlinable @inline(__always) func take(in turn: TurnPointer) -> Bool {
    if pointee.word.load(ordering: .relaxed) != Region.free
      || !pointee.word.compareExchange(
        expected: Region.free, desired: Region.held, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed
      ).exchanged
    {
      return false
    }
    addHeld(by: turn)
    return true
  }
}

extension NodePointer {
  /// `claim`, where code size counts.
  @usableFromInline func claimOutlined(by turn: TurnPointer) -> Bool {
    claim(by: turn)
  }

  @usableFromInline func claimSlow(by turn: TurnPointer) -> Bool {
    // The most frequent case, a region that this turn holds, needs no frame.
    isHeldAndQuiet(by: turn) || claimContended(by: turn)
  }

  /// This turn holds the node's region already, and nothing waits there.
  @inline(__always) func isHeldAndQuiet(by turn: TurnPointer) -> Bool {
    let region = pointee.region.load(ordering: .acquiring)
    return region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn)
      && region.pointee.word.load(ordering: .relaxed) == Region.held && !region.hasMessages
  }

  /// Looks again whenever the node was moved meanwhile.
  @inline(never) fileprivate func claimContended(by turn: TurnPointer) -> Bool {
    while true {
      let region = pointee.region.load(ordering: .acquiring)
      if region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn) {
        return region.openMaintenance(in: turn)
      }
      let isTaken = region.take(in: turn)
      if pointee.region.load(ordering: .acquiring) == region { return isTaken }
    }
  }

  /// Does any turn hold the node's region? One that claims it after this look sees all ranks that were written before it.
  var isHeldByAnyone: Bool {
    while true {
      let region = pointee.region.load(ordering: .acquiring)
      let word = region.pointee.word.load(ordering: .sequentiallyConsistent)
      // If the node was split off meanwhile, it is in another region now.
      if pointee.region.load(ordering: .acquiring) == region { return word != Region.free }
    }
  }

  /// This turn holds the node's region, whatever waits there: enough for an operation that names no value, and so
  /// may overtake the messages.
  @usableFromInline func holds(by turn: TurnPointer) -> Bool {
    isHeld(by: turn) || claim(by: turn) || isHeld(by: turn)
  }

  /// This turn holds the node's region, and no message waits for the node itself: enough to end the life of something
  /// that messages name.
  func holdsUnnamed(by turn: TurnPointer) -> Bool {
    holds(by: turn) && pointee.waitingMessages.load(ordering: .relaxed) == 0
  }
}

extension RegionPointer {
  @inlinable @inline(__always) func addHeld(by turn: TurnPointer) {
    pointee.owner.store(UInt(bitPattern: turn), ordering: .relaxed)
    pointee.nextHeld = turn.pointee.held
    turn.pointee.held = self
  }
}
