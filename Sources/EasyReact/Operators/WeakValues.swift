/// An object that is referred to and not kept: the value of a node that holds weakly.
///
///     let focused = MutableNode(Weak(panel))
///     focused.value?.object?.show()
///     focused.value = Weak(other)
///     let title = focused.objects().map { $0.title }
///
/// Every operator passes such a value on as it is, so a whole chain refers to the object without
/// keeping it. When the object goes nobody is told, and the node is not empty: its value refers to
/// nothing. Two of them are equal if they refer to the same living object, or both to nothing.
public struct Weak<Object: AnyObject & Sendable>: Sendable {
  public private(set) weak var object: Object?
  /// Nil: one that refers to nothing.
  public init(_ object: Object?) { self.object = object }
}

extension Weak: Equatable {
  public static func == (a: Weak, b: Weak) -> Bool { a.object === b.object }
}

extension Weak: CustomStringConvertible {
  /// The object's, or `gone`.
  public var description: String { object.map { "\($0)" } ?? "gone" }
}

extension Node {
  /// Returns a node of the objects that weak values refer to, as events: nothing downstream keeps
  /// them.
  ///
  ///     let shown = focused.objects().listen { $0.show() }
  ///
  /// A value that refers to nothing any more is left out. Like any event it is not told on
  /// attaching; `value?.object` reads the present one.
  public final func objects<Object: AnyObject & Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Object> where Value == Weak<Object> {
    events(file: file, line: line).compactMap(file: file, line: line) { $0.object }
  }
}
