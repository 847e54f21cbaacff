/// Anything that takes values: nodes, transforms and listen edges.
public protocol Receiver<Input>: AnyObject, Sendable {
  associatedtype Input: Sendable

  /// Takes a value. `sender` is the node that it comes from.
  func receive(_ value: Input, from sender: AnyNode?, context: (any Sendable)?)

  /// Hears that `sender` was emptied.
  func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?)
}

extension Node: Receiver {
  /// The same as setting the node with a context; the node must be mutable.
  public final func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {
    let node = unsafeDowncast(self, to: MutableNode<Value>.self)
    if !isMutable { node.refuse("receive") }
    node.set(value, context: context)
  }

  /// The same as `clean()`; the node must be mutable.
  public final func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
    let node = unsafeDowncast(self, to: MutableNode<Value>.self)
    if !isMutable { node.refuse("receiveEmpty") }
    node.clean()
  }
}
