import CEasyReact
import Synchronization

// What the engine reports to a tracer, and to a recording (Recording/EngineRecording.swift). None of it is inlined into the
// engine: the room for an event would be part of the loop's frame, of which there is one for each listener that sets another
// node. Where something goes no further: EngineTracing+Stops.swift.

extension GraphTracing {
  static func emit(
    _ kind: GraphEvent.Kind, _ storage: NodePointer?, _ wave: UInt64,
    _ context: Unmanaged<ContextBox>? = nil, at location: SourceLocation? = nil
  ) {
    if !easyreact_has_tracer() { return }
    emit(kind, storage?.pointee.id ?? 0, storage.flatMap { $0.name }, wave, context, at: location)
  }

  /// Of the wave under way, where a node or an edge is at it: elsewhere its context may be gone.
  static func emit(_ kind: GraphEvent.Kind, _ storage: NodePointer, in turn: TurnPointer) {
    emit(kind, storage, turn.pointee.wave.number, turn.pointee.wave.context)
  }

  static func emit(
    _ kind: GraphEvent.Kind, _ node: UInt64, _ name: @autoclosure () -> String?, _ wave: UInt64,
    _ context: Unmanaged<ContextBox>?, at location: SourceLocation? = nil
  ) {
    emit(
      of: node,
      GraphEvent(
        kind: kind, node: node, name: name(), wave: wave,
        context: context?.takeUnretainedValue().value,
        thread: UInt64(UInt(bitPattern: easyreact_turn_get())), time: elapsed,
        callSite: location.map { "\($0.file):\($0.line)" }))
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func traceMade() {
    if isBarrier { return }
    recordMade()
    if let creationRecorder = CreationRecorder.current, let node = self.node() {
      creationRecorder.add(node)
    }
    GraphTracing.emit(.nodeMade, self, 0)
  }

  @inline(never) func traceGone(in turn: TurnPointer) {
    if isBarrier { return }
    recordGone(in: turn)
    GraphTracing.emit(.nodeGone, self, 0)
    GraphTracing.forget(pointee.id)
  }

  @usableFromInline @inline(never) func traceWave(_ wave: UInt64, began: Bool) {
    if !easyreact_has_tracer() { return }
    whileDescribed { GraphTracing.emit(began ? .waveBegan : .waveEnded, self, wave) }
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
    if pointee.has(.ordersOnly) { return }
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
    GraphTracing.emit(made ? .edgeMade(to: down) : .edgeGone(to: down), pointee.up, 0, at: location)
  }

  /// The edge has its cut mark.
  @inline(never) func traceCut(in turn: TurnPointer) {
    if pointee.has(.ordersOnly) { return }
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
  if began {
    turn.beginRecording()
  } else {
    turn.endRecording()
    turn.pointee.callSite = nil  // of a call that came to nothing
  }
  GraphTracing.emit(began ? .turnBegan : .turnEnded, nil, 0)
}

/// A turn that is under way and not traced, because somebody began to listen meanwhile, would leave it to the next set.
@usableFromInline func noteCallSite(_ location: SourceLocation) {
  let turn = currentTurn()
  let isUnheard = turn.pointee.depth.load(ordering: .relaxed) > 0 && !turn.pointee.isTraced
  turn.pointee.callSite = isUnheard ? nil : location
}

extension TurnPointer {
  /// The next set is another call.
  fileprivate func takeCallSite() -> SourceLocation? {
    defer { pointee.callSite = nil }
    return pointee.callSite
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func traceSet(
    _ context: ContextBox?, number: UInt64, in turn: TurnPointer
  ) {
    let wave = turn.waveUnderWay
    let site = turn.takeCallSite()
    if let ring = turn.ring {
      whileDescribed { recordSet(context, number: number, by: wave, at: site, ring, turn) }
    }
    GraphTracing.emit(.set, self, wave, at: site)
    // One that is kept elsewhere too is set for those who are there.
    if pointee.traits.has(.isKept) { return }
    if !hasEdge(.outs, where: { _ in true }), let node = self.node(), !node.hasListener {
      if let ring = turn.ring { recordStop(.noConsumer, wave: number, ring, turn) }
      GraphTracing.emit(.stopped(.noConsumer), self, wave)
    }
  }

  /// A set is left with another thread, which tells a tracer of it. Returns where it was called.
  @usableFromInline @inline(never) func traceLeftSet(
    _ context: ContextBox?, number: UInt64, in turn: TurnPointer
  ) -> SourceLocation? {
    let site = turn.takeCallSite()
    guard let ring = turn.ring else { return site }
    recordSet(context, number: number, by: turn.waveUnderWay, at: site, ring, turn)
    recordStop(.leftInMailbox, wave: number, ring, turn)
    return site
  }

  @usableFromInline @inline(never) func traceQueued(
    wave: UInt64, rules: DeliveryRules, from sender: NodePointer?, in turn: TurnPointer
  ) {
    if let ring = turn.ring { record(.queued, wave: wave, rules: rules, from: sender, ring, turn) }
  }

  @usableFromInline @inline(never) func traceArrival(
    wave: UInt64, from sender: NodePointer, in turn: TurnPointer
  ) {
    if let ring = turn.ring { record(.arrived, wave: wave, from: sender, ring, turn) }
  }

  @usableFromInline @inline(never) func traceStored(
    origin: UInt64, rules: DeliveryRules, from sender: NodePointer?, in turn: TurnPointer
  ) {
    let flags = beginUntold()
    defer { endUntold(flags) }
    if let ring = turn.ring {
      recordStored(origin: origin, rules: rules, from: sender, ring, turn)
    }
    if easyreact_has_tracer(), GraphTracing.hears(pointee.id) { tellTracer(in: turn) }
  }

  /// What is stored, or the event that is told.
  @inline(never) private func tellTracer(in turn: TurnPointer) {
    let isEvent = turn.pointee.wave.flags.has(.event), node = self.node()
    let value =
      isPrivate && (isEvent || node?.isEmpty == false)
      ? "private" : node?.described(isEvent: isEvent, GraphTracing.descriptionLength)?.text
    let kind = isEvent ? "event: \(value ?? "")" : value ?? "empty"
    GraphTracing.emit(.valueStored(kind), self, in: turn)
  }
}

extension EdgePointer {
  @inline(never) func traceListener(in turn: TurnPointer) {
    if let owned = pointee.publicObject as? OwnedListening, owned.isOwnerGone { return }
    if let ring = turn.ring {
      record(.told, wave: turn.pointee.wave.number, ring, turn)
    }
    GraphTracing.emit(.listenerCalled, pointee.up!, in: turn)
  }
}

extension NodePointer {
  /// `notifyOneByOne` for a turn that is traced.
  @inline(never) func notifyTraced(to last: EdgePointer, in turn: TurnPointer) {
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
    if easyreact_has_tracer() { GraphTracing.emit(.stopped(.leftInMailbox), node, name, wave, nil) }
  }
}
