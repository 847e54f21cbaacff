import CEasyReact
import Synchronization

// Making nodes that follow others. A node with one upstream lies in the upstream's region and its
// edge in its own block; the others are heads of regions of their own. Nothing leads away from a
// new node yet, so no cycle can close.

extension Node {
  /// A node that follows this one through a step without state of its own.
  @inlinable @inline(__always)
  func derive<Output: Sendable>(
    _ kind: OperatorKind, _ location: SourceLocation, _: Output.Type, _ step: @escaping Step
  ) -> Node<Output> {
    derive(
      EdgeStorage(
        kind: kind, up: storage, handle: Unmanaged.passRetained(self as AnyNode),
        flags: .starting, step: step),
      location, Output.self)
  }

  /// A node that follows this one through a transform with state. `isHead`: its values come from
  /// elsewhere in time, so it does not lie in this node's region.
  @inlinable
  func derive<Output: Sendable>(
    through transform: NodeTransform<Value, Output>, isHead: Bool = false,
    _ location: SourceLocation
  ) -> Node<Output> {
    let parts = transform.parts()
    let edge = EdgeStorage(
      kind: transform.kind, up: storage, handle: Unmanaged.passRetained(self as AnyNode),
      hearsEmptiness: transform.hearsEmptiness, flags: .starting, state: parts.state,
      step: parts.step)
    return derive(edge, isHead: isHead, location, Output.self, publicObject: transform)
  }

  @inlinable @inline(__always)
  func derive<Output: Sendable>(
    _ edge: consuming EdgeStorage, isHead: Bool = false, startingWith first: Output? = nil,
    _ location: SourceLocation, _: Output.Type, publicObject: AnyNodeTransform? = nil
  ) -> Node<Output> {
    let turn = currentTurn()
    turn.enter()
    let region = isHead ? nil : storage.pointee.region.load(ordering: .acquiring)
    let down = makeStorage(
      of: Output.self, region: region, location: location, inEdge: edge)
    let node = MutableNode<Output>(adopting: down)
    if let first { down.store(first) }
    storage.follow(down, publicObject, in: turn)
    turn.leave()
    return node
  }
}

extension NodePointer {
  /// Puts a new node below its only upstream and pushes the present value.
  @usableFromInline func follow(
    _ down: NodePointer, _ publicObject: AnyNodeTransform?, in turn: TurnPointer
  ) {
    let edge = down.inEdgePointer()
    // First of all: whoever finds the node may link it, which counts too.
    down.pointee.references.store(2, ordering: .relaxed)
    guard let publicObject else {
      listFresh(edge)
      edge.attachNow(in: turn)
      return
    }
    edge.pointee.setPublicObject(publicObject)
    // Whoever finds the node by its transform, or the transform by the edge, waits until all three are in their places.
    publicObject.ends.withLock { [life = EdgeReference(edge)] ends in
      ends.life = life
      listFresh(life.edge)
    }
    publicObject.start(edge, turn)
  }

  /// The edge to a new node comes into the list of its only upstream, this one.
  private func listFresh(_ edge: EdgePointer) {
    let down = edge.pointee.down.unsafelyUnwrapped
    pointee.acquire()
    // Read again: the upstream may have been moved to another region, or to a higher rank, a moment
    // ago.
    if !down.pointee.isHead {
      down.pointee.region.store(pointee.region.load(ordering: .relaxed), ordering: .relaxed)
    }
    down.liftFresh(above: self)
    edge.appendLocked(self)
    pointee.release()
  }
}

/// A new node without upstreams, and the head of a region that this turn holds. It is published once it is connected.
@inlinable func makeHead<Value: Sendable>(
  _: Value.Type, _ location: SourceLocation, _ turn: TurnPointer
) -> MutableNode<Value> {
  let node = MutableNode<Value>(
    unpublished: makeSourceStorage(nil as Value?, isMutable: false, location))
  _ = node.storage.claim(by: turn)
  return node
}

/// An edge from `up` to a node that is not published yet. It is followed once it is attached.
@discardableResult
@usableFromInline func connect(
  _ up: AnyNode, _ down: NodePointer, kind: OperatorKind, hearsEmptiness: Bool = false,
  _ step: @escaping Step
) -> EdgePointer {
  let edge = makeEdge(from: up, to: down, kind: kind, hearsEmptiness: hearsEmptiness, step)
  edge.insertFresh()
  return edge
}

/// An edge that counts on its ends, and is in no list yet.
@usableFromInline func makeEdge(
  from up: AnyNode, to down: NodePointer, kind: OperatorKind, hearsEmptiness: Bool = false,
  _ step: @escaping Step
) -> EdgePointer {
  let edge = makeEdge(
    EdgeStorage(
      kind: kind, up: up.storage, handle: Unmanaged.passRetained(up),
      hearsEmptiness: hearsEmptiness, flags: .starting, step: step))
  edge.pointee.down = down
  down.pointee.references.wrappingAdd(1, ordering: .relaxed)
  return edge
}

extension AnyNode {
  /// The node is connected: others find it from here on, and its edges are attached in order.
  @inlinable final func publish(attachingEachBy attach: (EdgePointer) -> Void) {
    var edge = storage.pointee.firstIn.load(ordering: .relaxed)
    // Others may link more after it from now on; and nothing leaves the list before the turn's end.
    let last = edge?.block.pointee.previousIn.load(ordering: .relaxed)
    publish()
    while let present = edge {
      edge = present == last ? nil : present.block.pointee.nextIn.load(ordering: .relaxed)
      attach(present)
    }
  }
}

extension EdgePointer {
  /// The maker of a join reads its upstreams itself, after this. If another thread is inside one, what
  /// it has stored since runs the join again.
  @usableFromInline func attachToJoin(in turn: TurnPointer) {
    let up = pointee.up.unsafelyUnwrapped
    if up.holds(by: turn) {
      if turn.pointee.isTraced { traceEdge(made: true, in: turn) }
      attachWithoutPush(in: turn)
    } else {
      attachToJoin(in: turn, seen: up.numberOfValue())
    }
  }

  /// The same for a maker that has read already: a value with this number, or none.
  func attachToJoin(in turn: TurnPointer, seen: UInt64) {
    if turn.pointee.isTraced { traceEdge(made: true, in: turn) }
    let up = pointee.up.unsafelyUnwrapped
    if up.holds(by: turn) { return attachAndCatchUp(with: seen, in: turn) }
    up.send((self, seen), in: turn) { payload, turn in
      let (edge, seen) = takePayload(payload, (EdgePointer, UInt64).self)
      edge.attachAndCatchUp(with: seen, in: turn)
    }
  }

  func attachAndCatchUp(with seen: UInt64, in turn: TurnPointer) {
    if !attachWithoutPush(in: turn) { return }
    let number = pointee.up.unsafelyUnwrapped.numberOfValue()
    if number == seen { return }
    if number != .max { return pushValue(in: turn) }
    pointee.down.unsafelyUnwrapped.pointee.join?.missChange()  // it was emptied
  }
}

extension NodePointer {
  /// One that no other value of the node has had, also where a lens tells one again; `.max`: the node is empty. It is stored after its value, so whoever
  /// reads after this reads none that is older. A set under way may be read and pushed too; none is missed.
  @usableFromInline func numberOfValue() -> UInt64 {
    if !pointee.hasValue.load(ordering: .acquiring) { return .max }
    let number = pointee.wave.load(ordering: .acquiring)
    let tiebreak = tiebreak() & ~toldAgain
    return tiebreak == 0 ? number : 1 << 63 | tiebreak
  }
}
