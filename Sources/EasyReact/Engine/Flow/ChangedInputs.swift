import Synchronization

/// Which upstreams of a join of many like nodes have told something since its last run, so that it need not
/// read them all. The holder's of its region, but for `isComplete`.
@usableFromInline struct ChangedInputs: ~Copyable {
  /// Positions among the upstreams, perhaps some twice.
  @usableFromInline private(set) var positions: UnsafeMutablePointer<Int32>
  @usableFromInline private(set) var count = 0
  private let capacity: Int
  /// The list says it all. False at first, and where something came that it does not name: by another thread,
  /// as an event, emptiness, round a cycle, or more than there is room for. Any thread takes it back.
  private let isComplete = Atomic(false)
  /// The node's number when the join told last: as long as it is the node's, nobody else has set the node.
  private var wave: UInt64 = 0
  /// The position of one that was empty when all were read last: as long as it is, nothing can be told.
  var lacking: Int?

  /// - Parameter upstreams: How many there are.
  init(upstreams: Int) {
    // To read four costs what to note one does, so n changes cost O(n), however many come at a time.
    capacity = max(1, upstreams / 4)
    positions = .allocate(capacity: capacity)
  }

  deinit { positions.deallocate() }

  borrowing func miss() { isComplete.store(false, ordering: .releasing) }

  mutating func note(_ position: Int) {
    if count == capacity { return miss() }
    positions[count] = Int32(truncatingIfNeeded: position)
    count += 1
  }

  /// May the join change what it has told last, which is the node's value still?
  @usableFromInline borrowing func suffice(for storage: NodePointer) -> Bool {
    isComplete.load(ordering: .acquiring) && count > 0
      && storage.pointee.hasValue.load(ordering: .relaxed)
      && storage.pointee.wave.load(ordering: .relaxed) == wave
  }

  /// What the list names has been read.
  @usableFromInline mutating func forget() { count = 0 }

  /// Before all upstreams are read, so that what comes meanwhile is seen by the next run.
  @usableFromInline mutating func beginReading() {
    count = 0
    isComplete.store(true, ordering: .sequentiallyConsistent)
  }

  /// - Parameter isStored: What was read is the node's value now.
  @usableFromInline mutating func endReading(_ storage: NodePointer, isStored: Bool) {
    if isStored { wave = storage.pointee.wave.load(ordering: .relaxed) } else { miss() }
  }
}

extension JoinPointer {
  /// For those that keep no list it is nothing.
  @inline(__always) func missChange() { pointee.changed?.pointee.miss() }
}

/// The step of an edge into such a join. It hears emptiness.
@usableFromInline func arriveAtJoin(
  _ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer, as position: Int
) -> Bool {
  let join = edge.pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped
  if turn.isEmptied {
    join.missChange()
    return false
  }
  if join.arriveQuickly(over: edge, from: up, in: turn) {
    join.pointee.changed.unsafelyUnwrapped.pointee.note(position)
    return false
  }
  join.missChange()
  return join.arriveSlowly(over: edge, from: up, in: turn)
}
