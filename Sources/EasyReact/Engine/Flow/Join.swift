import Synchronization

@usableFromInline typealias JoinPointer = UnsafeMutablePointer<Join>

/// A node that computes from the latest values of several upstreams, at most once a turn for all of
/// them.
///
/// Touched only by the holder of its node's region, except `isTerminated`. An upstream's storage may be
/// read as long as its edge is not detached, which is done by the same holder. The join of a flatten
/// belongs to the life of its outer edge (`LatestInnerNode`), any other to its node's storage.
@usableFromInline struct Join: ~Copyable {
  /// The newest arrival since the last run: the run continues its wave.
  @usableFromInline var wave: UInt64 = 0
  @usableFromInline var flags: NodeFlags = []
  @usableFromInline var context: ContextBox? = nil
  @usableFromInline var sender: NodePointer? = nil
  @usableFromInline var tiebreak: UInt64 = 0
  /// When something had to wait, the join went on under a new number: no wave with a number between these two has come
  /// through it. Any thread may read the second.
  var skippedAbove: UInt64 = 0
  let skippedBelow = Atomic<UInt64>(0)
  /// The number under which it went on last. Not zero at first, which is the number of a join that has not run.
  var renumbered = UInt64.max
  /// It waits for its run in the holder's turn.
  @usableFromInline var isWaiting = false
  /// It waits once more in this turn, with the edges of its last run. Stays set during that run, and after it.
  var isRepeat = false
  /// How many joins had told something when it began to wait once more.
  var waitedAt = 0
  @usableFromInline let upstreams: UnsafeMutablePointer<NodePointer>
  @usableFromInline let count: Int
  /// Reads the upstreams and delivers into the node; false if one of them is empty.
  let compute: (NodePointer, TurnPointer) -> Bool
  /// For a join that notes which upstreams have told something since its last run: false if something came that it
  /// could not note. Any thread may make it false.
  @usableFromInline let allNoted = Atomic(false)
  /// It tells something for each value that arrives, and nothing that has not arrived: it never runs again for what it has refused.
  let tellsEachOnce: Bool
  /// An upstream edge was lost: it never runs again.
  @usableFromInline let isTerminated = Atomic(false)

  @usableFromInline init(
    _ storages: [NodePointer], tellsEachOnce: Bool,
    compute: @escaping (NodePointer, TurnPointer) -> Bool
  ) {
    self.tellsEachOnce = tellsEachOnce
    count = storages.count
    upstreams = .allocate(capacity: storages.count)
    upstreams.initialize(from: storages, count: storages.count)
    self.compute = compute
  }

  /// Borrowed, so that the closure is not retained for the call.
  @inline(never) borrowing func run(_ storage: NodePointer, _ turn: TurnPointer) -> Bool {
    compute(storage, turn)
  }
}

@usableFromInline func makeJoin(
  _ storages: [NodePointer], tellsEachOnce: Bool = false,
  compute: @escaping (NodePointer, TurnPointer) -> Bool
) -> JoinPointer {
  let join = JoinPointer.allocate(capacity: 1)
  join.initialize(to: Join(storages, tellsEachOnce: tellsEachOnce, compute: compute))
  return join
}

extension JoinPointer {
  @inline(never) func freeJoin() {
    pointee.upstreams.deallocate()
    deinitialize(count: 1)
    deallocate()
  }
}

extension JoinPointer {
  /// Something came that cannot be noted: by another thread, as an event, as emptiness, round a cycle, or more than there is room for.
  @usableFromInline @inline(__always) func missChange() {
    _ = pointee.allNoted.exchange(false, ordering: .acquiringAndReleasing)
  }
}

extension EdgeStorage {
  /// The join that runs for what comes over this edge: one that chooses what it follows, and belongs to an edge (a flatten's), or
  /// that of the node below. What a link brings there makes no join run.
  borrowing func joinBelow() -> JoinPointer? {
    if let join = state?._withUnsafeGuaranteedRef({ ($0.outer ?? $0).movingJoin }) { return join }
    return traits.has(.endsDownstream) ? down!.pointee.join : nil
  }
}

// MARK: - Arrivals

/// The step of every edge into a join: the join is only noted, and runs when no plain edge is left.
@usableFromInline func arriveAtJoin(
  _ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer
) -> Bool {
  edge.pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped.arriveOver(
    over: edge, from: up, in: turn)
}

extension JoinPointer {
  @inline(__always) func arriveOver(
    over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    if arriveQuickly(over: edge, from: up, in: turn) { return false }
    return arriveSlowly(over: edge, from: up, in: turn)
  }

  /// False: nothing was done, except perhaps a claim.
  @inline(__always) func arriveQuickly(
    over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    let storage = edge.pointee.down.unsafelyUnwrapped
    // The edge is looked at again after the claim: see `isOver`.
    return edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue == 0
      && (storage.isHeldAndQuiet(by: turn) || storage.claim(by: turn))
      && edge.pointee.flags.load(ordering: .relaxed) == 0 && !turn.pointee.isTraced
      && storage.noteQuickly(self, sender: up, in: turn)
  }

  /// Is what it waits with older than this?
  @inline(__always) func isOlder(than wave: UInt64, _ tiebreak: UInt64, _ flags: NodeFlags) -> Bool
  {
    let present = pointee.flags.only(.crossedBackEdge).rawValue
    return (pointee.wave, pointee.tiebreak & ~toldAgain, present)
      < (wave, tiebreak, flags.only(.crossedBackEdge).rawValue)
  }

  /// Is this a wave that has not come through here, although the join's number is newer? Asked when it comes round a cycle.
  func hasSkipped(_ wave: UInt64) -> Bool { pointee.skippedAbove < wave && mayHaveSkipped(wave) }

  /// The same for a thread that is not the holder: false only if that is certain.
  func mayHaveSkipped(_ wave: UInt64) -> Bool {
    wave < pointee.skippedBelow.load(ordering: .relaxed)
  }

  /// A new number for something that had to wait, or would come too late under its own. If several are given in a row, the join
  /// has skipped all numbers between the one that it had before the first of them and the last of them.
  func renumber(from present: UInt64) -> UInt64 {
    let number = newWave()
    let present = pointee.isWaiting ? max(present, pointee.wave) : present
    if present != pointee.renumbered {
      pointee.skippedAbove = present
      pointee.skippedBelow.store(number, ordering: .relaxed)
    }
    pointee.renumbered = number
    return number
  }

  /// Notes the arrival whose wave the run continues.
  @inline(__always) func note(
    _ wave: UInt64, _ tiebreak: UInt64, _ flags: NodeFlags, from sender: NodePointer
  ) {
    (pointee.wave, pointee.tiebreak, pointee.flags) = (wave, tiebreak, flags)
    pointee.sender = sender
  }

  /// Before it runs. Returns the context for that.
  @inline(__always) func endWait() -> ContextBox? {
    pointee.isWaiting = false
    guard let context = pointee.context else { return nil }
    pointee.context = nil
    return context
  }

  @inline(never) func arriveSlowly(
    over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    edge.deliver(JoinCrossing(join: self, sender: up), edge.delivery(in: turn), in: turn)
  }
}

/// The join is noted.
private struct JoinCrossing: Crossing {
  let join: JoinPointer
  let sender: NodePointer
  func arrive(over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer) -> Bool {
    edge.pointee.down.unsafelyUnwrapped.noteArrival(
      at: join, delivery, over: edge, sender: sender, in: turn)
    return false
  }
}

extension NodePointer {
  /// The usual case of `noteArrival`: a plain wave that has not been here. False: nothing was done.
  @inline(__always) func noteQuickly(_ join: JoinPointer, sender: NodePointer, in turn: TurnPointer)
    -> Bool
  {
    let wave = turn.pointee.wave.number
    guard pointee.wave.load(ordering: .relaxed) < wave,
      pointee.rank.load(ordering: .relaxed) > turn.pointee.runningRank
    else { return false }
    if join.pointee.isWaiting {
      // What came before this wave, of the same turn: it goes on with the newest.
      if join.pointee.wave >= wave { return join.pointee.tiebreak & toldAgain == 0 }
      if join.pointee.context != nil { return false }
    } else {
      if pointee.life == .unwanted || join.pointee.context != nil
        || join.pointee.isTerminated.load(ordering: .relaxed)
      {
        return false
      }
      pushJoin(join, in: turn)
    }
    join.note(wave, 0, [], from: sender)
    return true
  }

  /// The same for the node's own join.
  @discardableResult
  @usableFromInline func noteArrival(
    _ delivery: Delivery, over edge: EdgePointer, sender: NodePointer, in turn: TurnPointer
  ) -> Bool {
    noteArrival(
      at: pointee.join.unsafelyUnwrapped, delivery, over: edge, sender: sender, in: turn)
  }

  /// The join that is running follows another node now. True: joins that lead there may still have to run, so it waits once
  /// more, with what made it run. But not if it has waited already and no join has told anything since: it would read what it has
  /// read, and on a cycle two joins that make nodes in their closures would wait for each other for ever.
  @usableFromInline func waitsAgain(_ join: JoinPointer, in turn: TurnPointer) -> Bool {
    let told = turn.pointee.toldJoins
    if join.pointee.isRepeat && join.pointee.waitedAt == told || !comesBehindOthers(join, in: turn)
    {
      return false
    }
    if !join.pointee.isWaiting {
      join.pointee.context = turn.pointee.wave.context?.takeUnretainedValue()
      pushJoin(join, in: turn)
    }
    (join.pointee.isRepeat, join.pointee.waitedAt) = (true, told)
    return true
  }
}

extension NodePointer {
  /// What this wave tells the node waits until all joins of lower rank have run; nothing is refused. The holder of its region.
  func wait(at join: JoinPointer, from sender: NodePointer, in turn: TurnPointer) {
    let wave = turn.pointee.wave
    if !join.pointee.isWaiting { pushJoin(join, in: turn) }
    join.note(wave.number, 0, wave.flags.only(.inFlight), from: sender)
    join.noteContext(of: wave)
  }
}

extension JoinPointer {
  /// Last: it may be the end of the one before, and that may set what makes this very join run.
  func noteContext(of wave: Wave) {
    let context = wave.context?.takeUnretainedValue()
    if pointee.context != nil {
      _ = exchange(&pointee.context, context)
    } else if let context {
      pointee.context = context
    }
  }
}

// MARK: - What it tells

/// Delivers what a join computed. Holder of the node's region; part of `Join.compute`.
@inlinable @inline(__always) func emit<Value: Sendable>(
  _ value: Value, of storage: NodePointer, _ turn: TurnPointer
) -> Bool {
  let wave = turn.pointee.wave.number
  if turn.pointee.wave.flags.rawValue | storage.pointee.flags.rawValue == 0,
    storage.pointee.wave.load(ordering: .relaxed) < wave
  {
    storage.store(value, under: wave)
    storage.pointee.sender.store(turn.pointee.runningSender, ordering: .relaxed)
    if turn.pointee.isTraced {
      storage.traceStored(origin: wave, rules: .ofJoin, from: turn.pointee.runningSender, in: turn)
    }
    return true
  }
  return storage.arrive(
    .value(value), Delivery(ofJoinIn: turn), sender: turn.pointee.runningSender, in: turn)
}

extension Delivery {
  /// What a join tells in its run.
  @usableFromInline init(ofJoinIn turn: TurnPointer) {
    self.init(joinIn: turn)
    rules = turn.pointee.wave.flags.has(.crossedBackEdge) ? .ofJoin.with(.filtered) : .ofJoin
    if turn.pointee.wave.flags.has(.late) { tiebreak = turn.pointee.runningTiebreak }
  }
}
