import Synchronization

// Edges and listeners that go through a scheduler. What waits there carries the edge's life, its
// wave and its context; a life that was cut delivers nothing any more.

/// What waits in a scheduler for one life of an edge.
@usableFromInline class Hop: @unchecked Sendable {
  // Unchecked: an atomic; subclasses keep their state in a Mutex.
  @usableFromInline let isEnded = Atomic(false)

  @inlinable init() {}

  /// The edge is followed from now on. Called by the holder of its upstream's region.
  func attached(_ edge: EdgePointer) {}
  /// The edge was cut. Called from any thread, quick, and no user code.
  final func end() { isEnded.store(true, ordering: .releasing) }
  /// The edge is being freed, by the holder of its downstream's region.
  @usableFromInline func detached(_ turn: TurnPointer) {}
  @inlinable final var hasEnded: Bool { isEnded.load(ordering: .acquiring) }
}

/// Items that wait for one drain on a scheduler: first in, first out, one drain at a time whatever
/// the scheduler.
final class HopQueue<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    /// The array of the drain before, emptied.
    var spare: [Item] = []
    var isScheduled = false
  }
  private let state = Mutex(State())
  private let scheduler: any Scheduler
  private let handle: @Sendable ([Item]) -> Void

  init(_ scheduler: any Scheduler, _ handle: @escaping @Sendable ([Item]) -> Void) {
    self.scheduler = scheduler
    self.handle = handle
  }

  func append(_ item: Item) {
    let mustSchedule = state.withLock { state in
      state.items.append(item)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { scheduler.schedule { self.drain() } }
  }

  /// What is there, and what comes meanwhile, a few times: scheduling costs more than a look. Then
  /// others get their turn.
  private func drain() {
    var emptied: [Item] = []
    for _ in 0..<16 {
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
    scheduler.schedule { self.drain() }
  }
}

/// A listener on a scheduler.
final class CallHop<Value: Sendable>: Hop, @unchecked Sendable {
  // Unchecked: `queue` is set in the initialiser.
  private typealias Call = (value: Value, context: (any Sendable)?)
  private var queue: HopQueue<(value: Value, context: (any Sendable)?)>!

  init(_ scheduler: any Scheduler, _ body: @escaping @Sendable (Value, (any Sendable)?) -> Void) {
    super.init()
    queue = HopQueue(scheduler) { [weak self] calls in
      guard let self else { return }
      for call in calls where !self.hasEnded { body(call.value, call.context) }
    }
  }

  var step: Step {
    { [unowned self] up, _, turn in
      self.queue.append((slot(up, Value.self).pointee, turn.currentContext))
      return false
    }
  }
}

/// A value on its way over an edge.
struct Travelling<Value: Sendable>: Sendable {
  let value: Value
  let wave: UInt64
  let flags: UInt8
  let context: ContextBox?

  /// A value that begins a wave of its own.
  init(_ value: Value) {
    self.init(value, wave: newWave(), flags: 0, context: nil)
  }

  init(_ value: Value, wave: UInt64, flags: UInt8, context: ContextBox?) {
    self.value = value
    self.wave = wave
    self.flags = flags
    self.context = context
  }

  /// Another value that travels in its place.
  func carrying<Other: Sendable>(_ other: Other) -> Travelling<Other> {
    Travelling<Other>(other, wave: wave, flags: flags, context: context)
  }

  init(_ value: Value, _ turn: TurnPointer) {
    self.value = value
    wave = turn.pointee.wave
    flags = turn.pointee.flags & ~Bits.emptied
    context = turn.pointee.context?.takeUnretainedValue()
  }
}

/// An edge that delivers later.
class EdgeHop<Value: Sendable>: Hop, @unchecked Sendable {
  // Unchecked: `place` is a Mutex.
  private struct Place {
    var life: Life?
    weak var target: AnyNode?
  }
  private let place = Mutex(Place())

  override func attached(_ edge: EdgePointer) {
    let target = node(of: edge.pointee.down!)
    let life = Life(edge)
    place.withLock { place in
      place.life = life
      place.target = target
    }
  }

  /// On the scheduler: the value goes on as part of its wave.
  final func deliver(_ item: Travelling<Value>) { deliver(CollectionOfOne(item)) }

  /// The same for several, each in a turn of its own.
  final func deliver(_ items: some Collection<Travelling<Value>>) {
    let (life, target) = place.withLock { ($0.life, $0.target) }
    guard let edge = life?.edge, let target else { return }
    let turn = currentTurn()
    for item in items {
      enter(turn)
      // The edge is freed by a holder of this region, after it was cut.
      if claim(target.core, turn) {
        if !hasEnded { arriveNow(item, edge, target, turn) }
      } else {
        perform(on: target.core, turn) { turn in
          if !self.hasEnded { self.arriveNow(item, edge, target, turn) }
        }
      }
      leave(turn)
    }
  }

  private final func arriveNow(
    _ item: Travelling<Value>, _ edge: EdgePointer, _ target: AnyNode, _ turn: TurnPointer
  ) {
    let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
    turn.pointee.wave = item.wave
    turn.pointee.flags = item.flags
    turn.pointee.context = item.context.map { Unmanaged.passUnretained($0) }
    let crossing = Crossing(edge, turn)
    if arrive(target.core, .value(item.value), crossing, sender: edge.pointee.up, turn) {
      propagate(target.core, turn)
    }
    (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
  }
}
