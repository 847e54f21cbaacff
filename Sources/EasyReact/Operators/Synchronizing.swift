import Synchronization

extension MutableNode {
  /// Keeps two nodes equal: a set of either goes to the other.
  ///
  ///     let a = MutableNode<Int>(), b = MutableNode(2)
  ///     let sync = a.sync(with: b)            // a.value == 2
  ///     a.value = 3                           // b.value == 3
  ///     sync.cancel()
  ///
  /// At first the other side wins if it is not empty, else this side's value goes over; each node that
  /// changes is told once. Each side is told once a set, even in a ring or a full mesh of syncs.
  /// A sync does not keep its nodes alive: when one is released the sync is over, so keep a node that is made for it, such as
  /// those that `map` and lenses make. Dropping the result
  /// does not end it. Syncing a node with itself does nothing. A node that is not mutable is synced by
  /// its `wiring`.
  @discardableResult
  @inlinable
  public final func sync(with other: Node<Value>) -> any Cancelable { wiring.sync(with: other) }

  /// Keeps two nodes of different types in step. `transform` makes the other's value this one's,
  /// `revert` the reverse. The value that both begin with comes back through the other closure.
  ///
  ///     celsius.sync(with: fahrenheit, transform: { ($0 - 32) / 1.8 }, revert: { $0 * 1.8 + 32 })
  @discardableResult
  @inlinable
  public final func sync<Other: Sendable>(
    with other: Node<Other>, transform: @escaping @Sendable (Other) -> Value,
    revert: @escaping @Sendable (Value) -> Other
  ) -> any Cancelable {
    wiring.sync(with: other, transform: transform, revert: revert)
  }
}

extension NodeWiring {
  /// Keeps the node and another one equal, whether they are mutable or not; see
  /// ``MutableNode/sync(with:)``.
  @discardableResult
  @inlinable
  public func sync<Value>(with other: Node<Value>) -> any Cancelable where Host: Node<Value> {
    node.join(
      other, half(of: other, to: node) { $0 }, half(of: node, to: other) { $0 }, isPlain: true)
  }

  /// Keeps two nodes of different types in step; see ``MutableNode/sync(with:transform:revert:)``.
  @discardableResult
  @inlinable
  public func sync<Value, Other>(
    with other: Node<Other>, transform: @escaping @Sendable (Other) -> Value,
    revert: @escaping @Sendable (Value) -> Other
  ) -> any Cancelable where Host: Node<Value> {
    node.join(
      other, half(of: other, to: node, transform), half(of: node, to: other, revert),
      isPlain: false)
  }
}

extension Node {
  @usableFromInline final func join<Other: Sendable>(
    _ other: Node<Other>, _ here: NodeTransform<Other, Value>, _ there: NodeTransform<Value, Other>,
    isPlain: Bool
  ) -> any Cancelable {
    if other.isEnd(of: self) || isEnd(of: other) { return ClosureCancelable.over }
    let turn = currentTurn()
    turn.enter()
    var halves: [EdgePointer] = []
    let numberHere = here.setEnds { from, to in
      (from, to) = (other, self)
    } attach: { edge, _ in
      halves.append(edge)
    }
    let numberThere = there.setEnds { from, to in
      (from, to) = (self, other)
    } attach: { edge, _ in
      halves.append(edge)
    }
    // What is set from now on is newer than the first value of either side. Not before a part of a whole has begun to count its own
    // sets: it counts as set with its whole before that.
    let beginning = SyncBeginning(comesBack: !isPlain)
    halves[0].beginSync(there: halves[1], beginning, in: turn)
    turn.leave()
    return SyncCancelable([(here, numberHere), (there, numberThere)])
  }
}

// MARK: - The first value

extension EdgePointer {
  /// Both halves are in the lists, and neither is followed yet.
  fileprivate func beginSync(
    there: EdgePointer, _ beginning: SyncBeginning, in turn: TurnPointer
  ) {
    let (here, side, other) = (self, there.pointee.up!, pointee.up!)
    for half in [here, there] {
      half.block.pointee.beginning = .passRetained(beginning)
      if turn.pointee.isTraced { half.traceEdge(made: true, in: turn) }
    }
    if other.holds(by: turn), side.holds(by: turn) {
      // A part of another node may have been set since its inlet was told its number.
      if here.pointee.down != side { side.raiseInlet(in: turn) }
      if there.pointee.down != other { other.raiseInlet(in: turn) }
      let areAttached = [
        here.attachWithoutPush(in: turn), there.attachWithoutPush(in: turn),
      ]
      if areAttached != [true, true] { return }
      let isOthers = other.pointee.hasValue.load(ordering: .relaxed)
      let (winner, loser) = isOthers ? (here, there) : (there, here)
      loser.tell(since: beginning, in: turn)  // by another thread, before this one came in
      winner.tellFirst(of: beginning, in: turn)
      return
    }
    // A thread is inside one of them.
    other.perform(in: turn) { turn in
      if here.attachWithoutPush(in: turn) { here.tellFirst(of: beginning, in: turn) }
      side.perform(in: turn) { turn in
        if there.attachWithoutPush(in: turn) { there.tellFirst(of: beginning, in: turn) }
      }
    }
  }

  /// The side wins that is not empty, the other one first. Holder.
  private func tellFirst(of beginning: SyncBeginning, in turn: TurnPointer) {
    let version = pointee.up!.versionToSync()
    if let version, beginning.begin(over: self, with: version), version.number < beginning.number {
      tellFirst(beginning.number, in: turn)
    } else {
      tell(since: beginning, in: turn)
    }
  }

  /// What the side holds crosses in any case if it was set since the sync was made. Holder.
  private func tell(since beginning: SyncBeginning, in turn: TurnPointer) {
    guard let version = pointee.up!.versionToSync(), version.number >= beginning.number else {
      return
    }
    pushValue(in: turn, as: version)
  }
}

extension NodePointer {
  /// Of the value, or of the part; nil: there is none.
  fileprivate func versionToSync() -> Version? {
    pointee.hasValue.load(ordering: .relaxed) ? versionOfPart ?? version() : nil
  }
}

@inlinable func half<Input, Output>(
  of node: Node<Input>, to _: Node<Output>, _ transform: @escaping @Sendable (Input) -> Output
) -> NodeTransform<Input, Output> {
  if let version = node.partVersion { return half(of: version, transform) }
  return NodeTransform(.sync) {
    EdgeParts { up, edge, turn in
      if !edge.mayBeOlderThanSync(turn) {
        return edge.pass(up.withValue(transform), from: up, in: turn)
      }
      guard let delivery = edge.delivery(in: turn).crossing(half: edge) else {
        return edge.stop(.reachedAlready, in: turn)
      }
      return edge.passSlowly(.value(up.withValue(transform)), delivery, from: up, in: turn)
    }
  }
}

@usableFromInline func half<Input, Output>(
  of version: PartVersion<Input>, _ transform: @escaping @Sendable (Input) -> Output
) -> NodeTransform<Input, Output> {
  NodeTransform(.sync) {
    EdgeParts { up, edge, turn in
      let value = up.withValue(transform)  // user code
      guard let delivery = version.delivery(over: edge, from: up, in: turn) else {
        return edge.stop(.reachedAlready, in: turn)
      }
      return edge.passSlowly(.value(value), delivery, from: up, in: turn)
    }
  }
}

extension Node {
  /// For a part of another node.
  @usableFromInline final var partVersion: PartVersion<Value>? { lens?.version }
}

private final class SyncCancelable: Cancelable {
  /// With the numbers of their lives.
  private let halves: [(transform: AnyNodeTransform, number: Int?)]

  init(_ halves: [(AnyNodeTransform, Int?)]) { self.halves = halves }

  /// Both are marked before one is taken out of the shape: else the half that leads back would become an ordinary edge
  /// on the way, and raise all that follows.
  func cancel() {
    let turn = currentTurn()
    turn.enter()
    let marked = halves.compactMap { half in
      half.transform.markPresentLife { $0.number == half.number }
    }
    for half in marked { half.edge.finishCut(in: turn) }
    turn.leave()
  }
}
