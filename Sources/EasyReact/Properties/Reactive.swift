/// A property whose value is a node's: setting it sets the node, and `$` gives the node.
///
///     final class Cart {
///       @Reactive var price = 4
///       @Reactive var count = 3
///       var total: Node<Int> { $price.combine($count).map { $0 * $1 } }
///     }
///     let cart = Cart()
///     let listening = cart.total.listen { print($0) }       // 12
///     cart.price = 5                                        // 15
///
/// It may stand in classes, structs and actors, and is `Sendable`, as its value is. A copy of a struct has the *same*
/// node: the property is a reference to a value that is shared, not a part of the struct's value. A
/// listener may set the property that it hears: exclusive access is not violated.
///
/// A property without a first value (`@Reactive var name: String`) begins empty. Reading the property
/// while the node is empty stops the program with the node's place; read `$name.value`, which is nil
/// then. A property of an optional type begins as nil, and is nil too while its node is empty.
///
/// A property with a wrapper is a `var` to the compiler, so a class that adopts `Sendable` by itself has a
/// `let price = MutableNode(4)` instead; on the main actor and in actors the wrapper is fine. Known as
/// `@Published` in Combine, which tells before the change; this tells after it.
@propertyWrapper
public struct Reactive<Value: Sendable>: Sendable {
  /// The node.
  public let projectedValue: MutableNode<Value>

  /// A property that begins with a value.
  public init(wrappedValue: Value, file: StaticString = #fileID, line: UInt = #line) {
    projectedValue = makeSource(wrappedValue, isMutable: true, SourceLocation(file, line))
  }

  /// A property that begins empty.
  public init(file: StaticString = #fileID, line: UInt = #line) {
    projectedValue = makeSource(nil, isMutable: true, SourceLocation(file, line))
  }

  /// A property that stands for a node that is there already.
  ///
  ///     struct Row { @Reactive var price: Int }
  ///     let row = Row(price: Reactive(node: price))
  public init(node: MutableNode<Value>) { projectedValue = node }

  public var wrappedValue: Value {
    get {
      if let value = projectedValue.value { return value }
      if let none = noValue(Value.self) { return none }
      misuse(
        "Reactive", "the property was read while its node is empty", projectedValue,
        "Set it first, or read `$property.value`, which is nil then.")
    }
    nonmutating set { projectedValue.setUnnoted(newValue) }
  }
}
