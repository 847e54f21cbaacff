import Synchronization

/// An edge as it is now, for records: of the nodes that live.
package struct LiveEdge: Sendable {
  package let id, upstream: UInt64
  /// Nil: a listener.
  package let downstream: UInt64?
  /// What it does, and the name that its transform was given.
  package let operation: String
  package var name: String?
  package let isBackEdge, isDeferred: Bool
  /// For a listener: it is called elsewhere than where the value is told, on a scheduler, an actor or in a task.
  package let isPlaced: Bool
  /// For a listener: whom it lives with.
  package let owner: LiveOwner?
}

/// An owner of listeners. No other one has the address while a listening of this one is there.
package struct LiveOwner: Sendable {
  package let address: UInt
  package let type: AnyObject.Type
}

extension AnyNode {
  /// The edges that lead away from here, and the listeners. Any thread.
  package final var liveEdges: [LiveEdge] {
    typealias Seen = (edge: LiveEdge, transform: AnyNodeTransform?)
    let edges = lookAtEdges(.outs) { edge, far -> Seen? in
      guard let far else { return nil }
      let transform = edge.pointee.publicObject
      return (edge.seen(from: id, to: far.id), transform as? AnyNodeTransform)
    }
    var listeners: [LiveEdge] = []
    storage.forEachEdge(.listeners) { edge in
      if !edge.pointee.has(.cut) { listeners.append(edge.seen(from: id, to: nil)) }
    }
    // A transform's name lies under its own lock, so it is asked for after the node's.
    return edges.compactMap { $0 }.map { $0.edge.named($0.transform?.name) } + listeners
  }

  /// As it is stored, described; nil: the node is empty. Any thread; runs the user's code.
  package final func storedText(_ limit: Int) -> String? {
    untracked { described(isEvent: false, limit)?.text }
  }
}

extension LiveEdge {
  fileprivate func named(_ name: String?) -> LiveEdge {
    guard let name else { return self }
    var edge = self
    edge.name = name
    return edge
  }
}

extension EdgePointer {
  fileprivate var owned: OwnedListening? {
    pointee.publicObject as? OwnedListening
  }

  private var owner: LiveOwner? {
    owned.map { LiveOwner(address: $0.ownerAddress, type: $0.ownerType) }
  }

  fileprivate func seen(from up: UInt64, to down: UInt64?) -> LiveEdge {
    LiveEdge(
      id: UInt64(number()), upstream: up, downstream: down, operation: pointee.kind.name,
      isBackEdge: pointee.has(.isBackEdge), isDeferred: pointee.kind.isDeferred,
      isPlaced: down == nil && pointee.state != nil, owner: down == nil ? owner : nil)
  }
}

/// What a lint asks of a node besides what anybody may.
package struct NodeFacts: Sendable {
  package let isEventNode: Bool
  /// Listeners whose owners are gone.
  package let orphans: Int
  package let whereabouts: String
}

extension AnyNode {
  package final var facts: NodeFacts {
    var owned: [OwnedListening] = []
    storage.forEachEdge(.listeners) { edge in
      if !edge.pointee.has(.cut), let listening = edge.owned { owned.append(listening) }
    }
    return NodeFacts(
      isEventNode: isEventNode, orphans: owned.count { $0.isOwnerGone }, whereabouts: whereabouts)
  }
}
