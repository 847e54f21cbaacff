import CEasyReact
import Synchronization

/// A number greater than all given before, in the whole process: two threads that set two ends of a
/// sync must agree on which wave is the newer one.
@inlinable @inline(__always) func newWave() -> UInt64 { UInt64(easyreact_new_wave()) }

/// What a value gets besides its number: see `assignVersion`. The lowest bits: `toldAgain`; `onlyFiltered`; `marks`; `ownMark`. Five more leave room for
/// `nextSequence`.
func newSequence(_ marks: UInt64 = 0) -> UInt64 { newWave() << 11 | onlyFiltered | marks }

/// Newer than this one, and older than whatever else is.
/// - Parameter model: Has the marks.
func nextSequence(_ sequence: UInt64, like model: UInt64) -> UInt64 {
  (sequence & ~(sequenceStep - 1)) + sequenceStep | onlyFiltered | model & marks
}

/// Older than this one, and newer than whatever else is older; so are the next few behind it.
func versionBefore(_ version: Version) -> Version {
  let (number, tiebreak) = version
  if tiebreak >= 8 * sequenceStep { return (number, tiebreak - 8 * sequenceStep) }
  return number == 0 ? (0, 0) : (number - 1, .max >> 1)
}

func hasCrossedOnlyFiltered(_ tiebreak: UInt64) -> Bool { tiebreak & onlyFiltered != 0 }
func isMarked(_ tiebreak: UInt64) -> Bool { tiebreak & marked != 0 }

private let sequenceStep: UInt64 = 64
/// It has crossed only filtered edges since the sequence was given; in the models: it is odd.
private let onlyFiltered: UInt64 = 2
/// A whole marks what it tells under a number that it has told already: see `ArrivedPart`.
private let marked: UInt64 = 16
/// It is still in the whole that has marked it, or has been told a marked one.
private let ownMark: UInt64 = 32
/// How often a mark was taken off: two bits.
private let timesTakenOff: UInt64 = 12
private let onceTakenOff: UInt64 = 4
let marks = marked | timesTakenOff

/// As what this counts in the whole.
func enteringWhole(_ tiebreak: UInt64) -> UInt64 {
  isMarked(tiebreak) ? tiebreak | ownMark : tiebreak
}

/// As what this counts behind an edge from the whole, or from the part that holds it. Half of a sync takes its mark off, since it may be news for a part
/// of another whole: but not what was told again, and three times only, or it might go round for ever.
@inline(never) private func leavingWhole(_ tiebreak: UInt64, overHalf: Bool) -> UInt64 {
  let isTakenOff =
    overHalf && tiebreak & toldAgain == 0 && tiebreak & timesTakenOff != timesTakenOff
  return tiebreak - ownMark - (isTakenOff ? marked - onceTakenOff : 0)
}

/// Goes with what a lens tells again, because its whole is told, though the wave has not touched the part: in the tiebreak, but it says nothing of what is
/// newer, except to a part (`ArrivedPart`).
@usableFromInline let toldAgain: UInt64 = 1

/// How something comes to a node: with which wave, and by which rules.
@usableFromInline struct Delivery {
  @usableFromInline var wave: Wave
  @usableFromInline var rules: DeliveryRules = []
  @inlinable var isFiltered: Bool {
    get { rules.has(.filtered) }
    set { rules = newValue ? rules.with(.filtered) : rules.without(.filtered) }
  }
  /// Tells apart values of one number that had to wait; zero for one that did not. See `assignVersion`.
  @usableFromInline var tiebreak: UInt64 = 0

  /// A set.
  @inlinable init(_ number: UInt64, context: ContextBox?) {
    wave = Wave(
      number: number, flags: context == nil ? [] : .context,
      context: context.map { Unmanaged.passUnretained($0) })
    rules = .set
  }

  /// The wave under way, for what a join computed.
  @inlinable init(joinIn turn: TurnPointer) {
    wave = turn.pointee.wave
    wave.flags.remove(.emptied)
  }

  /// The wave under way, over an edge.
  @inline(__always) fileprivate init(
    over edge: EdgePointer, _ turn: TurnPointer, _ tiebreak: UInt64
  ) {
    self.init(joinIn: turn)
    self.tiebreak = tiebreak
    let edgeFlags = edge.pointee.allFlags
    if edgeFlags.has(.isBackEdge) { wave.flags.insert(.crossedBackEdge) }
    if wave.flags.has(.event), edge.pointee.traits.has(.keepsEvents) { wave.flags.remove(.event) }
    if edge.filters(wave, edgeFlags) {
      rules = edge.pointee.traits.has(.keepsVersion) ? .filtered.with(.keepsVersion) : .filtered
      leaveWhole(overHalf: edgeFlags.has(.sync))
    } else {
      leaveFiltered()
    }
  }

  @inline(__always) mutating func leaveWhole(overHalf: @autoclosure () -> Bool) {
    if tiebreak & ownMark != 0 { tiebreak = leavingWhole(tiebreak, overHalf: overHalf()) }
  }

  /// Behind an ordinary edge the value may be one of several: `hasCrossedOnlyFiltered`, `isMarked`.
  private mutating func leaveFiltered() { tiebreak &= ~(onlyFiltered | marks | ownMark) }

  /// The edge that leads back counts as an ordinary one.
  mutating func countAsOrdinary() {
    wave.flags.remove(.crossedBackEdge)
    leaveFiltered()
  }

  /// What comes over this half of a sync counts as another version, perhaps. Nil: it does not cross.
  @usableFromInline func crossing(half edge: EdgePointer) -> Delivery? {
    guard let (number, tiebreak) = edge.crossing((wave.number, tiebreak)) else { return nil }
    var delivery = self
    delivery.rules = rules.with(gain: Int64(number) - Int64(wave.number))
    (delivery.wave.number, delivery.tiebreak) = (number, tiebreak)
    return delivery
  }

  /// The number with which it set out.
  @usableFromInline var origin: UInt64 { UInt64(Int64(wave.number) - rules.gain) }

  /// For a message or a queue, which outlive the node that keeps the context.
  @usableFromInline func retained() -> Delivery {
    _ = wave.context?.retain()
    return self
  }
  @usableFromInline func takeContext() -> ContextBox? { wave.context?.takeRetainedValue() }
  /// `context` is kept by the caller.
  @usableFromInline func afterWaiting(_ context: ContextBox?) -> Delivery {
    var delivery = self
    delivery.rules = rules.with(.waited)
    delivery.wave.context = context.map { Unmanaged.passUnretained($0) }
    return delivery
  }
}

extension EdgePointer {
  // No initialisers: these would take 17 instructions more, for the type that is passed to them.

  /// How the wave under way comes over this edge.
  @usableFromInline func delivery(in turn: TurnPointer) -> Delivery {
    let isLate = turn.pointee.wave.flags.has(.late)
    return Delivery(over: self, turn, isLate ? pointee.up.unsafelyUnwrapped.tiebreak() : 0)
  }

  /// - Parameter tiebreak: That of a value that set out earlier.
  @usableFromInline func delivery(in turn: TurnPointer, tiebreak: UInt64) -> Delivery {
    Delivery(over: self, turn, tiebreak)
  }

  /// Does this wave, which crosses the edge, pass it only to a node with an older version? See contract 5.2.
  /// - Parameter flags: The edge's.
  @inline(__always) func filters(_ wave: Wave, _ flags: EdgeFlags) -> Bool {
    flags.has(.filtered) || wave.flags.has(.crossedBackEdge) && liesOnCycle()
  }
}

/// By which rules something is stored: the bits of `Delivery.rules`.
@usableFromInline struct DeliveryRules: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt64
  @inlinable @inline(__always) init(rawValue: UInt64) { self.rawValue = rawValue }
  /// At least one of them.
  @inlinable @inline(__always) func has(_ rules: DeliveryRules) -> Bool {
    rawValue & rules.rawValue != 0
  }
  @inlinable @inline(__always) func with(_ rules: DeliveryRules) -> DeliveryRules {
    DeliveryRules(rawValue: rawValue | rules.rawValue)
  }
  @inlinable @inline(__always) func without(_ rules: DeliveryRules) -> DeliveryRules {
    DeliveryRules(rawValue: rawValue & ~rules.rawValue)
  }

  /// Only into a node whose version is lower; see contract 5.2.
  @inlinable static var filtered: DeliveryRules { DeliveryRules(rawValue: 1) }
  /// In a node's queue or in the mailbox: see `assignVersion`.
  @inlinable static var waited: DeliveryRules { DeliveryRules(rawValue: 2) }
  /// A set, a clean or an update; not what comes over an edge.
  @inlinable static var set: DeliveryRules { DeliveryRules(rawValue: 4) }
  /// What a join has computed.
  @inlinable static var ofJoin: DeliveryRules { DeliveryRules(rawValue: 8) }
  /// A change of a part that comes to its whole over an edge.
  static var setOfPart: DeliveryRules { DeliveryRules(rawValue: 16) }
  /// The answer of a call, behind its announcement.
  static var answer: DeliveryRules { DeliveryRules(rawValue: 32) }
  /// It is what the one upstream has, so nothing else can have come under the same version.
  @inlinable static var keepsVersion: DeliveryRules { DeliveryRules(rawValue: 64) }
  /// The part has its number already, where it came over its link or its sync.
  static var comesToPartAgain: DeliveryRules { DeliveryRules(rawValue: 128) }
  /// How much greater the number is than that of the wave with which it set out, for a recording: half of a sync may have changed it. In the upper
  /// half, since one more word would be passed over the stack.
  var gain: Int64 { Int64(bitPattern: rawValue) >> 32 }
  func with(gain: Int64) -> DeliveryRules {
    let kept = UInt32(bitPattern: Int32(exactly: gain) ?? 0)
    return DeliveryRules(rawValue: rawValue & 0xFFFF_FFFF | UInt64(kept) << 32)
  }

  /// A set, or what comes over an edge and, like a set, keeps the number of the set which it follows from.
  static var keepsNumber: DeliveryRules { DeliveryRules.set.with(.setOfPart).with(.answer) }
}

// MARK: - Numbers

/// Which of two values is newer: see `assignVersion`.
@usableFromInline typealias Version = (number: UInt64, tiebreak: UInt64)

func max(_ a: Version, _ b: Version) -> Version { a < b ? b : a }

extension NodePointer {
  /// Tells which of two values is newer, where edges are filtered. First by their numbers, those of the sets. Values of
  /// one number that had to wait are told apart by the sequence, which each is given when it is stored.
  ///
  ///  - A set has its number from the moment it is made, and keeps it if it has to wait. If it then comes after a
  ///    later one, it is told all the same: with the later one's number, and a sequence. So it is older than whatever
  ///    was set after the value that it replaces.
  ///  - What comes over a filtered edge keeps its number too: of two sets that meet round a sync the later one wins,
  ///    whichever had to wait. But a source may have brought two values under one number to two nodes
  ///    of a sync, and these values meet only now: the sequence orders them. One sequence is enough as long as only filtered
  ///    edges are crossed: with a new one each time, a value would go to and fro between two threads for as long as each finds
  ///    the other one inside. Behind an ordinary edge it may be one of several again.
  ///  - What comes over other edges is told in any case. If it had to wait, or comes late, it counts as the
  ///    newest from then on: it gets a new number.
  ///
  /// Decision 0006 has the reasons; `Tests/Model/contract_model.py` the rules as a program.
  @usableFromInline func assignVersion(_ delivery: Delivery) -> Version {
    let (number, tiebreak) = versionAsTold(delivery)
    return (number, tiebreak | delivery.tiebreak & toldAgain)
  }

  private func versionAsTold(_ delivery: Delivery) -> Version {
    if delivery.isFiltered {
      let mayNeedOne = delivery.rules.has(.waited) && !hasCrossedOnlyFiltered(delivery.tiebreak)
      let needsOne = mayNeedOne && !delivery.rules.has(.keepsVersion)
      return (delivery.wave.number, needsOne ? newSequence() : delivery.tiebreak)
    }
    if delivery.rules.has(.waited) && !delivery.rules.has(.keepsNumber) {
      return renumbered(from: delivery.wave.number)
    }
    if !isReached(by: delivery, orBy: sequenceStep - 1) {
      return (delivery.wave.number, delivery.tiebreak)
    }
    if !delivery.rules.has(.keepsNumber) { return renumbered(from: delivery.wave.number) }
    let number = pointee.wave.load(ordering: .relaxed)
    let isOnceMore =
      delivery.rules.has(.setOfPart)
      && (delivery.wave.number == number || delivery.rules.has(.comesToPartAgain))
    return (
      number, newSequence(delivery.tiebreak & timesTakenOff | (isOnceMore ? marked | ownMark : 0))
    )
  }

  /// By the holder, who stores the value next: whoever reads its new number finds the old one noted.
  private func renumbered(from old: UInt64) -> Version {
    let new = newWave(), sideTable = sideTable()
    sideTable.renumberedTo.store(.max, ordering: .relaxed)
    sideTable.renumberedFrom.store(old, ordering: .releasing)
    sideTable.renumberedTo.store(new, ordering: .releasing)
    return (new, 0)
  }

  /// Under which number the value came here that was given this one. Nil: it came under it. Any thread.
  func numberOfArrival(_ number: UInt64) -> UInt64? {
    guard let sideTable = pointee.sideTableIfAny(),
      sideTable.renumberedTo.load(ordering: .acquiring) == number
    else { return nil }
    let old = sideTable.renumberedFrom.load(ordering: .acquiring)
    return sideTable.renumberedTo.load(ordering: .relaxed) == number ? old : nil
  }

  /// The node has this wave's value, or a newer one. Exact for the holder; for others it is never true too soon,
  /// since numbers, and sequences of one number, only grow.
  /// - Parameter bits: By which the tiebreak may differ besides.
  @usableFromInline func isReached(by delivery: Delivery, orBy bits: UInt64 = 0) -> Bool {
    let newest = pointee.wave.load(ordering: .acquiring)
    if newest != delivery.wave.number { return newest > delivery.wave.number }
    return delivery.tiebreak <= toldAgain || tiebreak() | toldAgain | bits >= delivery.tiebreak
  }

  /// Of the node's value. Exact for the holder.
  func version() -> Version {
    (pointee.wave.load(ordering: .relaxed), tiebreak() & ~toldAgain)
  }

  /// From now on what has this version counts as having been here. Holder.
  func raise(to new: Version) {
    if version() >= new { return }
    if new.tiebreak != 0 { noteTiebreak(new.number, new.tiebreak) }
    pointee.wave.store(new.number, ordering: .releasing)
  }

  /// Of the node's value.
  @usableFromInline func tiebreak() -> UInt64 {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { sideTable in
      sideTable.tiebreakWave.load(ordering: .acquiring) == pointee.wave.load(ordering: .relaxed)
        ? sideTable.tiebreak.load(ordering: .acquiring) : 0
    } ?? 0
  }
}
