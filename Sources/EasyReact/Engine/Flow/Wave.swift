/// What a wave carries: everything that follows from one set goes with it.
///
/// The wave under way is in `Turn.wave`. Whoever begins another one inside it (a nested set, an
/// initial push, a message) saves this one and puts it back.
@usableFromInline struct Wave {
  /// Greater than those given before; zero: none yet.
  @usableFromInline var number: UInt64
  /// `NodeFlags.inFlight`.
  @usableFromInline var flags: NodeFlags
  /// Kept by the node that is being told.
  @usableFromInline var context: Unmanaged<ContextBox>?

  @inlinable @inline(__always) init(
    number: UInt64 = 0, flags: NodeFlags = [], context: Unmanaged<ContextBox>? = nil
  ) {
    self.number = number
    self.flags = flags
    self.context = context
  }
}
