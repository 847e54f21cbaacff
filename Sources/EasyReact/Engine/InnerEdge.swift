import Synchronization

/// An edge from a node that an operator chose by itself: one of those that it follows,
/// or one of a race.
///
/// The operator keeps it beside its other state, as the holder of the result's region. The edge is
/// not touched once its life is over: who cuts it ends the life first, and it is freed by a later
/// holder of that region.
struct InnerEdge {
  let edge: EdgePointer
  let life: Hop

  /// - Parameter life: Told when the edge is cut.
  init(
    _ kind: EdgeKind, from node: AnyNode, to down: CorePointer, life: Hop = Hop(),
    _ step: @escaping Step
  ) {
    self.life = life
    edge = makeEdge(
      Edge(
        kind: kind, up: node.core, handle: Unmanaged.passRetained(node), flags: EdgeFlags.starting,
        hop: life, step: step))
    edge.pointee.down = down
  }

  /// Puts it in the lists of a result that is being made; it is attached later.
  func insertFresh() {
    edge.pointee.down!.pointee.references.wrappingAdd(1, ordering: .relaxed)
    EasyReact.insertFresh(edge)
  }

  /// Links two nodes that exist. True: the present value is to be told here. False: another thread
  /// is inside the upstream and pushes it, with the crossing's context; or the edge was cut already.
  func link(_ crossing: Crossing, _ turn: TurnPointer) -> Bool {
    prepareLink(edge, turn)
    if holds(edge.pointee.up!, turn) {
      if turn.pointee.isTraced { traceEdge(edge, made: true, turn) }
      return attachWithoutPush(edge, turn)
    }
    attachNow(edge, turn, context: crossing.context?.takeUnretainedValue())
    return false
  }

  /// For the holder of the result's region, so the edge is not freed meanwhile. One that was cut before
  /// it was attached has not ended yet.
  var isCut: Bool { life.hasEnded || edge.pointee.has(EdgeFlags.cut) }

  func cut(_ turn: TurnPointer) {
    if !life.hasEnded { EasyReact.cut(edge, turn) }
  }
}

/// A join that waits in this turn tells its value when it has run, unless it cannot: who has just
/// begun to follow it waits for that.
@usableFromInline func willTell(_ core: CorePointer, _ turn: TurnPointer) -> Bool {
  guard isHeld(core, by: turn), let join = core.pointee.join, join.pointee.isWaiting,
    !join.pointee.isTerminated.load(ordering: .relaxed),
    // The others may run and say nothing: no tick, or a member without a value.
    inEdges(of: core, areOf: [.combine, .withLatest, .latest])
  else { return false }
  return UnsafeBufferPointer(start: join.pointee.upstreams, count: join.pointee.count)
    .allSatisfy { $0.pointee.hasValue.load(ordering: .acquiring) }
}

private func inEdges(of core: CorePointer, areOf kinds: [EdgeKind]) -> Bool {
  edges(core, .ins).allSatisfy { kinds.contains($0.pointee.kind) }
}
