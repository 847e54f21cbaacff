/// What changes the edges of a node: `node.wiring`.
///
///     let price = MutableNode(4)
///     let shown = Node<Int>()
///     shown.wiring.link(to: price)                   // shown.value == 4
///     shown.wiring.removeUpstreamNodes()             // shown keeps 4 and follows nothing
///
/// A `Node` that somebody hands out is for reading; code that rewires it all the same says so with this
/// word. A ``MutableNode`` is linked and synced directly. Edges in hand, such as those of
/// `upstreamTransforms`, can be re-pointed and cut by themselves. Any thread may use any member.
public struct NodeWiring<Host: AnyNode>: Sendable {
  @usableFromInline let node: Host
  @usableFromInline init(_ node: Host) { self.node = node }
}

/// Every node. It exists so that the wiring of a `Node<Int>` knows that it is one.
public protocol WiredNode: AnyNode {}

extension AnyNode: WiredNode {}

extension WiredNode {
  /// What changes the edges of this node: link, sync, and the removals.
  @inlinable public var wiring: NodeWiring<Self> { NodeWiring(self) }
}

// MARK: - Linking

extension NodeWiring {
  /// Makes the node follow another one; see ``MutableNode/link(to:)``.
  @discardableResult
  @inlinable
  public func link<Value>(to other: Node<Value>) -> any Cancelable where Host: Node<Value> {
    node.follow(other)
  }

  /// The same through a transform, which must not be in use.
  @discardableResult
  @inlinable
  public func link<Input, Value>(
    to other: Node<Input>, through transform: NodeTransform<Input, Value>
  ) -> any Cancelable where Host: Node<Value> {
    node.follow(other, through: transform)
  }
}

extension Node {
  // Here, not in the generic struct: so the step is specialised where the link is made.
  @inlinable final func follow(_ other: Node<Value>) -> any Cancelable {
    follow(
      other,
      through: NodeTransform<Value, Value>(.link) {
        EdgeParts { up, edge, turn in
          edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
        }
      })
  }

  @usableFromInline final func follow<Input>(
    _ other: Node<Input>, through transform: NodeTransform<Input, Value>
  ) -> any Cancelable {
    if other.isEnd(of: self) { return ClosureCancelable.over }
    transform.requireFree("link(to:through:)", self)
    guard let number = transform.setEnds({ from, to in (from, to) = (other, self) }) else {
      return ClosureCancelable.over
    }
    return LinkCancelable(transform, number: number)
  }
}

// MARK: - Cutting

extension NodeWiring {
  /// Cuts every edge that comes from `other`. The node keeps its value.
  ///
  /// - Complexity: O(the smaller of two numbers: the edges that lead to the node, and those that lead away from `other`).
  public func removeUpstreamNode(_ other: AnyNode) {
    node.forEachEnd { cutEdges(from: other.storage, to: $0.storage) }
  }

  /// Cuts every edge that leads to `other`, which keeps its value.
  ///
  /// - Complexity: O(the smaller of two numbers: the edges that lead away from the node, and those that lead to `other`).
  public func removeDownstreamNode(_ other: AnyNode) {
    other.forEachEnd { cutEdges(from: node.storage, to: $0.storage) }
  }

  /// Cuts every edge that leads to the node, which keeps its value.
  public func removeUpstreamNodes() {
    cut { marking in
      node.forEachEnd { marking.mark($0.storage, .ins) { _ in true } }
    }
  }

  /// Cuts every edge that leads away from the node. The nodes downstream keep their values.
  public func removeDownstreamNodes() {
    cut { $0.mark(node.storage, .outs) { _ in true } }
  }
}

extension AnyNode {
  /// Where what is linked to the node arrives: at the node itself; for a lens also at its inlet.
  final func forEachEnd(_ body: (AnyNode) -> Void) {
    body(self)
    if let inlet = storage.anyLens?.anyInlet { withExtendedLifetime(inlet) { body(inlet) } }
  }
}

/// An edge between two nodes is in a list of each, and the shorter one is enough. Nobody knows which one that is:
/// so the beginnings of both are looked at by turns, twice as far each time.
private func cutEdges(from up: NodePointer, to down: NodePointer) {
  cut { marking in
    var reach = 8
    while !marking.mark(down, .ins, atMost: reach, { $0.pointee.up == up }),
      !marking.mark(up, .outs, atMost: reach, { $0.pointee.down == down })
    {
      reach *= 2
    }
  }
}

private func cut(_ markAll: (inout Marking) -> Void) {
  let turn = currentTurn()
  turn.enter()
  var marking = Marking(turn)
  markAll(&marking)
  for edge in marking.marked { edge.finishCut(in: turn) }
  turn.leave()
}

/// The edges that one call cuts.
private struct Marking {
  private let turn: TurnPointer
  private(set) var marked: [EdgePointer] = []

  init(_ turn: TurnPointer) { self.turn = turn }

  /// True: the whole list was looked at. Marked under the node's lock, where no edge is freed. Whoever sets the
  /// mark detaches the edge, so it stays until then.
  @discardableResult
  mutating func mark(
    _ node: NodePointer, _ list: EdgeListKind, atMost limit: Int = .max,
    _ isMeant: (EdgePointer) -> Bool
  ) -> Bool {
    node.forEachEdge(list, atMost: limit) { edge in
      turn.pointee.looks += 1
      if isMeant(edge), edge.mark() { marked.append(edge) }
    }
  }
}
