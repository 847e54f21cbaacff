import EasyReact
import EasyReactInspection

/// A mutable node whose values can be read from text.
private protocol SetFromText {
  func set(text: String) -> Bool
}

extension MutableNode: SetFromText where Value: LosslessStringConvertible {
  fileprivate func set(text: String) -> Bool {
    guard let value = Value(text) else { return false }
    set(value, context: "inspector")
    return true
  }
}

/// A mutable node of any values.
private protocol Cleanable { func clean() }
extension MutableNode: Cleanable {}

extension AnyNode {
  /// Sets the node as anybody would, with the context `inspector`; nil cleans it.
  func change(to text: String?) throws(Refusal) {
    guard isMutable else {
      throw .unusable("\(label) is not mutable: it is what its upstreams make it.")
    }
    guard let text else {
      guard let node = self as? any Cleanable else {
        throw .unusable("\(label) cannot be cleaned.")
      }
      return node.clean()
    }
    guard let node = self as? any SetFromText else {
      throw .unusable(
        "A value of \(valueType) cannot be read from text: it is not LosslessStringConvertible.")
    }
    if node.set(text: text) { return }
    let typed = isPrivate ? "What was typed" : "“\(text.prefix(40))”"
    throw .unusable("\(typed) is no \(valueType).")
  }

  private var label: String { name ?? "The node" }
}
