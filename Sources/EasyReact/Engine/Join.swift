import Synchronization

@usableFromInline typealias JoinPointer = UnsafeMutablePointer<Join>

/// A node that computes from the latest values of several upstreams, at most once a turn for all of
/// them.
///
/// Touched by the holder of its node's region, but for `isTerminated`. An upstream's core may be
/// read as long as its edge is not detached, which is done by the same holder. That of a flatten
/// belongs to the life of its outer edge (`Following`), any other to its core.
@usableFromInline struct Join: ~Copyable {
  /// The newest arrival since the last run: what the run goes on with.
  @usableFromInline var wave: UInt64 = 0
  @usableFromInline var sequence: UInt64 = 0
  @usableFromInline var flags: UInt8 = 0
  @usableFromInline var context: ContextBox? = nil
  @usableFromInline var sender: CorePointer? = nil
  /// It waits for its run in the holder's turn.
  @usableFromInline var isWaiting = false
  @usableFromInline let upstreams: UnsafeMutablePointer<CorePointer>
  @usableFromInline let count: Int
  /// Reads the upstreams and delivers into the node; false if one of them is empty.
  let compute: (CorePointer, TurnPointer) -> Bool
  /// An upstream edge was lost: it never runs again.
  @usableFromInline let isTerminated: Atomic<Bool>

  @usableFromInline init(
    _ cores: [CorePointer], compute: @escaping (CorePointer, TurnPointer) -> Bool
  ) {
    count = cores.count
    upstreams = .allocate(capacity: cores.count)
    upstreams.initialize(from: cores, count: cores.count)
    self.compute = compute
    isTerminated = Atomic(false)
  }

  /// Borrowed, so that the closure is not retained for the call.
  @inline(never) borrowing func run(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
    compute(core, turn)
  }
}

@usableFromInline func makeJoin(
  _ cores: [CorePointer], compute: @escaping (CorePointer, TurnPointer) -> Bool
) -> JoinPointer {
  let join = JoinPointer.allocate(capacity: 1)
  join.initialize(to: Join(cores, compute: compute))
  return join
}

func freeJoin(_ join: JoinPointer) {
  join.pointee.upstreams.deallocate()
  join.deinitialize(count: 1)
  join.deallocate()
}

struct WaitingJoin {
  let core: CorePointer
  let join: JoinPointer
  let rank: Int32
  let id: UInt64

  static func < (a: WaitingJoin, b: WaitingJoin) -> Bool {
    a.rank != b.rank ? a.rank < b.rank : a.id < b.id
  }

  @inline(__always) init(_ core: CorePointer, _ join: JoinPointer) {
    (self.core, self.join) = (core, join)
    rank = core.pointee.rank.load(ordering: .relaxed)
    id = core.pointee.id
  }
}

// MARK: - Arrivals

/// The step of every edge into a join: the join is only noted, and runs when no plain edge is left.
@usableFromInline func arriveAtJoin(
  _ up: CorePointer, _ edge: EdgePointer, _ turn: TurnPointer
) -> Bool {
  arrive(
    at: edge.pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped, over: edge, from: up,
    turn)
}

@inline(__always) func arrive(
  at join: JoinPointer, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
) -> Bool {
  let core = edge.pointee.down.unsafelyUnwrapped
  // The edge is looked at again behind the claim: see `isOver`.
  if edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.flags == 0, claim(core, turn),
    edge.pointee.flags.load(ordering: .relaxed) == 0, noteQuickly(core, join, sender: up, turn)
  {
    return false
  }
  return arriveSlowly(at: join, over: edge, from: up, turn)
}

@inline(never) private func arriveSlowly(
  at join: JoinPointer, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
) -> Bool {
  let core = edge.pointee.down.unsafelyUnwrapped
  let crossing = Crossing(edge, turn)
  if claim(core, turn) {
    if edge.pointee.isOver() { return stop(.cut, edge, turn) }
    noteArrival(core, at: join, crossing, sender: up, turn)
  } else {
    typealias Payload = (EdgePointer, JoinPointer, CorePointer, Crossing)
    post(
      makeLetter(to: core, (edge, join, up, crossing.retained()) as Payload) { payload, turn in
        let (edge, join, up, crossing) = takePayload(payload, Payload.self)
        let context = crossing.takeContext()
        if edge.pointee.isOver() { return }
        noteArrival(
          edge.pointee.down!, at: join, crossing.afterWaiting(context), sender: up, turn)
        _ = consume context
      }, turn)
  }
  return false
}

/// The usual case of `noteArrival`: a plain wave that has not been here. False: nothing was done.
@inline(__always) func noteQuickly(
  _ core: CorePointer, _ join: JoinPointer, sender: CorePointer, _ turn: TurnPointer
) -> Bool {
  let wave = turn.pointee.wave
  guard core.pointee.wave.load(ordering: .relaxed) < wave,
    core.pointee.rank.load(ordering: .relaxed) > turn.pointee.runningRank
  else { return false }
  if join.pointee.isWaiting { return join.pointee.wave == wave }
  if core.pointee.isUnwanted || join.pointee.context != nil
    || join.pointee.isTerminated.load(ordering: .relaxed)
  {
    return false
  }
  join.pointee.isWaiting = true
  join.pointee.wave = wave
  join.pointee.sequence = 0
  join.pointee.flags = 0
  join.pointee.sender = sender
  pushJoin(core, join, turn)
  return true
}

/// The join of a core.
func noteArrival(
  _ core: CorePointer, _ crossing: Crossing, sender: CorePointer, _ turn: TurnPointer
) {
  noteArrival(core, at: core.pointee.join.unsafelyUnwrapped, crossing, sender: sender, turn)
}

/// The join is to run, as part of this wave. Holder of its region. False: it was there already.
@discardableResult
func noteArrival(
  _ core: CorePointer, at join: JoinPointer, _ crossing: Crossing, sender: CorePointer,
  _ turn: TurnPointer
) -> Bool {
  if core.pointee.isUnwanted || join.pointee.isTerminated.load(ordering: .relaxed) {
    if turn.pointee.isTraced { traceStop(.cut, core, turn) }
    return false
  }
  var (wave, sequence) = (crossing.wave, crossing.sequence)
  if crossing.isFiltered && isReached(core, by: crossing) {
    if turn.pointee.isTraced { traceStop(.reachedAlready, core, turn) }
    return false
  }
  if !crossing.isFiltered && (crossing.waited || isReached(core, by: crossing)) {
    (wave, sequence) = (newWave(), 0)
  }
  // Over edges ranks rise, so a join that is not above the running one was reached by a listener's
  // set.
  if core.pointee.rank.load(ordering: .relaxed) <= turn.pointee.runningRank {
    countReentrantSet(core, turn)
  }
  var flags = crossing.flags & Bits.travelling & ~Bits.late
  if sequence != 0 { flags |= Bits.late }
  if !join.pointee.isWaiting {
    join.pointee.isWaiting = true
    pushJoin(core, join, turn)
  } else if (wave, sequence, flags & Bits.ledBack)
    <= (join.pointee.wave, join.pointee.sequence, join.pointee.flags & Bits.ledBack)
  {
    return true
  }
  join.pointee.wave = wave
  join.pointee.sequence = sequence
  join.pointee.flags = flags
  join.pointee.sender = sender
  if crossing.context != nil || join.pointee.context != nil {
    join.pointee.context = crossing.context?.takeUnretainedValue()
  }
  return true
}

/// The join that is running follows another node now: true, where joins that lead there may still
/// have to run. It waits once more then, with what made it run.
func waitsAgain(_ core: CorePointer, _ join: JoinPointer, _ turn: TurnPointer) -> Bool {
  if turn.pointee.joinCount == 0 || !(turn.pointee.joins[0] < WaitingJoin(core, join)) {
    return false
  }
  if !join.pointee.isWaiting {
    join.pointee.isWaiting = true
    join.pointee.context = turn.pointee.context?.takeUnretainedValue()
    pushJoin(core, join, turn)
  }
  return true
}

// MARK: - The queue by rank

private func pushJoin(_ core: CorePointer, _ join: JoinPointer, _ turn: TurnPointer) {
  if turn.pointee.joinCount == turn.pointee.joinCapacity {
    grow(&turn.pointee.joins, &turn.pointee.joinCapacity)
  }
  let heap = turn.pointee.joins
  let item = WaitingJoin(core, join)
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

private func popJoin(_ turn: TurnPointer) -> WaitingJoin {
  let heap = turn.pointee.joins
  let first = heap[0]
  turn.pointee.joinCount &-= 1
  let count = turn.pointee.joinCount
  if count == 0 { return first }
  let item = heap[count]
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
  return first
}

/// The ready join of lowest rank computes once, and what it tells is followed.
func runJoin(_ turn: TurnPointer) {
  let waiting = popJoin(turn)
  let (core, join) = (waiting.core, waiting.join)
  if core.pointee.rank.load(ordering: .relaxed) > waiting.rank {
    return pushJoin(core, join, turn)  // a link made meanwhile raised it
  }
  join.pointee.isWaiting = false
  let context = join.pointee.context
  if context != nil { join.pointee.context = nil }
  if core.pointee.isUnwanted || join.pointee.isTerminated.load(ordering: .relaxed) { return }
  turn.pointee.wave = join.pointee.wave
  turn.pointee.flags = join.pointee.flags
  turn.pointee.context = context.map { Unmanaged.passUnretained($0) }
  turn.pointee.runningRank = waiting.rank
  if join.pointee.run(core, turn) { propagate(core, turn) }
  turn.pointee.runningRank = -1
  turn.pointee.context = nil
  _ = consume context
}

/// Delivers what a join computed. Holder of the node's region; part of `Join.compute`.
@inlinable @inline(__always) func tell<Value: Sendable>(
  _ value: Value, of core: CorePointer, _ turn: TurnPointer
) -> Bool {
  tell(value, of: core, core.pointee.join.unsafelyUnwrapped, turn)
}

@inlinable @inline(__always) func tell<Value: Sendable>(
  _ value: Value, of core: CorePointer, _ join: JoinPointer, _ turn: TurnPointer
) -> Bool {
  let wave = turn.pointee.wave
  if turn.pointee.flags | core.pointee.bits == 0, core.pointee.wave.load(ordering: .relaxed) < wave
  {
    store(core, value)
    core.pointee.wave.store(wave, ordering: .releasing)
    core.pointee.sender.store(join.pointee.sender, ordering: .relaxed)
    if turn.pointee.isTraced { traceStored(core, turn) }
    return true
  }
  return arrive(
    core, .value(value), Crossing(of: join, turn), sender: join.pointee.sender, turn)
}

extension Crossing {
  /// What a join tells in its run.
  @usableFromInline init(of join: JoinPointer, _ turn: TurnPointer) {
    self.init(joinIn: turn)
    isFiltered = turn.pointee.flags & Bits.ledBack != 0
    if turn.pointee.flags & Bits.late != 0 { sequence = join.pointee.sequence }
  }
}

/// For `compute`: an upstream is empty, so the join says nothing.
@usableFromInline func traceWaiting(_ core: CorePointer, _ turn: TurnPointer) {
  if turn.pointee.isTraced { traceStop(.waitsForAnotherUpstream, core, turn) }
}
