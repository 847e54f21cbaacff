import CEasyReact
import Synchronization

// Owners that do not tell when they go. Each new listening by an owner looks at a few others, so the
// dead are found in the end; what is found is ended when the thread's turn is over, in regions that
// have nothing to do with it. That is to be seen nowhere:
//  - One thread sweeps at a time, and holds nothing else meanwhile.
//  - Who needs a region that it is in waits for it, instead of leaving a letter: no listener is told
//    there, only what was kept is let go of. If that takes long (a deinit that waits for something),
//    a letter is left after all.
//  - Letters that are found in the end go to the background queue: the thread that sweeps has nothing
//    to do with them either.

private let state = Mutex(Sweep())

/// The turn that sweeps, or 0.
private let sweeper = Atomic<UInt>(0)

/// How long a thread waits for the sweep before it leaves a letter. The sweep takes microseconds; a
/// machine with more threads than cores may take it off its core meanwhile.
private let patience = Duration.milliseconds(200)

private struct Sweep: @unchecked Sendable {
  // Unchecked: the listenings' places, under the Mutex.
  private var items: [OwnedListening] = []
  private var next = 0
  private var found: [OwnedListening] = []

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

  mutating func note(_ dead: [OwnedListening]) { found += dead }

  /// For the turn that sweeps, or one that would. Nothing: another one is at it, and takes these too;
  /// or nothing is left.
  mutating func take(for turn: UInt) -> [OwnedListening] {
    let now = sweeper.load(ordering: .relaxed)
    if now != 0, now != turn { return [] }
    defer { found = [] }
    sweeper.store(found.isEmpty ? 0 : turn, ordering: .releasing)
    return found
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
    state.withLock { $0.note(dead) }
    turn.pointee.hasFoundDeadOwners = true
    leave(turn)
  }
  // Cancelled meanwhile by another thread, which did not find it here yet.
  if listening.hasEnded {
    keeper?.remove(listening)
    removeFromSweep(listening)
  }
}

func removeFromSweep(_ listening: OwnedListening) { state.withLock { $0.remove(listening) } }

/// At the end of a turn that holds nothing. False: nothing was left to end.
func sweep(_ turn: TurnPointer) -> Bool {
  let dead = state.withLock { $0.take(for: UInt(bitPattern: turn)) }
  if dead.isEmpty {
    turn.pointee.hasFoundDeadOwners = false
    return false
  }
  atomicMemoryFence(ordering: .sequentiallyConsistent)  // who finds a region held finds who sweeps
  turn.pointee.lettersOpened = .max  // from now on they go to the background queue
  for listening in dead { listening.cancel() }
  return true
}

/// The node's region is held. True: by the sweep, which was waited for; look again.
@inline(never) func awaitSweep(of core: CorePointer, _ turn: TurnPointer) -> Bool {
  let sweeping = sweeper.load(ordering: .acquiring)
  if sweeping == 0 || sweeping == UInt(bitPattern: turn) { return false }
  var round = 0
  var deadline: ContinuousClock.Instant? = nil
  while true {
    let region = core.pointee.region.load(ordering: .acquiring)
    let word = region.pointee.word.load(ordering: .acquiring)
    if word & Region.held == 0 || sweeper.load(ordering: .relaxed) != sweeping { return true }
    if word & Region.letters != 0 { return false }
    let owner = region.pointee.owner.load(ordering: .relaxed)
    // Who has just claimed a region, or is about to free it, has no name for a moment.
    if owner != sweeping, owner != 0 || round > 64 { return false }
    round += 1
    if round <= 64 {
      easyreact_pause()
      continue
    }
    easyreact_yield()
    let now = ContinuousClock.now
    if let deadline, now > deadline { return false }
    deadline = deadline ?? now + patience
  }
}
