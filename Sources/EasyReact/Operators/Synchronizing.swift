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
  /// changes is told once. If this side was set later, the other one hears its value once more. Each
  /// side is told once a set, even in a ring or a full mesh of syncs.
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
    // What is set from now on is newer than the first value of either side.
    let number = newWave()
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
    halves[0].beginSync(there: halves[1], number, isPlain: isPlain, in: turn)
    turn.leave()
    return SyncCancelable([(here, numberHere), (there, numberThere)])
  }
}

// MARK: - The first value

extension EdgePointer {
  /// Both halves are in the lists, and neither is followed yet.
  fileprivate func beginSync(
    there: EdgePointer, _ number: UInt64, isPlain: Bool, in turn: TurnPointer
  ) {
    let other = pointee.up!
    if turn.pointee.isTraced { for half in [self, there] { half.traceEdge(made: true, in: turn) } }
    if other.holds(by: turn), there.pointee.up!.holds(by: turn) {
      let winner = other.pointee.hasValue.load(ordering: .relaxed) ? self : there
      // A part of another node may have been set since its inlet was told its number.
      if pointee.down != there.pointee.up { there.pointee.up!.raiseInlet(in: turn) }
      if there.pointee.down != other { other.raiseInlet(in: turn) }
      let areAttached = [attachWithoutPush(in: turn), there.attachWithoutPush(in: turn)]
      if areAttached == [true, true],
        winner.pointee.up!.pointee.hasValue.load(ordering: .relaxed)
      {
        winner.tellFirst(in: turn, comesBack: !isPlain, as: winner.pointee.up!.versionOfPart)
      }
      return
    }
    // A thread is inside one of them. What it finds in the other node counts; on this side what was
    // set since, and else what comes back: the other node may have taken on an older value meanwhile.
    other.perform(in: turn) { turn in
      let isOthers = other.pointee.hasValue.load(ordering: .relaxed)
      attachHalf(number, pushes: true, in: turn)
      there.pointee.up!.perform(in: turn) { turn in
        there.attachHalf(number, pushes: !isOthers, in: turn)
      }
    }
  }

  /// - Parameter pushes: Does the value count that was here before the sync was made?
  fileprivate func attachHalf(_ number: UInt64, pushes: Bool, in turn: TurnPointer) {
    let up = pointee.up!, version = up.versionOfPart ?? up.version()
    if attachWithoutPush(in: turn), up.pointee.hasValue.load(ordering: .relaxed),
      pushes || version.number >= number
    {
      pushValue(in: turn, as: max(version, (number, 0)))
    }
  }
}

@inlinable func half<Input, Output>(
  of node: Node<Input>, to _: Node<Output>, _ transform: @escaping @Sendable (Input) -> Output
) -> NodeTransform<Input, Output> {
  if let version = node.partVersion { return half(of: version, transform) }
  return NodeTransform(.sync) {
    EdgeParts { up, edge, turn in
      edge.pass(up.withValue(transform), from: up, in: turn)
    }
  }
}

@usableFromInline func half<Input, Output>(
  of version: PartVersion<Input>, _ transform: @escaping @Sendable (Input) -> Output
) -> NodeTransform<Input, Output> {
  NodeTransform(.sync) {
    EdgeParts { up, edge, turn in
      let value = up.withValue(transform)  // user code
      let delivery = version.delivery(over: edge, from: up, in: turn)
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
