/// Anything that takes values: mutable nodes, transforms and listen edges.
public protocol Receiver<Input>: AnyObject, Sendable {
  associatedtype Input: Sendable

  /// Takes a value. `sender` is the node that it comes from.
  func receive(_ value: Input, from sender: AnyNode?, context: (any Sendable)?)

  /// Hears that `sender` was emptied.
  func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?)
}

extension MutableNode: Receiver {
  /// The same as setting the node with a context.
  public final func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {
    if !isMutable { refuse("receive") }
    set(value, context: context)
  }

  /// The same as `clean()`.
  public final func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
    if !isMutable { refuse("receiveEmpty") }
    clean()
  }
}
