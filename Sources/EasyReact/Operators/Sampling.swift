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
    let read: Reader<(Value, Other)> = { cores in
      guard let value = readStored(cores[0], Value.self),
        let latest = readStored(cores[1], Other.self)
      else { return nil }
      return (value, latest)
    }
    let turn = currentTurn()
    enter(turn)
    let node = makeHead((Value, Other).self, Site(file, line), turn)
    node.core.pointee.join = makeJoin([core, other.core]) { core, turn in
      guard let pair = read(core.pointee.join!.pointee.upstreams) else {
        traceWaiting(core, turn)
        return false
      }
      return tell(pair, of: core, turn)
    }
    connectJoin(
      self, node.core, .withLatest, turn, mode == .latest ? arriveAtJoin : everyValueStep(read))
    connectJoin(other, node.core, .latest, turn) { _, _, _ in false }
    if let pair = read(node.core.pointee.join!.pointee.upstreams) { store(node.core, pair) }
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
    let turn = currentTurn()
    enter(turn)
    let node = makeHead(Value.self, Site(file, line), turn)
    node.core.pointee.join = makeJoin([core, ticks.core]) { core, turn in
      guard sampling.isNew,
        let value = readStored(core.pointee.join!.pointee.upstreams[0], Value.self)
      else {
        traceWaiting(core, turn)
        return false
      }
      sampling.isNew = false
      return tell(value, of: core, turn)
    }
    connectJoin(self, node.core, .sample, turn) { _, edge, turn in
      inRegion(of: edge, turn) { _, turn in
        sampling.isNew = true
        return stop(.waitsForAnotherUpstream, edge, turn)
      }
    }
    connectJoin(ticks, node.core, .sampler, turn, arriveAtJoin)
    if let value = readStored(core, Value.self) {
      sampling.isNew = ticks.isEmpty
      if !ticks.isEmpty { store(node.core, value) }
    }
    leave(turn)
    return node
  }
}

typealias Reader<Output> = @Sendable (UnsafeMutablePointer<CorePointer>) -> Output?

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
