import CEasyReact

// Where something goes no further, and why.

extension NodePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    if let ring = turn.ring {
      recordStop(reason, wave: turn.pointee.wave.number, ring, turn)
    }
    GraphTracing.emit(.stopped(reason), self, turn.pointee.wave.number)
  }

  /// What came from `sender` goes no further.
  @usableFromInline @inline(never) func traceStop(
    _ reason: GraphEvent.Stop, wave: UInt64, from sender: NodePointer?, flags: UInt8 = 0,
    in turn: TurnPointer
  ) {
    if let ring = turn.ring {
      let other = sender.map { $0.pointee.id } ?? 0
      recordStop(reason, wave: wave, from: other, flags: flags, ring, turn)
    }
    GraphTracing.emit(.stopped(reason), self, wave)
  }

  /// An update found the node empty: for a recording alone.
  @usableFromInline @inline(never) func traceNothingToChange(
    _ delivery: Delivery, in turn: TurnPointer
  ) {
    if let ring = turn.ring { recordStop(.filtered, wave: delivery.origin, ring, turn) }
  }

  /// A join does not run for it.
  @inline(never) func refuseArrival(
    _ reason: GraphEvent.Stop, _ delivery: Delivery, from sender: NodePointer,
    in turn: TurnPointer
  ) -> Bool {
    if turn.pointee.isTraced {
      traceStop(
        reason, wave: delivery.origin, from: sender, flags: TracedFlags.arrival, in: turn)
    }
    return false
  }

  /// The filter has refused what was to be stored.
  @usableFromInline @inline(never) func traceRefused(
    _ delivery: Delivery, from sender: NodePointer?, in turn: TurnPointer
  ) {
    traceStop(
      .reachedAlready, wave: delivery.origin, from: sender,
      flags: delivery.rules.has(.ofJoin) ? TracedFlags.joinRun : 0, in: turn)
  }

  /// A join of latest values says nothing, for an upstream has none.
  @usableFromInline @inline(never) func traceWaiting(
    wave: UInt64? = nil, from sender: NodePointer? = nil, in turn: TurnPointer
  ) {
    if !turn.pointee.isTraced { return }
    let reason = waitsForEvents ? GraphEvent.Stop.eventsAreNotKept : .waitsForAnotherUpstream
    if let wave {
      traceStop(reason, wave: wave, from: sender, in: turn)
    } else {
      traceStop(reason, in: turn)
    }
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    if let ring = turn.ring {
      record(.stopped, wave: turn.pointee.wave.number, stop: reason, ring, turn)
    }
    if easyreact_has_tracer() {
      GraphTracing.emit(.stopped(reason), (pointee.down ?? pointee.up)!, in: turn)
    }
  }

  /// For a recording, before it is left with the thread that is inside the downstream.
  @usableFromInline @inline(never) func traceLeft(wave: UInt64, in turn: TurnPointer) {
    guard let ring = turn.ring else { return }
    record(.stopped, wave: wave, stop: .leftInMailbox, ring, turn)
  }

  /// Of what waited for another thread.
  @usableFromInline @inline(never) func traceStop(
    _ reason: GraphEvent.Stop, wave: UInt64, in turn: TurnPointer
  ) {
    if let ring = turn.ring { record(.stopped, wave: wave, stop: reason, ring, turn) }
    GraphTracing.emit(.stopped(reason), pointee.down ?? pointee.up, wave)
  }
}

extension NodePointer {
  /// A join has run and told nothing; it may have said why.
  @inline(never) func traceSilentRun(in turn: TurnPointer) {
    if let ring = turn.ring { recordSilentRun(wave: turn.pointee.wave.number, ring, turn) }
  }
}

extension EdgePointer {
  /// Reports why, if anybody listens. What waits is reported before it is handed to whoever goes on with it: so a
  /// recording is in the order of causes.
  @inlinable @inline(__always) func stop(_ reason: GraphEvent.Stop, in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, in: turn) }
    return false
  }

  /// The same in the downstream's region, where it may have waited: the wave of the turn is then that of another value.
  @inlinable @inline(__always) func stop(
    _ reason: GraphEvent.Stop, _ delivery: Delivery, in turn: TurnPointer
  ) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, wave: delivery.origin, in: turn) }
    return false
  }
}

extension NodePointer {
  @inlinable @inline(__always) func stop(
    _ reason: GraphEvent.Stop, wave: UInt64, from sender: NodePointer?, in turn: TurnPointer
  ) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, wave: wave, from: sender, in: turn) }
    return false
  }
}
