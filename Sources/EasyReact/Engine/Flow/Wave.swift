import Synchronization

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

  /// - Parameter context: Kept by the caller.
  @inline(__always) init(number: UInt64, flags: NodeFlags, context: ContextBox?) {
    self.init(
      number: number, flags: flags, context: context.map { Unmanaged.passUnretained($0) })
  }
}

extension NodePointer {
  /// Has that wave been here, or a later one? The holder.
  @inlinable @inline(__always) func hasReached(_ number: UInt64) -> Bool {
    pointee.wave.load(ordering: .relaxed) >= number
  }

  /// Begins a wave here: called by the holder of a node that is at rest and has a lower number. `store` stores its value and number.
  @inlinable @inline(__always) func beginWave(
    _ number: UInt64, _ flags: NodeFlags = [], in turn: TurnPointer, _ store: () -> Void
  ) {
    let saved = turn.pointee.wave
    turn.pointee.wave = Wave(number: number, flags: flags)
    store()
    pointee.sender.store(nil, ordering: .relaxed)
    propagate(in: turn)
    turn.pointee.wave = saved
  }

  /// Puts back the wave of the node that is on top again.
  @inline(__always) func resume(in turn: TurnPointer) {
    turn.pointee.wave.number = pointee.wave.load(ordering: .relaxed)
    turn.pointee.wave.flags = pointee.flags.only(.inFlight)
    if turn.pointee.wave.flags.has(.context) {
      turn.pointee.wave.context = pointee.sideTableIfAny()?.context.map {
        Unmanaged.passUnretained($0)
      }
    } else {
      turn.pointee.wave.context = nil
    }
  }
}
