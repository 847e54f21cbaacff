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
  public final func withLatest<Other: Sendable>(
    from other: Node<Other>, mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<(Value, Other)> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead((Value, Other).self, SourceLocation(file, line), turn)
    let event = Captured<Value>()
    node.storage.pointee.join = makeJoin([storage, other.storage]) { storage, turn in
      let upstreams = storage.pointee.join!.pointee.upstreams
      let value = upstreams[0].readStored(Value.self) ?? event.value
      event.value = nil
      guard let value, let latest = upstreams[1].readStored(Other.self) else {
        storage.traceWaiting(in: turn)
        return false
      }
      return emit((value, latest), of: storage, turn)
    }
    connectJoin(self, node.storage, .withLatest, turn) { up, edge, turn in
      if mode == .everyValue {
        let value = up.slot(Value.self).pointee
        return edge.inRegion(in: turn) { delivery, turn in
          pair(value, Other.self, over: edge, delivery, up, turn)
        }
      }
      if !turn.isEvent { return arriveAtJoin(up, edge, turn) }
      let value = up.slot(Value.self).pointee
      return edge.inRegion(in: turn) { delivery, turn in
        event.value = value
        edge.pointee.down!.noteArrival(delivery, sender: up, in: turn)
        return false
      }
    }
    let isLeft = other.storage.pointee.hasPendingValue.load(ordering: .acquiring)
    connectLatest(other, to: node.storage, isAwaited: isLeft && hasEmitted(other), in: turn)
    if !isLeft { storePair(with: other, in: node.storage) }
    turn.leave()
    return node
  }

  private final func storePair<Other: Sendable>(with other: Node<Other>, in join: NodePointer) {
    if let value = storage.readStored(Value.self),
      let latest = other.storage.readStored(Other.self)
    {
      join.store((value, latest))
    }
  }

  /// The edge of the node that does not make the join run.
  /// - Parameter isAwaited: A value of it is still left with another thread: its arrival makes the join run, once.
  private final func connectLatest<Other: Sendable>(
    _ other: Node<Other>, to join: NodePointer, isAwaited: Bool, in turn: TurnPointer
  ) {
    if !isAwaited { return connectJoin(other, join, .latest, turn) { _, _, _ in false } }
    let isAwaited = Cell(true)
    connectJoin(other, join, .latest, turn) { up, edge, turn in
      // By the holder of `other`.
      defer { isAwaited.place.pointee = false }
      return isAwaited.place.pointee && arriveAtJoin(up, edge, turn)
    }
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
  public final func sample<Tick: Sendable>(
    on ticks: Node<Tick>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let sampling = Sampling()
    let event = Captured<Value>()
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    node.storage.pointee.join = makeJoin([storage, ticks.storage]) { storage, turn in
      let stored = storage.pointee.join!.pointee.upstreams[0].readStored(Value.self)
      guard sampling.isNew, let value = stored ?? event.value else {
        storage.traceWaiting(in: turn)
        return false
      }
      sampling.isNew = false
      event.value = nil
      turn.pointee.wave.flags.remove(.event)  // the tick's
      if stored == nil { turn.pointee.wave.flags.insert(.event) }
      return emit(value, of: storage, turn)
    }
    connectJoin(self, node.storage, .sample, turn) { up, edge, turn in
      let value = turn.isEvent ? up.slot(Value.self).pointee : nil
      return edge.inRegion(in: turn) { delivery, turn in
        sampling.isNew = true
        event.value = value
        return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
      }
    }
    connectJoin(ticks, node.storage, .sampler, turn, arriveAtJoin)
    if let value = storage.readStored(Value.self) {
      sampling.isNew = ticks.isEmpty
      if !sampling.isNew { node.storage.store(value) }
    }
    turn.leave()
    return node
  }
}

/// An edge into a join that is being made; its first value is read by the maker.
func connectJoin(
  _ up: AnyNode, _ down: NodePointer, _ kind: OperatorKind, _ turn: TurnPointer,
  _ step: @escaping Step
) {
  let edge = connect(up, down, kind: kind, step)
  edge.attachToJoin(in: turn)
}

/// Has the sampled node told something since the last tick? Touched by the holder of the join's
/// region.
private final class Sampling: @unchecked Sendable {
  // Unchecked: see above.
  var isNew = false
}

/// An event that waits for the join to run: its node does not keep it. Touched by the holder of the
/// join's region.
private final class Captured<Value: Sendable>: @unchecked Sendable {
  // Unchecked: see above.
  var value: Value?
}

/// A pair for every value.
private func pair<Value: Sendable, Other: Sendable>(
  _ value: Value, _: Other.Type, over edge: EdgePointer, _ delivery: Delivery, _ up: NodePointer,
  _ turn: TurnPointer
) -> Bool {
  let down = edge.pointee.down!
  let join = down.pointee.join!
  if join.pointee.isTerminated.load(ordering: .relaxed) {
    return edge.stop(.cut, delivery, in: turn)
  }
  guard let latest = join.pointee.upstreams[1].readStored(Other.self) else {
    return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
  }
  return down.arrive(.value((value, latest)), delivery, sender: up, in: turn)
}
