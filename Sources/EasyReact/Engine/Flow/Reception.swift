import Synchronization

/// A transform is being asked to receive: by the loop, in a frame of which this is a part.
@usableFromInline struct Reception {
  @usableFromInline let edge: EdgePointer
  /// That of the wave; another one is under way where a listener that the transform makes run sends.
  @usableFromInline let number: UInt64
  /// What `beginUntold` returned for the node that has been sent a value; busy: none has been.
  @usableFromInline var sent = NodeFlags.busy
  /// It was sent inside of another wave.
  @usableFromInline var isNested = false

  @inlinable init(edge: EdgePointer, number: UInt64) { (self.edge, self.number) = (edge, number) }

  /// The first value was stored, and the others wait there: true, the loop takes it up.
  @inlinable @inline(__always) func end(in turn: TurnPointer) -> Bool {
    if sent == .busy { return false }
    let down = edge.pointee.down.unsafelyUnwrapped
    down.endUntold(sent)
    if isNested { down.resumeOutlined(in: turn) }
    return true
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func resumeOutlined(in turn: TurnPointer) { resume(in: turn) }

  /// The wave of that number which the node tells: its own, or what was pushed over one edge, without context.
  @usableFromInline @inline(never) func resume(_ number: UInt64, in turn: TurnPointer) {
    resume(in: turn)
    if turn.pointee.wave.number != number { turn.pointee.wave = Wave(number: number) }
  }
}
