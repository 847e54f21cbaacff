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
    let edge = Edge(
      kind: .startWith, up: core, handle: Unmanaged.passRetained(self as AnyNode),
      flags: EdgeFlags.starting
    ) { up, edge, turn in
      pass(slot(up, Value.self).pointee, over: edge, from: up, turn)
    }
    return derive(edge, startingWith: first, Site(file, line), Value.self)
  }
}
