import CEasyReact
import Synchronization

// MARK: - Neighbours

extension AnyNode {
  /// The nodes that values come from: one entry per edge, in order of linking. A snapshot; any
  /// thread.
  public final var upstreamNodes: [AnyNode] { neighbours(.ins) }
  /// The nodes that values go to: one entry per edge, in order of linking.
  public final var downstreamNodes: [AnyNode] { neighbours(.outs) }
  /// The edges that lead here, those with a loose end included.
  public final var upstreamTransforms: [AnyNodeTransform] {
    transforms(.ins)
      + (storage.attachmentsIfAny()?.state.withLock { $0.danglingTo.look() } ?? [])
  }
  /// The edges that lead away from here, those with a loose end included.
  public final var downstreamTransforms: [AnyNodeTransform] {
    transforms(.outs)
      + (storage.attachmentsIfAny()?.state.withLock { $0.danglingFrom.look() }
        ?? [])
  }
  /// The edges that lead here from `other`; for a lens also what is linked to it.
  /// - Complexity: O(the smaller of two numbers: the edges that lead here, and those that lead away from `other`).
  public final func upstreamTransforms(from other: AnyNode) -> [AnyNodeTransform] {
    other.downstreamTransforms(to: self)
  }
  /// The edges that lead from here to `other`; what is linked to a lens leads to it.
  /// - Complexity: O(the smaller of two numbers: the edges that lead away from here, and those that lead to `other`).
  public final func downstreamTransforms(to other: AnyNode) -> [AnyNodeTransform] {
    var found: [AnyNodeTransform] = []
    other.forEachEnd { end in found += transformsFromHere(to: end) }
    return found
  }
  public final var hasUpstreamNode: Bool {
    storage.hasEdge(.ins) { $0.pointee.up!.pointee.handle.load(ordering: .acquiring) != nil }
  }
  public final var hasDownstreamNode: Bool {
    storage.hasEdge(.outs) { $0.pointee.down!.pointee.handle.load(ordering: .acquiring) != nil }
  }
  /// Looks at the first listener, and at those in front of it whose owners are gone.
  public final var hasListener: Bool {
    // Much farther each time, so that what is looked at once more stays small.
    var reach = 8
    while true {
      var owned: [OwnedListening] = []
      let isFound = storage.hasEdge(.listeners) { edge in
        guard let listening = edge.pointee.publicObject as? OwnedListening else { return true }
        if !listening.isOfKeeper { owned.append(listening) }
        return owned.count == reach
      }
      // Outside of the lock: looking at one of Objective-C may be its end.
      if owned.contains(where: { !$0.isOwnerGone }) { return true }
      if owned.count < reach { return isFound }
      reach *= 8
    }
  }
  /// How many listeners there are. O(n).
  public final var listenerCount: Int {
    var count = 0
    var owned: [OwnedListening] = []
    storage.forEachEdge(.listeners) { edge in
      if edge.pointee.has(.cut) { return }
      if let listening = edge.pointee.publicObject as? OwnedListening {
        if !listening.isOfKeeper { owned.append(listening) }
      } else {
        count += 1
      }
    }
    // Outside of the lock, as above.
    return count + owned.count { !$0.isOwnerGone }
  }

  private final func neighbours(_ list: EdgeListKind) -> [AnyNode] {
    lookAtEdges(list) { edge, far in far }.compactMap { $0 }
  }

  private final func transformsFromHere(to down: AnyNode) -> [AnyNodeTransform] {
    let (node, list) = shorterList(to: down)
    var found: [AnyNodeTransform?] = []
    node.storage.forEachEdge(list) { edge in
      if edge.pointee.has(.cut) || edge.pointee.up != storage || edge.pointee.down != down.storage {
        return
      }
      found.append(edge.transform(from: self, to: down))
    }
    return found.compactMap { $0 }
  }

  /// An edge from here to there is in both lists. Their beginnings are looked at by turns, twice as far each time.
  private final func shorterList(to down: AnyNode) -> (AnyNode, EdgeListKind) {
    var reach = 8
    while true {
      if down.storage.forEachEdge(.ins, atMost: reach, { _ in }) { return (down, .ins) }
      if storage.forEachEdge(.outs, atMost: reach, { _ in }) { return (self, .outs) }
      reach *= 2
    }
  }

  private final func transforms(_ list: EdgeListKind) -> [AnyNodeTransform] {
    lookAtEdges(list) { edge, far in
      guard let far else { return nil }
      return list == .ins
        ? edge.transform(from: far, to: self) : edge.transform(from: self, to: far)
    }.compactMap { $0 }
  }

  /// Calls `body` with each edge of a list that is not cut, and the node at its far end unless that
  /// is going.
  ///
  /// Under this node's lock, where no edge is freed. The far node is retained under its own lock,
  /// which is only tried: so two threads that walk towards each other do not wait for each other;
  /// then all begins again. What was retained is released when no lock is held, for its release may
  /// be the last.
  final func lookAtEdges<Result>(
    _ list: EdgeListKind, _ body: (EdgePointer, AnyNode?) -> Result
  ) -> [Result] {
    var kept: [AnyNode] = []
    var round: UInt32 = 0
    while true {
      var results: [Result] = []
      var isComplete = true
      storage.forEachEdge(list) { edge in
        if edge.pointee.has(.cut) || !isComplete { return }
        let far = (list == .ins ? edge.pointee.up : edge.pointee.down)!
        if !far.pointee.tryAcquire() {
          isComplete = false
          return
        }
        let node = far.nodeLocked()
        far.pointee.release()
        if let node { kept.append(node) }
        results.append(body(edge, node))
      }
      if isComplete { return results }
      easyreact_wait(round)
      round += 1
    }
  }
}

extension EdgePointer {
  /// The transform of an edge, made when it is first asked for. Under the lock of one of the edge's
  /// nodes; it runs no code of the user's.
  fileprivate func transform(from up: AnyNode, to down: AnyNode) -> AnyNodeTransform? {
    if let publicObject = pointee.publicObject { return publicObject as? AnyNodeTransform }
    // One whose ends cannot be set is without types.
    let type =
      pointee.traits.has(.hasFixedEnds)
      ? AnyNodeTransform.self : type(of: down).transformType(from: type(of: up))
    let made = type.adopting(self)
    guard let earlier = pointee.setPublicObject(made) else { return made }
    return earlier as? AnyNodeTransform
  }
}

// MARK: - Walking

/// Sees each node and each edge of a graph once. Either callback can stop the walk.
public protocol NodeVisitor {
  /// `depth` is 0 for the start, negative upstream, positive downstream.
  mutating func visit(_ node: AnyNode, depth: Int) -> VisitResult
  mutating func visit(_ transform: AnyNodeTransform) -> VisitResult
}

public enum VisitResult: Sendable { case `continue`, stop }

extension NodeVisitor {
  public mutating func visit(_ transform: AnyNodeTransform) -> VisitResult { .continue }
}

extension AnyNode {
  /// Walks breadth-first from here, both ways: each node and each edge once.
  public final func visit(_ visitor: inout some NodeVisitor) {
    var walk = Reachable(from: self)
    var seen: Set<ObjectIdentifier> = []
    while let (node, depth) = walk.next() {
      if visitor.visit(node, depth: depth) == .stop { return }
      for transform in node.upstreamTransforms + node.downstreamTransforms
      where seen.insert(ObjectIdentifier(transform)).inserted {
        walk.kept.append(transform)  // so that its identity is not used again
        if visitor.visit(transform) == .stop { return }
      }
    }
  }

  /// All nodes that this one is joined to, itself first, breadth-first, with their depths.
  ///
  ///     for (node, depth) in node.reachable { print(depth, node) }
  public final var reachable: Reachable { Reachable(from: self) }
}

/// A breadth-first walk over all edges, both ways; each node once, with the depth at which it was
/// first reached.
public struct Reachable: Sequence, IteratorProtocol {
  private var queue: [(AnyNode, Int)]
  private var taken = 0
  private var seen: Set<UInt64>
  var kept: [AnyNodeTransform] = []

  init(from start: AnyNode) {
    queue = [(start, 0)]
    seen = [start.id]
  }

  public mutating func next() -> (node: AnyNode, depth: Int)? {
    if taken == queue.count { return nil }
    let (node, depth) = queue[taken]
    taken += 1
    if taken >= 1024, taken * 2 > queue.count {
      queue.removeFirst(taken)
      taken = 0
    }
    for next in node.upstreamNodes where seen.insert(next.id).inserted {
      queue.append((next, depth - 1))
    }
    for next in node.downstreamNodes where seen.insert(next.id).inserted {
      queue.append((next, depth + 1))
    }
    return (node, depth)
  }
}
