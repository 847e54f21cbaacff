import Synchronization

/// What an operator keeps for one life of an edge: what waits in a scheduler, or the inner nodes that are followed. It
/// is told when that life begins and ends.
@usableFromInline class EdgeState: @unchecked Sendable {
  // Unchecked: atomics and a constant; a subclass answers for its own state.
  @usableFromInline let isEnded = Atomic(false)
  /// For an edge from an inner node: the life of the outer edge, with which this one ends too.
  @usableFromInline let outer: EdgeState?
  /// See `EdgeStorage.publicObject`.
  @usableFromInline let publicObject = Atomic<Unmanaged<AnyObject>?>(nil)

  @inlinable init(of outer: EdgeState? = nil) { self.outer = outer }

  /// The edge is followed from now on. Called by the holder of its upstream's region.
  func attached(_ edge: EdgePointer) {}
  /// The edge, of the kind `member`, has got its cut mark; it may not be attached yet. Called once, from any thread; must be quick
  /// and call no user code.
  func marked() {}
  /// The edge was cut. Called from any thread; must be quick and call no user code.
  final func end() { isEnded.store(true, ordering: .releasing) }
  /// The edge is being freed, by the holder of its downstream's region.
  @usableFromInline func detached(_ turn: TurnPointer) { outer?.innerEnded(self, turn) }
  /// An edge whose life depends on this one is being freed, by the same holder.
  func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {}
  /// The join that chooses in its runs which edges it follows; the states of these edges name this one as `outer`.
  var movingJoin: JoinPointer? { nil }
  @inlinable final var hasEnded: Bool { isEnded.load(ordering: .acquiring) }
}
