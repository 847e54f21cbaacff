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
  /// The three below in one byte: single ones are slow to copy.
  @usableFromInline var rules: UInt8 = 0
  /// Stored only into a node whose number is lower; see contract 5.2.
  @inlinable var isFiltered: Bool {
    get { rules & 1 != 0 }
    set { rule(1, newValue) }
  }
  /// In a node's queue or in the mail: see `stamp`.
  @inlinable var waited: Bool {
    get { rules & 2 != 0 }
    set { rule(2, newValue) }
  }
  /// A set, a clean or an update; not what comes over an edge.
  @inlinable var isSet: Bool {
    get { rules & 4 != 0 }
    set { rule(4, newValue) }
  }
  @inlinable @inline(__always) mutating func rule(_ bit: UInt8, _ isOn: Bool) {
    rules = isOn ? rules | bit : rules & ~bit
  }
  /// Tells apart what has one number and had to wait; zero for what had not. See `stamp`.
  @usableFromInline var sequence: UInt64 = 0
  @usableFromInline var context: Unmanaged<ContextBox>?

  /// A set.
  @inlinable init(context: ContextBox?) {
    wave = 0
    flags = context == nil ? 0 : Bits.context
    isSet = true
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
    if flags & Bits.late != 0 {
      sequence = EasyReact.sequence(of: edge.pointee.up.unsafelyUnwrapped)
    }
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

// MARK: - Numbers

/// What tells which of two values is newer where edges are filtered: the number, that of the set; and
/// of what has one number and had to wait the sequence, which is given when it is stored.
///
///  - A set has its number from the moment it is made, and keeps it where it has to wait.
///  - So does what comes over a filtered edge: of two sets that meet round a sync the later one wins,
///    whichever had to wait. But a source may have brought two values under one number to two nodes
///    of a sync, which meet only now: the sequence orders them.
///  - What comes over other edges is told in any case. If it had to wait, or comes late, it is the
///    newest from then on: a new number.
///
/// Decision 0006 has the reasons; `Tests/Model/contract_model.py` the rules as a program.
@usableFromInline func stamp(_ crossing: Crossing, at core: CorePointer) -> (
  number: UInt64, sequence: UInt64
) {
  if crossing.isFiltered {
    return (crossing.wave, crossing.waited ? newWave() : crossing.sequence)
  }
  if crossing.waited && !crossing.isSet || isReached(core, by: crossing) { return (newWave(), 0) }
  return (crossing.wave, crossing.sequence)
}

/// The node has this wave's value, or a newer one. Exact for the holder; for others never too soon,
/// for numbers, and sequences of one number, only grow.
@usableFromInline func isReached(_ core: CorePointer, by crossing: Crossing) -> Bool {
  let newest = core.pointee.wave.load(ordering: .acquiring)
  if newest != crossing.wave { return newest > crossing.wave }
  return crossing.sequence == 0 || sequence(of: core) >= crossing.sequence
}

/// The pair of one node's value is lower than that of the other's.
func isOlder(_ core: CorePointer, than other: CorePointer) -> Bool {
  (core.pointee.wave.load(ordering: .relaxed), sequence(of: core))
    < (other.pointee.wave.load(ordering: .relaxed), sequence(of: other))
}

/// Of the node's value.
func sequence(of core: CorePointer) -> UInt64 {
  core.pointee.extras.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { extras in
    extras.lateWave.load(ordering: .acquiring) == core.pointee.wave.load(ordering: .relaxed)
      ? extras.lateSequence.load(ordering: .acquiring) : 0
  } ?? 0
}
