import Synchronization

/// An edge from a node that an operator chose by itself: one of those that it follows,
/// or one of a race.
///
/// The operator keeps it beside its other state, as the holder of the result's region. The edge is
/// not touched once its life is over: who cuts it ends the life first, and it is freed by a later
/// holder of that region.
struct InnerEdge {
  let edge: EdgePointer
  let life: EdgeState

  init(edge: EdgePointer, life: EdgeState) { (self.edge, self.life) = (edge, life) }

  /// - Parameter life: Told when the edge is cut.
  init(
    _ kind: OperatorKind, from node: AnyNode, to down: NodePointer, life: EdgeState = EdgeState(),
    _ step: @escaping Step
  ) {
    self.life = life
    edge = makeEdge(
      EdgeStorage(
        kind: kind, up: node.storage, handle: Unmanaged.passRetained(node), flags: .starting,
        state: life, step: step))
    edge.pointee.down = down
  }

  /// Puts it in the lists of a result that is being made; it is attached later.
  func insertFresh() {
    edge.pointee.down!.pointee.references.wrappingAdd(1, ordering: .relaxed)
    edge.insertFresh()
  }

  /// Links two nodes that exist. True: the present value is to be told here. False: another thread
  /// is inside the upstream and pushes it, with the delivery's context; or the edge was cut already.
  func link(_ delivery: Delivery, _ turn: TurnPointer) -> Bool {
    edge.prepareLink(in: turn)
    if edge.pointee.up!.holds(by: turn) {
      if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
      return edge.attachWithoutPush(in: turn)
    }
    edge.attachNow(in: turn, context: delivery.wave.context?.takeUnretainedValue())
    return false
  }

  /// For the holder of the result's region, so the edge is not freed meanwhile. One that was cut before
  /// it was attached has not ended yet.
  var isCut: Bool { life.hasEnded || edge.pointee.has(.cut) }

  func cut(_ turn: TurnPointer) {
    if !life.hasEnded { edge.cut(by: turn) }
  }
}

extension NodePointer {
  /// A join that waits in this turn tells its value when it has run, unless it cannot: who has just begun to follow it waits for
  /// that.
  @usableFromInline func willEmit(in turn: TurnPointer) -> Bool {
    guard isHeld(by: turn), let join = pointee.join, join.pointee.isWaiting,
      !join.pointee.isTerminated.load(ordering: .relaxed),
      // The others may run and say nothing: no tick, a member without a value, a derivation, be it without edges. The
      // join's own edges are the first ones.
      join.pointee.count > 0, hasEdge(.ins, where: { $0.pointee.kind.tellsWheneverItRuns })
    else { return false }
    return UnsafeBufferPointer(start: join.pointee.upstreams, count: join.pointee.count)
      .allSatisfy { $0.pointee.hasValue.load(ordering: .acquiring) }
  }
}

/// The elements by the ranks of their nodes, the highest first; where these are equal as they were. In this order a join that comes to
/// follow several nodes links them: after the first link the others need raise nothing.
func fromHighestRank<Element>(
  _ elements: some Collection<Element>, _ node: (Element) -> NodePointer
) -> [Element] {
  let ranked = elements.enumerated().map { place, element in
    (element, rank: node(element).pointee.rank.load(ordering: .relaxed), place: place)
  }
  return ranked.sorted { ($1.rank, $0.place) < ($0.rank, $1.place) }.map(\.0)
}
