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
  var seen: Set<UInt64> = []
  var cores: Set<CorePointer> = []
  for start in nodes where !seen.contains(start.id) {
    for (node, _) in start.reachable where seen.insert(node.id).inserted {
      violations += violationsOf(node)
      cores.insert(node.core)
    }
  }
  return violations + violationsOfCycles(among: cores)
}

/// Nodes are known to lie on cycles together if, and only if, they reach each other.
private func violationsOfCycles(among cores: Set<CorePointer>) -> [String] {
  let isCyclic = cores.contains { core in
    component(of: core) != nil || edges(core, .ins).contains { $0.pointee.has(EdgeFlags.leadsBack) }
  }
  if !isCyclic { return [] }
  return underSurgeryLock { strongParts(of: cores) }.compactMap { part in
    let known = component(of: part[0])
    let members = known?._withUnsafeGuaranteedRef { $0.members } ?? [part[0]]
    let isRight =
      part.allSatisfy { component(of: $0) == known } && Set(part) == members
      && (known == nil) == (part.count == 1)
    return isRight ? nil : "\(part.count) nodes reach each other, \(members.count) are known to"
  }
}

private func violationsOf(_ node: AnyNode) -> [String] {
  var found: [String] = []
  let core = node.core
  func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { found.append("\(node.whereabouts): \(message())") }
  }
  let region = core.pointee.region.load(ordering: .acquiring)
  let word = region.pointee.word.load(ordering: .acquiring)
  let bits = core.pointee.bits & ~Bits.eventNode
  expect(bits == 0, "at rest its bits are zero, not \(bits)")
  expect(
    isEventNode(core) == (core.pointee.bits & Bits.eventNode != 0),
    "an event node is one for its holder and for others")
  expect(!isEventNode(core) || node.anyValue == nil, "an event node is empty")
  expect(word == Region.free, "at rest its region is free, with an empty mailbox")
  expect(region.pointee.inbox == nil, "at rest no letter waits")
  expect(!region.pointee.isDead, "its region is alive")
  expect(!core.pointee.hasPosted.load(ordering: .acquiring), "at rest no posted value waits")
  expect(core.pointee.lock.load(ordering: .relaxed) == 0, "its short lock is free")
  var upstreamEdges = 0
  var previous: EdgePointer?
  forEachEdge(core, .ins) { edge in
    upstreamEdges += 1
    expect(edge.pointee.down == core, "an upstream edge leads here")
    expect(!edge.pointee.has(EdgeFlags.cut), "at rest no cut edge is in its upstream list")
    expect(!edge.pointee.has(EdgeFlags.starting), "at rest no edge is starting")
    let rank = edge.pointee.up!.pointee.rank.load(ordering: .relaxed)
    expect(
      edge.pointee.has(EdgeFlags.leadsBack) || core.pointee.rank.load(ordering: .relaxed) > rank,
      "its rank is greater than that of an upstream by an edge that does not lead back")
    expect(
      !edge.pointee.has(EdgeFlags.leadsBack) || liesOnCycle(edge), "what leads back lies on a cycle"
    )
    expect(top(of: edge.pointee.up!) <= top(of: core), "tops do not fall along an edge")
    expect(
      previous == nil || edge.pointee.previousIn.load(ordering: .relaxed) == previous,
      "its upstream list is linked both ways")
    previous = edge
  }
  let first = core.pointee.firstIn.load(ordering: .relaxed)
  expect(
    first == nil || first!.pointee.previousIn.load(ordering: .relaxed) == previous,
    "its first upstream edge knows the last")
  var keepers = 0
  for list in [EdgeListKind.outs, .listeners] {
    var before: EdgePointer?
    forEachEdge(core, list) { edge in
      if edge.pointee.upHandle == nil { keepers += 1 }
      expect(edge.pointee.up == core, "a downstream edge starts here")
      expect(!edge.pointee.has(EdgeFlags.cut), "at rest no cut edge is in its lists")
      expect(
        before == nil || edge.pointee.previous.load(ordering: .relaxed) == before,
        "its lists are linked both ways")
      before = edge
    }
    let first =
      list == .outs
      ? core.pointee.firstOut.load(ordering: .relaxed)
      : core.pointee.firstListener.load(ordering: .relaxed)
    expect(
      first == nil || first!.pointee.previous.load(ordering: .relaxed) == before,
      "its first edge knows the last")
    let last =
      list == .outs
      ? core.pointee.lastOut.load(ordering: .relaxed)
      : core.pointee.lastListener.load(ordering: .relaxed)
    expect(last == before, "at rest its last edge is attached")
  }
  expect(
    Int(core.pointee.references.load(ordering: .relaxed)) == 1 + upstreamEdges + keepers,
    "it counts its handle, \(upstreamEdges) upstream edges and \(keepers) that do not keep it")
  if !core.pointee.isHead {
    expect(upstreamEdges == 1, "a node in its upstream's region has one upstream edge")
    expect(
      first.map { sharesRegion($0.pointee.up!, core) } ?? false,
      "a node that is no head lies in its upstream's region")
  }
  expect(
    !core.pointee.isMutable.load(ordering: .relaxed) || core.pointee.isHead,
    "a node that can be set is the head of a region")
  return found
}
