import Synchronization

/// What an edge brings to its other node. A type of its own for each kind, so that `deliver` is compiled
/// for it.
@usableFromInline protocol Crossing {
  /// By the holder of the downstream's region, over an edge that is not cut. True: the downstream has
  /// stored a value, propagation goes on there.
  func arrive(over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer) -> Bool
}

extension EdgePointer {
  /// The end of every step that leaves its node's region: done `now` if this turn holds the other
  /// region and nothing waits there, else left with its holder, for `later`. What is done now allocates
  /// and retains nothing: that cost a quarter of a zip.
  @inlinable @inline(__always) func deliver(
    _ delivery: Delivery, in turn: TurnPointer, now: (Delivery) -> Bool,
    later: () -> some Crossing
  ) -> Bool {
    // The edge is looked at again after the claim: see `isOver`.
    if pointee.down.unsafelyUnwrapped.claim(by: turn) {
      return pointee.isOver() ? stop(.cut, in: turn) : now(delivery)
    }
    send(later(), delivery, in: turn)
    return false
  }

  @inlinable @inline(__always) func deliver(
    _ crossing: some Crossing, _ delivery: Delivery, in turn: TurnPointer
  ) -> Bool {
    deliver(delivery, in: turn) {
      crossing.arrive(over: self, $0, in: turn)
    } later: {
      crossing
    }
  }

  /// Leaves a message, which does nothing if the edge is cut before it is opened.
  @inlinable @inline(never) func send(
    _ crossing: some Crossing, _ delivery: Delivery, in turn: TurnPointer
  ) {
    sendLater(delivery, in: turn) { edge, delivery, turn in
      crossing.arrive(over: edge, delivery, in: turn)
    }
  }

  /// The part that needs no type.
  @usableFromInline func sendLater(
    _ delivery: Delivery, in turn: TurnPointer,
    _ arrive: @escaping (EdgePointer, Delivery, TurnPointer) -> Bool
  ) {
    typealias Payload = (
      EdgePointer, (EdgePointer, Delivery, TurnPointer) -> Bool, Delivery, handle: AnyObject?
    )
    if turn.pointee.isTraced { traceLeft(wave: delivery.origin, in: turn) }
    let down = pointee.down.unsafelyUnwrapped
    let payload: Payload = (self, arrive, delivery.retained(), down.handleToKeep())
    down.send(payload, in: turn) { payload, turn in
      let (edge, arrive, delivery, handle) = takePayload(payload, Payload.self)
      defer { _ = consume handle }
      let context = delivery.takeContext()
      if !edge.pointee.isOver() {
        let saved = turn.pointee.wave
        if arrive(edge, delivery.afterWaiting(context), turn) {
          edge.pointee.down.unsafelyUnwrapped.propagate(in: turn)
        }
        turn.pointee.wave = saved
      } else if turn.pointee.isTraced {
        edge.traceStop(.cut, wave: delivery.origin, in: turn)
      }
      _ = consume context
    }
  }
}

/// For operators of several upstreams: the end of a step, in the region where their state lies.
@usableFromInline struct ClosureCrossing: Crossing {
  @usableFromInline let body: (Delivery, TurnPointer) -> Bool
  @inlinable init(_ body: @escaping (Delivery, TurnPointer) -> Bool) { self.body = body }
  @inlinable func arrive(over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer) -> Bool
  {
    body(delivery, turn)
  }
}

extension EdgePointer {
  /// `deliver` for a closure, which returns true if it stored a value in the downstream.
  @usableFromInline func inRegion(
    in turn: TurnPointer, _ body: @escaping (Delivery, TurnPointer) -> Bool
  ) -> Bool {
    deliver(ClosureCrossing(body), delivery(in: turn), in: turn)
  }
}

/// A value, or emptiness, for a node that takes what comes.
@usableFromInline struct ArrivalCrossing<Value: Sendable>: Crossing {
  @usableFromInline let arrival: Arrival<Value>
  @usableFromInline let sender: NodePointer
  @inlinable init(_ arrival: consuming Arrival<Value>, from sender: NodePointer) {
    self.arrival = arrival
    self.sender = sender
  }
  @inlinable @inline(__always) func arrive(
    over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer
  ) -> Bool {
    edge.pointee.down.unsafelyUnwrapped.arrive(arrival, delivery, sender: sender, in: turn)
  }
}
