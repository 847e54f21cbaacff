import CEasyReact
import Synchronization

// Who brings events: for the reason of a join that stays silent, and for what a timeout tells before anything came.

extension AnyNode {
  /// Does it tell events, of its own or of a node upstream, that nothing on the way keeps? A chain is walked without
  /// making anything.
  final var tellsEvents: Bool {
    var node = self
    // A bound, for there may be rings.
    for _ in 0..<1_000 {
      if node.isEventNode { return true }
      switch node.upstreamThatBringsEvents {
      case .none: return false
      case .one(let up): node = up
      case .several: return node.tellsEventsOfMany
      }
    }
    return node.tellsEventsOfMany
  }

  private final var tellsEventsOfMany: Bool {
    var seen: Set<AnyNode> = []
    var waiting = [self]
    while let node = waiting.popLast() {
      if node.isEventNode { return true }
      if !seen.insert(node).inserted { continue }
      let next = node.lookAtEdges(.ins) { edge, up in
        edge.pointee.traits.has(.keepsEvents) ? nil : up
      }
      waiting += next.compactMap { $0 }
    }
    return false
  }

  private enum EventUpstream {
    case none, one(AnyNode), several
  }

  /// The far node's lock is only tried, as by `lookAtEdges`; if it is taken, whoever asks walks with `several`.
  private final var upstreamThatBringsEvents: EventUpstream {
    // Released when no lock is held, even if there are several: it may be the last reference.
    var first: AnyNode?
    var areSeveral = false
    storage.forEachEdge(.ins) { edge in
      if edge.pointee.has(.cut) || edge.pointee.traits.has(.keepsEvents) { return }
      guard first == nil, let up = edge.pointee.up, up.pointee.tryAcquire() else {
        areSeveral = true
        return
      }
      first = up.nodeLocked()
      up.pointee.release()
    }
    if areSeveral { return .several }
    return first.map { .one($0) } ?? .none
  }
}

extension NodePointer {
  /// For a join of latest values: is an upstream empty that tells events, so that it stays so?
  var waitsForEvents: Bool {
    // More need be known only of an empty one that follows something.
    var mustWalk = false
    let isSure = hasEdge(.ins) { edge in
      guard edge.pointee.kind.readsLatest, let up = edge.pointee.up,
        !up.pointee.hasValue.load(ordering: .relaxed)
      else { return false }
      if up.isEventNode() { return true }
      mustWalk = mustWalk || up.hasUpstream
      return false
    }
    if isSure || !mustWalk { return isSure }
    return emptyUpstreams().contains { $0.tellsEvents }
  }

  /// Those whose latest value is read, and that have none. Locks as in `lookAtEdges`.
  private func emptyUpstreams() -> [AnyNode] {
    var kept: [AnyNode] = []
    var round: UInt32 = 0
    while true {
      var found: [AnyNode] = []
      var isBusy = false
      forEachEdge(.ins) { edge in
        guard !isBusy, edge.pointee.kind.readsLatest, !edge.pointee.has(.cut),
          let up = edge.pointee.up, !up.pointee.hasValue.load(ordering: .relaxed)
        else { return }
        isBusy = !up.pointee.tryAcquire()
        if isBusy { return }
        if let node = up.nodeLocked() { found.append(node) }
        up.pointee.release()
      }
      if !isBusy { return found }
      kept += found  // released when no lock is held
      easyreact_wait(round)
      round += 1
    }
  }
}
