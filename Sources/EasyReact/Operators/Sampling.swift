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
  /// both hold a value. Losing either edge ends it: `isTerminated`. Passes on the context of this
  /// node's wave. Known as `withLatestFrom` in Rx, `withLatest(from:)` in ReactiveSwift; Combine has
  /// none.
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
    // An event that waits for the join to run: its node does not keep it. The holder's of the join's region.
    let event = Cell<Value?>(nil)
    node.storage.pointee.join = makeJoin([storage, other.storage]) { storage, turn in
      let join = storage.pointee.join.unsafelyUnwrapped
      let upstreams = join.pointee.upstreams
      let value = upstreams[0].readStored(Value.self) ?? event.place.pointee
      event.replace(with: nil)
      guard let value, let latest = upstreams[1].readStored(Other.self) else {
        storage.traceWaiting(in: turn)
        return false
      }
      return emit((value, latest), of: storage, join, turn)
    }
    let step: Step =
      mode == .everyValue
      ? everyPairStep(Value.self, Other.self)
      : { up, edge, turn in
        if !turn.isEvent { return arriveAtJoin(up, edge, turn) }
        return noteEvent(up.slot(Value.self).pointee, in: event, over: edge, up, turn)
      }
    connectJoin(self, node.storage, .withLatest, turn, step)
    let isLeft = other.storage.pointee.hasPendingValue.load(ordering: .acquiring)
    connectLatest(other, to: node.storage, isAwaited: isLeft && hasEmitted(other), in: turn)
    if !isLeft, let value = storage.readStored(Value.self),
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
  /// before the tick is not told. If both nodes hold a value it is told at once. Losing either edge
  /// ends it: `isTerminated`. Passes on the context of the tick. Known as `sample` in Rx.
  /// ReactiveSwift's `sample(on:)` tells the same value again at each tick: that is
  /// `ticks.withLatest(from: node)` here, so this name keeps the meaning which has no other.
  @inlinable
  public final func sample<Tick: Sendable>(
    on ticks: Node<Tick>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    // Has this node told something since the last tick? And what, where it was an event. The holder's of
    // the join's region.
    let isNew = Cell(false)
    let event = Cell<Value?>(nil)
    // The number of the value that was told last, which may have been read before it came here; `.max`: none.
    let told = Cell(UInt64.max)
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    node.storage.pointee.join = makeJoin([storage, ticks.storage]) { storage, turn in
      let join = storage.pointee.join.unsafelyUnwrapped
      let number = join.pointee.upstreams[0].numberOfValue()  // before the value is read
      let stored = join.pointee.upstreams[0].readStored(Value.self)
      guard isNew.place.pointee, let value = stored ?? event.place.pointee,
        stored == nil || number != told.place.pointee
      else {
        storage.traceWaiting(in: turn)
        return false
      }
      isNew.place.pointee = false
      told.place.pointee = number
      event.replace(with: nil)
      turn.pointee.wave.flags.remove(.event)  // the tick's
      if stored == nil { turn.pointee.wave.flags.insert(.event) }
      return emit(value, of: storage, join, turn)
    }
    connectJoin(self, node.storage, .sample, turn, sampledStep(isNew, event))
    connectJoin(ticks, node.storage, .sampler, turn, arriveAtJoin)
    let number = storage.numberOfValue()
    if let value = storage.readStored(Value.self) {
      // Stored, not staged in an open batch.
      isNew.place.pointee = !ticks.storage.pointee.hasValue.load(ordering: .acquiring)
      if !isNew.place.pointee {
        node.storage.store(value)
        told.place.pointee = number
      }
    }
    turn.leave()
    return node
  }
}

/// An edge into a join that is being made; its first value is read by the maker.
@usableFromInline func connectJoin(
  _ up: AnyNode, _ down: NodePointer, _ kind: OperatorKind, _ turn: TurnPointer,
  _ step: @escaping Step
) {
  let edge = connect(up, down, kind: kind, step)
  edge.attachToJoin(in: turn)
}

/// The edge of the node that does not make the join run.
/// - Parameter isAwaited: A value of it is still left with another thread: its arrival makes the join run, once.
@usableFromInline func connectLatest(
  _ other: AnyNode, to join: NodePointer, isAwaited: Bool, in turn: TurnPointer
) {
  if !isAwaited { return connectJoin(other, join, .latest, turn) { _, _, _ in false } }
  let isAwaited = Cell(true)
  connectJoin(other, join, .latest, turn) { up, edge, turn in
    // By the holder of `other`.
    defer { isAwaited.place.pointee = false }
    return isAwaited.place.pointee && arriveAtJoin(up, edge, turn)
  }
}

/// The join runs with an event, which is kept until then.
@inlinable @inline(never) func noteEvent<Value: Sendable>(
  _ value: Value, in event: Cell<Value?>, over edge: EdgePointer, _ up: NodePointer,
  _ turn: TurnPointer
) -> Bool {
  edge.inRegion(in: turn) { delivery, turn in
    event.replace(with: value)
    edge.pointee.down.unsafelyUnwrapped.noteArrival(delivery, sender: up, in: turn)
    return false
  }
}

/// There is something new for the next tick.
@inlinable func sampledStep<Value: Sendable>(_ isNew: Cell<Bool>, _ event: Cell<Value?>) -> Step {
  @Sendable func note(
    _ value: Value?, _ edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    isNew.place.pointee = true
    event.replace(with: value)
    return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
  }
  return { up, edge, turn in
    let value = turn.isEvent ? up.slot(Value.self).pointee : nil
    return edge.deliver(Delivery(edge, turn), in: turn) {
      note(value, edge, $0, turn)
    } later: {
      ClosureCrossing { note(value, edge, $0, $1) }
    }
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
    return edge.deliver(Delivery(edge, turn), in: turn) {
      pair(value, edge, $0, up, turn)
    } later: {
      ClosureCrossing { pair(value, edge, $0, up, $1) }
    }
  }
}
