import CEasyReact
import Synchronization

// What is left for the holder of a region: letters, and the three operations that the engine leaves
// so. The rules are those of `Region.swift`.

// MARK: - Letters

@usableFromInline typealias LetterPointer = UnsafeMutablePointer<Letter>

/// An operation on `target` that waits for the holder of its region: one block, this header, then
/// the payload.
///
/// What it names stays alive: whoever ends the target's life does so by a later letter to the same
/// region.
@usableFromInline struct Letter {
  @usableFromInline var next: LetterPointer?
  @usableFromInline let target: CorePointer
  /// Only notes something for the end of the holder's turn, so it may be opened in the middle of it.
  @usableFromInline let isQuiet: Bool
  /// Consumes the payload; captures nothing.
  @usableFromInline let open: (UnsafeMutableRawPointer, TurnPointer) -> Void
  @inlinable init(
    target: CorePointer, isQuiet: Bool,
    open: @escaping (UnsafeMutableRawPointer, TurnPointer) -> Void
  ) {
    next = nil
    self.target = target
    self.isQuiet = isQuiet
    self.open = open
  }
  @inlinable static var headerSize: Int { 64 }
}

@inlinable func makeLetter<Payload>(
  to target: CorePointer, isQuiet: Bool = false, _ payload: Payload,
  _ open: @escaping (UnsafeMutableRawPointer, TurnPointer) -> Void
) -> LetterPointer {
  let block = UnsafeMutableRawPointer.allocate(
    byteCount: Letter.headerSize + MemoryLayout<Payload>.size,
    alignment: max(16, MemoryLayout<Payload>.alignment))
  let letter = block.assumingMemoryBound(to: Letter.self)
  letter.initialize(to: Letter(target: target, isQuiet: isQuiet, open: open))
  (block + Letter.headerSize).assumingMemoryBound(to: Payload.self).initialize(to: payload)
  return letter
}

/// For the payload's type that `makeLetter` was given.
@inlinable func takePayload<Payload>(
  _ payload: UnsafeMutableRawPointer, _: Payload.Type
) -> Payload {
  payload.assumingMemoryBound(to: Payload.self).move()
}

func openLetter(_ letter: LetterPointer, _ turn: TurnPointer) {
  letter.pointee.open(UnsafeMutableRawPointer(letter) + Letter.headerSize, turn)
  letter.deinitialize(count: 1)
  UnsafeMutableRawPointer(letter).deallocate()
}

/// Leaves the letter with the holder, who may be this thread; opens it at once if the region became
/// free.
@usableFromInline func post(_ letter: LetterPointer, _ turn: TurnPointer) {
  // Once it is left, its holder may open it, and free it and its target.
  let note = turn.pointee.isTraced ? MailNote(letter.pointee.target, turn) : nil
  if pushed(letter, turn) {
    note?.trace()
  } else {
    openLetter(letter, turn)
  }
}

/// True: in the mailbox. False: the region became free, this turn has claimed it.
private func pushed(_ letter: LetterPointer, _ turn: TurnPointer) -> Bool {
  let target = letter.pointee.target
  giveWay(target, turn)
  target.pointee.acquire()
  let isPushed = pushedLocked(letter, turn)
  // Its holder may have opened it, and its target be gone but for this lock: see `freeCore`.
  target.pointee.release()
  return isPushed
}

/// The same for one who holds the target's short lock. As long as it does, the target's region stays
/// the same: a split takes that lock, too.
@usableFromInline func pushedLocked(_ letter: LetterPointer, _ turn: TurnPointer) -> Bool {
  let region = letter.pointee.target.pointee.region.load(ordering: .relaxed)
  var word = region.pointee.word.load(ordering: .relaxed)
  while true {
    if word == Region.free {
      if take(region, turn) { return false }
      word = region.pointee.word.load(ordering: .relaxed)
      continue
    }
    letter.pointee.next = Region.letter(in: word)
    let (isPushed, present) = region.pointee.word.compareExchange(
      expected: word, desired: UInt(bitPattern: letter) | Region.held,
      successOrdering: .releasing, failureOrdering: .relaxed)
    if isPushed {
      region.pointee.lettersLeft.wrappingAdd(1, ordering: .relaxed)
      return true
    }
    word = present
  }
}

/// As many letters may wait before who leaves another one gives way.
let mailComfort: Int32 = 128

/// Before a letter is left where many wait: this thread sleeps for some microseconds, each 32nd time.
///
/// A letter is left faster than it is opened, and threads that leave them in a loop may keep the cores
/// from the one that opens them. So what waits stays little while they go on. It is no wait for anybody:
/// a set takes some microseconds more, whatever the holder does.
@usableFromInline func giveWay(_ core: CorePointer, _ turn: TurnPointer) {
  let region = core.pointee.region.load(ordering: .acquiring)
  let left = region.pointee.lettersLeft.load(ordering: .relaxed)
  let waiting = Int32(bitPattern: left &- region.pointee.lettersTaken.load(ordering: .relaxed))
  if waiting <= mailComfort || isHeld(core, by: turn) { return }
  turn.pointee.crowdedLetters &+= 1
  if turn.pointee.crowdedLetters % 32 == 0 {
    easyreact_nap(waiting < 2 * mailComfort ? 50 : 100)
  }
}

/// Does `body` as the holder of the node's region: now, or when the holder opens the letter.
@usableFromInline func perform(
  on core: CorePointer, _ turn: TurnPointer, _ body: @escaping (TurnPointer) -> Void
) {
  if claim(core, turn) { return body(turn) }
  post(
    makeLetter(to: core, body) { payload, turn in
      takePayload(payload, ((TurnPointer) -> Void).self)(turn)
    }, turn)
}

// MARK: - A set, and what an edge brings

/// For the outermost set, when `claim` has failed: looks for a few microseconds at most whether the
/// holder is just passing and out again, for a letter costs more than that. Does not look where letters
/// wait already, nor while this thread holds anything; and never longer, whatever the holder does.
@usableFromInline @inline(never) func claimSoon(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  if turn.pointee.held != nil { return false }
  for _ in 0..<64 {
    let region = core.pointee.region.load(ordering: .acquiring)
    let word = region.pointee.word.load(ordering: .relaxed)
    if word & ~Region.held != 0 { return false }
    if word == Region.free, claimSlowly(core, turn) { return true }
    easyreact_pause()
  }
  return false
}

/// Leaves a set with the thread that is inside the node. Its newest value is readable at once.
@inlinable @inline(never) func postSet<Value: Sendable>(
  _ core: CorePointer, _ arrival: Arrival<Value>, context: ContextBox?, _ turn: TurnPointer
) {
  typealias Payload = (CorePointer, Arrival<Value>, ContextBox?, UInt64, UInt64)
  giveWay(core, turn)
  let posted: Posted<Value>? =
    switch arrival {
    case _ where isEventNode(core): nil
    case .value(let value): Posted(value)
    case .empty: Posted(nil)
    case .change: nil
    }
  let extras = posted == nil ? nil : extras(of: core)
  let letter = makeLetter(to: core, (core, arrival, context, newWave(), UInt64(0)) as Payload) {
    payload, turn in
    let (core, arrival, context, wave, ticket) = takePayload(payload, Payload.self)
    apply(core, arrival, context: context, wave: wave, turn)
    if ticket != 0 { settlePosted(core, ticket) }
  }
  var old: AnyObject?
  core.pointee.acquire()
  if let posted, let extras {
    (UnsafeMutableRawPointer(letter) + Letter.headerSize).assumingMemoryBound(to: Payload.self)
      .pointee.4 = notePosted(core, extras, posted, old: &old)
  }
  let isPosted = pushedLocked(letter, turn)
  core.pointee.releaseAfterCopying()
  _ = consume old
  if isPosted {
    if turn.pointee.isTraced { MailNote(core, turn).trace() }
  } else {
    openPosted(letter, turn)
  }
}

@usableFromInline func openPosted(_ letter: LetterPointer, _ turn: TurnPointer) {
  openLetter(letter, turn)
}

/// Leaves what an edge brings with the holder of its downstream's region. `body` runs unless the
/// edge is cut before.
@usableFromInline func postOver(
  _ edge: EdgePointer, _ crossing: Crossing, _ turn: TurnPointer,
  _ body: @escaping (Crossing, TurnPointer) -> Void
) {
  typealias Payload = (EdgePointer, Crossing, (Crossing, TurnPointer) -> Void)
  let payload: Payload = (edge, crossing.retained(), body)
  post(
    makeLetter(to: edge.pointee.down.unsafelyUnwrapped, payload) { payload, turn in
      let (edge, crossing, body) = takePayload(payload, Payload.self)
      let context = crossing.takeContext()
      if !edge.pointee.isOver() {
        let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
        body(crossing.afterWaiting(context), turn)
        (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
      }
      _ = consume context
    }, turn)
}
