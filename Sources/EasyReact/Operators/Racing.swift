extension Node {
  /// Returns a node that follows whichever of this node and the others tells a value first, and
  /// leaves the rest.
  ///
  ///     let answer = nearby.race(faraway)             // the values of the faster one
  ///
  /// A present value counts: at first the nodes are looked at in order. Emptying does not count. The
  /// edges of the losers are cut when the race is decided, so what only the race kept is freed. If
  /// the winner's edge is cut the result stays as it is. Known as `amb` in Rx, `race(with:)` in
  /// ReactiveSwift.
  public final func race(
    _ others: Node<Value>..., file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    Node.race([self] + others, file: file, line: line)
  }

  /// The same for an array of nodes. For no nodes: an empty node.
  public static func race(
    _ nodes: [Node<Value>], file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let turn = currentTurn()
    turn.enter()
    let result = makeHead(Value.self, SourceLocation(file, line), turn)
    let race = Race()
    let entrants = nodes.map { node in
      InnerEdge(.race, from: node, to: result.storage) { up, edge, turn in
        let value = up.slot(Value.self).pointee
        return edge.inRegion(in: turn) { delivery, turn in
          if !race.isWon(by: edge, turn) { return edge.stop(.filtered, delivery, in: turn) }
          return edge.pointee.down!.arrive(.value(value), delivery, sender: up, in: turn)
        }
      }
    }
    for entrant in entrants { entrant.insertFresh() }
    result.publish()
    race.entrants = entrants
    // If another thread is inside the first that holds a value, its edge is attached later.
    if let first = nodes.firstIndex(where: { hasEmitted($0) }) {
      _ = race.isWon(by: entrants[first].edge, turn)
    }
    // Also one that lost before its turn: its attachment finishes the cut.
    for entrant in entrants { entrant.edge.attachNow(in: turn) }
    turn.leave()
    return result
  }
}

/// The edges that take part in a race until it is decided, and the one that has won it.
private final class Race: @unchecked Sendable {
  // Unchecked: the holder of the result's region touches it, nobody else.
  var entrants: [InnerEdge] = []
  private var winner: EdgePointer?

  /// The first to ask wins; the others are cut.
  func isWon(by edge: EdgePointer, _ turn: TurnPointer) -> Bool {
    if let winner { return winner == edge }
    winner = edge
    let losers = entrants.filter { $0.edge != edge }
    entrants = []
    for loser in losers { loser.cut(turn) }
    return true
  }
}
