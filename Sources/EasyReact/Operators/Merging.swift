extension Node {
  /// Returns a node that takes every value of this node and the others, in the order in which they
  /// come.
  ///
  ///     let a = MutableNode(1), b = MutableNode(2)
  ///     let either = a.merge(b)               // 2: the last one that has a value
  ///     a.value = 3                           // 3
  ///
  /// Present values count, in the order of the nodes; emptying does not. It is not a join: one set
  /// that reaches several of the nodes tells several values. Known as `merge` everywhere.
  public final func merge(
    _ others: Node<Value>..., file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    Node.merge([self] + others, file: file, line: line)
  }

  /// The same for an array of nodes. For no nodes: an empty node.
  @inlinable
  public static func merge(
    _ nodes: [Node<Value>], file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    for upstream in nodes {
      connect(upstream, node.storage, kind: .merge) { up, edge, turn in
        edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
      }
    }
    node.publish { $0.attachNow(in: turn) }
    turn.leave()
    return node
  }
}
