import CEasyReact
import Synchronization

@usableFromInline typealias TurnPointer = UnsafeMutablePointer<Turn>

/// What a thread carries from the outermost set until it returns: the wave under way, the stack of
/// nodes that still have edges to follow, the joins that wait, the regions held, and what died.
///
/// One a thread, made at its first use of the library and freed when the thread ends.
@usableFromInline struct Turn: ~Copyable {
  /// The wave under way. It is the first field, and nobody else looks at it: an access to the whole turn counts for
  /// ThreadSanitizer as one to the turn's first field.
  @usableFromInline var wave = Wave()
  /// How many calls into the library are open. Written by this thread alone; `isQuiet` looks at it.
  @usableFromInline let depth = Atomic<Int>(0)
  @usableFromInline var isTraced = false
  /// A value is being described: how many calls were open then; see `describing`.
  var describesAt = -1
  /// Where the next set was called, for a tracer.
  @usableFromInline var callSite: SourceLocation? = nil
  /// The stack, linked by `NodeStorage.caller`.
  @usableFromInline var top: NodePointer? = nil
  @usableFromInline var held: RegionPointer? = nil
  /// The open `Batch`; unretained.
  @usableFromInline var batch: Unmanaged<AnyObject>? = nil
  /// One that has ended, for reuse: retained.
  var spareBatch: Unmanaged<AnyObject>? = nil
  /// The transform that is being asked to receive, and where its values go (NodeTransform.swift).
  @usableFromInline var receiving: EdgePointer? = nil
  /// What `beginUntold` returned for the node that has been sent a value, and `sentInside`; busy: none has been.
  @usableFromInline var sent = NodeFlags.busy
  /// That of the wave being received. A listener that the transform causes to run sends during another one.
  @usableFromInline var receivedNumber: UInt64 = 0
  /// Joins that wait, a binary heap by rank, then by creation.
  @usableFromInline var joinCount = 0
  var joins: UnsafeMutablePointer<WaitingJoin>
  var joinCapacity: Int
  /// `recounts` when they were ordered last.
  var recounts = 0
  /// How many have told something.
  var toldJoins = 0
  /// Edges that have given way while joins wait (Topology+Exchanges.swift).
  @usableFromInline var gaveWay: [EdgePointer] = []
  /// What died; freed in a loop, when no frame is left.
  @usableFromInline var retiredCount = 0
  var retired: UnsafeMutablePointer<Retired>
  var retiredCapacity: Int
  /// Unretained.
  var lastPutOff: Unmanaged<PutOff>? = nil
  /// What is being freed now was ended by another thread.
  var isForeign = false
  /// A few blocks of freed edges, linked through themselves, for this thread's next edges: so
  /// switching from one inner node to the next allocates nothing.
  @usableFromInline var spareEdges: UnsafeMutableRawPointer? = nil
  @usableFromInline var spareEdgeRoom = easyreact_is_sanitized() ? 0 : 16
  /// The join whose value is being told, and its rank, of the count that `recounts` names; `.min`: there is none.
  var running: NodePointer? = nil
  var runningRank = Int32.min
  /// What the running join continues, besides the wave. Not read from the join: what its run sets may have come there again by now.
  @usableFromInline var runningSender: NodePointer? = nil
  var runningTiebreak: UInt64 = 0
  /// Sets that had to wait in a queue or for a join that had run, since the turn began: the guard
  /// against endless listeners.
  @usableFromInline var reentrantSets = 0
  var messagesOpened = 0
  /// What is told now was left by other threads: the turn's own part is over.
  var tellsMessages = false
  /// How many nodes and edges this thread has looked at for the sake of the graph's shape, in its
  /// lifetime: for tests of growth.
  var looks = 0
  /// How many messages this thread has left in mailboxes. Written by this thread alone; `isQuiet` looks at it.
  let messagesSent = Atomic<UInt>(0)
  /// How many of them were left where many waited: see `giveWay`.
  var crowdedMessages: UInt32 = 0
  /// Where this thread gave way last and the holder stood still: how many messages that one had taken. And for how many naps a holder
  /// may stand still.
  var stoodStillAt: UInt32? = nil
  var patience = 16
  static var longestPatience: Int { 320 }
  /// Retained; nil in almost every turn.
  var ending: Unmanaged<TurnEnding>? = nil
  /// Where a recording writes down what happens: the ring, and the retained object that keeps it; for the floors above.
  var ring: UnsafeMutableRawPointer? = nil
  var recording: Unmanaged<AnyObject>? = nil
  var turnNumber: UInt64 = 0
  /// Counted from one, and no other turn's. Its address is not enough: the turn of a new thread may lie where that of an ended one lay.
  var identity: UInt64 = 0
  var threadNumber: UInt32 = 0

  /// For so many joins, and retired things, a turn keeps room when it ends.
  static var usualRoom: Int { 1_024 }

  init() {
    joinCapacity = 16
    joins = .allocate(capacity: joinCapacity)
    retiredCapacity = 64
    retired = .allocate(capacity: retiredCapacity)
  }

  deinit {
    joins.deallocate()
    retired.deallocate()
    spareBatch?.release()
    var next = spareEdges
    while let block = next {
      next = block.load(as: UnsafeMutableRawPointer?.self)
      block.assumingMemoryBound(to: EdgeBlock.self).deallocate()
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
  turns.withLock { turns in
    turns.addresses.insert(turn)
    turns.madeCount += 1
    turn.pointee.identity = turns.madeCount
  }
  easyreact_turn_set(turn) { ended in
    let turn = ended.assumingMemoryBound(to: Turn.self)
    turns.withLock {
      $0.addresses.remove(turn)
      $0.sentBefore &+= turn.pointee.messagesSent.load(ordering: .relaxed)
    }
    turn.deinitialize(count: 1)
    turn.deallocate()
  }
  return turn
}

/// The turns of all living threads that have used the library.
private struct Turns: @unchecked Sendable {
  // Unchecked: addresses of blocks that are taken out, under the Mutex, before they are freed. Of what lies
  // there other threads read only atomics, under the Mutex too.
  var addresses: Set<TurnPointer> = []
  var madeCount: UInt64 = 0
  /// Messages that threads have sent which have ended.
  var sentBefore: UInt = 0
}
private let turns = Mutex(Turns())

/// How many messages threads have sent until now; nil: one is inside the graph.
func messagesSentAtRest() -> UInt? {
  turns.withLock { turns in
    var sent = turns.sentBefore
    for turn in turns.addresses {
      if turn.pointee.depth.load(ordering: .acquiring) != 0 { return nil }
      sent &+= turn.pointee.messagesSent.load(ordering: .relaxed)
    }
    return sent
  }
}

// MARK: - Begin and end

extension TurnPointer {
  @inlinable @inline(__always) func enter() {
    let depth = pointee.depth.load(ordering: .relaxed) &+ 1
    pointee.depth.store(depth, ordering: .relaxed)
    if depth == 1 {
      pointee.isTraced = easyreact_is_traced()
      if pointee.isTraced { traceTurn(began: true, self) }
    }
  }

  @inlinable @inline(__always) func leave() {
    let depth = pointee.depth.load(ordering: .relaxed)
    if depth == 1 { finish() } else { pointee.depth.store(depth &- 1, ordering: .relaxed) }
  }

  /// The end of the outermost call: all that is left to do (Propagation.swift), then the turn is over.
  @usableFromInline @inline(never) func finish() {
    let batch = pointee.batch
    settle()
    pointee.batch = batch
    pointee.wave = Wave()
    pointee.reentrantSets = 0
    pointee.messagesOpened = 0
    pointee.tellsMessages = false
    if max(pointee.joinCapacity, pointee.retiredCapacity) > Turn.usualRoom { giveBackRoom() }
    if pointee.isTraced || pointee.ending != nil { return endAndTell() }
    end()
  }

  @inline(__always) private func end() {
    pointee.depth.store(
      pointee.depth.load(ordering: .relaxed) &- 1, ordering: .releasing)
  }

  @inline(never) private func endAndTell() {
    let isTraced = pointee.isTraced
    // Counted before the turn is over, so that whoever waits for quiet sees it.
    let hasEnding = pointee.ending != nil
    if hasEnding { pendingWork.begin() }
    end()
    // A tracer may set nodes: what it does here is a turn of its own, which gives back its regions.
    if isTraced { traceTurn(began: false, self) }
    if hasEnding {
      tellOver()
      pendingWork.end()
    }
  }

  /// A message of the newest region that is held, as a turn of its own; or the region leaves this turn.
  @inline(never) func openNext(of region: RegionPointer) {
    if region.pointee.awaitedMessages != 0 {
      pointee.held = region.pointee.nextHeld
      return region.setAside(by: self)
    }
    let message = region.nextMessage(in: self)
    // One that waited for this one goes first.
    guard let message, pointee.held == region else { return }
    if pointee.messagesOpened >= messageBound.load(ordering: .relaxed) {
      pointee.held = region.pointee.nextHeld
      return region.handOver()
    }
    pointee.batch = nil  // what follows from other threads' sets is no part of it
    pointee.tellsMessages = true
    region.open(message, in: self)
  }

  /// Gives a region back, unless messages came meanwhile; or ends it.
  @inline(__always) func release(_ region: RegionPointer) {
    pointee.held = region.pointee.nextHeld
    if region.pointee.isDead, !region.wordHasMessages {
      region.endRegion()
    } else if !region.giveBack(by: self) {
      region.addHeld(by: self)
      region.collectMessages()
    }
  }

  /// Frees what a turn of unusual size needed. Nothing waits any more.
  @inline(never) private func giveBackRoom() {
    shrink(&pointee.joins, &pointee.joinCapacity)
    shrink(&pointee.retired, &pointee.retiredCapacity)
  }
}

extension TurnPointer {
  @inlinable func takeSpareEdge() -> UnsafeMutablePointer<EdgeBlock>? {
    guard let block = pointee.spareEdges else { return nil }
    pointee.spareEdges = block.load(as: UnsafeMutableRawPointer?.self)
    pointee.spareEdgeRoom &+= 1
    return block.assumingMemoryBound(to: EdgeBlock.self)
  }
}

extension EdgePointer {
  /// Keeps the block of an ended edge for the next one, or frees it.
  func recycle(in turn: TurnPointer) {
    if turn.pointee.spareEdgeRoom == 0 { return self.block.deallocate() }
    let block = UnsafeMutableRawPointer(self)
    block.storeBytes(of: turn.pointee.spareEdges, as: UnsafeMutableRawPointer?.self)
    turn.pointee.spareEdges = block
    turn.pointee.spareEdgeRoom &-= 1
  }
}

/// There are no elements.
private func shrink<Element>(_ items: inout UnsafeMutablePointer<Element>, _ capacity: inout Int) {
  if capacity <= Turn.usualRoom { return }
  items.deallocate()
  capacity = 64
  items = .allocate(capacity: capacity)
}

func grow<Element>(_ items: inout UnsafeMutablePointer<Element>, _ capacity: inout Int) {
  let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
  larger.moveInitialize(from: items, count: capacity)
  items.deallocate()
  items = larger
  capacity *= 2
}
