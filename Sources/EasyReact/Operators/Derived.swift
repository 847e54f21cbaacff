import CEasyReact

extension Node {
  /// Returns a node of what an expression over other nodes computes: it follows those that the closure
  /// read, and computes anew when one of them changes.
  ///
  ///     let price = MutableNode(4), count = MutableNode(3), isFree = MutableNode(false)
  ///     let total = Node.derived {
  ///       try isFree.get() ? 0 : price.get() * count.get()
  ///     }
  ///     let listening = total.listen { print($0) }   // 12
  ///     price.value = 5                              // 15
  ///     isFree.value = true                          // 0
  ///     count.value = 9                              // nothing: it was not read
  ///
  /// A read is `value`, `get()`, `current` or `isEmpty` of any node, on this thread, before the closure returns; in
  /// ``untracked(_:)`` it makes no edge. The edges are like any others: traversal, pictures and tracers
  /// show them, and a run that reads other nodes than the last one moves them.
  ///
  /// It is a join, as `combine` is: told once a turn, after all that it read is final. So the closure may run
  /// more often than the node tells, on any thread that sets one of the nodes, never twice at a time;
  /// it computes and has no effects: a set in it stops the program. The node tells nothing while a
  /// `get()` throws `NodeIsEmpty`, or when the closure returns nil; another error stops the program, so catch
  /// it there, or derive a `Result`. To tell only changes, add `distinctUntilChanged()`.
  ///
  /// On a cycle the edge that leads back is filtered, as everywhere; the closure may read the node itself,
  /// which makes no edge. Known as `computed` in MobX and Vue; `autorun` is `derived` and `listen`.
  /// - Complexity: A run costs its closure and O(1) a read; one that reads the same nodes as the last one
  ///   allocates nothing.
  /// - Parameter compute: Reads nodes. It is kept as long as the node, so what it captures lives just as long.
  @inlinable
  public static func derived(
    file: StaticString = #fileID, line: UInt = #line,
    _ compute: @escaping @Sendable () throws -> Value?
  ) -> Node<Value> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    let derivation = Derivation(of: node.storage)
    let join = makeJoin([]) { storage, turn in
      let join = storage.pointee.join.unsafelyUnwrapped
      let value = derivation.run(turn, compute)
      if derivation.isToRunAgain(storage, join, in: turn) { return false }
      guard let value else {
        storage.traceWaiting(in: turn)
        return false
      }
      return emit(value, of: storage, turn)
    }
    node.storage.pointee.join = join
    node.publish()  // what it reads is linked
    if let value = derivation.run(turn, compute) { node.storage.store(value) }
    derivation.moveEdges(in: turn)
    turn.leave()
    return node
  }
}

extension Derivation {
  /// Moves the edges. True: it follows a node that is not final yet in this turn, or was changed by another
  /// thread since it was read.
  @usableFromInline func isToRunAgain(
    _ storage: NodePointer, _ join: JoinPointer, in turn: TurnPointer
  ) -> Bool {
    let moved = moveEdges(in: turn)
    if moved.leadsBack { goOnLedBack(join, in: turn) }
    return moved.isNew && (join.pointee.isWaiting || storage.waitsAgain(join, in: turn))
  }

  /// What was read over an edge that leads back is led back, though the closure has fetched it. Else derivations on a cycle whose edges move in
  /// each run would tell each other for ever: the edge that leads back would always be the one behind the wave.
  private func goOnLedBack(_ join: JoinPointer, in turn: TurnPointer) {
    turn.pointee.wave.flags.insert(.crossedBackEdge)
    if !join.pointee.isWaiting { join.pointee.flags.insert(.crossedBackEdge) }
  }
}

/// Reads nodes in a derivation's closure without following them.
///
///     let price = MutableNode(4), rate = MutableNode(2)
///     let total = Node.derived { try price.get() * untracked { rate.current } }   // 8
///     rate.value = 3                                                            // nothing: not followed
///     price.value = 5                                                           // 15
///
/// Elsewhere it only calls its closure.
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  guard let reads = easyreact_reads_get()?.assumingMemoryBound(to: Reads.self) else {
    return try body()
  }
  let isNested = reads.pointee.isUntracked
  reads.pointee.isUntracked = true
  defer { reads.pointee.isUntracked = isNested }
  return try body()
}
