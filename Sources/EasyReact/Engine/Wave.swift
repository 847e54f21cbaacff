import CEasyReact
import Synchronization

/// A number greater than all given before, in the whole process: two threads that set two ends of a
/// sync must agree on which wave is the newer one.
@inlinable @inline(__always) func newWave() -> UInt64 { UInt64(easyreact_new_wave()) }

/// How something comes to a node: with which wave, and by which rule.
@usableFromInline struct Crossing {
  /// Zero: a number of its own.
  @usableFromInline var wave: UInt64
  @usableFromInline var flags: UInt8
  /// Stored only into a node whose number is lower; see contract 5.2.
  @usableFromInline var isFiltered = false
  /// Stored only into a node without a value, instead of that: see `EdgeFlags.yields`.
  @usableFromInline var yields = false
  /// It had to wait, so it goes on under a new number.
  @usableFromInline var waited = false
  @usableFromInline var context: Unmanaged<ContextBox>?

  /// A set.
  @inlinable init(context: ContextBox?) {
    wave = 0
    flags = context == nil ? 0 : Bits.context
    self.context = context.map { Unmanaged.passUnretained($0) }
  }

  /// The wave under way, for what a join computed.
  @inlinable init(joinIn turn: TurnPointer) {
    wave = turn.pointee.wave
    flags = turn.pointee.flags & ~Bits.emptied
    context = turn.pointee.context
  }

  /// The wave under way, over an edge.
  @usableFromInline init(_ edge: EdgePointer, _ turn: TurnPointer) {
    self.init(joinIn: turn)
    let edgeFlags = edge.pointee.flags.load(ordering: .relaxed)
    if edgeFlags & EdgeFlags.leadsBack != 0 { flags |= Bits.ledBack }
    if flags & Bits.event != 0, edge.pointee.kind.keepsEvents { flags &= ~Bits.event }
    yields = edgeFlags & EdgeFlags.yields != 0
    isFiltered =
      edgeFlags & EdgeFlags.filtered != 0 || flags & Bits.ledBack != 0 && liesOnCycle(edge)
  }

  /// For a letter or a queue, which outlive the node that keeps the context.
  @usableFromInline func retained() -> Crossing {
    _ = context?.retain()
    return self
  }
  @usableFromInline func takeContext() -> ContextBox? { context?.takeRetainedValue() }
  /// `context` is kept by the caller.
  @usableFromInline func afterWaiting(_ context: ContextBox?) -> Crossing {
    var crossing = self
    crossing.waited = true
    crossing.context = context.map { Unmanaged.passUnretained($0) }
    return crossing
  }
}
