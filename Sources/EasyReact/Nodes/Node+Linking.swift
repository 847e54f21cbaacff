extension MutableNode {
  /// Makes this node follow another one: every value of `other` becomes its own.
  ///
  ///     let a = MutableNode(1), b = MutableNode<Int>()
  ///     let link = b.link(to: a)      // b.value == 1
  ///     a.value = 2                   // b.value == 2
  ///     link.cancel()                 // b keeps 2
  ///
  /// A value that `other` holds is pushed at once, without context. The node may follow several
  /// others; the last value wins. Links may close a cycle: each wave passes round once. Linking a node
  /// to itself does nothing, and the result is cancelled already. Dropping the result
  /// does not cut the link; the node owns what it follows. A node that is not mutable is linked by
  /// its `wiring`.
  /// - Complexity: O(1), plus the nodes between the two ranks if the link may close a cycle.
  @discardableResult
  @inlinable
  public final func link(to other: Node<Value>) -> any Cancelable { wiring.link(to: other) }

  /// The same through a transform, which must not be in use.
  @discardableResult
  @inlinable
  public final func link<Input>(
    to other: Node<Input>, through transform: NodeTransform<Input, Value>
  ) -> any Cancelable {
    wiring.link(to: other, through: transform)
  }
}

extension Node {
  /// Returns a new node that follows this one through a transform of your own, which must not be in
  /// use.
  ///
  ///     extension Node where Value == Int {
  ///       func doubled() -> Node<Int> { through(Doubled()) }     // Doubled: see ``NodeTransform``
  ///     }
  ///     MutableNode(4).doubled().value                           // 8
  ///
  /// The same as linking a new node through it, and faster: like the node of a `map`, the result
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

// MARK: - What a node that is handed out does not offer

// In the protocol, so that the members of `MutableNode` stand before them.
extension ReadableNode {
  @available(
    *, unavailable,
    message:
      "A node that is handed out is not linked by accident: `node.wiring.link(to:)`, or make it a `MutableNode`."
  )
  @discardableResult
  public func link(to other: Node<Value>) -> any Cancelable { gone() }
  @available(
    *, unavailable,
    message:
      "A node that is handed out is not linked by accident: `node.wiring.link(to:through:)`, or make it a `MutableNode`."
  )
  @discardableResult
  public func link<Input>(
    to other: Node<Input>, through transform: NodeTransform<Input, Value>
  ) -> any Cancelable { gone() }
  @available(
    *, unavailable,
    message:
      "A node that is handed out is not synced by accident: `node.wiring.sync(with:)`, or make it a `MutableNode`."
  )
  @discardableResult
  public func sync(with other: Node<Value>) -> any Cancelable { gone() }
  @available(
    *, unavailable,
    message:
      "A node that is handed out is not synced by accident: `node.wiring.sync(with:transform:revert:)`, or make it a `MutableNode`."
  )
  @discardableResult
  public func sync<Other: Sendable>(
    with other: Node<Other>, transform: @escaping @Sendable (Other) -> Value,
    revert: @escaping @Sendable (Value) -> Other
  ) -> any Cancelable { gone() }
  @available(
    *, unavailable,
    message: "Only a `MutableNode` is a receiver: `set(_:context:)`, or `mutablify()` first."
  )
  public func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) { gone() }
  @available(
    *, unavailable,
    message: "Only a `MutableNode` is a receiver: `clean()`, or `mutablify()` first."
  )
  public func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { gone() }
}

extension AnyNode {
  @available(
    *, unavailable, message: "The edges of a node are cut by `node.wiring.removeUpstreamNode(_:)`."
  )
  public final func removeUpstreamNode(_ other: AnyNode) { gone() }
  @available(
    *, unavailable,
    message: "The edges of a node are cut by `node.wiring.removeDownstreamNode(_:)`."
  )
  public final func removeDownstreamNode(_ other: AnyNode) { gone() }
  @available(
    *, unavailable, message: "The edges of a node are cut by `node.wiring.removeUpstreamNodes()`."
  )
  public final func removeUpstreamNodes() { gone() }
  @available(
    *, unavailable, message: "The edges of a node are cut by `node.wiring.removeDownstreamNodes()`."
  )
  public final func removeDownstreamNodes() { gone() }
}

/// The body of what cannot be called.
func gone() -> Never { fatalError("EasyReact: unavailable") }
