import Synchronization

/// An edge from a node that an operator chose by itself: one of those that it follows,
/// or one of a race.
///
/// The operator keeps it beside its other state, as the holder of the result's region. The edge is
/// not touched once its life is over: whoever cuts it ends the life first, and it is freed by a later
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

// MARK: - An inner node that is a join which still has to run

extension EdgePointer {
  /// The inner node, which this turn holds, tells its value over this edge when its join has run: so nothing is to be told now. One
  /// that then tells nothing (an input was emptied, there was no tick) has `tellIfSilent` do it, when all joins have run. False: it
  /// is no join that waits.
  @usableFromInline func waitsForJoin(
    _ life: EdgeState, in turn: TurnPointer, tellIfSilent: @escaping (TurnPointer) -> Void
  ) -> Bool {
    let up = pointee.up.unsafelyUnwrapped
    guard up.isHeld(by: turn), let join = up.pointee.join, join.pointee.isWaiting else {
      return false
    }
    let number = up.numberOfValue()
    // The turn holds the inner node until then, so the edge is there unless its life is over.
    turn.putOff { turn in
      if !life.hasEnded, up.numberOfValue() == number { tellIfSilent(turn) }
    }
    return true
  }

  /// What is told is the present value, with the context of what made the edge.
  func waitsForJoin(_ life: EdgeState, context: ContextBox?, in turn: TurnPointer) -> Bool {
    waitsForJoin(life, in: turn) { [self] turn in
      if pointee.up!.pointee.hasValue.load(ordering: .relaxed) {
        pushValue(in: turn, context: context)
      }
    }
  }
}

/// The elements by the ranks of their nodes, the highest first; where these are equal, in the order they had. In this order a join that comes to
/// follow several nodes links them: after the first link the others need raise nothing.
func fromHighestRank<Element>(
  _ elements: some Collection<Element>, _ node: (Element) -> NodePointer
) -> [Element] {
  let ranked = elements.enumerated().map { place, element in
    (element, rank: node(element).pointee.rank.load(ordering: .relaxed), place: place)
  }
  return ranked.sorted { ($1.rank, $0.place) < ($0.rank, $1.place) }.map(\.0)
}
