import Synchronization

// What must hold between turns. Tests call this after every step; it is no part of a set.

/// The invariants that do not hold for these nodes and everything that they are joined to; empty
/// when all is well.
///
/// To be called when no thread is inside the graph.
package func checkInvariants(_ nodes: [AnyNode]) -> [String] {
  // A node that nothing but a leak report holds has an edge still, but no right to it.
  withoutLeakReports { violations(around: nodes) }
}

private func violations(around nodes: [AnyNode]) -> [String] {
  var violations: [String] = []
  var seen: [NodePointer: AnyNode] = [:]
  for start in nodes where seen[start.storage] == nil {
    for (reached, _) in start.reachable {
      for node in [reached] + reached.storage.orderedWith
      where seen.updateValue(node, forKey: node.storage) == nil {
        violations += violationsOf(node)
      }
    }
  }
  // Kept till the end: an inner node that is let go of meanwhile is freed.
  return withExtendedLifetime(seen) { violations + violationsOfCycles(among: Set(seen.keys)) }
}

extension NodePointer {
  /// Nodes that only put others in order are at the other end of such edges.
  fileprivate var orderedWith: [AnyNode] {
    let edges =
      edges(.ins).map { ($0, $0.pointee.up!) } + edges(.outs).map { ($0, $0.pointee.down!) }
    return edges.filter { $0.0.pointee.has(.ordersOnly) }.compactMap { $0.1.node() }
  }
}

/// Nodes are known to lie on cycles together if, and only if, they reach each other.
private func violationsOfCycles(among storages: Set<NodePointer>) -> [String] {
  let isCyclic = storages.contains { storage in
    storage.component() != nil || storage.edges(.ins).contains { $0.pointee.has(.isBackEdge) }
  }
  if !isCyclic { return [] }
  return underTopologyLock { strongParts(of: storages).parts }.compactMap { part in
    let known = part[0].component()
    let members = known?._withUnsafeGuaranteedRef { $0.members } ?? [part[0]]
    let isRight =
      part.allSatisfy { $0.component() == known } && Set(part) == members
      && (known == nil) == (part.count == 1)
    return isRight ? nil : "\(part.count) nodes reach each other, \(members.count) are known to"
  }
}

private func violationsOf(_ node: AnyNode) -> [String] {
  var findings = Findings(node)
  findings.lookAtRest()
  findings.lookAtEdges()
  return findings.found
}

/// What is wrong with one node.
private struct Findings {
  let node: AnyNode
  var storage: NodePointer { node.storage }
  var found: [String] = []

  init(_ node: AnyNode) { self.node = node }

  mutating func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { found.append("\(node.whereabouts): \(message())") }
  }

  /// Nothing waits, and nobody is inside.
  mutating func lookAtRest() {
    let region = storage.pointee.region.load(ordering: .acquiring)
    let word = region.pointee.word.load(ordering: .acquiring)
    let flags = storage.pointee.flags.without([.eventNode, .holdsNoValue])
    expect(flags.isEmpty, "at rest its flags are zero, not \(flags.rawValue)")
    expect(
      storage.isEventNode() == (storage.pointee.flags.has(.eventNode)),
      "an event node is one for its holder and for others")
    expect(!storage.isEventNode() || node.anyValue == nil, "an event node is empty")
    expect(word == Region.free, "at rest its region is free, with an empty mailbox")
    expect(
      region.pointee.inbox.isEmpty && region.pointee.maintenance.isEmpty, "at rest no message waits"
    )
    expect(!region.pointee.isDead, "its region is alive")
    expect(region.pointee.awaitedMessages == 0, "at rest its region awaits no messages")
    expect(
      storage.pointee.waitingMessages.load(ordering: .relaxed) == 0, "at rest no message is counted"
    )
    expect(storage.pointee.life == .wanted, "its handle is there")
    expect(
      !storage.pointee.hasPendingValue.load(ordering: .acquiring), "at rest no posted value waits")
    expect(storage.pointee.lock.load(ordering: .relaxed) == 0, "its short lock is free")
  }

  mutating func lookAtEdges() {
    let ins = lookAtIns()
    let keepers = lookAtList(.outs) + lookAtList(.listeners)
    expect(
      Int(storage.pointee.references.load(ordering: .relaxed)) == 1 + ins + keepers,
      "it counts its handle, \(ins) upstream edges and \(keepers) that do not keep it")
    if !storage.pointee.isHead {
      let carrying = allEdges(.ins).count { !$0.pointee.has(.ordersOnly) }
      expect(carrying == 1, "a node in its upstream's region has one upstream edge")
      expect(
        storage.firstEdge(.ins).map { $0.pointee.up!.sharesRegion(storage) } ?? false,
        "a node that is no head lies in its upstream's region")
    }
    expect(
      !storage.pointee.has(.isMutable) || storage.pointee.isHead,
      "a node that can be set is the head of a region")
  }

  /// Those that are cut, too.
  private func allEdges(_ list: EdgeListKind) -> [EdgePointer] {
    var edges: [EdgePointer] = []
    storage.forEachEdge(list, areAllMeant: true) { edges.append($0) }
    return edges
  }

  /// Returns how many there are.
  private mutating func lookAtIns() -> Int {
    let edges = allEdges(.ins)
    for (edge, before) in zip(edges, [nil] + edges) {
      expect(edge.pointee.down == storage, "an upstream edge leads here")
      expect(!edge.pointee.has(.cut), "at rest no cut edge is in its upstream list")
      expect(!edge.pointee.has(.starting), "at rest no edge is starting")
      let rank = edge.pointee.up!.pointee.rank.load(ordering: .relaxed)
      expect(
        edge.pointee.has(.isBackEdge) || storage.pointee.rank.load(ordering: .relaxed) > rank,
        "its rank is greater than that of an upstream by an edge that does not lead back")
      expect(
        !edge.pointee.has(.isBackEdge) || edge.liesOnCycle(), "what leads back lies on a cycle")
      expect(edge.pointee.up!.top() <= storage.top(), "tops do not fall along an edge")
      expect(
        before.map { $0.isInNode || edge.previousIn == $0 } ?? true,
        "its upstream list is linked both ways")
    }
    expect(
      edges.first { !$0.isInNode }.map { $0.previousIn == edges.last } ?? true,
      "the first upstream edge that has a block of its own knows the last")
    return edges.count
  }

  /// Returns how many keep the node's storage.
  private mutating func lookAtList(_ list: EdgeListKind) -> Int {
    let edges = allEdges(list)
    for (edge, before) in zip(edges, [nil] + edges) {
      expect(edge.pointee.up == storage, "a downstream edge starts here")
      expect(!edge.pointee.has(.cut), "at rest no cut edge is in its lists")
      expect(
        before == nil || edge.pointee.previous.load(ordering: .relaxed) == before,
        "its lists are linked both ways")
    }
    expect(
      edges.first.map { $0.pointee.previous.load(ordering: .relaxed) == edges.last } ?? true,
      "its first edge knows the last")
    let last =
      list == .outs
      ? storage.pointee.lastOut.load(ordering: .relaxed)
      : storage.pointee.lastListener.load(ordering: .relaxed)
    expect(
      last == edges.last { !$0.pointee.has(.ordersOnly) }, "at rest its last edge is attached")
    return edges.count { $0.pointee.upHandle == nil }
  }
}

extension EdgePointer {
  fileprivate var previousIn: EdgePointer? { block.pointee.previousIn.load(ordering: .relaxed) }
}
