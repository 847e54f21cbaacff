import CEasyReact
import Dispatch
import Synchronization

// A region is what one thread at a time may touch: a claim word and a mailbox.
//
// A node that can be set, or has no or several upstream edges, is the head of a region of its own;
// a node derived from one upstream lies in its upstream's region. So a chain is one region, its
// hops cost no claim.
//
// The protocol:
//  1. Claim: compare-and-swap *free* to *held*, then look whether the node is still in this region.
//     If not, the claim is kept until the turn ends, and the node's region is read again. Nobody waits
//     for a claim; an outermost set looks a few more times, for microseconds, before it leaves a
//     letter.
//  2. If another thread holds the word, the operation is left there as a letter; the same word is
//     claim and mailbox, so no letter can be stranded: it is pushed only onto a word that says
//     *held*, and the holder cannot write *free* over a letter.
//  3. If I hold it and there is mail, my operation goes behind the mail. Nothing overtakes mail of
//    its region.
//  4. The holder delivers the mail at the end of its turn, each letter as a turn of its own, then
//     frees the word. Past `mailBound` letters a background queue takes the region over, so no
//     thread is captured.
//  5. A region splits when one of its nodes becomes a head. Only its holder does that. A letter is
//     pushed under its target's short lock, under which a split writes the target's region; so it
//     reaches the region that its target is in, or is there before the split and is shared out.
//     Regions never merge.

@usableFromInline typealias RegionPointer = UnsafeMutablePointer<Region>

@usableFromInline struct Region: ~Copyable {
  /// Holder: the next region that the same turn holds, and letters taken from the word, oldest
  /// first.
  @usableFromInline var nextHeld: RegionPointer?
  @usableFromInline var inbox: LetterPointer?
  @usableFromInline var inboxLast: LetterPointer?
  /// Holder: the head is freed, so nobody can name this region any more.
  @usableFromInline var isDead = false
  /// The region that this one's nodes came from, which lives as long as they: a thread may have read
  /// its address from one of them a moment ago.
  @usableFromInline var origin: RegionPointer?
  /// One for the head, and one for each region that was split from this one and lives.
  @usableFromInline let references: Atomic<Int>
  /// The newest letter of a list, and the `held` bit, which is zero in an address.
  @usableFromInline let word: Atomic<UInt>
  /// The holder's turn; `nobody` for a moment before and after; `handedOver` while no turn holds what
  /// is held. A thread only asks "is it me", and nobody else writes its name, so relaxed.
  @usableFromInline let owner: Atomic<UInt>
  /// How many letters were left here, and how many of them the holders have taken: see `giveWay`.
  @usableFromInline let lettersLeft: Atomic<UInt32>
  @usableFromInline let lettersTaken: Atomic<UInt32>

  @inlinable init() {
    nextHeld = nil
    inbox = nil
    inboxLast = nil
    references = Atomic(1)
    word = Atomic(0)
    owner = Atomic(0)
    lettersLeft = Atomic(0)
    lettersTaken = Atomic(0)
  }

  static var nobody: UInt { 0 }
  static var handedOver: UInt { 1 }
  @inlinable static var free: UInt { 0 }
  @inlinable static var held: UInt { 1 }

  /// The newest letter of a word.
  static func letter(in word: UInt) -> LetterPointer? { LetterPointer(bitPattern: word & ~held) }
}

@inlinable func makeRegion() -> RegionPointer {
  let region = RegionPointer.allocate(capacity: 1)
  region.initialize(to: Region())
  return region
}

// MARK: - Claiming

@inlinable @inline(__always) func isHeld(_ core: CorePointer, by turn: TurnPointer) -> Bool {
  core.pointee.region.load(ordering: .acquiring).pointee.owner.load(ordering: .relaxed)
    == UInt(bitPattern: turn)
}

/// True: this turn holds the node's region and nothing waits there. False: post.
@inlinable @inline(__always) func claim(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  let region = core.pointee.region.load(ordering: .acquiring)
  if take(region, turn), core.pointee.region.load(ordering: .relaxed) == region { return true }
  return claimSlowly(core, turn)
}

/// Makes a free region this turn's.
@inlinable @inline(__always) func take(_ region: RegionPointer, _ turn: TurnPointer) -> Bool {
  if region.pointee.word.load(ordering: .relaxed) != Region.free
    || !region.pointee.word.compareExchange(
      expected: Region.free, desired: Region.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  {
    return false
  }
  hold(region, turn)
  return true
}

/// `claim`, where code size counts.
@usableFromInline func claimOther(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  claim(core, turn)
}

@usableFromInline func claimSlowly(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  // The most frequent case, a region that is mine, needs no frame.
  let region = core.pointee.region.load(ordering: .acquiring)
  if region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn),
    region.pointee.word.load(ordering: .relaxed) == Region.held, region.pointee.inbox == nil
  {
    return true
  }
  return claimInTheEnd(core, turn)
}

/// Looks again as often as the node was moved meanwhile.
@inline(never) private func claimInTheEnd(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  while true {
    let region = core.pointee.region.load(ordering: .acquiring)
    if region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn) {
      return isQuietMail(region, turn)
    }
    let isTaken = take(region, turn)
    if core.pointee.region.load(ordering: .acquiring) == region { return isTaken }
  }
}

/// This turn holds the node's region, whatever waits there: enough for what names no value, and so
/// may overtake the mail.
@usableFromInline func holds(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  claim(core, turn) || isHeld(core, by: turn)
}

@inlinable @inline(__always) func hold(_ region: RegionPointer, _ turn: TurnPointer) {
  region.pointee.owner.store(UInt(bitPattern: turn), ordering: .relaxed)
  region.pointee.nextHeld = turn.pointee.held
  turn.pointee.held = region
}

// MARK: - The holder's side

/// The oldest letter that waits, or nil.
func takeLetter(_ region: RegionPointer) -> LetterPointer? {
  if region.pointee.inbox == nil {
    if region.pointee.word.load(ordering: .relaxed) == Region.held { return nil }
    collect(region)
  }
  guard let letter = region.pointee.inbox else { return nil }
  region.pointee.inbox = letter.pointee.next
  if letter.pointee.next == nil { region.pointee.inboxLast = nil }
  letter.pointee.next = nil
  count(1, takenFrom: region)
  return letter
}

private func count(_ letters: UInt32, takenFrom region: RegionPointer) {
  let before = region.pointee.lettersTaken.load(ordering: .relaxed)
  region.pointee.lettersTaken.store(before &+ letters, ordering: .relaxed)
}

/// Moves the word's letters behind those in the inbox, oldest first.
private func collect(_ region: RegionPointer) {
  let word = region.pointee.word.exchange(Region.held, ordering: .acquiringAndReleasing)
  var letter = Region.letter(in: word)
  let last = letter
  var ordered: LetterPointer? = nil
  while let present = letter {
    letter = present.pointee.next
    present.pointee.next = ordered
    ordered = present
  }
  appendToInbox(region, ordered, last)
}

private func appendToInbox(
  _ region: RegionPointer, _ first: LetterPointer?, _ last: LetterPointer?
) {
  guard let first else { return }
  if let end = region.pointee.inboxLast {
    end.pointee.next = first
  } else {
    region.pointee.inbox = first
  }
  region.pointee.inboxLast = last
}

/// May the holder go on although there is mail? If all of it is quiet; it is opened for that.
@inline(never) private func isQuietMail(_ region: RegionPointer, _ turn: TurnPointer) -> Bool {
  if region.pointee.word.load(ordering: .relaxed) != Region.held { collect(region) }
  while let letter = region.pointee.inbox, letter.pointee.isQuiet,
    turn.pointee.lettersOpened < mailBound.load(ordering: .relaxed)
  {
    turn.pointee.lettersOpened &+= 1
    let wasForeign = turn.pointee.isForeign
    turn.pointee.isForeign = true
    openLetter(takeLetter(region).unsafelyUnwrapped, turn)
    turn.pointee.isForeign = wasForeign
  }
  return region.pointee.inbox == nil
}

/// Gives the word back. False: mail came meanwhile, the region is still held.
func free(_ region: RegionPointer, _ turn: TurnPointer) -> Bool {
  region.pointee.owner.store(Region.nobody, ordering: .relaxed)
  if region.pointee.word.compareExchange(
    expected: Region.held, desired: Region.free, successOrdering: .releasing,
    failureOrdering: .relaxed
  ).exchanged {
    return true
  }
  region.pointee.owner.store(UInt(bitPattern: turn), ordering: .relaxed)
  return false
}

/// How many letters one turn delivers before a background queue takes over.
let mailBound = Atomic<Int>(1_000)

/// The regions that are with a background queue.
let handOvers = DispatchGroup()

/// What waits or runs on queues: regions handed over, and what was scheduled to run at once.
let pendingWork = Atomic<Int>(0)

/// Passes a held region with its mail to a background queue.
func handOver(_ region: RegionPointer) {
  struct Held: @unchecked Sendable {
    // Unchecked: the region is held, by nobody but this block; the queue publishes it.
    let region: RegionPointer
  }
  let held = Held(region: region)
  region.pointee.owner.store(Region.handedOver, ordering: .relaxed)
  pendingWork.wrappingAdd(1, ordering: .relaxed)
  DispatchQueue.global().async(group: handOvers) {
    defer { pendingWork.wrappingSubtract(1, ordering: .releasing) }
    let turn = currentTurn()
    enter(turn)
    hold(held.region, turn)
    leave(turn)
  }
}

// MARK: - The end of one

/// The head is freed. Where nodes that live on were moved away, the region stays for those who have
/// read its address from one of them a moment ago, and its word stays held.
func endRegion(_ region: RegionPointer) {
  region.pointee.owner.store(Region.handedOver, ordering: .relaxed)
  var last: RegionPointer? = region
  while let present = last,
    present.pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  {
    last = present.pointee.origin
    present.deinitialize(count: 1)
    present.deallocate()
  }
}

// MARK: - Splitting

/// Makes a node the head of a region of its own, with the nodes that only it can reach. The holder,
/// any time. One whose handle is gone goes with its region, unless it outlives that.
func split(_ core: CorePointer, _ turn: TurnPointer, evenUnwanted: Bool = false) {
  if core.pointee.isHead || core.pointee.isUnwanted && !evenUnwanted { return }
  let old = core.pointee.region.load(ordering: .relaxed)
  let new = makeRegion()
  new.pointee.origin = old
  old.pointee.references.wrappingAdd(1, ordering: .relaxed)
  new.pointee.word.store(Region.held, ordering: .relaxed)  // published by `move`
  hold(new, turn)
  core.pointee.isHead = true
  move(core, from: old, to: new)
  // From here on nobody can post for the moved nodes to the old region: who does has their lock, and
  // finds the new one.
  collect(old)
  shareOut(old, new)
}

private func move(_ start: CorePointer, from old: RegionPointer, to new: RegionPointer) {
  var todo = [start]
  while let core = todo.popLast() {
    core.pointee.acquire()
    core.pointee.region.store(new, ordering: .releasing)
    var edge = core.pointee.firstOut.load(ordering: .relaxed)
    while let present = edge {
      let down = present.pointee.down!
      // A derived node is reached through the edge in its own block, and by no other.
      if present == inEdgePointer(down), !down.pointee.isHead,
        down.pointee.region.load(ordering: .relaxed) == old
      {
        todo.append(down)
      }
      edge = present.pointee.next.load(ordering: .relaxed)
    }
    core.pointee.release()
  }
}

/// Letters for nodes that moved go first in the new region: their senders posted them before
/// anything there.
private func shareOut(_ old: RegionPointer, _ new: RegionPointer) {
  var letter = old.pointee.inbox
  old.pointee.inbox = nil
  old.pointee.inboxLast = nil
  while let present = letter {
    letter = present.pointee.next
    present.pointee.next = nil
    let isMoved = present.pointee.target.pointee.region.load(ordering: .relaxed) == new
    appendToInbox(isMoved ? new : old, present, present)
    if isMoved {
      count(1, takenFrom: old)
      new.pointee.lettersLeft.wrappingAdd(1, ordering: .relaxed)
    }
  }
}

@inlinable @inline(__always) func sharesRegion(_ a: CorePointer, _ b: CorePointer) -> Bool {
  a.pointee.region.load(ordering: .relaxed) == b.pointee.region.load(ordering: .relaxed)
}
