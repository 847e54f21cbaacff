// What an event node can do besides; `eventNode` itself is in Operators/Events.swift.

extension MutableNode where Value == Void {
  /// Tells an event that has nothing to say except that it happened: `taps.fire()`.
  public final func fire(file: StaticString = #fileID, line: UInt = #line) {
    set((), file: file, line: line)
  }
}

extension AnyNode {
  /// Was the node made as an event node? A node that is derived from one is not, though it keeps
  /// nothing either.
  public final var isEventNode: Bool { storage.isEventNode() }
}
