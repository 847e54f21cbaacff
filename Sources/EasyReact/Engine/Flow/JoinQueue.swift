import Synchronization

// The joins of a turn that wait, by rank. If the rank of one falls while it waits, it is entered a second time, by its new rank; the
// entry that is left when it has run is dropped.

struct WaitingJoin {
  let storage: NodePointer
  let join: JoinPointer
  let rank: Int32
  let id: UInt64

  static func < (a: WaitingJoin, b: WaitingJoin) -> Bool {
    a.rank != b.rank ? a.rank < b.rank : a.id < b.id
  }

  @inline(__always) init(_ storage: NodePointer, _ join: JoinPointer) {
    (self.storage, self.join) = (storage, join)
    // Read after the claim: see `isHeldByAnyone`.
    rank = storage.pointee.rank.load(ordering: .sequentiallyConsistent)
    id = storage.pointee.id
  }
}

extension NodePointer {
  /// Is there a join that waits and comes before this one? Both by ranks of one count.
  func comesBehindOthers(_ join: JoinPointer, in turn: TurnPointer) -> Bool {
    while let first = turn.firstJoin() {
      let own = WaitingJoin(self, join)
      if turn.hasNewestRanks { return first < own }
    }
    return false
  }

  func pushJoin(_ join: JoinPointer, in turn: TurnPointer) {
    if turn.pointee.joinCount == turn.pointee.joinCapacity {
      return pushJoinIntoMore(join, in: turn)
    }
    (join.pointee.isWaiting, join.pointee.isRepeat) = (true, false)
    let heap = turn.pointee.joins
    let item = WaitingJoin(self, join)
    var hole = turn.pointee.joinCount
    turn.pointee.joinCount &+= 1
    while hole > 0 {
      let parent = (hole - 1) / 2
      if !(item < heap[parent]) { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = item
  }

  @inline(never) private func pushJoinIntoMore(_ join: JoinPointer, in turn: TurnPointer) {
    grow(&turn.pointee.joins, &turn.pointee.joinCapacity)
    pushJoin(join, in: turn)
  }
}

extension TurnPointer {
  /// The one that runs next. One that a link has raised since it began to wait first moves behind others. As long as the turn sees no
  /// recount of the ranks, all joins that wait are in one order, even if it is the old one.
  @inline(__always) func firstJoin() -> WaitingJoin? {
    while pointee.joinCount > 0 {
      if !hasNewestRanks { orderAnew() }
      let first = pointee.joins[0]
      if !first.join.pointee.isWaiting {
        dropFirst()
      } else if first.storage.pointee.rank.load(ordering: .acquiring) <= first.rank {
        return first
      } else {
        moveFirst()  // perhaps by a rank that was counted anew just now: that is seen above
      }
    }
    return nil
  }

  /// Are the joins in the order of present ranks? Asked after a rank was read: is it one of these?
  @inline(__always) var hasNewestRanks: Bool {
    pointee.recounts == recounts.load(ordering: .relaxed)
  }

  /// Ranks have been counted anew since this was done last, or are being counted now. A sorted array is a heap.
  @inline(never) private func orderAnew() {
    underTopologyLock {
      pointee.recounts = recounts.load(ordering: .relaxed)
      readRunningRank()
      var waiting = UnsafeMutableBufferPointer(start: pointee.joins, count: pointee.joinCount)
      for place in waiting.indices {
        waiting[place] = WaitingJoin(waiting[place].storage, waiting[place].join)
      }
      waiting.sort(by: <)
    }
  }

  /// The running join may have another rank now. Under the topology lock.
  func readRunningRank() {
    pointee.runningRank = pointee.running?.pointee.rank.load(ordering: .relaxed) ?? .min
  }

  @inline(never) private func moveFirst() {
    sinkFirst(WaitingJoin(pointee.joins[0].storage, pointee.joins[0].join))
  }

  /// Drops the entries that joins have left which ran.
  func hasWaitingJoins() -> Bool {
    while pointee.joinCount > 0, !pointee.joins[0].join.pointee.isWaiting { dropFirst() }
    return pointee.joinCount > 0
  }

  func popJoin() -> WaitingJoin? {
    guard let first = firstJoin() else { return nil }
    dropFirst()
    return first
  }

  @inline(__always) private func dropFirst() {
    pointee.joinCount &-= 1
    if pointee.joinCount > 0 {
      sinkFirst()
    } else if !pointee.gaveWay.isEmpty {
      endExchange()
    }
  }

  /// Puts the last one in the place of the first.
  @inline(never) private func sinkFirst() { sinkFirst(pointee.joins[pointee.joinCount]) }

  /// Puts this one in the place of the first, and lets it sink to its own.
  @inline(__always) private func sinkFirst(_ item: WaitingJoin) {
    let (heap, count) = (pointee.joins, pointee.joinCount)
    var hole = 0
    while true {
      var child = 2 * hole + 1
      if child >= count { break }
      if child + 1 < count, heap[child + 1] < heap[child] { child += 1 }
      if !(heap[child] < item) { break }
      heap[hole] = heap[child]
      hole = child
    }
    heap[hole] = item
  }
}
