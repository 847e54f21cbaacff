extension Node {
  /// Returns a node that holds `first` until this node tells a value.
  ///
  ///     let status = loaded.startWith("loading")      // "loading", then what is loaded
  ///
  /// If this node holds a value the result holds that one. Emptying this node does not bring `first`
  /// back, nor does re-pointing the edge to an empty node. Known as `startWith` in Rx, `prepend` in
  /// Combine, `prefix(value:)` in ReactiveSwift; they tell `first` even if a value is there already.
  @inlinable
  public final func startWith(
    _ first: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let edge = EdgeStorage(
      kind: .startWith, up: storage, handle: Unmanaged.passRetained(self as AnyNode),
      flags: .starting
    ) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
    return derive(edge, startingWith: first, SourceLocation(file, line), Value.self)
  }
}
