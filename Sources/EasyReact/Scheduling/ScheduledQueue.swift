import CEasyReact
import Dispatch
import Synchronization

/// Items that wait for one drain on a scheduler: first in, first out, one drain at a time whatever
/// the scheduler.
@usableFromInline final class ScheduledQueue<Item: Sendable>: Sendable {
  @usableFromInline struct State: Sendable {
    @usableFromInline var items: [Item] = []
    /// The array of the drain before, emptied.
    @usableFromInline var spare: [Item] = []
    @usableFromInline var isScheduled = false
    @inlinable init() {}
  }
  @usableFromInline let state: Mutex<State>
  /// A hint for the drain, which looks without the lock.
  @usableFromInline let hasItems = Atomic(false)
  /// Runs work later.
  @usableFromInline let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
  @usableFromInline let handle: @Sendable ([Item]) -> Void
  /// How long a drain that has handled all waits for more, in looks: a few microseconds at most.
  /// Scheduling costs more than that. Not on the main thread, nor where work runs at once.
  @usableFromInline let patience: Int

  @inlinable init(_ scheduler: any NodeScheduler, _ handle: @escaping @Sendable ([Item]) -> Void) {
    state = Mutex(State())
    schedule = { scheduler.schedule($0) }
    self.handle = handle
    patience = patienceOfDrains(on: scheduler)
  }

  /// - Parameter handle: Runs on the actor, until that is gone; what comes then is dropped.
  init<Isolation: Actor>(
    isolatedTo actor: Isolation,
    _ handle: @escaping @Sendable (isolated Isolation, [Item]) -> Void
  ) {
    state = Mutex(State())
    schedule = { [weak actor] work in runLater(on: actor, work) }
    self.handle = { [weak actor] items in
      actor?.assumeIsolated { handle($0, items) }
    }
    patience = 0
  }

  /// Nothing waits, and nothing is being handled.
  @usableFromInline var isIdle: Bool { state.withLock { !$0.isScheduled } }

  @inlinable func append(_ item: Item) {
    let mustSchedule = state.withLock { state in
      state.items.append(item)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    hasItems.store(true, ordering: .relaxed)
    if mustSchedule { schedule { self.drain() } }
  }

  /// What is there, and what comes meanwhile, a few times. Then others get their turn.
  @inlinable func drain() {
    var emptied: [Item] = []
    for round in 0..<16 {
      if round > 0 { waitBriefly() }
      hasItems.store(false, ordering: .relaxed)
      var items = state.withLock { state in
        if state.spare.capacity == 0 { swap(&state.spare, &emptied) }
        if state.items.isEmpty { state.isScheduled = false }
        let items = state.items
        state.items = state.spare
        state.spare = []
        return items
      }
      if items.isEmpty { return }
      handle(items)
      items.removeAll(keepingCapacity: items.count <= 1_024)  // no lock held
      emptied = items
    }
    schedule { self.drain() }
  }

  /// Drops what waits.
  func clear() {
    let dropped = state.withLock { state in
      defer { state.items = [] }
      return state.items
    }
    _ = consume dropped  // no lock held
  }

  @inlinable func waitBriefly() {
    var looks = patience
    while looks > 0, !hasItems.load(ordering: .relaxed) {
      easyreact_pause()
      looks &-= 1
    }
  }
}

/// On the actor, as a task of its own that inherits nothing. If the actor is gone, here: nothing is
/// left to be done except to empty a queue.
private func runLater(on actor: (any Actor)?, _ work: @escaping @Sendable () -> Void) {
  guard let actor else { return work() }
  pendingWork.begin()
  Task.detached {
    await actor.perform(work)
    pendingWork.end()
  }
}

extension Actor {
  fileprivate func perform(_ work: @Sendable () -> Void) { work() }
}

@usableFromInline func patienceOfDrains(on scheduler: any NodeScheduler) -> Int {
  guard let queue = (scheduler as? QueueScheduler)?.queue, queue !== DispatchQueue.main else {
    return 0
  }
  return 64
}
