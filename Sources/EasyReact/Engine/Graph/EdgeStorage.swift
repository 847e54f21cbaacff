import Synchronization

/// One life of an edge, from the moment it has both ends until it is cut; or of a listener.
///
/// A life never changes its ends: re-pointing a transform cuts its life and begins another, so
/// nothing that waits in a queue or in the mailbox can reach the new end, and no counter is shared.
@usableFromInline struct EdgeStorage: ~Copyable {
  // What the loop reads lies together.

  /// Run by the holder of the upstream's region.
  @usableFromInline var step: Step
  /// Among the upstream's edges or listeners: written under the upstream's lock, read by its
  /// region's holder.
  @usableFromInline let next: Atomic<EdgePointer?>
  /// Set once, before the edge is in any list. A listener has no `down`.
  @usableFromInline var down: NodePointer?
  /// Atomic: `EdgeFlags`.
  @usableFromInline let flags: Atomic<UInt8>
  /// Should the step run when the upstream is emptied? It finds the upstream without a value.
  @usableFromInline let hearsEmptiness: Bool
  /// The operators know what it stands for (OperatorKind.swift).
  @usableFromInline let kindCode: UInt8
  @usableFromInline let traits: EdgeTraits
  /// For a recording: given when it is first asked for, and no other edge's.
  @usableFromInline let number: Atomic<UInt32>
  @usableFromInline var up: NodePointer?

  /// The upstream's handle, retained: consumers own providers. Nil for an edge of a sync.
  @usableFromInline var upHandle: Unmanaged<AnyObject>?
  /// The first one's is the last.
  @usableFromInline let previous: Atomic<EdgePointer?>
  /// Among the downstream's upstream edges: under the downstream's lock. The first one's
  /// `previousIn` is the last.
  @usableFromInline let nextIn: Atomic<EdgePointer?>
  @usableFromInline let previousIn: Atomic<EdgePointer?>
  /// What the user sees of it, retained: a transform, made when it is first asked
  /// for, or what controls a listener. It may be an `EdgeObserver`.
  @usableFromInline let publicObject: Atomic<Unmanaged<AnyObject>?>
  /// Retained: what waits in a scheduler for this edge, told when it is cut.
  @usableFromInline let state: Unmanaged<EdgeState>?

  init(
    kindCode: UInt8, traits: EdgeTraits, up: NodePointer? = nil,
    handle: Unmanaged<AnyObject>? = nil,
    hearsEmptiness: Bool = false, flags: EdgeFlags = [], state: EdgeState? = nil,
    step: @escaping Step
  ) {
    self.state = state.map { Unmanaged.passRetained($0) }
    self.kindCode = kindCode
    self.traits = traits
    number = Atomic(0)
    self.step = step
    self.up = up
    down = nil
    upHandle = handle
    self.flags = Atomic(flags.rawValue)
    self.hearsEmptiness = hearsEmptiness
    next = Atomic(nil)
    previous = Atomic(nil)
    nextIn = Atomic(nil)
    previousIn = Atomic(nil)
    publicObject = Atomic(nil)
  }
}

/// The bits of `EdgeStorage.flags`.
@usableFromInline struct EdgeFlags: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable @inline(__always) init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable @inline(__always) func has(_ flags: EdgeFlags) -> Bool {
    rawValue & flags.rawValue != 0
  }

  /// Set by anybody, first of all, and never taken back: from then on nothing passes.
  @inlinable static var cut: EdgeFlags { EdgeFlags(rawValue: 1) }
  /// Closed a cycle when it was linked.
  @inlinable static var isBackEdge: EdgeFlags { EdgeFlags(rawValue: 2) }
  /// One half of a sync.
  @inlinable static var sync: EdgeFlags { EdgeFlags(rawValue: 4) }
  /// In the lists already, behind those that are attached: its attachment is still in the mailbox.
  @inlinable static var starting: EdgeFlags { EdgeFlags(rawValue: 8) }
  /// Leads back as long as its end may still drop it in this turn (Topology+Exchanges.swift).
  static var gaveWay: EdgeFlags { EdgeFlags(rawValue: 16) }
  @inlinable static var filtered: EdgeFlags {
    EdgeFlags(rawValue: isBackEdge.rawValue | sync.rawValue)
  }
}

extension EdgeStorage {
  /// A closure that is read from memory is retained for the call; a borrowed `self` guarantees it
  /// instead. Must not be inlined into the loop.
  @inline(never) borrowing func run(_ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer)
    -> Bool
  {
    step(up, edge, turn)
  }

  @usableFromInline borrowing func has(_ flags: EdgeFlags) -> Bool {
    self.flags.load(ordering: .acquiring) & flags.rawValue != 0
  }

  @inlinable var allFlags: EdgeFlags {
    EdgeFlags(rawValue: flags.load(ordering: .sequentiallyConsistent))
  }

  /// Returns what was there before.
  @discardableResult
  @inlinable borrowing func insert(_ new: EdgeFlags) -> EdgeFlags {
    EdgeFlags(rawValue: flags.bitwiseOr(new.rawValue, ordering: .sequentiallyConsistent).oldValue)
  }

  @discardableResult
  @inlinable borrowing func remove(_ old: EdgeFlags) -> EdgeFlags {
    EdgeFlags(rawValue: flags.bitwiseAnd(~old.rawValue, ordering: .sequentiallyConsistent).oldValue)
  }

  /// Nothing passes any more: it was cut; or it comes from an inner node, and the outer edge was cut.
  /// Who has claimed the downstream looks: the value may have set out long ago, and who cut the edge
  /// may have set the downstream since.
  @usableFromInline borrowing func isOver() -> Bool {
    has(.cut) || state?._withUnsafeGuaranteedRef { $0.outer?.hasEnded ?? false } ?? false
  }
}

/// An edge's address, to be kept by what threads share.
struct EdgeReference: @unchecked Sendable {
  // Unchecked: an address; who keeps it says when what lies there may be touched.
  let edge: EdgePointer
  init(_ edge: EdgePointer) { self.edge = edge }
}

/// An edge with a block of its own.
@inlinable func makeEdge(_ edge: consuming EdgeStorage) -> EdgePointer {
  let pointer = currentTurn().takeSpareEdge() ?? .allocate(capacity: 1)
  pointer.initialize(to: edge)
  return pointer
}

// MARK: - The lists

// A node's edges, and its listeners, lie in one list each: first those that are attached, in the order
// of their attachment, then those that are starting. `NodeStorage.lastOut` and `lastListener` are the last
// attached ones: a notification goes no further, so what waits in the mailbox costs it nothing. The first
// one's `previous` is the last of all. The caller of the three functions below holds the node's lock.

extension EdgePointer {
  /// Behind all others.
  fileprivate func append(_ first: borrowing Atomic<EdgePointer?>) {
    guard let start = first.load(ordering: .relaxed) else {
      pointee.previous.store(self, ordering: .relaxed)
      return first.store(self, ordering: .releasing)
    }
    let end = start.pointee.previous.load(ordering: .relaxed).unsafelyUnwrapped
    pointee.previous.store(end, ordering: .relaxed)
    start.pointee.previous.store(self, ordering: .relaxed)
    end.pointee.next.store(self, ordering: .releasing)
  }

  fileprivate func unlink(
    _ first: borrowing Atomic<EdgePointer?>, _ last: borrowing Atomic<EdgePointer?>
  ) {
    let start = first.load(ordering: .relaxed).unsafelyUnwrapped
    let previous = pointee.previous.load(ordering: .relaxed)
    let before = self == start ? nil : previous
    let after = pointee.next.load(ordering: .relaxed)
    if let before {
      before.pointee.next.store(after, ordering: .releasing)
    } else {
      first.store(after, ordering: .releasing)
    }
    if let after {
      after.pointee.previous.store(previous, ordering: .relaxed)
    } else if before != nil {
      start.pointee.previous.store(before, ordering: .relaxed)
    }
    if last.load(ordering: .relaxed) == self { last.store(before, ordering: .releasing) }
  }

  /// From those that are starting to the end of those that are attached. The holder.
  fileprivate func moveToAttached(
    _ first: borrowing Atomic<EdgePointer?>, _ last: borrowing Atomic<EdgePointer?>
  ) {
    let end = last.load(ordering: .relaxed)
    let place =
      (end == nil
      ? first.load(ordering: .relaxed)
      : end.unsafelyUnwrapped.pointee.next.load(ordering: .relaxed)).unsafelyUnwrapped
    if place != self {
      unlink(first, last)
      pointee.next.store(place, ordering: .relaxed)
      pointee.previous.store(place.pointee.previous.load(ordering: .relaxed), ordering: .relaxed)
      place.pointee.previous.store(self, ordering: .relaxed)
      if let end {
        end.pointee.next.store(self, ordering: .releasing)
      } else {
        first.store(self, ordering: .releasing)
      }
    }
    last.store(self, ordering: .releasing)
  }

  /// Puts an edge in its upstream's list, or a listener in its. Any thread.
  @usableFromInline func appendToUpstream() {
    let up = pointee.up.unsafelyUnwrapped
    up.pointee.acquire()
    appendLocked(up)
    up.pointee.release()
  }

  /// The same for one who holds the lock already.
  @usableFromInline func appendLocked(_ up: NodePointer) {
    if pointee.down == nil {
      append(up.pointee.firstListener)
    } else {
      append(up.pointee.firstOut)
    }
  }

  /// The edge is followed from now on, by notifications that begin later.
  func attachToUpstream() {
    let up = pointee.up.unsafelyUnwrapped
    up.pointee.acquire()
    if pointee.down == nil {
      moveToAttached(up.pointee.firstListener, up.pointee.lastListener)
    } else {
      moveToAttached(up.pointee.firstOut, up.pointee.lastOut)
    }
    up.pointee.release()
  }

  /// Takes it out again. Only the holder of the upstream's region, when no frame of its turn is left.
  func unlinkFromUpstream() {
    let up = pointee.up.unsafelyUnwrapped
    up.pointee.acquire()
    if pointee.down == nil {
      unlink(up.pointee.firstListener, up.pointee.lastListener)
    } else {
      unlink(up.pointee.firstOut, up.pointee.lastOut)
    }
    up.pointee.release()
  }

  @usableFromInline func appendToDownstream() {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.acquire()
    if let first = down.pointee.firstIn.load(ordering: .relaxed) {
      let last = first.pointee.previousIn.load(ordering: .relaxed)!
      last.pointee.nextIn.store(self, ordering: .relaxed)
      pointee.previousIn.store(last, ordering: .relaxed)
      first.pointee.previousIn.store(self, ordering: .relaxed)
    } else {
      down.pointee.firstIn.store(self, ordering: .relaxed)
      pointee.previousIn.store(self, ordering: .relaxed)
    }
    down.pointee.release()
  }

  func unlinkFromDownstream() {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.acquire()
    let after = pointee.nextIn.load(ordering: .relaxed)
    let before = pointee.previousIn.load(ordering: .relaxed)!
    let first = down.pointee.firstIn.load(ordering: .relaxed)
    if first == self {
      down.pointee.firstIn.store(after, ordering: .relaxed)
    } else {
      before.pointee.nextIn.store(after, ordering: .relaxed)
    }
    // The first one's `previousIn` is the last.
    if let after {
      after.pointee.previousIn.store(before, ordering: .relaxed)
    } else if let first, first != self {
      first.pointee.previousIn.store(before, ordering: .relaxed)
    }
    down.pointee.release()
  }
}

extension NodePointer {
  /// A walk of one list under the node's lock. `body` must be quick and call no user code. False: the list is
  /// longer than `limit`, and the rest was not looked at.
  @discardableResult
  func forEachEdge(_ list: EdgeListKind, atMost limit: Int = .max, _ body: (EdgePointer) -> Void)
    -> Bool
  {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    var edge = firstEdge(list), room = limit
    while let present = edge {
      if room == 0 { return false }
      room -= 1
      body(present)
      edge = present.edgeBehind(list)
    }
    return true
  }

  /// Is there an edge that is not cut, and meant? Looks no further than the first.
  func hasEdge(_ list: EdgeListKind, where isMeant: (EdgePointer) -> Bool) -> Bool {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    var edge = firstEdge(list)
    while let present = edge {
      if !present.pointee.has(.cut), isMeant(present) { return true }
      edge = present.edgeBehind(list)
    }
    return false
  }

  /// Under the node's lock.
  func firstEdge(_ list: EdgeListKind) -> EdgePointer? {
    switch list {
    case .ins: pointee.firstIn.load(ordering: .relaxed)
    case .outs: pointee.firstOut.load(ordering: .relaxed)
    case .listeners: pointee.firstListener.load(ordering: .relaxed)
    }
  }
}

extension EdgePointer {
  /// Under the node's lock.
  func edgeBehind(_ list: EdgeListKind) -> EdgePointer? {
    list == .ins
      ? pointee.nextIn.load(ordering: .relaxed) : pointee.next.load(ordering: .relaxed)
  }
}

enum EdgeListKind { case ins, outs, listeners }

extension NodePointer {
  /// The edges of one list that are not cut.
  func edges(_ list: EdgeListKind) -> [EdgePointer] {
    var found: [EdgePointer] = []
    forEachEdge(list) { if !$0.pointee.has(.cut) { found.append($0) } }
    return found
  }
}
