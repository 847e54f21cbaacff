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
    from other: Node<Other>, as mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<(Value, Other)> {
    let turn = currentTurn()
    enter(turn)
    let node = makeHead((Value, Other).self, Site(file, line), turn)
    let event = Captured<Value>()
    node.core.pointee.join = makeJoin([core, other.core]) { core, turn in
      let upstreams = core.pointee.join!.pointee.upstreams
      let value = readStored(upstreams[0], Value.self) ?? event.value
      event.value = nil
      guard let value, let latest = readStored(upstreams[1], Other.self) else {
        traceWaiting(core, turn)
        return false
      }
      return tell((value, latest), of: core, turn)
    }
    connectJoin(self, node.core, .withLatest, turn) { up, edge, turn in
      if mode == .everyValue {
        let value = slot(up, Value.self).pointee
        return inRegion(of: edge, turn) { crossing, turn in
          pair(value, Other.self, over: edge, crossing, up, turn)
        }
      }
      if !turn.isEvent { return arriveAtJoin(up, edge, turn) }
      let value = slot(up, Value.self).pointee
      return inRegion(of: edge, turn) { crossing, turn in
        event.value = value
        noteArrival(edge.pointee.down!, crossing, sender: up, turn)
        return false
      }
    }
    // This thread reads a value of `other` that is still left with another one: its arrival makes the
    // join run, once.
    let isLeft = other.core.pointee.hasPosted.load(ordering: .acquiring)
    if isLeft, hasTold(other) {
      let isAwaited = Cell(true)
      connectJoin(other, node.core, .latest, turn) { up, edge, turn in
        // By the holder of `other`.
        defer { isAwaited.place.pointee = false }
        return isAwaited.place.pointee && arriveAtJoin(up, edge, turn)
      }
    } else {
      connectJoin(other, node.core, .latest, turn) { _, _, _ in false }
    }
    if !isLeft, let value = readStored(core, Value.self),
      let latest = readStored(other.core, Other.self)
    {
      store(node.core, (value, latest))
    }
    leave(turn)
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
  public final func sample<Tick: Sendable>(
    on ticks: Node<Tick>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let sampling = Sampling()
    let event = Captured<Value>()
    let turn = currentTurn()
    enter(turn)
    let node = makeHead(Value.self, Site(file, line), turn)
    node.core.pointee.join = makeJoin([core, ticks.core]) { core, turn in
      let stored = readStored(core.pointee.join!.pointee.upstreams[0], Value.self)
      guard sampling.isNew, let value = stored ?? event.value else {
        traceWaiting(core, turn)
        return false
      }
      sampling.isNew = false
      event.value = nil
      turn.pointee.flags &= ~Bits.event  // the tick's
      if stored == nil { turn.pointee.flags |= Bits.event }
      return tell(value, of: core, turn)
    }
    connectJoin(self, node.core, .sample, turn) { up, edge, turn in
      let value = turn.isEvent ? slot(up, Value.self).pointee : nil
      return inRegion(of: edge, turn) { _, turn in
        sampling.isNew = true
        event.value = value
        return stop(.waitsForAnotherUpstream, edge, turn)
      }
    }
    connectJoin(ticks, node.core, .sampler, turn, arriveAtJoin)
    if let value = readStored(core, Value.self) {
      sampling.isNew = ticks.isEmpty
      if !sampling.isNew { store(node.core, value) }
    }
    leave(turn)
    return node
  }
}

/// An edge into a join that is being made; its first value is read by the maker.
func connectJoin(
  _ up: AnyNode, _ down: CorePointer, _ kind: EdgeKind, _ turn: TurnPointer, _ step: @escaping Step
) {
  let edge = connect(up, down, kind: kind, step)
  attachToJoin(edge, turn)
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
  _ value: Value, _: Other.Type, over edge: EdgePointer, _ crossing: Crossing, _ up: CorePointer,
  _ turn: TurnPointer
) -> Bool {
  let down = edge.pointee.down!
  let join = down.pointee.join!
  if join.pointee.isTerminated.load(ordering: .relaxed) { return stop(.cut, edge, turn) }
  guard let latest = readStored(join.pointee.upstreams[1], Other.self) else {
    return stop(.waitsForAnotherUpstream, edge, turn)
  }
  return arrive(down, .value((value, latest)), crossing, sender: up, turn)
}
