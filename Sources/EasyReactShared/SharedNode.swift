import EasyReact

/// Which values of a shared node are told that others set.
public enum SharedTelling: Hashable, Sendable {
  /// The newest: those that were overtaken on the way may be left out, the last one never is.
  case newest
  /// Every one, in the store's order, while its history reaches back; what it could not tell is counted in
  /// ``SharedStatus/missedCount``. What was set here and waits is told again after what came before it.
  case every
}

// The class itself is the core's, for it is a `MutableNode`: Sources/EasyReact/Nodes/SharedNode.swift.
extension SharedNode {
  /// How far this node and the store agree.
  ///
  ///     price.value = 4
  ///     try await price.status.first { $0.isSettled }      // the store has it
  ///
  /// That something waits is told before the set is over, unless another thread is inside the node and tells it (contract 7.3):
  /// where that may be, `await settled()` first. The rest is told soon after the fact, on a thread of the store's.
  public var status: Node<SharedStatus> { replica.status }

  var replica: Replica<Value> { keeper as! Replica<Value> }
  var telling: SharedTelling { replica.telling }

  /// Changes the value as one step over all processes, beginning with `initial` where there is none.
  ///
  ///     let hits = store.node("hits", of: Int.self)
  ///     hits.update(default: 0) { $0 += 1 }              // of any number of processes: the exact total
  ///
  /// In all else it is ``EasyReact/MutableNode/update(_:)``, which does nothing while there is no value. It is no part of a
  /// `batch`.
  public func update(
    default initial: Value, _ change: @escaping @Sendable (inout Value) -> Void
  ) {
    replica.update { value in
      var changed = value ?? initial
      change(&changed)
      value = changed
      return true
    }
  }
}
