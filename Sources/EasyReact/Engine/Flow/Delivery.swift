import CEasyReact
import Synchronization

/// A number greater than all given before, in the whole process: two threads that set two ends of a
/// sync must agree on which wave is the newer one.
@inlinable @inline(__always) func newWave() -> UInt64 { UInt64(easyreact_new_wave()) }

/// What a value gets besides its number: see `assignVersion`. Odd as long as nothing but filtered edges is crossed.
func newSequence() -> UInt64 { newWave() << 1 | 1 }

/// How something comes to a node: with which wave, and by which rule.
@usableFromInline struct Delivery {
  /// Number zero: one of its own is given when it is stored.
  @usableFromInline var wave: Wave
  /// Those below in one byte: single ones are slow to copy.
  @usableFromInline var rules: UInt8 = 0
  /// Stored only into a node whose number is lower; see contract 5.2.
  @inlinable var isFiltered: Bool {
    get { rules & 1 != 0 }
    set { rule(1, newValue) }
  }
  /// In a node's queue or in the mailbox: see `assignVersion`.
  @inlinable var waited: Bool {
    get { rules & 2 != 0 }
    set { rule(2, newValue) }
  }
  /// A set, a clean or an update; not what comes over an edge.
  @inlinable var isSet: Bool {
    get { rules & 4 != 0 }
    set { rule(4, newValue) }
  }
  /// A change that comes over an edge, and has the number of the set that it follows from as a set would.
  var isSetOfPart: Bool {
    get { rules & 16 != 0 }
    set { rule(16, newValue) }
  }
  fileprivate var keepsNumber: Bool { rules & (4 | 16) != 0 }
  /// What a join has computed.
  @usableFromInline var isOfJoin: Bool {
    get { rules & 8 != 0 }
    set { rule(8, newValue) }
  }
  @inlinable @inline(__always) mutating func rule(_ bit: UInt8, _ isOn: Bool) {
    rules = isOn ? rules | bit : rules & ~bit
  }
  /// Tells apart what has one number and had to wait; zero for what had not. See `assignVersion`.
  @usableFromInline var tiebreak: UInt64 = 0

  /// A set.
  @inlinable init(context: ContextBox?) {
    wave = Wave(
      flags: context == nil ? [] : .context, context: context.map { Unmanaged.passUnretained($0) })
    isSet = true
  }

  /// The wave under way, for what a join computed.
  @inlinable init(joinIn turn: TurnPointer) {
    wave = turn.pointee.wave
    wave.flags.remove(.emptied)
  }

  /// The wave under way, over an edge.
  @usableFromInline init(_ edge: EdgePointer, _ turn: TurnPointer) {
    self.init(joinIn: turn)
    let edgeFlags = edge.pointee.allFlags
    if edgeFlags.has(.isBackEdge) { wave.flags.insert(.crossedBackEdge) }
    if wave.flags.has(.event), edge.pointee.traits.has(.keepsEvents) { wave.flags.remove(.event) }
    if wave.flags.has(.late) {
      tiebreak = edge.pointee.up.unsafelyUnwrapped.tiebreak()
    }
    isFiltered =
      edgeFlags.has(.filtered) || wave.flags.has(.crossedBackEdge) && edge.liesOnCycle()
    if !isFiltered { tiebreak &= ~1 }
  }

  /// For a message or a queue, which outlive the node that keeps the context.
  @usableFromInline func retained() -> Delivery {
    _ = wave.context?.retain()
    return self
  }
  @usableFromInline func takeContext() -> ContextBox? { wave.context?.takeRetainedValue() }
  /// `context` is kept by the caller.
  @usableFromInline func afterWaiting(_ context: ContextBox?) -> Delivery {
    var delivery = self
    delivery.waited = true
    delivery.wave.context = context.map { Unmanaged.passUnretained($0) }
    return delivery
  }
}

// MARK: - Numbers

extension NodePointer {
  /// What tells which of two values is newer where edges are filtered: the number, that of the set; and
  /// of what has one number and had to wait the sequence, which is given when it is stored.
  ///
  ///  - A set has its number from the moment it is made, and keeps it where it has to wait. One that comes behind a
  ///    later one is told all the same: with that one's number, and a sequence. So it is older than whatever is set
  ///    after what it replaces.
  ///  - So does what comes over a filtered edge: of two sets that meet round a sync the later one wins,
  ///    whichever had to wait. But a source may have brought two values under one number to two nodes
  ///    of a sync, which meet only now: the sequence orders them. One is enough for the way over filtered edges: with
  ///    another one each time, a value would go to and fro between two threads for as long as each finds the
  ///    other one inside. Behind an ordinary edge it may be one of several again.
  ///  - What comes over other edges is told in any case. If it had to wait, or comes late, it is the
  ///    newest from then on: a new number.
  ///
  /// Decision 0006 has the reasons; `Tests/Model/contract_model.py` the rules as a program.
  @usableFromInline func assignVersion(_ delivery: Delivery) -> (
    number: UInt64, tiebreak: UInt64
  ) {
    if delivery.isFiltered {
      let needsOne = delivery.waited && delivery.tiebreak & 1 == 0
      return (delivery.wave.number, needsOne ? newSequence() : delivery.tiebreak)
    }
    if delivery.waited && !delivery.keepsNumber { return (newWave(), 0) }
    if !isReached(by: delivery) { return (delivery.wave.number, delivery.tiebreak) }
    return delivery.keepsNumber
      ? (pointee.wave.load(ordering: .relaxed), newSequence()) : (newWave(), 0)
  }

  /// The node has this wave's value, or a newer one. Exact for the holder; for others never too soon,
  /// for numbers, and sequences of one number, only grow.
  @usableFromInline func isReached(by delivery: Delivery) -> Bool {
    let newest = pointee.wave.load(ordering: .acquiring)
    if newest != delivery.wave.number { return newest > delivery.wave.number }
    return delivery.tiebreak == 0 || tiebreak() >= delivery.tiebreak
  }

  /// The pair of one node's value is lower than that of the other's.
  func isOlder(than other: NodePointer) -> Bool {
    (pointee.wave.load(ordering: .relaxed), tiebreak())
      < (other.pointee.wave.load(ordering: .relaxed), other.tiebreak())
  }

  /// What has this number counts as having come here. The holder.
  func raiseNumber(to number: (wave: UInt64, tiebreak: UInt64)) {
    if (pointee.wave.load(ordering: .relaxed), tiebreak()) >= number { return }
    if number.tiebreak != 0 { noteTiebreak(number.wave, number.tiebreak) }
    pointee.wave.store(number.wave, ordering: .releasing)
  }

  /// Of the node's value.
  func tiebreak() -> UInt64 {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { sideTable in
      sideTable.tiebreakWave.load(ordering: .acquiring) == pointee.wave.load(ordering: .relaxed)
        ? sideTable.tiebreak.load(ordering: .acquiring) : 0
    } ?? 0
  }
}
