import Synchronization

/// An edge's public object that wants to hear of its end.
protocol EdgeObserver: AnyObject {
  /// The edge is about to be freed: nothing of it is touched from here on. The holder of the
  /// downstream's region.
  func edgeEnded(_ edge: EdgePointer)
  /// After that, if somebody holds it besides; from the others nothing is left behind.
  func livesWithoutEdge()
  /// Of a listener: nobody keeps its node any more.
  func nodeIsGone()
}
extension EdgeObserver {
  func edgeEnded(_ edge: EdgePointer) {}
  func livesWithoutEdge() {}
  func nodeIsGone() {}
}

/// That a node which computes from several upstreams has lost one: where the node is no join.
@usableFromInline final class Termination: Sendable {
  @usableFromInline let hasCome = Atomic(false)
  @usableFromInline init() {}
  @inlinable var isTerminated: Bool { hasCome.load(ordering: .acquiring) }
  func mark() { hasCome.store(true, ordering: .releasing) }
}
