import Synchronization

// A flatten as a join: what its run does, and what makes it run.

extension LatestInnerNode {
  /// The run reads what the outer node holds: but not for the first value, which is told at once; for an
  /// event, or what a user hands to the transform, which no node holds; or where each value counts.
  @inlinable func isToNote(over edge: EdgePointer, from up: NodePointer, _ turn: TurnPointer)
    -> Bool
  {
    join != nil && !place.pointee.isFirst && !turn.pointee.wave.flags.has(.event)
      && edge.pointee.up == up
  }

  @inlinable func hear(
    _ node: Node<Output>, over edge: EdgePointer, from up: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    let isAtOnce = join == nil || place.pointee.isFirst
    place.pointee.isFirst = false
    if !isAtOnce { return note(node, over: edge, from: up, turn) }
    return follow(node, over: edge, from: up, turn)
  }

  /// Everything of a lower rank is final.
  @inlinable func run(_ down: NodePointer, _ turn: TurnPointer) -> Bool {
    let join = join.unsafelyUnwrapped
    var hasMoved = false
    if place.pointee.isToChoose {
      if !turnToChosen(down, join, turn) { return false }
      hasMoved = place.pointee.hasChosen
    }
    if !turn.pointee.gaveWay.isEmpty, down.followAgain(in: turn) { hasMoved = true }
    if hasMoved, down.waitsAgain(join, in: turn) { return false }
    guard !hasEnded, let inner, !inner.life.hasEnded, !inner.edge.pointee.has(.cut) else {
      if turn.pointee.isTraced { down.traceStop(.cut, in: turn) }
      return false
    }
    let value = inner.edge.pointee.up.unsafelyUnwrapped.readStored(Output.self)
    if value == nil, !place.pointee.hasChosen {
      down.traceWaiting(in: turn)
      return false
    }
    place.pointee.hasChosen = false
    if let value { return emit(value, of: down, turn) }
    return down.arrive(
      .empty as Arrival<Output>, Delivery(ofJoinIn: turn), sender: turn.pointee.runningSender,
      in: turn)
  }

  /// Follows the node that the outer one's value chooses. False: nothing is to be told now.
  @inlinable func turnToChosen(_ down: NodePointer, _ join: JoinPointer, _ turn: TurnPointer)
    -> Bool
  {
    place.pointee.isToChoose = false
    guard let outer = place.pointee.outerEdge, !hasEnded else {
      if turn.pointee.isTraced { down.traceStop(.cut, in: turn) }
      return false
    }
    let chosen = place.pointee.chosen.take().map { unsafeDowncast($0, to: Node<Output>.self) }
    guard let node = chosen ?? choose(outer.pointee.up.unsafelyUnwrapped) else { return true }
    // The user's closure may have cut the edge.
    if hasEnded || node.storage == down { return false }
    place.pointee.hasChosen = true
    if !follows(node) {
      let life = freshLife()
      leaveInner(turn)
      // The outer edge keeps its upstream if this is left with another thread; perhaps nobody keeps the former inner node.
      let sender = outer.pointee.up.unsafelyUnwrapped
      if !link(node, down, life, Delivery(ofJoinIn: turn), sender, turn) {
        place.pointee.hasChosen = false
        return false
      }
    }
    return true
  }
}

extension Flatten {
  /// - Parameter node: Chosen already.
  @usableFromInline final func note(
    _ node: AnyNode? = nil, over edge: EdgePointer, from up: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down.unsafelyUnwrapped
    let join = join.unsafelyUnwrapped
    if edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue == 0,
      down.claim(by: turn), !turn.pointee.isTraced,
      edge.pointee.flags.load(ordering: .relaxed) == 0, down.noteQuickly(join, sender: up, in: turn)
    {
      (place.pointee.outerEdge, place.pointee.isToChoose, place.pointee.chosen) = (edge, true, node)
      return false
    }
    return edge.inRegion(in: turn) { [self] delivery, turn in
      var delivery = delivery
      delivery.wave.flags.remove(.event)  // it chooses a node, whose value is told
      down.noteArrival(at: join, delivery, over: edge, sender: up, in: turn)
      // Even if it was refused: the next run chooses by what the outer node holds.
      (place.pointee.outerEdge, place.pointee.isToChoose, place.pointee.chosen) = (edge, true, node)
      return false
    }
  }
}

/// A join reads the value itself: one that was brought might be told after a newer one. False: the
/// flatten is no join.
@usableFromInline func noteBrought<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ delivery: Delivery, _ sender: NodePointer,
  _ turn: TurnPointer
) -> Bool {
  guard let join = edge.joinAbove else { return false }
  // Only round a cycle may it be refused: what the wave has crossed before the choice says nothing about this edge.
  var delivery = delivery
  delivery.isFiltered = delivery.isFiltered && (edge.pointee.has(.filtered) || edge.liesOnCycle())
  _ = edge.deliver(BroughtCrossing(join: join, sender: sender), delivery, in: turn)
  return true
}

/// The value, or the emptiness, of the inner node is to be told.
private struct BroughtCrossing: Crossing {
  let join: JoinPointer
  let sender: NodePointer
  func arrive(over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer) -> Bool {
    edge.pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0.outer.unsafelyUnwrapped, to: Flatten.self).place.pointee.hasChosen = true
    }
    edge.pointee.down.unsafelyUnwrapped.noteArrival(
      at: join, delivery, over: edge, sender: sender, in: turn)
    return false
  }
}

extension EdgePointer {
  /// For an edge from an inner node: the join of the flatten that follows it.
  @usableFromInline var joinAbove: JoinPointer? {
    pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0.outer.unsafelyUnwrapped, to: Flatten.self).place.pointee.join
    }
  }
}

extension JoinPointer {
  @usableFromInline func arriveAtFlatten(
    over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    arriveOver(over: edge, from: up, in: turn)
  }
}
