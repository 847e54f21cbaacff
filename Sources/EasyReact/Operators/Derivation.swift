import CEasyReact
import Synchronization

// What a derived node follows. It is a join whose upstreams are those that its closure has read in its
// last run, in the order in which it first read them. A run that reads the same nodes in the same
// order moves a finger along the list, and changes nothing.

@usableFromInline final class Derivation: EdgeState, @unchecked Sendable {
  // Unchecked: only the holder of the derived node's region touches what `reads` points to, except for
  // `derived`, which is constant. A pointer, for a field would be checked for exclusive access each time.
  @usableFromInline let reads: UnsafeMutablePointer<Reads>

  @usableFromInline init(of derived: NodePointer) {
    reads = .allocate(capacity: 1)
    super.init()
    reads.initialize(to: Reads(derivation: self, derived: derived))
  }

  deinit {
    reads.pointee.nodes.free()
    reads.pointee.new.free()
    reads.pointee.kept.free()
    reads.deinitialize(count: 1)
    reads.deallocate()
  }

  /// One run of the closure, which may set nothing.
  @inlinable @inline(__always) func run<Value>(
    _ turn: TurnPointer, _ body: () throws -> Value?
  ) -> Value? {
    let (outerReads, outerBatch) = (easyreact_reads_get(), turn.pointee.batch)
    begin()
    easyreact_reads_set(reads)
    turn.pointee.batch = Unmanaged.passUnretained(Batch.refusing)
    defer {
      easyreact_reads_set(outerReads)
      turn.pointee.batch = outerBatch
      if reads.pointee.hasKept { forgetKept(turn) }
    }
    do { return try body() } catch {
      if error is NodeIsEmpty { return nil }
      refuse(error)
    }
  }

  @usableFromInline func refuse(_ error: any Error) -> Never {
    misuse(
      "derived", "its closure threw \(error)", reads.pointee.derived.node(),
      "Only NodeIsEmpty is for it; catch others in the closure, or derive a node of `Result`.")
  }

  @usableFromInline func begin() { reads.pointee.finger = 0 }

  @usableFromInline func forgetKept(_ turn: TurnPointer) {
    reads.pointee.hasKept = false
    // If the closure of another derivation made this one, what dies here is no part of that one.
    let batch = turn.pointee.batch
    if easyreact_reads_get() != nil { turn.pointee.batch = nil }
    let room = untracked { reads.pointee.kept.takeAll().end() }
    turn.pointee.batch = batch
    // A deinit may have run this derivation, which has room of its own by now.
    reads.pointee.kept.free()
    reads.pointee.kept = room
  }

  override var movingJoin: JoinPointer? { reads.pointee.derived.pointee.join }

  /// After a run: edges from what it was the first to read, none from what it no longer reads.
  /// - Returns: Does it follow a node that it did not follow before? By an edge that leads back?
  @discardableResult
  @usableFromInline func moveEdges(in turn: TurnPointer) -> (isNew: Bool, leadsBack: Bool) {
    let hasNew = reads.pointee.new.count > 0
    if reads.pointee.finger == reads.pointee.nodes.count, !hasNew, turn.pointee.gaveWay.isEmpty {
      return (false, false)
    }
    dropUnread(turn)
    let followsAgain =
      !turn.pointee.gaveWay.isEmpty && reads.pointee.derived.followAgain(in: turn)
    return (hasNew || followsAgain, hasNew && linkNew(in: turn))
  }

  /// True: one of the edges leads back.
  private func linkNew(in turn: TurnPointer) -> Bool {
    if reads.pointee.new.count > 1 { reads.orderNew() }
    // Not the list itself: what another thread has set and cut meanwhile is heard of here.
    var index = 0, leadsBack = false
    while index < reads.pointee.new.count {
      let place = reads.pointee.new[index]._withUnsafeGuaranteedRef { $0.place }
      if reads.link(place, in: turn) { leadsBack = true }
      index += 1
    }
    reads.pointee.new.removeAll()
    return leadsBack
  }

  private func dropUnread(_ turn: TurnPointer) {
    while reads.pointee.nodes.count > reads.pointee.finger {
      let node = reads.removeLast()
      if !node.hasEnded { node.edge?.cut(by: turn) }
      let spare = reads.pointee.spare
      reads.pointee.spare = node.life
      spare?.release()
    }
    forgetSpareIfLast()
  }

  /// The edge was cut: by the derivation itself, by the user, or with the derived node.
  override func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {
    let life = unsafeDowncast(life, to: ReadLife.self)
    if life.place >= 0 { reads.remove(life.place).life.release() }
    forgetSpareIfLast()
  }

  /// It keeps this object, and if nothing is followed, nobody else would let go of it.
  private func forgetSpareIfLast() {
    if reads.pointee.nodes.count == 0 { reads.pointee.spare.take()?.release() }
  }
}
