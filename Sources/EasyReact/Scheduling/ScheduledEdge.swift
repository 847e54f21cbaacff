import Synchronization

// Edges that go through a scheduler. What waits there carries the edge's life, its wave and its context; a life
// that was cut delivers nothing any more.

/// A value on its way over an edge.
@usableFromInline struct InFlight<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  @usableFromInline let wave: UInt64
  @usableFromInline let flags: NodeFlags
  @usableFromInline let context: ContextBox?
  /// That of the value, if its flags say that it is late. Its node has another one by the time it arrives.
  @usableFromInline let tiebreak: UInt64

  @inlinable init(
    _ value: Value, wave: UInt64, flags: NodeFlags, context: ContextBox?, tiebreak: UInt64 = 0
  ) {
    self.value = value
    self.wave = wave
    self.flags = flags
    self.context = context
    self.tiebreak = tiebreak
  }

  /// Another value that travels in its place.
  @inlinable func carrying<Other: Sendable>(_ other: Other) -> InFlight<Other> {
    InFlight<Other>(other, wave: wave, flags: flags, context: context, tiebreak: tiebreak)
  }

  /// What `up` tells now.
  @inlinable init(_ value: Value, from up: NodePointer, _ turn: TurnPointer) {
    let wave = turn.pointee.wave
    self.init(
      value, wave: wave.number, flags: wave.flags.without(.emptied),
      context: wave.context?.takeUnretainedValue(),
      tiebreak: wave.flags.has(.late) ? up.tiebreak() : 0)
  }
}

/// An edge that delivers later.
@usableFromInline class ScheduledEdge: EdgeState, @unchecked Sendable {
  // Unchecked: adds a Mutex; a subclass answers for its own state.
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
  @inlinable final func deliver<Value: Sendable>(_ item: InFlight<Value>) {
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

  /// Holder of the target's region, where the life has not ended. So the value is not left as a message once more: that would lie behind
  /// what waits there, even if that is what frees the edge.
  @inlinable final func arriveNow<Value: Sendable>(
    _ item: InFlight<Value>, _ edge: EdgePointer, _ storage: NodePointer, _ turn: TurnPointer
  ) {
    let saved = turn.pointee.wave
    turn.pointee.wave.number = item.wave
    turn.pointee.wave.flags = item.flags
    turn.pointee.wave.context = item.context.map { Unmanaged.passUnretained($0) }
    let up = edge.pointee.up.unsafelyUnwrapped
    if edge.isQuickHeld(in: turn) {
      edge.storeQuickly(item.value, from: up, in: turn)
      storage.propagate(in: turn)
    } else if edge.passHeld(
      .value(item.value), edge.delivery(in: turn, tiebreak: item.tiebreak), from: up, in: turn)
    {
      storage.propagate(in: turn)
    }
    turn.pointee.wave = saved
  }
}
