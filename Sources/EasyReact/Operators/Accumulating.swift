extension Node {
  /// Returns a node of running totals: `next(total, value)` for each value, beginning with
  /// `initial`.
  ///
  ///     let sum = a.scan(0) { $0 + $1 }       // 1, 2, 3 -> 1, 3, 6
  ///
  /// `initial` itself is not told; ``startWith(_:file:line:)`` after it tells it. Re-pointing the edge begins with it
  /// anew. Known as `scan` everywhere.
  @inlinable
  public final func scan<Total: Sendable>(
    _ initial: Total, file: StaticString = #fileID, line: UInt = #line,
    _ next: @escaping @Sendable (Total, Value) -> Total
  ) -> Node<Total> {
    let transform = NodeTransform<Value, Total>(.scan) {
      let total = Cell(initial)
      return EdgeParts { up, edge, turn in
        total.place.pointee = next(total.place.pointee, up.slot(Value.self).pointee)
        return edge.pass(total.place.pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// The same with the index of each value, from zero.
  ///
  ///     let a = MutableNode(1)
  ///     let sums = a.scanIndexed(10) { $0 * $1 + $2 }      // 1, 3 -> 10, 31
  @inlinable
  public final func scanIndexed<Total: Sendable>(
    _ initial: Total, file: StaticString = #fileID, line: UInt = #line,
    _ next: @escaping @Sendable (Total, Value, Int) -> Total
  ) -> Node<Total> {
    let transform = NodeTransform<Value, Total>(.scan) {
      let total = Cell((initial, 0))
      return EdgeParts { up, edge, turn in
        // Not in variables, which would end when the new total is stored and not told yet.
        total.place.pointee.0 = next(
          total.place.pointee.0, up.slot(Value.self).pointee, total.place.pointee.1)
        total.place.pointee.1 += 1
        return edge.pass(total.place.pointee.0, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// The same with a total that `next` changes, instead of making a new one.
  ///
  ///     let seen = word.scan(into: []) { $0.append($1) }   // "a", "b" -> ["a"], ["a", "b"]
  ///
  /// Known as `scan(into:)` in RxSwift and ReactiveSwift; it is to ``scan(_:file:line:_:)`` what
  /// `reduce(into:)` is to `reduce`.
  /// - Complexity: O(1) a value, plus the closure's. A total that is a collection is copied once per value, because the result holds
  ///   the previous one until it is told the next, and others may read it: gathering n values into one collection costs n².
  @inlinable
  public final func scan<Total: Sendable>(
    into initial: Total, file: StaticString = #fileID, line: UInt = #line,
    _ next: @escaping @Sendable (inout Total, Value) -> Void
  ) -> Node<Total> {
    let transform = NodeTransform<Value, Total>(.scan) {
      let total = Cell(initial)
      return EdgeParts { up, edge, turn in
        next(&total.place.pointee, up.slot(Value.self).pointee)
        return edge.pass(total.place.pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// The same without an initial total: the first value is the first total, and is told.
  ///
  ///     let highest = score.scan { max($0, $1) }      // 3, 1, 5 -> 3, 3, 5
  ///
  /// Known as `scan(_:)` in RxJS and `reductions(_:)` in Swift's sequences.
  @inlinable
  public final func scan(
    file: StaticString = #fileID, line: UInt = #line,
    _ next: @escaping @Sendable (Value, Value) -> Value
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(.scan) {
      let total = Cell<Value?>(nil)
      return EdgeParts { up, edge, turn in
        let value = up.slot(Value.self).pointee
        let after = if let before = total.place.pointee { next(before, value) } else { value }
        total.place.pointee = after
        return edge.pass(after, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// Returns a node of how many values there have been so far; the present one counts.
  ///
  ///     let clicks = MutableNode("a").count()         // "a", "b" -> 1, 2
  ///
  /// Emptying does not count. Re-pointing the edge begins at zero again. `count` of Rx and Combine
  /// tells one number when its upstream completes; a node does not complete, so each value is told
  /// its number.
  public final func count(file: StaticString = #fileID, line: UInt = #line) -> Node<Int> {
    let transform = NodeTransform<Value, Int>(.count) {
      let count = Cell(0)
      return EdgeParts { up, edge, turn in
        count.place.pointee += 1
        return edge.pass(count.place.pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// Returns a node of the values with their numbers, from zero; the present one is the first.
  ///
  ///     let numbered = word.enumerated()              // "a", "b" -> (0, "a"), (1, "b")
  ///
  /// Emptying does not count. Re-pointing the edge begins at zero again. Known as `enumerated` in
  /// RxSwift; Combine and ReactiveSwift have none.
  @inlinable
  public final func enumerated(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(offset: Int, element: Value)> {
    let transform = NodeTransform<Value, (offset: Int, element: Value)>(.enumerated) {
      let count = Cell(0)
      return EdgeParts { up, edge, turn in
        let offset = count.place.pointee
        count.place.pointee = offset + 1
        return edge.pass((offset: offset, element: up.slot(Value.self).pointee), from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }
}

// MARK: - Several values in one

extension Node {
  /// Returns a node of each value with the one before it; the first value alone tells nothing.
  ///
  ///     let steps = MutableNode(1).pairwise()         // 1, 3, 6 -> (1, 3), (3, 6)
  ///
  /// The present value is the first. Emptying is not remembered: 1, emptied, 3 is (1, 3).
  /// Re-pointing the edge begins anew. Known as `pairwise` in Rx, `combinePrevious()` in
  /// ReactiveSwift.
  @inlinable
  public final func pairwise(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, Value)> {
    pairwise(startingWith: nil as Value?, SourceLocation(file, line))
  }

  /// The same, with `first` put before the first value, so that this value tells a pair too.
  ///
  ///     let steps = MutableNode(1).pairwise(startingWith: 0)      // 1, 3 -> (0, 1), (1, 3)
  ///
  /// Known as `combinePrevious(_:)` in ReactiveSwift, `startWith` with `pairwise` in Rx.
  @inlinable
  public final func pairwise(
    startingWith first: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, Value)> {
    pairwise(startingWith: .some(first), SourceLocation(file, line))
  }

  @inlinable
  final func pairwise(startingWith first: Value?, _ location: SourceLocation) -> Node<
    (Value, Value)
  > {
    let transform = NodeTransform<Value, (Value, Value)>(.pairwise) {
      let last = Cell(first)
      return EdgeParts { up, edge, turn in
        let value = up.slot(Value.self).pointee
        let before = last.place.pointee
        last.place.pointee = value
        guard let before else { return edge.stop(.filtered, in: turn) }
        return edge.pass((before, value), from: up, in: turn)
      }
    }
    return derive(through: transform, location)
  }

  /// Returns a node of arrays of `count` values, each value in one of them.
  ///
  ///     let threes = a.collect(count: 3)              // 1, 2, 3, 4, 5, 6, 7 -> [1, 2, 3], [4, 5, 6]
  ///
  /// Values too few for an array wait; emptying does not count and drops nothing. The present value is
  /// the first. Re-pointing the edge drops what waits. Known as `collect(_:)` in Combine,
  /// `collect(count:)` in ReactiveSwift; Rx has `buffer` with a time as well
  /// (``buffer(for:orCount:on:file:line:)``).
  /// - Parameter count: One or more; anything else stops with a message.
  public final func collect(
    count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Value]> {
    requirePositive(count, "collect(count:)", self)
    let transform = NodeTransform<Value, [Value]>(.collect) {
      let waiting = Cell<[Value]>([])
      return EdgeParts { up, edge, turn in
        waiting.place.pointee.append(up.slot(Value.self).pointee)
        if waiting.place.pointee.count < count { return edge.stop(.filtered, in: turn) }
        let full = waiting.place.move()
        waiting.place.initialize(to: [])
        return edge.pass(full, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }
}

/// Counts that are not positive are a programmer's error.
@usableFromInline func requirePositive(_ count: Int, _ operation: String, _ node: AnyNode) {
  if count <= 0 {
    misuse(operation, "the count \(count) is not positive", node, "Pass one or more.")
  }
}
