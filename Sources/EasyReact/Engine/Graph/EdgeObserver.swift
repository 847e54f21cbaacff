import Synchronization

/// An edge's public object that wants to hear of the edge's end.
protocol EdgeObserver: AnyObject {
  /// The edge is about to be freed: nothing of it is touched from here on. The holder of the
  /// downstream's region.
  func edgeEnded(_ edge: EdgePointer)
  /// Called after that on an object that somebody else holds too; of the others nothing is left.
  func livesWithoutEdge()
  /// Of a listener: nobody keeps its node any more.
  func nodeIsGone()
}
extension EdgeObserver {
  func edgeEnded(_ edge: EdgePointer) {}
  func livesWithoutEdge() {}
  func nodeIsGone() {}
}

/// Notes that a node which computes from several upstreams has lost one. For nodes that are no joins.
@usableFromInline class Termination: @unchecked Sendable {
  // Unchecked: an atomic; a subclass answers for its own state.
  @usableFromInline let hasCome = Atomic(false)
  @usableFromInline init() {}
  @inlinable final var isTerminated: Bool { hasCome.load(ordering: .acquiring) }
  final func mark() { hasCome.store(true, ordering: .releasing) }
  /// Nothing can come any more of what waits. Called by the holder of the node's region, before the step of an upstream edge goes.
  func dropWhatWaits() {}
}
