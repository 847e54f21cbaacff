import EasyReact

extension AnyNode {
  /// Are its values never described: in pictures, snapshots, records, traces, and `description`? Any thread; false
  /// at first.
  ///
  ///     let password = MutableNode("hunter2")
  ///     password.isPrivate = true
  ///     print(password)                     // Node<String>(unnamed: private)
  ///
  /// It holds for this node alone: a node that is derived from it is to be marked, too, if it says too much. Whether it is
  /// empty, how often it changes and what leads to it can be seen as before.
  public final var isPrivate: Bool {
    get { hidesValues }
    set { hidesValues = newValue }
  }
}
