import Synchronization

/// What an operator keeps for one life of an edge, told when that life begins and ends: what waits in a
/// scheduler, or the inner nodes that are followed.
@usableFromInline class EdgeState: @unchecked Sendable {
  // Unchecked: atomics and a constant; a subclass answers for its own state.
  @usableFromInline let isEnded = Atomic(false)
  /// Of an edge from an inner node: the life of the outer edge, with which it is over too.
  @usableFromInline let outer: EdgeState?
  /// See `EdgeStorage.publicObject`.
  @usableFromInline let publicObject = Atomic<Unmanaged<AnyObject>?>(nil)

  @inlinable init(of outer: EdgeState? = nil) { self.outer = outer }

  /// The edge is followed from now on. Called by the holder of its upstream's region.
  func attached(_ edge: EdgePointer) {}
  /// The edge, of the kind `member`, has its cut mark, once; it may not be attached yet. Called from any thread, quick, and no
  /// user code.
  func marked() {}
  /// The edge was cut. Called from any thread, quick, and no user code.
  final func end() { isEnded.store(true, ordering: .releasing) }
  /// The edge is being freed, by the holder of its downstream's region.
  @usableFromInline func detached(_ turn: TurnPointer) { outer?.innerEnded(self, turn) }
  /// An edge whose life hangs on this one is being freed. The same holder.
  func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {}
  /// The join that chooses in its runs which edges it follows; their states name this one as `outer`.
  var movingJoin: JoinPointer? { nil }
  @inlinable final var hasEnded: Bool { isEnded.load(ordering: .acquiring) }
}
