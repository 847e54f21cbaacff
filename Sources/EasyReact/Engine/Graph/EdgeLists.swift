import Synchronization

// A node's edges, and its listeners, lie in one list each: first those that are attached, in the order
// of their attachment, then those that are starting. `NodeStorage.lastOut` and `lastListener` are the last
// attached ones: a notification goes no further, so edges whose attachment waits in the mailbox cost it nothing. The
// `previous` of the first is the last of all. The caller of the three functions below holds the node's lock.

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

  /// Moves it from those that are starting to the end of those that are attached. Holder.
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

  /// Puts an edge in its upstream's list, or a listener in its node's. Any thread.
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
  func attachToUpstream() { withUpstreamList { moveToAttached($0, $1) } }

  /// Takes it out again. Only the holder of the upstream's region, when no frame of its turn is left.
  func unlinkFromUpstream() { withUpstreamList { unlink($0, $1) } }

  /// The first and the last attached one of its upstream's edges, or listeners; under the upstream's lock.
  private func withUpstreamList(
    _ body: (borrowing Atomic<EdgePointer?>, borrowing Atomic<EdgePointer?>) -> Void
  ) {
    let up = pointee.up.unsafelyUnwrapped
    up.pointee.acquire()
    if pointee.down == nil {
      body(up.pointee.firstListener, up.pointee.lastListener)
    } else {
      body(up.pointee.firstOut, up.pointee.lastOut)
    }
    up.pointee.release()
  }

  @usableFromInline func appendToDownstream() {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.acquire()
    if let first = down.pointee.firstIn.load(ordering: .relaxed) {
      let last = first.block.pointee.previousIn.load(ordering: .relaxed)!
      last.block.pointee.nextIn.store(self, ordering: .relaxed)
      block.pointee.previousIn.store(last, ordering: .relaxed)
      first.block.pointee.previousIn.store(self, ordering: .relaxed)
    } else {
      down.pointee.firstIn.store(self, ordering: .relaxed)
      block.pointee.previousIn.store(self, ordering: .relaxed)
    }
    down.pointee.release()
  }

  func unlinkFromDownstream() {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.acquire()
    if isInNode { pointee.insert(.detached) } else { unlinkBlock(from: down) }
    down.pointee.release()
  }

  private func unlinkBlock(from down: NodePointer) {
    let after = block.pointee.nextIn.load(ordering: .relaxed)
    let before = block.pointee.previousIn.load(ordering: .relaxed)!
    let first = down.pointee.firstIn.load(ordering: .relaxed)
    if first == self {
      down.pointee.firstIn.store(after, ordering: .relaxed)
    } else {
      before.block.pointee.nextIn.store(after, ordering: .relaxed)
    }
    // The first one's `previousIn` is the last.
    if let after {
      after.block.pointee.previousIn.store(before, ordering: .relaxed)
    } else if let first, first != self {
      first.block.pointee.previousIn.store(before, ordering: .relaxed)
    }
  }
}

extension NodePointer {
  /// Walks one list under the node's lock. `body` must be quick and call no user code. False: the list is
  /// longer than `limit`, and the rest was not looked at.
  /// - Parameter areAllMeant: Also those that order only.
  @discardableResult
  func forEachEdge(
    _ list: EdgeListKind, atMost limit: Int = .max, areAllMeant: Bool = false,
    _ body: (EdgePointer) -> Void
  ) -> Bool {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    var edge = firstEdge(list), room = limit
    while let present = edge {
      if room == 0 { return false }
      room -= 1
      if areAllMeant || !present.pointee.has(.ordersOnly) { body(present) }
      edge = present.edgeBehind(list)
    }
    return true
  }

  /// Is there an edge that is not cut, does not order only, and that `isMeant` accepts? Looks no further than the first.
  func hasEdge(_ list: EdgeListKind, where isMeant: (EdgePointer) -> Bool) -> Bool {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    var edge = firstEdge(list)
    while let present = edge {
      if !present.pointee.has([.cut, .ordersOnly]), isMeant(present) { return true }
      edge = present.edgeBehind(list)
    }
    return false
  }

  /// Is there an edge that leads here, even a cut one? If another thread may be linking: as it was a moment ago.
  @usableFromInline var hasUpstream: Bool {
    !inEdgePointer().pointee.has(.detached) || pointee.firstIn.load(ordering: .relaxed) != nil
  }

  /// Under the node's lock.
  func firstEdge(_ list: EdgeListKind) -> EdgePointer? {
    switch list {
    case .ins:
      inEdgePointer().pointee.has(.detached)
        ? pointee.firstIn.load(ordering: .relaxed) : inEdgePointer()
    case .outs: pointee.firstOut.load(ordering: .relaxed)
    case .listeners: pointee.firstListener.load(ordering: .relaxed)
    }
  }

  /// The last one, if `edge` is nil. Under the node's lock.
  func upstreamEdge(before edge: EdgePointer?) -> EdgePointer? {
    if let edge, edge.isInNode { return nil }
    let first = pointee.firstIn.load(ordering: .relaxed)
    if let first, edge != first {
      return (edge ?? first).block.pointee.previousIn.load(ordering: .relaxed)
    }
    return inEdgePointer().pointee.has(.detached) ? nil : inEdgePointer()
  }
}

extension EdgePointer {
  /// Under the node's lock.
  func edgeBehind(_ list: EdgeListKind) -> EdgePointer? {
    if list != .ins { return pointee.next.load(ordering: .relaxed) }
    return isInNode
      ? pointee.down!.pointee.firstIn.load(ordering: .relaxed)
      : block.pointee.nextIn.load(ordering: .relaxed)
  }
}

enum EdgeListKind { case ins, outs, listeners }

extension NodePointer {
  /// The edges of one list that are not cut, also those that order only.
  func edges(_ list: EdgeListKind) -> [EdgePointer] {
    var found: [EdgePointer] = []
    forEachEdge(list, areAllMeant: true) { if !$0.pointee.has(.cut) { found.append($0) } }
    return found
  }
}
