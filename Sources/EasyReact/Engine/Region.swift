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
//  1. Claim: compare-and-swap *free* to *held*. Nobody waits for a claim (but see 5); an outermost
//     set looks a few more times, for microseconds, before it leaves a letter.
//  2. If another thread holds the word, the operation is left there as a letter; the same word is
//     claim and mailbox, so no letter can be stranded: it is pushed only onto a word that says
//     *held*, and the holder cannot write *free* over a letter.
//  3. If I hold it and there is mail, my operation goes behind the mail. Nothing overtakes mail of
//    its region.
//  4. The holder delivers the mail at the end of its turn, each letter as a turn of its own, then
//     frees the word. Past `mailBound` letters a background queue takes the region over, so no
//     thread is captured.
//  5. One exception to "nobody waits": a thread that sweeps (Sweep.swift) is in regions that have
//     nothing to do with it, for a moment and to tell nobody anything. It is waited for.
//  6. A region splits when one of its nodes becomes a head. The word's epoch changes in that step,
//     and who claims or posts has read the word before it read the node's region a second time; so
//     a letter can only reach the region that its target is in. Letters already here are shared
//     out. Regions never merge.

@usableFromInline typealias RegionPointer = UnsafeMutablePointer<Region>

@usableFromInline struct Region: ~Copyable {
  /// Holder: the next region that the same turn holds, and letters taken from the word, oldest
  /// first.
  @usableFromInline var nextHeld: RegionPointer?
  @usableFromInline var inbox: LetterPointer?
  @usableFromInline var inboxLast: LetterPointer?
  /// Holder: the head is freed, so nobody can name this region any more.
  @usableFromInline var isDead = false
  /// Holder: nodes that live on were moved away, so a thread may still have this address in hand. For good.
  @usableFromInline var wasSplit = false
  /// `held` bit, epoch in the upper sixteen bits, and between them the newest letter of a list.
  @usableFromInline let word: Atomic<UInt>
  /// The holder's turn; `nobody` for a moment before and after; `handedOver` while no turn holds what
  /// is held. A thread only asks "is it me", and nobody else writes its name, so relaxed.
  @usableFromInline let owner: Atomic<UInt>

  @inlinable init() {
    nextHeld = nil
    inbox = nil
    inboxLast = nil
    word = Atomic(0)
    owner = Atomic(0)
  }

  static var nobody: UInt { 0 }
  static var handedOver: UInt { 1 }
  @inlinable static var held: UInt { 1 }
  @inlinable static var letters: UInt { 0x0000_FFFF_FFFF_FFF0 }
  @inlinable static var epoch: UInt { 0xFFFF_0000_0000_0000 }
  static var nextEpoch: UInt { 0x0001_0000_0000_0000 }
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
  let word = region.pointee.word.load(ordering: .acquiring)
  if word & ~Region.epoch == 0, core.pointee.region.load(ordering: .acquiring) == region,
    region.pointee.word.compareExchange(
      expected: word, desired: word | Region.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  {
    hold(region, turn)
    return true
  }
  return claimSlowly(core, turn)
}

/// `claim`, where code size counts.
@usableFromInline func claimOther(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  claim(core, turn)
}

@usableFromInline func claimSlowly(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  // The most frequent case, a region that is mine, needs no frame.
  let region = core.pointee.region.load(ordering: .acquiring)
  if region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn),
    region.pointee.word.load(ordering: .relaxed) & Region.letters == 0, region.pointee.inbox == nil
  {
    return true
  }
  return claimInTheEnd(core, turn)
}

@inline(never) private func claimInTheEnd(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  while true {
    let region = core.pointee.region.load(ordering: .acquiring)
    let word = region.pointee.word.load(ordering: .acquiring)
    if region.pointee.owner.load(ordering: .relaxed) == UInt(bitPattern: turn) {
      return isQuietMail(region, word, turn)
    }
    if word & Region.held != 0 {
      if awaitSweep(of: core, turn) { continue }
      return false
    }
    if core.pointee.region.load(ordering: .acquiring) != region { continue }
    if region.pointee.word.compareExchange(
      expected: word, desired: word | Region.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged {
      hold(region, turn)
      return true
    }
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
    let word = region.pointee.word.load(ordering: .relaxed)
    if word & Region.letters == 0 { return nil }
    collect(region, epoch: word & Region.epoch)
  }
  guard let letter = region.pointee.inbox else { return nil }
  region.pointee.inbox = letter.pointee.next
  if letter.pointee.next == nil { region.pointee.inboxLast = nil }
  letter.pointee.next = nil
  return letter
}

/// Moves the word's letters behind those in the inbox, oldest first, and gives the word an epoch.
private func collect(_ region: RegionPointer, epoch: UInt) {
  let word = region.pointee.word.exchange(epoch | Region.held, ordering: .acquiringAndReleasing)
  var letter = LetterPointer(bitPattern: word & Region.letters)
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
@inline(never) private func isQuietMail(_ region: RegionPointer, _ word: UInt, _ turn: TurnPointer)
  -> Bool
{
  if word & Region.letters != 0 { collect(region, epoch: word & Region.epoch) }
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
  let word = region.pointee.word.load(ordering: .relaxed)
  if word & Region.letters == 0,
    region.pointee.word.compareExchange(
      expected: word, desired: word & Region.epoch, successOrdering: .releasing,
      failureOrdering: .relaxed
    ).exchanged
  {
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

/// Regions that nodes were moved away from, linked by `nextHeld`: who read such a node's region a
/// moment ago still looks at the word. They are used again, never freed, and their words stay held,
/// with an epoch that nobody has seen.
private struct Retired: @unchecked Sendable {
  // Unchecked: addresses, under the Mutex.
  var first: RegionPointer?
}
private let retired = Mutex(Retired())

/// The head is freed.
func endRegion(_ region: RegionPointer) {
  if !region.pointee.wasSplit {
    region.deinitialize(count: 1)
    region.deallocate()
    return
  }
  region.pointee.owner.store(Region.handedOver, ordering: .relaxed)
  region.pointee.isDead = false
  retired.withLock { retired in
    region.pointee.nextHeld = retired.first
    retired.first = region
  }
}

private func takeRetired() -> RegionPointer? {
  retired.withLock { retired in
    guard let region = retired.first else { return nil }
    retired.first = region.pointee.nextHeld
    return region
  }
}

// MARK: - Splitting

/// Makes a node the head of a region of its own, with the nodes that only it can reach. The holder,
/// any time. One whose handle is gone goes with its region, unless it outlives that.
func split(_ core: CorePointer, _ turn: TurnPointer, evenUnwanted: Bool = false) {
  if core.pointee.isHead || core.pointee.isUnwanted && !evenUnwanted { return }
  let old = core.pointee.region.load(ordering: .relaxed)
  old.pointee.wasSplit = true
  let new = takeRetired() ?? makeRegion()
  let before = new.pointee.word.load(ordering: .relaxed) & Region.epoch
  new.pointee.word.store((before &+ Region.nextEpoch) | Region.held, ordering: .relaxed)
  hold(new, turn)
  core.pointee.isHead = true
  move(core, from: old, to: new)
  // From here on nobody can post for the moved nodes to the old region: whoever looked at the word
  // before this exchange finds another epoch, whoever looks later finds another region in the node.
  let epoch = (old.pointee.word.load(ordering: .relaxed) & Region.epoch) &+ Region.nextEpoch
  collect(old, epoch: epoch)
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
    let region = present.pointee.target.pointee.region.load(ordering: .relaxed)
    appendToInbox(region == new ? new : old, present, present)
  }
}

@inlinable @inline(__always) func sharesRegion(_ a: CorePointer, _ b: CorePointer) -> Bool {
  a.pointee.region.load(ordering: .relaxed) == b.pointee.region.load(ordering: .relaxed)
}
