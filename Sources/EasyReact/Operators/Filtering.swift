extension Node {
  /// Returns a node of the values that `isIncluded` accepts. It keeps the last one; it is empty
  /// before the first.
  ///
  ///     let big = a.filter { $0 > 5 }         // 1, 6, 3 -> 6
  ///
  /// Known as `filter` everywhere.
  @inlinable
  public final func filter(
    file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> Node<Value> {
    choose(.filter, SourceLocation(file, line), isIncluded)
  }

  @inlinable @inline(__always)
  final func choose(
    _ kind: OperatorKind, _ location: SourceLocation,
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> Node<Value> {
    derive(kind, location, Value.self) { up, edge, turn in
      if !up.withValue(isIncluded) { return edge.stop(.filtered, in: turn) }
      return edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
  }

  /// Returns a node without the first `count` values; the present one counts.
  ///
  ///     let later = MutableNode(1).skip(2)    // 1, 2, 3, 4 -> 3, 4
  ///
  /// Emptying does not count. Re-pointing the edge begins anew. Known as `dropFirst` in Combine,
  /// `skip(first:)` in ReactiveSwift.
  /// - Parameter count: Zero skips nothing; a negative number stops with a message.
  @inlinable
  public final func skip(
    _ count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    requireCount(count, "skip")
    return limited(.skip, SourceLocation(file, line)) { seen in seen > count }
  }

  /// Returns a node of the first `count` values; the present one counts. It keeps the last of them.
  ///
  ///     let first = MutableNode(1).take(2)    // 1, 2, 3, 4 -> 1, 2
  ///
  /// Emptying does not count. Re-pointing the edge begins anew. Known as `prefix` in Combine,
  /// `take(first:)` in ReactiveSwift; there the result completes, here it stays as it is.
  /// - Parameter count: Zero takes nothing; a negative number stops with a message.
  @inlinable
  public final func take(
    _ count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    requireCount(count, "take")
    return limited(.take, SourceLocation(file, line)) { seen in seen <= count }
  }

  @usableFromInline final func requireCount(_ count: Int, _ operation: String) {
    if count < 0 {
      misuse(operation, "the count \(count) is negative", self, "Pass zero or more.")
    }
  }

  @inlinable @inline(__always)
  final func limited(
    _ kind: OperatorKind, _ location: SourceLocation, _ passes: @escaping @Sendable (Int) -> Bool
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(kind) {
      let seen = Cell(0)
      return EdgeParts { up, edge, turn in
        seen.place.pointee &+= 1
        if !passes(seen.place.pointee) { return edge.stop(.filtered, in: turn) }
        return edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
      }
    }
    return derive(through: transform, location)
  }

  /// Returns a node without the values that `areEquivalent` finds equal to the value passed on
  /// last.
  ///
  ///     let moved = point.distinctUntilChanged { abs($0.x - $1.x) < 0.5 }
  ///
  /// Each edge remembers what it passed on; setting the result by hand changes nothing. Known as
  /// `removeDuplicates` in Combine.
  @inlinable
  public final func distinctUntilChanged(
    file: StaticString = #fileID, line: UInt = #line,
    by areEquivalent: @escaping @Sendable (Value, Value) -> Bool
  ) -> Node<Value> {
    let transform = NodeTransform<Value, Value>(.distinctUntilChanged) {
      let last = Cell<Value?>(nil)
      return EdgeParts { up, edge, turn in
        let value = up.slot(Value.self).pointee
        if let last = last.place.pointee, areEquivalent(last, value) {
          return edge.stop(.equal, in: turn)
        }
        last.place.pointee = value
        return edge.pass(value, from: up, in: turn)
      }
    }
    return derive(through: transform, SourceLocation(file, line))
  }

  /// The same, comparing one property: `person.distinctUntilChanged(on: \.name)`.
  @inlinable
  public final func distinctUntilChanged<Key: Equatable & SendableMetatype>(
    on key: @escaping @Sendable (Value) -> Key, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    distinctUntilChanged(file: file, line: line, by: { key($0) == key($1) })
  }
}

extension Node where Value: Equatable {
  /// Returns a node without the values equal to `value`.
  @inlinable
  public final func ignore(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    choose(.ignore, SourceLocation(file, line)) { [value = Constant(value)] in $0 != value.value }
  }

  /// Returns a node of the values equal to `value`.
  @inlinable
  public final func select(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    choose(.select, SourceLocation(file, line)) { [value = Constant(value)] in $0 == value.value }
  }

  /// Returns a node without the values equal to the one before.
  ///
  ///     let changes = a.distinctUntilChanged()      // 1, 2, 2, 1, 2 -> 1, 2, 1, 2
  ///
  /// Known as `removeDuplicates` in Combine, `skipRepeats` in ReactiveSwift.
  @inlinable
  public final func distinctUntilChanged(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    distinctUntilChanged(file: file, line: line, by: ==)
  }
}

/// A value in a closure.
@usableFromInline struct Constant<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  @inlinable init(_ value: Value) { self.value = value }
}

/// The state of one life of an edge, or of a join. A captured `var` would cost a check for exclusive
/// access at each step.
@usableFromInline final class Cell<Value>: @unchecked Sendable {
  // Unchecked: what `place` points to is touched by the holder of one region alone: of the upstream's, or,
  // where its maker says so, of the result's.
  @usableFromInline let place: UnsafeMutablePointer<Value>
  @inlinable init(_ value: Value) {
    place = .allocate(capacity: 1)
    place.initialize(to: value)
  }
  /// What was there dies after the exchange, for that may be user code, which may come here again.
  @inlinable func replace(with value: consuming Value) {
    let before = place.move()
    place.initialize(to: value)
    withExtendedLifetime(before) {}
  }
  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }
}
