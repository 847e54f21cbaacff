import CEasyReact
import Synchronization

// Owners that do not tell when they go. Each new listening by an owner looks at a few others, so the
// dead are found in the end; what is found is ended when the thread's turn is over, in regions that
// may have nothing to do with it. That is to be seen nowhere:
//  - One thread sweeps at a time, a few listenings, and holds nothing else meanwhile. What another
//    one has found then is found again.
//  - Who needs a region that it is in waits for it, instead of leaving a letter: no listener is told
//    there, only what was kept is let go of. If that takes long (a deinit that waits for something),
//    a letter is left after all.
//  - Letters that are found in the end go to the background queue: the thread that sweeps has nothing
//    to do with them either.
//  - What it leaves with a thread that is inside a region is opened there before that thread's next
//    step, which therefore waits behind nothing (Mail.swift: quiet letters).

private let state = Mutex(Sweep())

/// The turn that sweeps, or 0; and how many have begun to.
private let sweeper = Atomic<UInt>(0)
private let sweeps = Atomic<UInt>(0)

/// How long a thread waits for one sweep before it leaves letters. The sweep takes microseconds; a
/// machine with more threads than cores may take it off its core meanwhile.
private let patience = Duration.milliseconds(200)

/// The most that one turn ends.
private let sweepLimit = 16

private struct Sweep: @unchecked Sendable {
  // Unchecked: the listenings' places, under the Mutex.
  private var items: [OwnedListening] = []
  private var next = 0

  mutating func add(_ listening: OwnedListening) {
    listening.place = items.count
    items.append(listening)
  }

  /// Nothing happens if it is not here. The caller keeps the listening.
  mutating func remove(_ listening: OwnedListening) {
    guard let place = listening.place else { return }
    listening.place = nil
    let last = items.removeLast()
    if place == items.count { return }
    items[place] = last
    last.place = place
  }

  /// Looks at a few.
  mutating func step() -> [OwnedListening] {
    (0..<min(4, items.count)).map { _ in
      if next >= items.count { next = 0 }
      next += 1
      return items[next - 1]
    }
  }
}

/// A listening of an owner that has just been made.
@usableFromInline func register(_ listening: OwnedListening, owner: AnyObject) {
  let keeper = (owner as? any ListeningOwner)?.listenings
  listening.listenings = keeper
  keeper?.add(listening)
  let looked = state.withLock { state in
    if keeper == nil { state.add(listening) }
    return state.step()
  }
  let dead = looked.filter(\.isOwnerGone)
  if !dead.isEmpty {
    let turn = currentTurn()
    enter(turn)
    turn.pointee.foundDead += dead.prefix(sweepLimit - turn.pointee.foundDead.count)
    turn.pointee.hasFoundDead = true
    leave(turn)
  }
  // Cancelled meanwhile by another thread, which did not find it here yet.
  if listening.hasEnded {
    keeper?.remove(listening)
    removeFromSweep(listening)
  }
}

func removeFromSweep(_ listening: OwnedListening) { state.withLock { $0.remove(listening) } }

/// At the end of a turn that holds nothing. True: a few were ended, and the regions are to be given
/// back; then comes the second call.
func sweep(_ turn: TurnPointer) -> Bool {
  let me = UInt(bitPattern: turn)
  // What the deinits that ran meanwhile have found is found again.
  let found = turn.pointee.foundDead
  turn.pointee.foundDead = []
  if sweeper.load(ordering: .relaxed) == me {
    sweeper.store(0, ordering: .releasing)
    turn.pointee.hasFoundDead = false
    return false
  }
  if !sweeper.compareExchange(expected: 0, desired: me, ordering: .acquiringAndReleasing).exchanged
  {
    turn.pointee.hasFoundDead = false
    return false
  }
  sweeps.add(1, ordering: .relaxed)
  atomicMemoryFence(ordering: .sequentiallyConsistent)  // who finds a region held finds who sweeps
  turn.pointee.lettersOpened = .max  // from now on they go to the background queue
  turn.pointee.batch = nil  // what deinits set is no part of it; `finish` puts it back
  for listening in found { listening.cancel() }
  return true
}

/// The node's region was held. True: look again, for it was by the sweep, which was waited for; or it
/// is free by now.
@inline(never) func awaitSweep(of core: CorePointer, _ turn: TurnPointer) -> Bool {
  let sweeping = sweeper.load(ordering: .acquiring), number = sweeps.load(ordering: .relaxed)
  var round = 0
  var deadline: ContinuousClock.Instant? = nil
  while true {
    let region = core.pointee.region.load(ordering: .acquiring)
    let word = region.pointee.word.load(ordering: .acquiring)
    if word & Region.held == 0 { return true }
    if sweeping == 0 || sweeping == UInt(bitPattern: turn) || turn.pointee.impatientWith == number {
      return false
    }
    if sweeper.load(ordering: .relaxed) != sweeping { return true }
    if word & Region.letters != 0 { return false }
    let owner = region.pointee.owner.load(ordering: .relaxed)
    // Nobody: it has just been claimed, or is about to be freed.
    if owner != sweeping, owner != Region.nobody { return false }
    round += 1
    if round <= 64 {
      easyreact_pause()
    } else if round <= 1_000 {
      easyreact_yield()
    } else {
      easyreact_doze()
      let now = ContinuousClock.now
      if let deadline, now > deadline {
        turn.pointee.impatientWith = number
        return false
      }
      deadline = deadline ?? now + patience
    }
  }
}
