import Synchronization

// Joins that only one of their upstreams makes run.

extension Node {
  /// Returns a node of each value of this node together with the latest of `other`.
  ///
  ///     let order = sent.withLatest(from: cart)       // a pair for each `sent`, none for `cart`
  ///
  /// It is a *join*: in one turn it runs after everything that leads to it has its final value, and
  /// once, so a set that reaches both nodes tells the new value with the new one. Only this node
  /// makes it run; values that come while `other` is empty are dropped. The pair is told at once if
  /// both hold a value; if that is in the middle of a turn, what the turn still brings to `other` is
  /// told too. Losing either edge ends it: `isTerminated`. Passes on the context of this node's wave.
  /// Known as `withLatestFrom` in Rx, `withLatest(from:)` in ReactiveSwift; Combine has none.
  /// - Parameter mode: `.everyValue` tells every value of this node as it comes, with what `other`
  ///   holds at that moment.
  @inlinable
  public final func withLatest<Other: Sendable>(
    from other: Node<Other>, mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<(Value, Other)> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead((Value, Other).self, SourceLocation(file, line), turn)
    // An event that waits for the join to run: its node does not keep it. Belongs to the holder of the join's region.
    let event = Cell<Value?>(nil)
    node.storage.pointee.join = makeJoin([storage, other.storage], tellsEachOnce: true) {
      storage, turn in
      let join = storage.pointee.join.unsafelyUnwrapped
      let upstreams = join.pointee.upstreams
      let value = upstreams[0].readStored(Value.self) ?? event.place.pointee
      event.replace(with: nil)
      guard let value, let latest = upstreams[1].readStored(Other.self) else {
        storage.traceWaiting(in: turn)
        return false
      }
      return emit((value, latest), of: storage, turn)
    }
    let step: Step =
      mode == .everyValue
      ? everyPairStep(Value.self, Other.self)
      : { up, edge, turn in
        if !turn.isEvent { return arriveAtJoin(up, edge, turn) }
        return noteEvent(up.slot(Value.self).pointee, in: event, over: edge, up, turn)
      }
    let left = other.storage.leftValue(in: turn, Other.self)
    let catchingUp = CatchingUp(
      with: storage, in: mode == .latest ? turn : nil, hasLeft: left?.value != nil)
    let edge = connect(self, node.storage, kind: .withLatest, step)
    let latest = connectLatest(other, to: node.storage, catchingUp)
    node.publish()
    edge.attachToJoin(catchingUp, isTrigger: true, in: turn)
    latest.attachToJoin(catchingUp, isTrigger: false, in: turn)
    if left == nil, let value = storage.readStored(Value.self),
      let latest = other.storage.readStored(Other.self)
    {
      node.storage.store((value, latest))
    }
    turn.leave()
    return node
  }

  /// Returns a node that takes this node's latest value whenever `ticks` tells something, if there
  /// was a new one since the last time.
  ///
  ///     let shown = reading.sample(on: frames)        // at most one value a frame
  ///
  /// It is a *join*: a set that reaches both nodes samples the new value. A value that is emptied
  /// before the tick is not told, and one that another thread has not told yet is not sampled yet. If both nodes hold a value it is told at once. Losing either edge
  /// ends it: `isTerminated`. Passes on the context of the tick. Known as `sample` in Rx.
  /// ReactiveSwift's `sample(on:)` tells the same value again at each tick: that is
  /// `ticks.withLatest(from: node)` here, so this name keeps the meaning that has no other name.
  @inlinable
  public final func sample<Tick: Sendable>(
    on ticks: Node<Tick>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    // What this node has told since the last tick. What it holds is no measure: a value that another thread stores may be read here
    // before it comes over the edge, and would be told again when it has come. Belongs to the holder of the join's region.
    let arrived = Cell<Sampled<Value>?>(nil)
    // The present value comes over the edge. Belongs to the holder of this node's region.
    let isFirst = Cell(false)
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    node.storage.pointee.join = makeJoin([storage, ticks.storage], tellsEachOnce: true) {
      storage, turn in
      guard let sampled = arrived.place.pointee else {
        storage.traceWaiting(in: turn)
        return false
      }
      arrived.replace(with: nil)
      turn.pointee.wave.flags.remove(.event)  // the tick's
      if sampled.isEvent { turn.pointee.wave.flags.insert(.event) }
      return emit(sampled.value, of: storage, turn)
    }
    let catchingUp = CatchingUp(with: ticks.storage, in: turn)
    let edge = connect(
      self, node.storage, kind: .sample, hearsEmptiness: true,
      sampledStep(arrived, isFirst, catchingUp))
    let tick = connect(ticks, node.storage, kind: .sampler, arriveAtJoin)
    node.publish()
    let isRead = edge.attachSampled(isFirst, in: turn)
    tick.attachToJoin(catchingUp, isTrigger: true, in: turn)
    if isRead, let value = storage.readStored(Value.self) {
      // Stored, not staged in an open batch.
      if ticks.storage.pointee.hasValue.load(ordering: .acquiring) {
        node.storage.store(value)
      } else {
        arrived.replace(with: Sampled(value, isEvent: false))
      }
    }
    turn.leave()
    return node
  }
}

/// What waits for a tick.
@usableFromInline struct Sampled<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  @usableFromInline let isEvent: Bool
  @inlinable init(_ value: Value, isEvent: Bool) {
    self.value = value
    self.isEvent = isEvent
  }
}

extension EdgePointer {
  /// True: this turn is inside the node that is sampled, so the maker reads its value. Else the value comes over the edge, marked as the
  /// first, from whoever is inside: another thread cannot tell whether a value that it reads will come over the edge as well.
  @usableFromInline func attachSampled(_ isFirst: Cell<Bool>, in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { traceEdge(made: true, in: turn) }
    let up = pointee.up.unsafelyUnwrapped
    if up.holds(by: turn) {
      attachWithoutPush(in: turn)
      return true
    }
    up.send((self, isFirst), in: turn) { payload, turn in
      let (edge, isFirst) = takePayload(payload, (EdgePointer, Cell<Bool>).self)
      guard edge.attachWithoutPush(in: turn),
        edge.pointee.up.unsafelyUnwrapped.pointee.hasValue.load(ordering: .relaxed)
      else { return }
      isFirst.place.pointee = true
      edge.pushValue(in: turn)
    }
    return false
  }
}

/// The edge of the node that does not make the join run, except while the join catches up.
@usableFromInline func connectLatest(
  _ other: AnyNode, to join: NodePointer, _ catchingUp: CatchingUp?
) -> EdgePointer {
  guard let catchingUp else { return connect(other, join, kind: .latest) { _, _, _ in false } }
  return connect(other, join, kind: .latest) { up, edge, turn in
    catchingUp.isUnderWay && arriveAtJoin(up, edge, turn)
  }
}

/// For a join that only one of its nodes makes run: it may have missed something when it was made, so while this is under way each
/// of its nodes makes it run. There are up to three reasons, and each ends by itself. The maker's turn was under way, or that of a thread inside the node
/// that makes the join run: what such a turn still tells belongs to what the maker has read. Or a value was left in the other node, and
/// belongs to the first pair.
@usableFromInline final class CatchingUp: Sendable {
  /// A value was left in the other node, where the maker reads it: there is no pair before it has come.
  fileprivate let hasLeft: Bool
  /// Another thread is inside the node that makes the join run.
  fileprivate let awaitsTrigger: Bool
  private let reasons = Atomic(0)

  /// Nil: nothing can have been missed.
  /// - Parameters:
  ///   - trigger: The node that makes the join run.
  ///   - turn: The maker's; nil: what turns still tell does not matter.
  @usableFromInline init?(
    with trigger: NodePointer, in turn: TurnPointer?, hasLeft: Bool = false
  ) {
    let isInside = turn.map { $0.pointee.depth.load(ordering: .relaxed) > 1 } ?? false
    awaitsTrigger = turn.map { !trigger.holds(by: $0) } ?? false
    self.hasLeft = hasLeft
    let count = (isInside ? 1 : 0) + (awaitsTrigger ? 1 : 0) + (hasLeft ? 1 : 0)
    if count == 0 { return nil }
    reasons.store(count, ordering: .relaxed)
    if isInside { turn?.putOff { _ in self.end() } }
  }

  @usableFromInline var isUnderWay: Bool { reasons.load(ordering: .acquiring) > 0 }

  /// One of the reasons is over.
  fileprivate func end() { reasons.subtract(1, ordering: .releasing) }
}

extension EdgePointer {
  /// `attachToJoin` for an edge of a join that may have to catch up.
  @usableFromInline func attachToJoin(
    _ catchingUp: CatchingUp?, isTrigger: Bool, in turn: TurnPointer
  ) {
    guard let catchingUp, isTrigger ? catchingUp.awaitsTrigger : catchingUp.hasLeft else {
      return attachToJoin(in: turn)
    }
    if turn.pointee.isTraced { traceEdge(made: true, in: turn) }
    let up = pointee.up.unsafelyUnwrapped
    // Behind what was left, which is pushed in any case: no value has such a number.
    let seen = isTrigger ? up.numberOfValue() : .max - 1
    up.send((self, seen, catchingUp), in: turn) { payload, turn in
      let (edge, seen, catchingUp) = takePayload(
        payload, (EdgePointer, UInt64, CatchingUp).self)
      edge.attachAndCatchUp(with: seen, in: turn)
      catchingUp.end()
    }
  }
}

/// The join runs with an event, which is kept until then.
@inlinable @inline(never) func noteEvent<Value: Sendable>(
  _ value: Value, in event: Cell<Value?>, over edge: EdgePointer, _ up: NodePointer,
  _ turn: TurnPointer
) -> Bool {
  edge.inRegion(in: turn) { delivery, turn in
    event.replace(with: value)
    edge.pointee.down.unsafelyUnwrapped.noteArrival(delivery, over: edge, sender: up, in: turn)
    return false
  }
}

/// There is something new for the next tick, or, the node was emptied, nothing any more. The first value is told at once if the other
/// node has had a tick.
@inlinable func sampledStep<Value: Sendable>(
  _ arrived: Cell<Sampled<Value>?>, _ isFirst: Cell<Bool>, _ catchingUp: CatchingUp?
) -> Step {
  @Sendable func note(
    _ sampled: Sampled<Value>?, _ isFirst: Bool, _ edge: EdgePointer, _ delivery: Delivery,
    _ turn: TurnPointer
  ) -> Bool {
    arrived.replace(with: sampled)
    if sampled == nil { return false }
    if isFirst, edge.hasTick {
      edge.pointee.down.unsafelyUnwrapped.noteArrival(
        delivery, over: edge, sender: edge.pointee.up.unsafelyUnwrapped, in: turn)
      return false
    }
    return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
  }
  return { up, edge, turn in
    let sampled =
      turn.isEmptied ? nil : Sampled(up.slot(Value.self).pointee, isEvent: turn.isEvent)
    let first = isFirst.place.pointee || catchingUp?.isUnderWay == true
    isFirst.place.pointee = false
    return edge.deliver(edge.delivery(in: turn), in: turn) {
      note(sampled, first, edge, $0, turn)
    } later: {
      ClosureCrossing { note(sampled, first, edge, $0, $1) }
    }
  }
}

extension EdgePointer {
  /// For the edge of the node that is sampled: does the other one hold a value?
  @usableFromInline var hasTick: Bool {
    let join = pointee.down.unsafelyUnwrapped.pointee.join.unsafelyUnwrapped
    return !join.pointee.isTerminated.load(ordering: .relaxed)
      && join.pointee.upstreams[1].pointee.hasValue.load(ordering: .acquiring)
  }
}

/// A pair for every value.
@inlinable func everyPairStep<Value: Sendable, Other: Sendable>(
  _: Value.Type, _: Other.Type
) -> Step {
  @Sendable func pair(
    _ value: Value, _ edge: EdgePointer, _ delivery: Delivery, _ up: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down.unsafelyUnwrapped
    let join = down.pointee.join.unsafelyUnwrapped
    if join.pointee.isTerminated.load(ordering: .relaxed) {
      return edge.stop(.cut, delivery, in: turn)
    }
    guard let latest = join.pointee.upstreams[1].readStored(Other.self) else {
      return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
    }
    return down.arrive(.value((value, latest)), delivery, sender: up, in: turn)
  }
  return { up, edge, turn in
    let value = up.slot(Value.self).pointee
    return edge.deliver(edge.delivery(in: turn), in: turn) {
      pair(value, edge, $0, up, turn)
    } later: {
      ClosureCrossing { pair(value, edge, $0, up, $1) }
    }
  }
}
