import CEasyReact
import Synchronization

// Making nodes that follow others. A node with one upstream lies in the upstream's region and its
// edge in its own block; the others are heads of regions of their own. Nothing leads away from a
// new node yet, so no cycle can close.

extension Node {
  /// A node that follows this one through a step without state of its own.
  @inlinable @inline(__always)
  func derive<Output: Sendable>(
    _ kind: EdgeKind, _ site: Site, _: Output.Type, _ step: @escaping Step
  ) -> Node<Output> {
    derive(
      Edge(
        kind: kind, up: core, handle: Unmanaged.passRetained(self as AnyNode),
        flags: EdgeFlags.starting, step: step),
      site, Output.self)
  }

  /// A node that follows this one through a transform with state. `isHead`: its values come from
  /// elsewhere in time, so it does not lie in this node's region.
  @inlinable
  func derive<Output: Sendable>(
    through transform: Transform<Value, Output>, isHead: Bool = false, _ site: Site
  ) -> Node<Output> {
    let parts = transform.parts()
    let edge = Edge(
      kind: transform.kind, up: core, handle: Unmanaged.passRetained(self as AnyNode),
      hearsEmptiness: transform.hearsEmptiness, flags: EdgeFlags.starting, hop: parts.hop,
      step: parts.step)
    return derive(edge, isHead: isHead, site, Output.self, face: transform)
  }

  @inlinable @inline(__always)
  func derive<Output: Sendable>(
    _ edge: consuming Edge, isHead: Bool = false, startingWith first: Output? = nil,
    _ site: Site, _: Output.Type, face: AnyTransform? = nil
  ) -> Node<Output> {
    let turn = currentTurn()
    enter(turn)
    let region = isHead ? nil : core.pointee.region.load(ordering: .acquiring)
    let down = makeCore(of: Output.self, region: region, rank: 0, site: site, inEdge: edge)
    let node = MutableNode<Output>(adopting: down)
    if let first { store(down, first) }
    follow(core, down, face, turn)
    leave(turn)
    return node
  }
}

/// Puts a new node below its only upstream and pushes the present value.
@usableFromInline func follow(
  _ up: CorePointer, _ down: CorePointer, _ face: AnyTransform?, _ turn: TurnPointer
) {
  let edge = inEdgePointer(down)
  if let face {
    edge.pointee.face.store(Unmanaged.passRetained(face as AnyObject), ordering: .relaxed)
    let life = Life(edge)
    face.ends.withLock { $0.life = life }
  }
  down.pointee.references.store(2, ordering: .relaxed)
  down.pointee.firstIn.store(edge, ordering: .relaxed)
  edge.pointee.previousIn.store(edge, ordering: .relaxed)
  up.pointee.acquire()
  // Read again: the upstream may have been moved to another region, or to a higher rank, a moment
  // ago.
  if !down.pointee.isHead {
    down.pointee.region.store(up.pointee.region.load(ordering: .relaxed), ordering: .relaxed)
  }
  liftFresh(down, above: up)
  appendLocked(edge, up)
  up.pointee.release()
  if let face { face.start(edge, turn) } else { attachNow(edge, turn) }
}

/// A new node without upstreams, and the head of a region that this turn holds.
@inlinable func makeHead<Value: Sendable>(
  _: Value.Type, _ site: Site, _ turn: TurnPointer
) -> MutableNode<Value> {
  let node = makeSource(nil as Value?, isMutable: false, site)
  _ = claim(node.core, turn)
  return node
}

/// An edge from `up` to a node that is being made. It is followed once it is attached.
@usableFromInline func connect(
  _ up: AnyNode, _ down: CorePointer, kind: EdgeKind, _ step: @escaping Step
) -> EdgePointer {
  let edge = makeEdge(
    Edge(
      kind: kind, up: up.core, handle: Unmanaged.passRetained(up), flags: EdgeFlags.starting,
      step: step))
  edge.pointee.down = down
  down.pointee.references.wrappingAdd(1, ordering: .relaxed)
  insertFresh(edge)
  return edge
}

/// The maker of a join reads its upstreams itself, after this. Where another thread is inside one, what
/// it has stored since runs the join again.
@usableFromInline func attachToJoin(_ edge: EdgePointer, _ turn: TurnPointer) {
  let up = edge.pointee.up.unsafelyUnwrapped
  if turn.pointee.isTraced { traceEdge(edge, made: true, turn) }
  if holds(up, turn) {
    attachWithoutPush(edge, turn)
    return
  }
  // A number is stored behind its value, so what the maker reads is no older than this one. A set
  // under way may be read and pushed too; none is missed.
  let hadValue = up.pointee.hasValue.load(ordering: .acquiring)
  let seen = hadValue ? up.pointee.wave.load(ordering: .acquiring) : .max
  post(
    makeLetter(to: up, (edge, seen)) { payload, turn in
      let (edge, seen) = takePayload(payload, (EdgePointer, UInt64).self)
      if !attachWithoutPush(edge, turn) { return }
      let up = edge.pointee.up.unsafelyUnwrapped
      if up.pointee.wave.load(ordering: .relaxed) != seen,
        up.pointee.hasValue.load(ordering: .relaxed)
      {
        push(edge, turn)
      }
    }, turn)
}
