import CEasyReact
import Synchronization

@usableFromInline typealias TurnPointer = UnsafeMutablePointer<Turn>

/// What a thread carries from the outermost set until it returns: the wave under way, the stack of
/// nodes that still have edges to follow, the joins that wait, the regions held, and what died.
///
/// One a thread, made at its first use of the library and freed when the thread ends.
@usableFromInline struct Turn: ~Copyable {
  /// How many calls into the library are open. Written by this thread alone; `isQuiet` looks at it.
  @usableFromInline let depth = Atomic<Int>(0)
  /// The wave under way: its number, `Bits.travelling`, and its context (kept by the node that
  /// tells it).
  @usableFromInline var wave: UInt64 = 0
  @usableFromInline var flags: UInt8 = 0
  @usableFromInline var isTraced = false
  /// Where the set that comes next was called, for a tracer.
  var callSite: Site? = nil
  @usableFromInline var context: Unmanaged<ContextBox>? = nil
  /// The stack, linked by `Core.caller`.
  @usableFromInline var top: CorePointer? = nil
  @usableFromInline var held: RegionPointer? = nil
  @usableFromInline var batch: Unmanaged<Batch>? = nil
  /// The transform that is being asked to receive, and where its values go (Transform.swift).
  @usableFromInline var receiving: EdgePointer? = nil
  @usableFromInline var hasSent = false
  /// Joins that wait, a binary heap by rank, then by creation.
  @usableFromInline var joinCount = 0
  var joins: UnsafeMutablePointer<WaitingJoin>
  var joinCapacity: Int
  /// What died; freed in a loop, when no frame is left.
  @usableFromInline var deadCount = 0
  var dead: UnsafeMutablePointer<Dead>
  var deadCapacity: Int
  /// What is buried now was ended by another thread.
  var isForeign = false
  /// A few blocks of freed edges, linked through themselves, for this thread's next edges: so
  /// switching from one inner node to the next allocates nothing.
  @usableFromInline var spareEdges: UnsafeMutableRawPointer? = nil
  @usableFromInline var spareEdgeRoom = easyreact_is_sanitized() ? 0 : 16
  /// The rank of the join whose value is being told; -1: of none.
  var runningRank: Int32 = -1
  /// Sets that had to wait in a queue or for a join that had run, since the turn began: the guard
  /// against endless listeners.
  @usableFromInline var reentrantSets = 0
  var lettersOpened = 0
  /// How many nodes and edges this thread has looked at for the sake of the graph's shape, in its
  /// lifetime: for tests of growth.
  var looks = 0
  /// How many letters this thread has left where many waited: see `giveWay`.
  var crowdedLetters: UInt32 = 0

  init() {
    joinCapacity = 16
    joins = .allocate(capacity: joinCapacity)
    deadCapacity = 64
    dead = .allocate(capacity: deadCapacity)
  }

  deinit {
    joins.deallocate()
    dead.deallocate()
    var next = spareEdges
    while let block = next {
      next = block.load(as: UnsafeMutableRawPointer?.self)
      block.assumingMemoryBound(to: Edge.self).deallocate()
    }
  }
}

// MARK: - One a thread

@inlinable @inline(__always) func currentTurn() -> TurnPointer {
  if let turn = easyreact_turn_get() { return turn.assumingMemoryBound(to: Turn.self) }
  return makeTurn()
}

@usableFromInline @inline(never) func makeTurn() -> TurnPointer {
  let turn = TurnPointer.allocate(capacity: 1)
  turn.initialize(to: Turn())
  turns.withLock { _ = $0.addresses.insert(turn) }
  easyreact_turn_set(turn) { ended in
    let turn = ended.assumingMemoryBound(to: Turn.self)
    turns.withLock { _ = $0.addresses.remove(turn) }
    turn.deinitialize(count: 1)
    turn.deallocate()
  }
  return turn
}

/// Of all threads that have used the library and live.
private struct Turns: @unchecked Sendable {
  // Unchecked: addresses, under the Mutex, of blocks that are taken out before they are freed; only
  // their atomics are looked at.
  var addresses: Set<TurnPointer> = []
}
private let turns = Mutex(Turns())

/// Is a thread inside the graph?
func isAnyTurnOpen() -> Bool {
  turns.withLock { $0.addresses.contains { $0.pointee.depth.load(ordering: .acquiring) != 0 } }
}

// MARK: - Begin and end

@inlinable @inline(__always) func enter(_ turn: TurnPointer) {
  let depth = turn.pointee.depth.load(ordering: .relaxed) &+ 1
  turn.pointee.depth.store(depth, ordering: .relaxed)
  if depth == 1 {
    turn.pointee.isTraced = easyreact_is_traced()
    if turn.pointee.isTraced { traceTurn(began: true, turn) }
  }
}

@inlinable @inline(__always) func leave(_ turn: TurnPointer) {
  let depth = turn.pointee.depth.load(ordering: .relaxed)
  if depth == 1 { finish(turn) } else { turn.pointee.depth.store(depth &- 1, ordering: .relaxed) }
}

/// The end of the outermost call: joins by rank until none waits, then what died, then the regions
/// go back, each after its mail. A letter is a turn of its own.
@usableFromInline @inline(never) func finish(_ turn: TurnPointer) {
  let batch = turn.pointee.batch
  while true {
    if settleOne(turn) { continue }
    guard let region = turn.pointee.held else { break }
    turn.pointee.held = region.pointee.nextHeld
    if region.pointee.isDead {
      endRegion(region)
      continue
    }
    if let letter = takeLetter(region) {
      if turn.pointee.lettersOpened >= mailBound.load(ordering: .relaxed) {
        giveUp(region, letter)
        continue
      }
      turn.pointee.lettersOpened &+= 1
      turn.pointee.batch = nil  // what follows from other threads' sets is no part of it
      region.pointee.nextHeld = turn.pointee.held
      turn.pointee.held = region
      openLetter(letter, turn)
      continue
    }
    if !free(region, turn) {
      region.pointee.nextHeld = turn.pointee.held
      turn.pointee.held = region
    }
  }
  turn.pointee.batch = batch
  (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = (0, 0, nil)
  turn.pointee.reentrantSets = 0
  turn.pointee.lettersOpened = 0
  let isTraced = turn.pointee.isTraced
  turn.pointee.depth.store(
    turn.pointee.depth.load(ordering: .relaxed) &- 1, ordering: .releasing)
  // A tracer may set nodes: what it does here is a turn of its own, which gives back its regions.
  if isTraced { traceTurn(began: false, turn) }
}

/// One step towards quiet: a join, or something that died.
@inline(__always) private func settleOne(_ turn: TurnPointer) -> Bool {
  if turn.pointee.joinCount > 0 {
    runJoin(turn)
    return true
  }
  if turn.pointee.deadCount > 0 {
    reapOne(turn)
    return true
  }
  return false
}

private func giveUp(_ region: RegionPointer, _ letter: LetterPointer) {
  letter.pointee.next = region.pointee.inbox
  if region.pointee.inbox == nil { region.pointee.inboxLast = letter }
  region.pointee.inbox = letter
  handOver(region)
}

@inlinable func takeSpareEdge(_ turn: TurnPointer) -> EdgePointer? {
  guard let block = turn.pointee.spareEdges else { return nil }
  turn.pointee.spareEdges = block.load(as: UnsafeMutableRawPointer?.self)
  turn.pointee.spareEdgeRoom &+= 1
  return block.assumingMemoryBound(to: Edge.self)
}

/// The block of an edge that has ended.
func giveBack(_ edge: EdgePointer, _ turn: TurnPointer) {
  if turn.pointee.spareEdgeRoom == 0 { return edge.deallocate() }
  let block = UnsafeMutableRawPointer(edge)
  block.storeBytes(of: turn.pointee.spareEdges, as: UnsafeMutableRawPointer?.self)
  turn.pointee.spareEdges = block
  turn.pointee.spareEdgeRoom &-= 1
}

func grow<Element>(_ items: inout UnsafeMutablePointer<Element>, _ capacity: inout Int) {
  let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
  larger.moveInitialize(from: items, count: capacity)
  items.deallocate()
  items = larger
  capacity *= 2
}
