import Synchronization

// Operators that let values pass for a time: while a condition holds, or until another node tells
// something.

extension Node {
  /// Returns a node of the values up to the first for which `isWanted` does not hold; it keeps the
  /// last of them.
  ///
  ///     let small = a.takeWhile { $0 < 5 }            // 1, 4, 7, 2 -> 1, 4
  ///
  /// From that value on nothing passes and the closure is not asked again. The present value counts;
  /// emptying does not. Re-pointing the edge begins anew. Known as `take(while:)` in RxSwift and
  /// ReactiveSwift, `prefix(while:)` in Combine.
  /// - Parameter inclusive: Does the first value that is not wanted pass too? RxSwift calls it
  ///   `behavior: .inclusive`.
  @inlinable
  public final func takeWhile(
    inclusive: Bool = false, file: StaticString = #fileID, line: UInt = #line,
    _ isWanted: @escaping @Sendable (Value) -> Bool
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(.takeWhile) {
      let isOver = Cell(false)
      return EdgeParts { up, edge, turn in
        if isOver.place.pointee { return edge.stop(.filtered, in: turn) }
        if !up.withValue(isWanted) {
          isOver.place.pointee = true
          if !inclusive { return edge.stop(.filtered, in: turn) }
        }
        return edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// Returns a node of the values from the first for which `isUnwanted` does not hold.
  ///
  ///     let warm = degrees.skipWhile { $0 < 20 }      // 18, 21, 19 -> 21, 19
  ///
  /// From that value on everything passes and the closure is not asked again. The present value
  /// counts; emptying does not. Re-pointing the edge begins anew. Known as `skip(while:)` in RxSwift
  /// and ReactiveSwift, `drop(while:)` in Combine.
  @inlinable
  public final func skipWhile(
    file: StaticString = #fileID, line: UInt = #line,
    _ isUnwanted: @escaping @Sendable (Value) -> Bool
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(.skipWhile) {
      let isOpen = Cell(false)
      return EdgeParts { up, edge, turn in
        if !isOpen.place.pointee {
          if up.withValue(isUnwanted) { return edge.stop(.filtered, in: turn) }
          isOpen.place.pointee = true
        }
        return edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// Returns a node of the values up to the moment at which `other` tells something; it keeps the
  /// last of them.
  ///
  ///     let draft = text.takeUntil(sent)              // what is typed after `sent` told is not in it
  ///
  /// If `other` holds a value, it has told already, so nothing passes at all: use an event node
  /// (``NodeFactory/eventNode(file:line:)``), or `other.skip(1)`. Emptying either does nothing. Each
  /// value counts, as in `merge`: if one set reaches both nodes, the order of linking decides.
  /// Re-pointing the edge of the values opens it again; losing the edge of `other` leaves it as it
  /// is. Known as `take(until:)` in RxSwift and ReactiveSwift, `prefix(untilOutputFrom:)` in
  /// Combine; there the result completes, here it stays as it is.
  public final func takeUntil<Other: Sendable>(
    _ other: Node<Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    gated(.takeUntil, by: other, isOpenAtFirst: true, SourceLocation(file, line))
  }

  /// Returns a node of the values from the moment at which `other` tells something.
  ///
  ///     let answers = replies.skipUntil(asked)        // what comes before `asked` told is not in it
  ///
  /// If `other` holds a value, it has told already, so everything passes. Emptying either does
  /// nothing. Each value counts, as in `merge`: if one set reaches both nodes, the order of
  /// linking decides. Re-pointing the edge of the values closes it again until `other` tells the
  /// next; losing the edge of `other` leaves it as it is. Known as `skip(until:)` in RxSwift and
  /// ReactiveSwift, `drop(untilOutputFrom:)` in Combine.
  public final func skipUntil<Other: Sendable>(
    _ other: Node<Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    gated(.skipUntil, by: other, isOpenAtFirst: false, SourceLocation(file, line))
  }

  /// `other`'s first value turns the gate; it is linked first, so a value that it holds counts
  /// before this node's.
  private final func gated<Other: Sendable>(
    _ kind: OperatorKind, by other: Node<Other>, isOpenAtFirst: Bool, _ location: SourceLocation
  ) -> Node<Value> {
    let gate = Gate()
    let result: MutableNode<Value> = makeSource(nil, isMutable: false, location)
    let turn = currentTurn()
    turn.enter()
    _ = result.storage.claim(by: turn)
    // A thread that is inside `other` links it later, and this node's values must not pass before.
    if hasEmitted(other) { gate.turn() }
    let notifier = NodeTransform<Other, Value>(.notifier) {
      EdgeParts { _, edge, turn in
        edge.inRegion(in: turn) { _, _ in
          gate.turn()
          return false
        }
      }
    }
    let values = NodeTransform<Value, Value>(kind) {
      let life = gate.newLife()
      return EdgeParts { up, edge, turn in
        let value = up.slot(Value.self).pointee
        return edge.inRegion(in: turn) { delivery, turn in
          if gate.isTurned(in: life) == isOpenAtFirst {
            return edge.stop(.filtered, delivery, in: turn)
          }
          return edge.pointee.down!.arrive(.value(value), delivery, sender: up, in: turn)
        }
      }
    }
    result.wiring.link(to: other, through: notifier)
    result.wiring.link(to: self, through: values)
    turn.leave()
    return result
  }
}

/// Whether the other node has told something in the present life of the edge of the values.
private final class Gate: Sendable {
  private let lives = Atomic(0)
  /// The newest of them when the other node told something. Touched by the holder of the result's
  /// region.
  private let turned = Atomic(-1)

  func newLife() -> Int { lives.wrappingAdd(1, ordering: .relaxed).oldValue }
  /// Before the first life this counts for the first.
  func turn() { turned.store(max(0, lives.load(ordering: .relaxed) - 1), ordering: .relaxed) }
  func isTurned(in life: Int) -> Bool { turned.load(ordering: .relaxed) >= life }
}
