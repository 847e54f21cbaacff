/// A value whose type the rules do not know: so they are compiled for this one type, and ask for no other at every step.
class AnyBox: @unchecked Sendable {
  // Unchecked: no state; its one subclass adds a constant.
  fileprivate init() {}

  /// - Parameter type: That of the node.
  final func open<Value: Sendable>(_ type: Value.Type) -> Value {
    unsafeDowncast(self, to: Box<Value>.self).value
  }
}

final class Box<Value: Sendable>: AnyBox, @unchecked Sendable {
  // Unchecked: adds a constant.
  let value: Value
  init(_ value: Value) { self.value = value }
}

extension ReplicaRules {
  var boxed: ReplicaRules<AnyBox> {
    var rules = ReplicaRules<AnyBox>(telling: telling, limit: limit)
    guard let merge else { return rules }
    rules.merge = { base, mine, theirs in
      let merged: Value? = merge(
        base?.open(Value.self), mine?.open(Value.self), theirs?.open(Value.self))
      return merged.map { Box($0) }
    }
    return rules
  }
}
