extension Node {
  /// Returns a node of running totals: `next(total, value)` for each value, beginning with
  /// `initial`.
  ///
  ///     let sum = a.scan(0) { $0 + $1 }       // 1, 2, 3 -> 1, 3, 6
  ///
  /// `initial` itself is not told. Re-pointing the edge begins with it anew. Known as `scan`
  /// everywhere.
  @inlinable
  public final func scan<Total: Sendable>(
    _ initial: Total, file: StaticString = #fileID, line: UInt = #line,
    _ next: @escaping @Sendable (Total, Value) -> Total
  ) -> Node<Total> {
    let transform = Transform<Value, Total>(.scan) {
      let total = Cell(initial)
      return LifeParts { up, edge, turn in
        total.place.pointee = next(total.place.pointee, slot(up, Value.self).pointee)
        return pass(total.place.pointee, over: edge, from: up, turn)
      }
    }
    return derive(through: transform, Site(file, line))
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
    let transform = Transform<Value, Total>(.scan) {
      let total = Cell((initial, 0))
      return LifeParts { up, edge, turn in
        let (before, index) = total.place.pointee
        let after = next(before, slot(up, Value.self).pointee, index)
        total.place.pointee = (after, index + 1)
        return pass(after, over: edge, from: up, turn)
      }
    }
    return derive(through: transform, Site(file, line))
  }
}
