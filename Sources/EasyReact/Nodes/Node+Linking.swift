import Synchronization

extension Node {
  /// Makes this node follow another one: every value of `other` becomes its own.
  ///
  ///     let a = MutableNode(1), b = Node<Int>()
  ///     let link = b.link(to: a)      // b.value == 1
  ///     a.value = 2                   // b.value == 2
  ///     link.cancel()                 // b keeps 2
  ///
  /// A value that `other` holds is pushed at once, without context. The node may follow several
  /// others; the last value wins. Links may close a cycle: each wave passes once round. A node
  /// linked to itself: nothing happens, and the result is cancelled already. Dropping the result
  /// does not cut the link; the node owns what it follows.
  /// - Complexity: O(1), and the nodes between the two ranks where the link may close a cycle.
  @discardableResult
  @inlinable
  public final func link(to other: Node<Value>) -> any Cancelable {
    link(
      to: other,
      through: NodeTransform<Value, Value>(.link) {
        EdgeParts { up, edge, turn in
          edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
        }
      })
  }

  /// The same through a transform, which must not be in use.
  @discardableResult
  public final func link<Input>(
    to other: Node<Input>, through transform: NodeTransform<Input, Value>
  ) -> any Cancelable {
    if other as AnyNode === self { return ClosureCancelable.over }
    transform.requireFree("link(to:through:)", self)
    transform.setEnds { from, to in (from, to) = (other, self) }
    guard let number = transform.numberOfLife else { return ClosureCancelable.over }
    return LinkCancelable(transform, number: number)
  }

  /// Returns a new node that follows this one through a transform of your own, which must not be in
  /// use.
  ///
  ///     extension Node where Value == Int {
  ///       func doubled() -> Node<Int> { through(Doubled()) }     // Doubled: see ``NodeTransform``
  ///     }
  ///     MutableNode(4).doubled().value                           // 8
  ///
  /// The same as linking a new `Node` through it, and faster: like the node of a `map`, the result
  /// is claimed together with this one.
  /// - Complexity: O(1); a hop costs at most half as much again as one of ``map(file:line:_:)``.
  @inlinable
  public final func through<Output: Sendable>(
    _ transform: NodeTransform<Value, Output>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> {
    transform.requireFree("through(_:)", self)
    return derive(through: transform, SourceLocation(file, line))
  }
}

extension AnyNode {
  /// Cuts every edge that comes from `other`. This node keeps its value.
  public final func removeUpstreamNode(_ other: AnyNode) {
    cutAll(.ins) { $0.pointee.up == other.storage }
  }

  /// Cuts every edge that leads to `other`, which keeps its value.
  public final func removeDownstreamNode(_ other: AnyNode) {
    cutAll(.outs) { $0.pointee.down == other.storage }
  }

  /// Cuts every edge that leads here. This node keeps its value.
  public final func removeUpstreamNodes() { cutAll(.ins) { _ in true } }

  /// Cuts every edge that leads away from here. The nodes downstream keep their values.
  public final func removeDownstreamNodes() { cutAll(.outs) { _ in true } }

  private final func cutAll(_ list: EdgeListKind, _ isMeant: (EdgePointer) -> Bool) {
    let turn = currentTurn()
    turn.enter()
    // Marked under the node's lock, where no edge is freed. Whoever sets the mark detaches the edge,
    // so it stays until then.
    var marked: [EdgePointer] = []
    storage.forEachEdge(list) { edge in
      turn.pointee.looks += 1
      if isMeant(edge), edge.mark() { marked.append(edge) }
    }
    for edge in marked { edge.finishCut(in: turn) }
    turn.leave()
  }
}
