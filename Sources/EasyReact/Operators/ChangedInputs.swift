import Synchronization

/// Which upstreams of a join of many like nodes have told something since its last run, so that it need not
/// read them all.
@usableFromInline final class ChangedInputs: @unchecked Sendable {
  // Unchecked: it belongs to the holder of the join's region.

  /// Positions among the upstreams, perhaps some twice.
  @usableFromInline let positions: UnsafeMutablePointer<Int32>
  @exclusivity(unchecked) @usableFromInline var count = 0
  private let capacity: Int
  /// The node's number when the join told last: as long as it is the node's, nobody else has set the node.
  @exclusivity(unchecked) @usableFromInline var wave: UInt64 = 0
  /// The position of one that was empty when all were read last: as long as it is empty, nothing can be told.
  @exclusivity(unchecked) var lacking: Int?

  /// - Parameter upstreams: How many there are.
  @usableFromInline init(upstreams: Int) {
    // Reading four costs as much as noting one, so n changes cost O(n), however many come at a time.
    capacity = max(1, upstreams / 4)
    positions = .allocate(capacity: capacity)
  }

  deinit { positions.deallocate() }

  /// The step of an edge into such a join. It hears emptiness.
  func arrive(_ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer, as position: Int) -> Bool
  {
    let join = edge.pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped
    if turn.isEmptied {
      join.missChange()
    } else if join.arriveQuickly(over: edge, from: up, in: turn) {
      note(position, join)
    } else {
      return arriveSlowly(up, edge, turn, as: position)
    }
    return false
  }

  @inline(never) private func arriveSlowly(
    _ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer, as position: Int
  ) -> Bool {
    let join = edge.pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped
    let crossing = Arrival(changed: self, join: join, sender: up, position: position)
    return edge.deliver(crossing, edge.delivery(in: turn), in: turn)
  }

  /// The slow way: the join is noted, and what has changed.
  private struct Arrival: Crossing {
    let changed: ChangedInputs
    let join: JoinPointer
    let sender: NodePointer
    let position: Int
    func arrive(over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer) -> Bool {
      let storage = edge.pointee.down.unsafelyUnwrapped
      if storage.noteArrival(at: join, delivery, over: edge, sender: sender, in: turn) {
        changed.note(position, join)
      } else {
        join.missChange()
      }
      return false
    }
  }

  @inline(__always) private func note(_ position: Int, _ join: JoinPointer) {
    if count == capacity {
      join.missChange()
    } else {
      positions[count] = Int32(truncatingIfNeeded: position)
      count += 1
    }
  }

  /// May the join change what it has told last, which is still the node's value?
  @usableFromInline func suffice(for storage: NodePointer, _ join: JoinPointer) -> Bool {
    count > 0 && join.pointee.allNoted.load(ordering: .acquiring)
      && storage.pointee.hasValue.load(ordering: .relaxed)
      && storage.pointee.wave.load(ordering: .relaxed) == wave
  }

  /// What the list names is in the array. To be called before what was there dies: what that sets is noted anew.
  @inlinable @inline(__always) func forget() { count = 0 }

  /// The array is told under the number that the node has now.
  @inlinable @inline(__always) func noteTold(_ storage: NodePointer) {
    wave = storage.pointee.wave.load(ordering: .relaxed)
  }

  /// Before all upstreams are read, so that what comes meanwhile is seen by the next run. By exchanges, one of which comes first: whoever
  /// has emptied an input before is seen here.
  @usableFromInline func beginReading(_ join: JoinPointer) {
    count = 0
    _ = join.pointee.allNoted.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// - Parameter isStored: What was read is the node's value now.
  @usableFromInline func endReading(_ storage: NodePointer, _ join: JoinPointer, isStored: Bool) {
    if isStored {
      wave = storage.pointee.wave.load(ordering: .relaxed)
    } else {
      join.missChange()
    }
  }
}
