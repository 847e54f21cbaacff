import EasyReact

/// Which of the values that others set a shared node tells.
public enum SharedTelling: Hashable, Sendable {
  /// The newest: those that were overtaken on the way may be left out, the last one never is.
  case newest
  /// Every one, once, in the store's order, as far back as its history reaches; what it could not tell is counted in
  /// ``SharedStatus/missedCount``. What was set here was told at once, and is not told when it comes back; while it waits it is told
  /// again after what others set, for that is what the node holds.
  case every
}

// The class itself is the core's, for it is a `MutableNode`: Sources/EasyReact/Nodes/SharedNode.swift.
extension SharedNode {
  /// How far this node and the store agree.
  ///
  ///     price.value = 4
  ///     try await price.status.first { $0.isSettled }      // the store has it
  ///
  /// That something waits is told before the set is over. If another thread is inside the node, and the set was left with it
  /// (contract 7.3), ask for the status after the set: it then does not say settled before that thread has come to the set. The rest is
  /// told soon after the fact, on a thread of the store's.
  public var status: Node<SharedStatus> {
    replica.waitForLeftSets(self)
    return replica.status
  }

  var replica: Replica<Value> { keeperIfAny as! Replica<Value> }
  var telling: SharedTelling { replica.telling }

  /// Changes the value as one step over all processes, beginning with `initial` if there is none.
  ///
  ///     let hits = store.node("hits", of: Int.self)
  ///     hits.update(default: 0) { $0 += 1 }              // of any number of processes: the exact total
  ///
  /// In all other respects it is ``EasyReact/MutableNode/update(_:)``, which does nothing while there is no value. It is no part of a
  /// `batch`.
  public func update(
    default initial: Value, _ change: @escaping @Sendable (inout Value) -> Void
  ) {
    requireSettable("update")
    replica.update { value in
      var changed = value ?? initial
      change(&changed)
      value = changed
      return true
    }
  }
}
