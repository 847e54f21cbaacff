import CEasyReact
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// What the engine reports to a tracer, and to a recording (Recording/EngineRecording.swift). None of it is inlined into the engine: the room for an event would be part of the loop's frame, of
// which there is one for each listener that sets another node.

private func emit(
  _ kind: GraphEvent.Kind, _ storage: NodePointer?, _ wave: UInt64,
  _ context: Unmanaged<ContextBox>? = nil, at location: SourceLocation? = nil
) {
  if !easyreact_has_tracer() { return }
  emit(kind, storage?.pointee.id ?? 0, storage.flatMap { $0.name }, wave, context, at: location)
}

/// Of the wave under way, where a node or an edge is at it: elsewhere its context may be gone.
private func emit(_ kind: GraphEvent.Kind, _ storage: NodePointer, in turn: TurnPointer) {
  emit(kind, storage, turn.pointee.wave.number, turn.pointee.wave.context)
}

private func emit(
  _ kind: GraphEvent.Kind, _ node: UInt64, _ name: @autoclosure () -> String?, _ wave: UInt64,
  _ context: Unmanaged<ContextBox>?, at location: SourceLocation? = nil
) {
  GraphTracing.emit(
    of: node,
    GraphEvent(
      kind: kind, node: node, name: name(), wave: wave,
      context: context?.takeUnretainedValue().value,
      thread: UInt64(UInt(bitPattern: easyreact_turn_get())), time: GraphTracing.elapsed,
      callSite: location.map { "\($0.file):\($0.line)" }))
}

extension NodePointer {
  @usableFromInline @inline(never) func traceMade() {
    recordMade()
    if let creationRecorder = CreationRecorder.current, let node = self.node() {
      creationRecorder.add(node)
    }
    emit(.nodeMade, self, 0)
  }

  @inline(never) func traceGone(in turn: TurnPointer) {
    if let ring = turn.ring { recordGone(ring, turn) }
    emit(.nodeGone, self, 0)
    GraphTracing.forget(pointee.id)
  }

  @usableFromInline @inline(never) func traceWave(_ wave: UInt64, began: Bool) {
    if !easyreact_has_tracer() { return }
    whileDescribed { emit(began ? .waveBegan : .waveEnded, self, wave) }
  }

  /// A value that is stored, but not told yet, must not be overwritten: what the user's `description`,
  /// or a tracer, sets meanwhile waits at the node until that value has been told. Holder.
  fileprivate func whileDescribed(_ body: () -> Void) {
    let wasBusy = pointee.flags.only(.busy)
    pointee.flags.insert(.busy)
    body()
    pointee.flags = pointee.flags.without(.busy).with(wasBusy)
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceEdge(made: Bool, in turn: TurnPointer) {
    let down = pointee.down?.pointee.id
    // Where a listener was attached is noted by the call; see `set` for the same.
    let location = made && down == nil ? turn.pointee.callSite : nil
    if location != nil { turn.pointee.callSite = nil }
    if made {
      CreationRecorder.current?.add(self, at: location)
    } else {
      CreationRecorder.remove(self)
    }
    if made, let ring = turn.ring { record(.edgeMade, wave: 0, at: location, ring, turn) }
    emit(made ? .edgeMade(to: down) : .edgeGone(to: down), pointee.up, 0, at: location)
  }

  /// The edge has its cut mark.
  @inline(never) func traceCut(in turn: TurnPointer) {
    if let ring = turn.ring { record(.edgeCut, wave: 0, ring, turn) }
  }

  /// The present value goes over this edge alone, under the wave of the turn.
  @inline(never) func tracePush(in turn: TurnPointer) {
    if pointee.down == nil {
      traceListener(in: turn)
    } else if let ring = turn.ring {
      record(.pushed, wave: turn.pointee.wave.number, ring, turn)
    }
  }
}

@usableFromInline @inline(never) func traceTurn(began: Bool, _ turn: TurnPointer) {
  if began { turn.beginRecording() } else { turn.endRecording() }
  emit(began ? .turnBegan : .turnEnded, nil, 0)
}

@usableFromInline func noteCallSite(_ location: SourceLocation) {
  currentTurn().pointee.callSite = location
}

extension NodePointer {
  /// - Parameter number: Of a set that had to wait; zero: it is given later.
  @usableFromInline @inline(never) func traceSet(
    _ context: ContextBox?, number: UInt64, in turn: TurnPointer
  ) {
    let wave = turn.waveUnderWay
    if let ring = turn.ring {
      whileDescribed { recordSet(context, number: number, by: wave, ring, turn) }
    }
    emit(.set, self, wave, at: turn.pointee.callSite)
    turn.pointee.callSite = nil
    if !hasEdge(.outs, where: { _ in true }), let node = self.node(), !node.hasListener {
      if let ring = turn.ring { recordStop(.noConsumer, wave: number, ring, turn) }
      emit(.stopped(.noConsumer), self, wave)
    }
  }

  /// A set is left with another thread, which tells a tracer of it.
  @usableFromInline @inline(never) func traceLeftSet(
    _ context: ContextBox?, number: UInt64, in turn: TurnPointer
  ) {
    guard let ring = turn.ring else { return }
    recordSet(context, number: number, by: turn.waveUnderWay, ring, turn)
    recordStop(.leftInMailbox, wave: number, ring, turn)
    turn.pointee.callSite = nil
  }

  @usableFromInline @inline(never) func traceQueued(
    wave: UInt64, rules: UInt8, from sender: NodePointer?, in turn: TurnPointer
  ) {
    if let ring = turn.ring { record(.queued, wave: wave, rules: rules, from: sender, ring, turn) }
  }

  @usableFromInline @inline(never) func traceArrival(
    wave: UInt64, from sender: NodePointer, in turn: TurnPointer
  ) {
    if let ring = turn.ring { record(.arrived, wave: wave, from: sender, ring, turn) }
  }

  @usableFromInline @inline(never) func traceStored(
    origin: UInt64, rules: UInt8, from sender: NodePointer?, in turn: TurnPointer
  ) {
    if let ring = turn.ring {
      whileDescribed { recordStored(origin: origin, rules: rules, from: sender, ring, turn) }
    }
    if !easyreact_has_tracer() || !GraphTracing.hears(pointee.id) { return }
    whileDescribed {
      let node = self.node()
      let value =
        if turn.pointee.wave.flags.has(.event) {
          "event: \(isPrivate ? "private" : node?.describedEvent ?? "")"
        } else {
          node?.describedValue ?? "empty"
        }
      emit(.valueStored(value), self, in: turn)
    }
  }
}

extension AnyNode {
  /// Does it tell events, of its own or of a node upstream, that nothing on the way keeps? A chain is walked without
  /// making anything.
  fileprivate final var tellsEvents: Bool {
    var node = self
    // A bound, for there may be rings.
    for _ in 0..<1_000 {
      if node.isEventNode { return true }
      switch node.upstreamThatBringsEvents {
      case .none: return false
      case .one(let up): node = up
      case .several: return node.tellsEventsOfMany
      }
    }
    return node.tellsEventsOfMany
  }

  private final var tellsEventsOfMany: Bool {
    var seen: Set<AnyNode> = []
    var waiting = [self]
    while let node = waiting.popLast() {
      if node.isEventNode { return true }
      if !seen.insert(node).inserted { continue }
      let next = node.lookAtEdges(.ins) { edge, up in
        edge.pointee.traits.has(.keepsEvents) ? nil : up
      }
      waiting += next.compactMap { $0 }
    }
    return false
  }

  private enum EventUpstream {
    case none, one(AnyNode), several
  }

  /// The far node's lock is only tried, as by `lookAtEdges`; where it is taken, whoever asks walks with `several`.
  private final var upstreamThatBringsEvents: EventUpstream {
    var found = EventUpstream.none
    storage.forEachEdge(.ins) { edge in
      if edge.pointee.has(.cut) || edge.pointee.traits.has(.keepsEvents) { return }
      guard case .none = found, let up = edge.pointee.up, up.pointee.tryAcquire() else {
        found = .several
        return
      }
      let node = up.nodeLocked()
      up.pointee.release()
      // Released by the caller, behind the lock.
      found = node.map { .one($0) } ?? .none
    }
    return found
  }
}

extension NodePointer {
  /// Of a join of latest values: is an upstream empty that tells events, so that it stays so?
  fileprivate var waitsForEvents: Bool {
    // Only of an empty one that follows something more need be known.
    var mustWalk = false
    let isSure = hasEdge(.ins) { edge in
      guard edge.pointee.kind.readsLatest, let up = edge.pointee.up,
        !up.pointee.hasValue.load(ordering: .relaxed)
      else { return false }
      if up.isEventNode() { return true }
      mustWalk = mustWalk || up.pointee.firstIn.load(ordering: .relaxed) != nil
      return false
    }
    if isSure || !mustWalk { return isSure }
    for place in 0..<Int.max {
      guard let up = emptyUpstream(place) else { return false }
      if up.tellsEvents { return true }
    }
    return false
  }

  /// The one of that number of those whose latest value is read, and that have none. Locks as in `lookAtEdges`.
  private func emptyUpstream(_ place: Int) -> AnyNode? {
    var round: UInt32 = 0
    while true {
      var left = place, isBusy = false
      var found: AnyNode?
      forEachEdge(.ins) { edge in
        guard edge.pointee.kind.readsLatest, !edge.pointee.has(.cut), let up = edge.pointee.up,
          !up.pointee.hasValue.load(ordering: .relaxed)
        else { return }
        left -= 1
        if left != -1 { return }
        isBusy = !up.pointee.tryAcquire()
        if isBusy { return }
        found = up.nodeLocked()
        up.pointee.release()
      }
      if !isBusy { return found }
      easyreact_wait(round)
      round += 1
    }
  }
}

extension EdgePointer {
  @inline(never) func traceListener(in turn: TurnPointer) {
    let owned =
      pointee.publicObject.load(ordering: .relaxed)?.takeUnretainedValue() as? OwnedListening
    if let owned, owned.isOwnerGone { return }
    if let ring = turn.ring {
      record(.told, wave: turn.pointee.wave.number, ring, turn)
    }
    emit(.listenerCalled, pointee.up!, in: turn)
  }
}

extension NodePointer {
  /// `notify` for a turn that is traced.
  @inline(never) func notifyTraced(in turn: TurnPointer) {
    guard let last = pointee.lastListener.load(ordering: .acquiring) else { return }
    var next = pointee.firstListener.load(ordering: .acquiring)
    while let edge = next {
      if edge.pointee.has(.cut) {
        edge.traceStop(.cut, in: turn)
      } else if !edge.pointee.has(.starting),
        !turn.pointee.wave.flags.has(.emptied) || edge.pointee.hearsEmptiness
      {
        edge.traceListener(in: turn)
        _ = edge.pointee.run(self, edge, turn)
        if let ring = turn.ring { easyreact_ring_mark(ring) }
      }
      if edge == last { return }
      next = edge.pointee.next.load(ordering: .acquiring)
    }
  }
}

extension TurnPointer {
  /// Between turns the number of the last wave is left behind.
  fileprivate var waveUnderWay: UInt64 {
    pointee.depth.load(ordering: .relaxed) > 1 ? pointee.wave.number : 0
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    if let ring = turn.ring {
      recordStop(reason, wave: turn.pointee.wave.number, ring, turn)
    }
    emit(.stopped(reason), self, turn.pointee.wave.number)
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
    emit(.stopped(reason), self, wave)
  }

  /// An update found the node empty: for a recording alone.
  @usableFromInline @inline(never) func traceNothingToChange(
    _ delivery: Delivery, in turn: TurnPointer
  ) {
    if let ring = turn.ring { recordStop(.filtered, wave: delivery.wave.number, ring, turn) }
  }

  /// A join does not run for it.
  @inline(never) func refuseArrival(
    _ reason: GraphEvent.Stop, _ delivery: Delivery, from sender: NodePointer,
    in turn: TurnPointer
  ) -> Bool {
    if turn.pointee.isTraced {
      traceStop(
        reason, wave: delivery.wave.number, from: sender, flags: TracedFlags.arrival, in: turn)
    }
    return false
  }

  /// The filter has refused what was to be stored.
  @usableFromInline @inline(never) func traceRefused(
    _ delivery: Delivery, from sender: NodePointer?, in turn: TurnPointer
  ) {
    traceStop(
      .reachedAlready, wave: delivery.wave.number, from: sender,
      flags: delivery.isOfJoin ? TracedFlags.joinRun : 0, in: turn)
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
    if easyreact_has_tracer() { emit(.stopped(reason), (pointee.down ?? pointee.up)!, in: turn) }
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
    emit(.stopped(reason), pointee.down ?? pointee.up, wave)
  }
}

extension NodePointer {
  /// A join has run and told nothing; it may have said why.
  @inline(never) func traceSilentRun(in turn: TurnPointer) {
    if let ring = turn.ring { recordSilentRun(wave: turn.pointee.wave.number, ring, turn) }
  }
}

/// What is told of a message that is left with another thread, read before it is left.
@usableFromInline struct MessageNote {
  private let node: UInt64
  private let name: String?
  private let wave: UInt64

  @usableFromInline init(_ storage: NodePointer, _ turn: TurnPointer) {
    node = storage.pointee.id
    name = easyreact_has_tracer() ? storage.name : nil
    wave = turn.pointee.wave.number
  }

  @usableFromInline func trace() {
    if easyreact_has_tracer() { emit(.stopped(.leftInMailbox), node, name, wave, nil) }
  }
}

extension NodePointer {
  /// A set had to wait in a node's queue.
  @usableFromInline @inline(never) func countReentrantSet(in turn: TurnPointer) {
    turn.pointee.reentrantSets &+= 1
    if turn.pointee.reentrantSets == GraphLimits.reentrantSets {
      warnOfEndlessSets(turn.pointee.reentrantSets, turn)
    }
  }
}

/// Names the nodes that are on the stack: those that the sets go round.
private func warnOfEndlessSets(_ count: Int, _ turn: TurnPointer) {
  var names: [String] = []
  var next = turn.pointee.top
  while let storage = next, names.count < 20 {
    if let node = storage.node() { names.append(node.whereabouts) }
    next = storage.pointee.caller
  }
  if let ring = turn.ring, let top = turn.pointee.top {
    recordEndlessSets(top.pointee.id, wave: turn.pointee.wave.number, ring, turn)
  }
  if easyreact_has_tracer() {
    emit(.endlessSets(count: count, names: names), turn.pointee.top, turn.pointee.wave.number)
  }
  let message =
    "EasyReact: \(count) sets waited in queues in one turn; listeners set each other in a circle of: "
    + names.joined(separator: ", ")
    + ". Set only on a change, or raise GraphLimits.reentrantSets.\n"
  _ = message.withCString { write(2, $0, strlen($0)) }
}

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.current { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { $0.node()?.whereabouts }
}

/// Whose timer is being set, where that is not the node being told: a source that ticks.
enum TimerOwner {
  @TaskLocal static var current: AnyNode?
}

// MARK: - Where something goes no further

extension EdgePointer {
  /// Reports why, if anybody listens.
  @inlinable @inline(__always) func stop(_ reason: GraphEvent.Stop, in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, in: turn) }
    return false
  }

  /// The same in the downstream's region, where it may have waited: the wave of the turn is then that of another value.
  @inlinable @inline(__always) func stop(
    _ reason: GraphEvent.Stop, _ delivery: Delivery, in turn: TurnPointer
  ) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, wave: delivery.wave.number, in: turn) }
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
