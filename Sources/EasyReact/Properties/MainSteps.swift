import CEasyReact
import Dispatch
import Synchronization

// What follows nodes on the main actor changes in steps: all that one turn changed in one step, so that
// nobody there sees a mixture of old and new.
//
//  1. A listener notes in its turn that a follower has been told.
//  2. When the turn has come to rest, and still holds what it changed, its followers go to the step that waits for the
//     main actor. So the order there is that of the graph. What several turns changed before the main
//     actor came to it becomes one step; of each follower the newest is left.
//  3. When the turn is over, the step is made: at once on the main actor, else later there.

/// A thing of the main actor that follows a node: an observed value, or an assigned property.
class MainFollower: @unchecked Sendable {
  // Unchecked: `told` is touched by the holder of the region of the node that it follows, `next` under the
  // lock of `MainSteps`; a subclass answers for its own state.

  /// `Told`: noted in the turn that is under way.
  fileprivate final var told: AnyObject?
  /// `Told`: what the step that waits brings.
  fileprivate final var next: AnyObject?

  /// A step consists of these three, each for all followers. Only the first and the last run user code.
  @MainActor func willChange(to told: AnyObject) {}
  @MainActor func change() {}
  @MainActor func didChange() {}
}

/// What a node told.
final class Told<Value: Sendable>: Sendable {
  /// Nil: the node was emptied.
  let value: Value?
  /// Its node does not keep it.
  let isEvent: Bool
  /// How many of the follower's questions the node had answered before: see `ObservedState.ask`.
  let answers: UInt64

  init(_ up: NodePointer, _ turn: TurnPointer, answers: UInt64 = 0) {
    value = turn.isEmptied ? nil : up.slot(Value.self).pointee
    isEvent = turn.isEvent
    self.answers = answers
  }

  /// What a node that is no event node holds. The holder.
  init(heldBy node: NodePointer, answers: UInt64) {
    value = node.readStored(Value.self)
    isEvent = false
    self.answers = answers
  }

  /// What its node holds then.
  var held: Value? { isEvent ? nil : value }
}

extension MainFollower {
  /// For the step of a listener.
  final func note(_ told: AnyObject, in turn: TurnPointer) {
    let before = self.told
    self.told = told
    if before != nil { return }
    let ending = turn.ending(TurnsFollowers.init)
    ending.followers.append(self)
    if !turn.pointee.tellsMessages { ending.isOwn = true }
  }
}

/// The followers that a turn has told.
private final class TurnsFollowers: TurnEnding {
  var followers: [MainFollower] = []
  /// Not only what other threads have left.
  var isOwn = false
  /// Kept until nothing is held: their deinits are user code.
  private var superseded: [AnyObject] = []

  override func settled() {
    if followers.isEmpty { return }
    superseded += mainSteps.add(followers)
    followers = []
  }

  override func over() {
    superseded = []
    mainSteps.make(atOnce: isOwn)
  }
}

let mainSteps = MainSteps()

/// The step that waits for the main actor, of the whole process.
final class MainSteps: Sendable {
  private struct State {
    var followers: [MainFollower] = []
    var isScheduled = false
  }
  private let state = Mutex(State())
  @MainActor private var isUnderWay = false
  /// Somebody has changed something here while a step was under way.
  @MainActor private var isAnotherDue = false
  /// While it is, what is there is not made at once: see `withoutSteps`.
  @MainActor private var isHeldBack = false

  fileprivate init() {}

  /// By the holder of their nodes' regions. Returns what was superseded.
  fileprivate func add(_ followers: [MainFollower]) -> [AnyObject] {
    state.withLock { state in
      var superseded: [AnyObject] = []
      for follower in followers {
        if let old = follower.next {
          superseded.append(old)
        } else {
          state.followers.append(follower)
        }
        follower.next = follower.told
        follower.told = nil
      }
      return superseded
    }
  }

  /// A step is under way, and the next one, which follows at once, brings what the follower has been told meanwhile.
  @MainActor func bringsSoon(_ follower: MainFollower) -> Bool {
    isUnderWay && state.withLock { _ in follower.next != nil }
  }

  private func take() -> [(follower: MainFollower, told: AnyObject)] {
    state.withLock { state in
      let taken = state.followers.map { follower in
        defer { follower.next = nil }
        return (follower, follower.next!)
      }
      state.followers = []
      return taken
    }
  }

  /// At once if this thread is the main actor's and has set something: code that only makes a node there, and meanwhile
  /// tells what other threads have left, may be reading observed values, which must not change between two
  /// of them.
  fileprivate func make(atOnce: Bool) {
    let isMade = atOnce && isOnMainActor() && MainActor.assumeIsolated { makeNow() }
    if isMade { return }
    let mustSchedule = state.withLock { state in
      if state.isScheduled || state.followers.isEmpty { return false }
      state.isScheduled = true
      return true
    }
    if mustSchedule { MainScheduler().schedule { MainActor.assumeIsolated { self.come() } } }
  }

  @MainActor private func come() {
    state.withLock { $0.isScheduled = false }
    make(atOnce: true)
  }

  /// What is there, and what its observers set meanwhile, a few times; then others get their turn. False:
  /// something is left.
  @MainActor func makeNow() -> Bool {
    if isHeldBack { return false }
    isAnotherDue = true
    if isUnderWay { return true }
    isUnderWay = true
    defer { isUnderWay = false }
    for _ in 0..<16 where isAnotherDue {
      isAnotherDue = false
      let step = take()
      for (follower, told) in step { follower.willChange(to: told) }
      for (follower, _) in step { follower.change() }
      for (follower, _) in step { follower.didChange() }
    }
    return !isAnotherDue
  }

  /// Nothing changes on the main actor while `body` runs: it may be called by code that is reading several
  /// observed values.
  @MainActor func withoutSteps<Result>(_ body: () -> Result) -> Result {
    let wasHeldBack = isHeldBack
    isHeldBack = true
    defer { isHeldBack = wasHeldBack }
    return body()
  }
}
