// The present value where the program knows, or wants to be told, that there is one.

/// A node was asked for its value and holds none.
///
///     do { try price.get() } catch { print(error) }
///     // node “price” of Int, made at Shop/Prices.swift:12, is empty. Set it first, or read `value`, which is nil then.
public struct NodeIsEmpty: Error, Hashable, CustomStringConvertible {
  /// The node's name, if it has one.
  public let name: String?
  /// Where it was made: `Module/File.swift`, and the line.
  public let file: String
  public let line: Int
  /// The type of its values.
  public let valueType: String

  init(_ node: AnyNode) {
    name = node.name
    (file, line) = node.created
    valueType = "\(node.valueType)"
  }

  var whereabouts: String {
    "node \(name.map { "“\($0)”" } ?? "unnamed") of \(valueType), made at \(file):\(line),"
  }

  public var description: String {
    "\(whereabouts) is empty. Set it first, or read `value`, which is nil then."
  }
}

extension ReadableNode {
  /// Returns the present value, or throws if the node is empty.
  ///
  ///     let price = MutableNode(4), count = MutableNode<Int>()
  ///     try price.get() * count.get()        // throws NodeIsEmpty: count holds no value
  ///
  /// Any thread may read. An event node is always empty.
  @inlinable public func get() throws(NodeIsEmpty) -> Value {
    if let value { return value }
    throw emptiness
  }

  /// The present value, for places where none means that the program is wrong: an empty node stops it, with the
  /// node's name and place.
  ///
  ///     let total = price.combine(count).map { $0 * $1 }
  ///     print(total.current)                 // 12
  ///
  /// Where emptiness is to be expected, read `value`, which is nil then, or call ``get()``.
  @inlinable public var current: Value {
    if let value { return value }
    refuseToRead()
  }

  @usableFromInline func refuseToRead() -> Never {
    misuse("current", "the node is empty", self, "Set it first, or read `value` or `get()`.")
  }

  @usableFromInline var emptiness: NodeIsEmpty { NodeIsEmpty(self) }
}
