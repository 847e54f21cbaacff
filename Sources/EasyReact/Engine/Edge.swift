import Synchronization

/// One life of an edge, from the moment it has both ends until it is cut; or of a listener.
///
/// A life never changes its ends: re-pointing a transform cuts its life and begins another, so
/// nothing that waits in a queue or in the mail can reach the new end, and no counter is shared.
@usableFromInline struct Edge: ~Copyable {
  // What the loop reads lies together.

  /// Run by the holder of the upstream's region.
  @usableFromInline var step: Step
  /// Among the upstream's edges or listeners: written under the upstream's lock, read by its
  /// region's holder.
  @usableFromInline let next: Atomic<EdgePointer?>
  /// Set once, before the edge is in any list. A listener has no `down`.
  @usableFromInline var down: CorePointer?
  /// Atomic: `EdgeFlags`.
  @usableFromInline let flags: Atomic<UInt8>
  /// Should the step run when the upstream is emptied? It finds the upstream without a value.
  @usableFromInline let hearsEmptiness: Bool
  @usableFromInline let kind: EdgeKind
  @usableFromInline var up: CorePointer?

  /// The upstream's `AnyNode`, retained: consumers own providers. Nil for an edge of a sync.
  @usableFromInline var upHandle: Unmanaged<AnyNode>?
  /// The first one's is the last.
  @usableFromInline let previous: Atomic<EdgePointer?>
  /// Among the downstream's upstream edges: under the downstream's lock. The first one's
  /// `previousIn` is the last.
  @usableFromInline let nextIn: Atomic<EdgePointer?>
  @usableFromInline let previousIn: Atomic<EdgePointer?>
  /// What the user sees of it, retained: an `AnyTransform`, made when first asked for, or a
  /// `ListenerControl`.
  @usableFromInline let face: Atomic<Unmanaged<AnyObject>?>
  /// Retained: what waits in a scheduler for this edge, told when it is cut.
  @usableFromInline let hop: Unmanaged<Hop>?

  @inlinable init(
    kind: EdgeKind, up: CorePointer? = nil, handle: Unmanaged<AnyNode>? = nil,
    hearsEmptiness: Bool = false, flags: UInt8 = 0, hop: Hop? = nil, step: @escaping Step
  ) {
    self.hop = hop.map { Unmanaged.passRetained($0) }
    self.kind = kind
    self.step = step
    self.up = up
    down = nil
    upHandle = handle
    self.flags = Atomic(flags)
    self.hearsEmptiness = hearsEmptiness
    next = Atomic(nil)
    previous = Atomic(nil)
    nextIn = Atomic(nil)
    previousIn = Atomic(nil)
    face = Atomic(nil)
  }
}

/// The bits of `Edge.flags`.
@usableFromInline enum EdgeFlags {
  /// Set by anybody, first of all, and never taken back: from then on nothing passes.
  @inlinable static var cut: UInt8 { 1 }
  /// Closed a cycle when it was linked.
  @inlinable static var leadsBack: UInt8 { 2 }
  /// One half of a sync.
  @inlinable static var sync: UInt8 { 4 }
  /// In the lists already, behind those that are attached: its attachment is still in the mail.
  @inlinable static var starting: UInt8 { 8 }
  @inlinable static var filtered: UInt8 { leadsBack | sync }
}

extension Edge {
  /// A closure that is read from memory is retained for the call; a borrowed `self` guarantees it
  /// instead. Must not be inlined into the loop.
  @inline(never) borrowing func run(_ up: CorePointer, _ edge: EdgePointer, _ turn: TurnPointer)
    -> Bool
  {
    step(up, edge, turn)
  }

  @usableFromInline borrowing func has(_ flag: UInt8) -> Bool {
    flags.load(ordering: .acquiring) & flag != 0
  }

  /// Nothing passes any more: it was cut; or it comes from an inner node, and the outer edge was cut.
  /// Who has claimed the downstream looks: the value may have set out long ago, and who cut the edge
  /// may have set the downstream since.
  @usableFromInline borrowing func isOver() -> Bool {
    has(EdgeFlags.cut) || hop?._withUnsafeGuaranteedRef { $0.outer?.hasEnded ?? false } ?? false
  }
}

/// An edge's address, to be kept in a `Mutex`.
struct Life: @unchecked Sendable {
  // Unchecked: an address; who keeps it says when it may be used.
  let edge: EdgePointer
  init(_ edge: EdgePointer) { self.edge = edge }
}

/// An edge with a block of its own.
@inlinable func makeEdge(_ edge: consuming Edge) -> EdgePointer {
  let pointer = takeSpareEdge(currentTurn()) ?? .allocate(capacity: 1)
  pointer.initialize(to: edge)
  return pointer
}

// MARK: - The lists

// A node's edges, and its listeners, lie in one list each: first those that are attached, in the order
// of their attachment, then those that are starting. `Core.lastOut` and `lastListener` are the last
// attached ones: a notification goes no further, so what waits in the mail costs it nothing. The first
// one's `previous` is the last of all. The caller of the three functions below holds the node's lock.

/// Behind all others.
private func append(_ edge: EdgePointer, _ first: borrowing Atomic<EdgePointer?>) {
  guard let start = first.load(ordering: .relaxed) else {
    edge.pointee.previous.store(edge, ordering: .relaxed)
    return first.store(edge, ordering: .releasing)
  }
  let end = start.pointee.previous.load(ordering: .relaxed).unsafelyUnwrapped
  edge.pointee.previous.store(end, ordering: .relaxed)
  start.pointee.previous.store(edge, ordering: .relaxed)
  end.pointee.next.store(edge, ordering: .releasing)
}

private func unlink(
  _ edge: EdgePointer, _ first: borrowing Atomic<EdgePointer?>,
  _ last: borrowing Atomic<EdgePointer?>
) {
  let start = first.load(ordering: .relaxed).unsafelyUnwrapped
  let previous = edge.pointee.previous.load(ordering: .relaxed)
  let before = edge == start ? nil : previous
  let after = edge.pointee.next.load(ordering: .relaxed)
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
  if last.load(ordering: .relaxed) == edge { last.store(before, ordering: .releasing) }
}

/// From those that are starting to the end of those that are attached. The holder.
private func moveToAttached(
  _ edge: EdgePointer, _ first: borrowing Atomic<EdgePointer?>,
  _ last: borrowing Atomic<EdgePointer?>
) {
  let end = last.load(ordering: .relaxed)
  let place =
    (end == nil
    ? first.load(ordering: .relaxed)
    : end.unsafelyUnwrapped.pointee.next.load(ordering: .relaxed)).unsafelyUnwrapped
  if place != edge {
    unlink(edge, first, last)
    edge.pointee.next.store(place, ordering: .relaxed)
    edge.pointee.previous.store(place.pointee.previous.load(ordering: .relaxed), ordering: .relaxed)
    place.pointee.previous.store(edge, ordering: .relaxed)
    if let end {
      end.pointee.next.store(edge, ordering: .releasing)
    } else {
      first.store(edge, ordering: .releasing)
    }
  }
  last.store(edge, ordering: .releasing)
}

/// Puts an edge in its upstream's list, or a listener in its. Any thread.
@usableFromInline func appendToUpstream(_ edge: EdgePointer) {
  let up = edge.pointee.up.unsafelyUnwrapped
  up.pointee.acquire()
  appendLocked(edge, up)
  up.pointee.release()
}

/// The same for one who holds the lock already.
@usableFromInline func appendLocked(_ edge: EdgePointer, _ up: CorePointer) {
  if edge.pointee.down == nil {
    append(edge, up.pointee.firstListener)
  } else {
    append(edge, up.pointee.firstOut)
  }
}

/// The edge is followed from now on, by notifications that begin later.
func attachToUpstream(_ edge: EdgePointer) {
  let up = edge.pointee.up.unsafelyUnwrapped
  up.pointee.acquire()
  if edge.pointee.down == nil {
    moveToAttached(edge, up.pointee.firstListener, up.pointee.lastListener)
  } else {
    moveToAttached(edge, up.pointee.firstOut, up.pointee.lastOut)
  }
  up.pointee.release()
}

/// Takes it out again. Only the holder of the upstream's region, when no frame of its turn is left.
func unlinkFromUpstream(_ edge: EdgePointer) {
  let up = edge.pointee.up.unsafelyUnwrapped
  up.pointee.acquire()
  if edge.pointee.down == nil {
    unlink(edge, up.pointee.firstListener, up.pointee.lastListener)
  } else {
    unlink(edge, up.pointee.firstOut, up.pointee.lastOut)
  }
  up.pointee.release()
}

@usableFromInline func appendToDownstream(_ edge: EdgePointer) {
  let down = edge.pointee.down.unsafelyUnwrapped
  down.pointee.acquire()
  if let first = down.pointee.firstIn.load(ordering: .relaxed) {
    let last = first.pointee.previousIn.load(ordering: .relaxed)!
    last.pointee.nextIn.store(edge, ordering: .relaxed)
    edge.pointee.previousIn.store(last, ordering: .relaxed)
    first.pointee.previousIn.store(edge, ordering: .relaxed)
  } else {
    down.pointee.firstIn.store(edge, ordering: .relaxed)
    edge.pointee.previousIn.store(edge, ordering: .relaxed)
  }
  down.pointee.release()
}

func unlinkFromDownstream(_ edge: EdgePointer) {
  let down = edge.pointee.down.unsafelyUnwrapped
  down.pointee.acquire()
  let after = edge.pointee.nextIn.load(ordering: .relaxed)
  let before = edge.pointee.previousIn.load(ordering: .relaxed)!
  let first = down.pointee.firstIn.load(ordering: .relaxed)
  if first == edge {
    down.pointee.firstIn.store(after, ordering: .relaxed)
  } else {
    before.pointee.nextIn.store(after, ordering: .relaxed)
  }
  // The first one's `previousIn` is the last.
  if let after {
    after.pointee.previousIn.store(before, ordering: .relaxed)
  } else if let first, first != edge {
    first.pointee.previousIn.store(before, ordering: .relaxed)
  }
  down.pointee.release()
}

/// A walk of one list under the node's lock. `body` must be quick and call no user code.
func forEachEdge(
  _ core: CorePointer, _ list: EdgeListKind, _ body: (EdgePointer) -> Void
) {
  core.pointee.acquire()
  defer { core.pointee.releaseAfterCopying() }
  var edge = firstEdge(core, list)
  while let present = edge {
    body(present)
    edge = edgeBehind(present, list)
  }
}

/// Is there an edge that is not cut, and meant? Looks no further than the first.
func hasEdge(
  _ core: CorePointer, _ list: EdgeListKind, where isMeant: (EdgePointer) -> Bool
) -> Bool {
  core.pointee.acquire()
  defer { core.pointee.releaseAfterCopying() }
  var edge = firstEdge(core, list)
  while let present = edge {
    if !present.pointee.has(EdgeFlags.cut), isMeant(present) { return true }
    edge = edgeBehind(present, list)
  }
  return false
}

/// Under the node's lock.
func firstEdge(_ core: CorePointer, _ list: EdgeListKind) -> EdgePointer? {
  switch list {
  case .ins: core.pointee.firstIn.load(ordering: .relaxed)
  case .outs: core.pointee.firstOut.load(ordering: .relaxed)
  case .listeners: core.pointee.firstListener.load(ordering: .relaxed)
  }
}

/// Under the node's lock.
func edgeBehind(_ edge: EdgePointer, _ list: EdgeListKind) -> EdgePointer? {
  list == .ins
    ? edge.pointee.nextIn.load(ordering: .relaxed) : edge.pointee.next.load(ordering: .relaxed)
}

enum EdgeListKind { case ins, outs, listeners }

/// The edges of one list that are not cut.
func edges(_ core: CorePointer, _ list: EdgeListKind) -> [EdgePointer] {
  var found: [EdgePointer] = []
  forEachEdge(core, list) { if !$0.pointee.has(EdgeFlags.cut) { found.append($0) } }
  return found
}
