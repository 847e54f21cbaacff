import CEasyReact
import Dispatch
import Synchronization

// Edges and listeners that go through a scheduler. What waits there carries the edge's life, its
// wave and its context; a life that was cut delivers nothing any more.

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

/// On the actor, as a task of its own that inherits nothing. Where the actor is gone, here: nothing is
/// left to be done but to empty a queue.
private func runLater(on actor: (any Actor)?, _ work: @escaping @Sendable () -> Void) {
  guard let actor else { return work() }
  pendingWork.wrappingAdd(1, ordering: .relaxed)
  Task.detached {
    await actor.perform(work)
    pendingWork.wrappingSubtract(1, ordering: .releasing)
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

/// A listener on a scheduler, which is called with values or with changes.
@usableFromInline final class ScheduledListener<Item: Sendable>: EdgeState, @unchecked Sendable {
  // Unchecked: `queue` is set in the initialiser.
  @usableFromInline var queue: ScheduledQueue<Item>!

  @inlinable init(_ scheduler: any NodeScheduler, _ body: @escaping @Sendable (Item) -> Void) {
    super.init()
    queue = ScheduledQueue(scheduler) { [weak self] items in
      guard let self else { return }
      for item in items where !self.hasEnded { body(item) }
    }
  }

  /// On an actor, which is not kept.
  init<Isolation: Actor>(
    isolatedTo actor: Isolation, _ body: @escaping @Sendable (isolated Isolation, Item) -> Void
  ) {
    super.init()
    queue = ScheduledQueue(isolatedTo: actor) { [weak self] actor, items in
      guard let self else { return }
      for item in items where !self.hasEnded { body(actor, item) }
    }
  }

  /// The edge was freed: what waits is not called any more. Its drain waits on, and keeps nothing.
  deinit { queue.clear() }

  @inlinable func stepOfValues() -> Step {
    { up, edge, _ in
      edge.append(up.slot(Item.self).pointee)
      return false
    }
  }

  func stepOfChanges<Value>() -> Step where Item == Change<Value> {
    { up, edge, turn in
      edge.append(Change(keepingPathOf: Change<Value>(up, edge, turn)))
      return false
    }
  }
}

extension EdgePointer {
  /// For the same: need it not wait? Nothing is before this, and it is the main queue that runs. Steps
  /// run one at a time, so nothing comes between.
  func isIdleOnMain<Item: Sendable>(_: Item.Type) -> Bool {
    guard isOnMainQueue() else { return false }
    return pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScheduledListener<Item>.self).queue.isIdle
    }
  }

  /// For the scheduled listener that is this edge's state.
  @inlinable func append<Item: Sendable>(_ item: Item) {
    pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScheduledListener<Item>.self).queue.append(item)
    }
  }
}

/// Marks the main queue, which on Linux need not run on the main thread.
private let mainQueueKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

/// A value on its way over an edge.
@usableFromInline struct InFlight<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  @usableFromInline let wave: UInt64
  @usableFromInline let flags: NodeFlags
  @usableFromInline let context: ContextBox?

  @inlinable init(_ value: Value, wave: UInt64, flags: NodeFlags, context: ContextBox?) {
    self.value = value
    self.wave = wave
    self.flags = flags
    self.context = context
  }

  /// Another value that travels in its place.
  func carrying<Other: Sendable>(_ other: Other) -> InFlight<Other> {
    InFlight<Other>(other, wave: wave, flags: flags, context: context)
  }

  @inlinable init(_ value: Value, _ turn: TurnPointer) {
    self.value = value
    wave = turn.pointee.wave.number
    flags = turn.pointee.wave.flags.without([.emptied, .late])
    context = turn.pointee.wave.context?.takeUnretainedValue()
  }
}

/// An edge that delivers later.
@usableFromInline class ScheduledEdge: EdgeState, @unchecked Sendable {
  // Unchecked: `place` is a Mutex.
  private struct Place {
    var life: EdgeReference?
    weak var target: AnyNode?
  }
  private let place = Mutex(Place())

  @usableFromInline init() { super.init() }

  override func attached(_ edge: EdgePointer) {
    let target = edge.pointee.down!.node()
    let life = EdgeReference(edge)
    place.withLock { place in
      place.life = life
      place.target = target
    }
  }

  /// Where it delivers, kept while it does. Nil: the node is gone.
  @usableFromInline final func destination() -> (edge: EdgePointer, node: AnyNode)? {
    let (life, target) = place.withLock { ($0.life, $0.target) }
    guard let edge = life?.edge, let target else { return nil }
    return (edge, target)
  }

  /// On the scheduler: the value goes on as part of its wave.
  final func deliver<Value: Sendable>(_ item: InFlight<Value>) {
    deliver(CollectionOfOne(item))
  }

  /// The same for several, each in a turn of its own.
  @inlinable final func deliver<Value: Sendable>(_ items: some Collection<InFlight<Value>>) {
    guard let (edge, target) = destination() else { return }
    let turn = currentTurn()
    for item in items {
      turn.enter()
      // The edge is freed by a holder of this region, after it was cut.
      if target.storage.claim(by: turn) {
        if !hasEnded { arriveNow(item, edge, target.storage, turn) }
      } else {
        target.storage.perform(in: turn) { turn in
          if !self.hasEnded { self.arriveNow(item, edge, target.storage, turn) }
        }
      }
      turn.leave()
    }
  }

  @inlinable final func arriveNow<Value: Sendable>(
    _ item: InFlight<Value>, _ edge: EdgePointer, _ storage: NodePointer, _ turn: TurnPointer
  ) {
    let saved = turn.pointee.wave
    turn.pointee.wave.number = item.wave
    turn.pointee.wave.flags = item.flags
    turn.pointee.wave.context = item.context.map { Unmanaged.passUnretained($0) }
    if edge.pass(item.value, from: edge.pointee.up.unsafelyUnwrapped, in: turn) {
      storage.propagate(in: turn)
    }
    turn.pointee.wave = saved
  }
}
