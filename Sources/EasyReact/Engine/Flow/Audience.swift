import Synchronization

// A value is stored, then told. In between, user code may run: the value that was replaced dies, a tracer or a recorder
// describes the new one, a user's transform goes on after it has sent, an operator calls the next closure. A set of the node
// waits meanwhile, since the node is busy. But whoever begins to follow the node meanwhile is told the value at once, under a new
// number, as inside a listener, and must not be told it twice: so the first newcomer notes who was there before it, and only
// these are told.

/// The last edge and the last listener that are told what a node holds.
struct Audience {
  let lastOut, lastListener: EdgePointer?
  /// The newest number under which it was told over filtered edges meanwhile. The node takes that number too, so that the value
  /// does not come back as a newer one.
  var number: UInt64 = 0
}

extension NodePointer {
  /// Returns what `endUntold` puts back. Holder; the value is stored already, or will be before user code runs.
  @inlinable @inline(__always) func beginUntold() -> NodeFlags { beginUntold(pointee.flags) }

  /// The same, if the flags are known.
  @inlinable @inline(__always) func beginUntold(_ flags: NodeFlags) -> NodeFlags {
    pointee.flags = flags.with(.untold)
    return flags
  }

  @inlinable @inline(__always) func endUntold(_ before: NodeFlags) {
    let flags = pointee.flags
    pointee.flags = NodeFlags(rawValue: flags.rawValue ^ NodeFlags.holdsNoValue.rawValue)
      .without(.busy).with(before.only(.untold))
  }

  /// Runs `body`. If the node has stored a value that is not told yet, whatever comes to it meanwhile waits, and the loop takes it up.
  /// What a step, a queue or a join has used up dies here too, for its deinit is user code. Holder, if `isStored`.
  @usableFromInline func whileStored(
    _ isStored: Bool, in turn: TurnPointer, _ body: () -> Void
  ) {
    if !isStored { return body() }
    let saved = turn.pointee.wave
    let flags = beginUntold()
    body()
    endUntold(flags)
    turn.pointee.wave = saved
  }

  /// Somebody begins to follow the node.
  @inline(__always) func settleAudience() {
    if pointee.flags.only(.untold) == .untold { noteAudience() }
  }

  @inline(never) private func noteAudience() {
    if !pointee.hasValue.load(ordering: .relaxed) { return }
    let sideTable = self.sideTable()
    if sideTable.audience != nil { return }
    sideTable.audience = Audience(
      lastOut: pointee.lastOut.load(ordering: .relaxed),
      lastListener: pointee.lastListener.load(ordering: .relaxed))
    pointee.flags.remove(.holdsNoValue)
  }

  /// What it holds has been told over a filtered edge.
  func noteToldEarly(under number: UInt64) {
    guard let sideTable = pointee.sideTableIfAny(), let audience = sideTable.audience else {
      return
    }
    sideTable.audience?.number = max(audience.number, number)
  }

  var hasAudience: Bool { pointee.sideTableIfAny()?.audience != nil }

  /// Called by the notification that tells them.
  func takeAudience() -> Audience? {
    guard pointee.hasValue.load(ordering: .relaxed), let sideTable = pointee.sideTableIfAny(),
      let audience = sideTable.audience
    else { return nil }
    sideTable.audience = nil
    pointee.flags.remove(.holdsNoValue)
    return audience
  }
}
