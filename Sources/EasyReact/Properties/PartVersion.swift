import Synchronization

// By which rules a part is newer than what comes to it: decisions 0006 and 0014. `Tests/Model/lens_model.py` is the same as a program, with
// mutants; a rule is changed there first.

/// Since which wave a part is as it is, as far as something is linked to its lens, or leads from there back to the whole: the number by which what is
/// synced with the lens is compared. That of the whole would not do, for it rises with each change of another part: a field would be told
/// again what it held before, as if that were newer than what was set there meanwhile.
///
/// A part that nobody can tell from the one before counts as untouched: see `isUntouched`. Else what is equal counts as changed.
///
/// Set by the holder of the whole's region, except for the beginning, and read by the holder of the lens's: that is the same
/// one until the lens is cut from its whole.
@usableFromInline final class PartVersion<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `place` is touched by the holder of the lens's region alone, and freed with the last reference; the rest is a Mutex, an atomic and a constant.

  private struct Present {
    var value: Value?
    var version: Version = (0, 0)
    /// The lens has not told it yet.
    var isNew = false
    /// It came by what another lens told again.
    var isToldAgain = false
    /// So did whatever else came under its number.
    var isOnlyToldAgain = false
  }
  private let present = Mutex(Present())
  private let hasBegun = Atomic(false)
  /// Where the lens waits, among the joins, with what it is to tell again: see `waits`. Made with the first link; touched by the holder of its region.
  private var place: JoinPointer?
  /// The part of what the node holds that the lens was made of.
  private let read: @Sendable (NodePointer) -> Value?

  init(_ read: @escaping @Sendable (NodePointer) -> Value?) { self.read = read }

  deinit { place?.freeJoin() }

  var isWatched: Bool { hasBegun.load(ordering: .acquiring) }
  var version: Version { present.withLock { $0.version } }
  var hasOnlyBeenToldAgain: Bool { present.withLock { $0.isOnlyToldAgain } }
  /// Of what the lens holds: older than the part's, if the whole has a newer one already and the lens has not told it.
  var versionOfLens: Version {
    present.withLock { present in
      present.isNew ? versionBefore(present.version) : present.version
    }
  }

  /// It begins to matter, and what the lens holds now counts. The holder of the lens's region.
  func begin(with node: NodePointer) {
    if isWatched { return }
    note(node.readStored(Value.self), node.version())
    present.withLock { $0.isNew = false }
    hasBegun.store(true, ordering: .releasing)
  }

  /// A set of the part, in the order in which its whole makes them: newer than what it replaces, older than whatever was set since. What
  /// other parts were set to meanwhile has nothing to do with it.
  /// - Parameter matters: It does, even if it has not begun to: then it begins.
  func noteSet(
    _ new: @autoclosure () -> Value?, _ number: UInt64, isToldAgain: Bool = false, matters: Bool
  ) {
    if !isWatched && !matters { return }
    let new = new()  // user code
    note(new, isToldAgain) { $0.number < number ? (number, 0) : ($0.number, newSequence()) }
    if !isWatched { hasBegun.store(true, ordering: .releasing) }
  }

  /// What a link has led back keeps its own version, or it would be newer each time that it comes round. Under a number that the part has
  /// already, its partners may have that one, too: so they are told it anew, once.
  func noteLedBack(_ new: Value?, _ version: Version, isToldAgain: Bool) {
    note(new, isToldAgain) {
      $0 == (version.number, 0) ? (version.number, newSequence()) : version
    }
  }

  func note(_ new: Value?, _ version: Version, isToldAgain: Bool = false) {
    note(new, isToldAgain) { _ in version }
  }

  private func note(_ new: Value?, _ isToldAgain: Bool, _ next: (Version) -> Version) {
    let old = present.withLock { present in
      defer {
        let version = next(present.version)
        let isFirst = version.number != present.version.number
        present = Present(
          value: new, version: version, isNew: true, isToldAgain: isToldAgain,
          isOnlyToldAgain: isToldAgain && (isFirst || present.isOnlyToldAgain))
      }
      return present.value
    }
    _ = consume old  // user code
  }

  /// The whole, or the part that this one lies in, has told a value, and so does the lens, over whose edge from there this comes.
  func telling(
    _ new: Value?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Telling {
    if noteTelling(new, over: edge, from: up, in: turn) {
      if let place, place.pointee.isWaiting { _ = place.endWait() }
      return .news
    }
    return new != nil && waits(over: edge, from: up, in: turn) ? .waits : .again
  }

  /// What changes the part may still run, as far as that comes round from its whole: the lens, which comes behind it by its rank, waits for that. Else what is
  /// linked to the lens would be told the old value first.
  private func waits(over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer) -> Bool {
    let lens = edge.pointee.down.unsafelyUnwrapped
    guard let place, let component = up.component(), component == lens.component() else {
      return false
    }
    lens.wait(at: place, from: up, in: turn)
    return true
  }

  /// Something is linked to the lens. The holder of its region.
  func makePlace() {
    if place != nil { return }
    place = makeJoin([]) { [read] lens, turn in
      let edge = lens.inEdgePointer()
      if edge.pointee.has([.cut, .detached]) { return false }
      let up = edge.pointee.up.unsafelyUnwrapped
      guard let part = read(up) else { return false }
      return edge.passSlowly(.value(part), .again(over: edge, turn), from: up, in: turn)
    }
  }

  /// False: the wave has not touched the part, or only by what was told again.
  private func noteTelling(
    _ new: Value?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    begin(with: edge.pointee.down.unsafelyUnwrapped)
    if !isUntouched(present.withLock { $0.value }, new) {
      let wave = turn.pointee.wave
      note(new, (wave.number, wave.flags.has(.late) ? up.tiebreak() & ~toldAgain : 0))
    }
    return present.withLock { present in
      defer { present.isNew = false }
      return present.isNew && !present.isToldAgain
    }
  }

  /// Has the part this value?
  func holds(_ value: Value?) -> Bool {
    isWatched && isUntouched(present.withLock { $0.value }, value)
  }

  /// What the node holds goes with the part's version, even if the present wave has not touched the part; as told again if it came so. Nil: it
  /// does not cross.
  @usableFromInline func delivery(
    over edge: EdgePointer, from node: NodePointer, in turn: TurnPointer
  ) -> Delivery? {
    var delivery = edge.delivery(in: turn)
    let number = delivery.wave.number
    if isWatched {
      let (version, again) = present.withLock { ($0.version, $0.isToldAgain ? toldAgain : 0) }
      if number == version.number || number == node.pointee.wave.load(ordering: .relaxed) {
        delivery.wave.number = version.number
        delivery.tiebreak = version.tiebreak | again
        delivery.leaveWhole(overHalf: true)
      }
    }
    return delivery.crossing(half: edge)
  }
}

/// What has come to a lens's inlet, and is to be put into the whole.
struct ArrivedPart<Root: Sendable, Value: Sendable>: Sendable {
  /// Nil: it was emptied, and the part is taken out.
  let value: Value?
  let part: Part<Root, Value>
  let partVersion: PartVersion<Value>
  let version: Version
  /// By a lens, that of another part perhaps, which the wave has not touched.
  let isToldAgain: Bool
  let way: WayToPart
  /// The lens, for as long as it lives.
  let lens: WeakNode

  func change(of root: MutableNode<Root>) -> Arrival<Root> {
    // A keeper may put it once more, at another time.
    if let keeper = root.keeperIfAny {
      return .decision { whole in
        if !isNew(in: whole, of: root.storage) { return .keep }
        note()
        return keeper.decide(whole, cameOverEdge: true) { put(into: &$0) }
      }
    }
    return .attempt { whole in
      if !isNew(in: whole, of: root.storage) || !put(into: &whole) { return false }
      note()
      return true
    }
  }

  private func put(into whole: inout Root) -> Bool {
    if let value { return part.put(&whole, value) }
    return part.remove?(&whole) ?? false
  }

  /// By the holder of the whole. A wave may come to several parts, and a second time to one that follows another part: then the whole gives it a
  /// marked sequence (`assignVersion`), also under an older number, if the part has that. Such a mark is no news for a part that the wave has set already,
  /// or it would go round for ever. What the whole's version is says nothing about this part: it may come from what was set late to another one.
  ///
  /// What is told again changes the part like anything else, but stands back behind the first that the same wave changes.
  private func isNew(in whole: Root?, of root: NodePointer) -> Bool {
    if way == .link { return true }
    if way == .linkLedBack, isToldAgain, partVersion.holds(value) { return false }
    let present = partVersion.version
    if present.number == version.number, !isToldAgain, partVersion.hasOnlyBeenToldAgain {
      return true
    }
    return present < version
      && !(isMarked(version.tiebreak) && present.number == version.number)
      && !wasSetUnheard(in: whole, of: root)
  }

  /// A lens that is gone, or was cut from the whole, notes no version of the part any more, and what was set to its inlet before may
  /// still be on its way. If the part is another one than the lens knew, all of the whole counts as newer than that.
  private func wasSetUnheard(in whole: Root?, of root: NodePointer) -> Bool {
    if root.version() < version || lens.isFed(by: root) { return false }
    return !partVersion.holds(whole.flatMap(part.get))
  }

  private func note() {
    switch way {
    case .sync: partVersion.note(value, version, isToldAgain: isToldAgain)
    case .linkLedBack: partVersion.noteLedBack(value, version, isToldAgain: isToldAgain)
    case .link:
      partVersion.noteSet(value, version.number, isToldAgain: isToldAgain, matters: true)
    }
  }
}

/// The node of a lens.
final class WeakNode: Sendable {
  private weak let node: AnyNode?
  init(_ node: AnyNode) { self.node = node }

  /// Is it there, and told by the whole, over lenses of what it lies in perhaps?
  func isFed(by root: NodePointer) -> Bool {
    var present = node
    while let lens = present, lens.storage != root {
      present = nil
      _ = lens.storage.hasEdge(.ins) {
        present = $0.pointee.upNode
        return true
      }
    }
    return present != nil
  }
}

/// What a lens has to tell.
enum Telling { case news, again, waits }

extension Delivery {
  /// Of what a lens tells again.
  static func again(over edge: EdgePointer, _ turn: TurnPointer) -> Delivery {
    var delivery = edge.delivery(in: turn)
    delivery.tiebreak |= toldAgain
    return delivery
  }
}

/// How a value came to a part's inlet.
enum WayToPart {
  /// By half of a sync.
  case sync
  /// By a link, and the wave was led back.
  case linkLedBack
  /// By any other link: it is told in any case.
  case link
}

extension NodePointer {
  /// How the value of this inlet came here. Where the edge from here into the whole leads back, that counts only for a link that lies on the cycle: to
  /// whatever else comes here the whole is what follows.
  func wayToPart(_ delivery: inout Delivery, in turn: TurnPointer) -> WayToPart {
    let wasLedBack = turn.pointee.wave.flags.has(.crossedBackEdge)
    let (isSync, isOnCycle) = waysOfSender()
    let isLedBack = delivery.isFiltered && (wasLedBack || isOnCycle)
    if !isLedBack, !wasLedBack { delivery.countAsOrdinary() }
    return isSync ? .sync : isLedBack ? .linkLedBack : .link
  }

  /// Of the edges by which its value may have come: is one half of a sync, and do they lie on a cycle?
  private func waysOfSender() -> (isSync: Bool, isOnCycle: Bool) {
    let sender = pointee.sender.load(ordering: .relaxed), component = component()
    var isOnCycle = false
    let isSync = hasEdge(.ins) {
      guard let up = $0.pointee.up, up == sender else { return false }
      isOnCycle = component != nil && up.component() == component
      return $0.pointee.has(.sync)
    }
    return (isSync, isOnCycle)
  }
}
