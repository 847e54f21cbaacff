import CEasyReact
import Synchronization

// A ring made by `link` keeps itself alive: each node's edge retains the node before. Whether
// anything else retains a member is told by its reference count, so this file keeps count of its
// own references: they are explicit, and no function that counts holds a node in a variable.

private typealias Reference = Unmanaged<AnyNode>

/// One search at a time: the references of another would look like somebody's.
private let searching = Mutex(())

/// Searches whose references may have been the last ones: nodes die when they are let go of.
private let ending = Atomic(0)

/// A member of a ring that nothing outside holds.
package struct LeakedNode: Sendable {
  package let id: UInt64
  package let whereabouts: String
}

/// The members of each ring that nothing outside holds, in order round the ring.
/// - Parameter isMeant: Rings without such a node are not looked at, and cost next to nothing.
package func findLeaks(where isMeant: (UInt64) -> Bool = { _ in true }) -> [[LeakedNode]] {
  let turn = currentTurn()
  turn.enter()  // what is let go of under the lock dies after it
  let leaks = searching.withLock { _ in
    ending.add(1, ordering: .relaxed)
    return countReferences(isMeant)
  }
  turn.leave()
  ending.subtract(1, ordering: .releasing)
  return leaks
}

/// The thread that is in `withoutLeakReports`, or 0.
private let keeper = Atomic<UInt>(0)

/// For tests that see nodes die: meanwhile no leak report holds a node, or is the last one to let go of it. `body` asks for none
/// itself; it may come here again.
package func withoutLeakReports<Result>(_ body: () throws -> Result) rethrows -> Result {
  let me = UInt(easyreact_thread_number())
  if keeper.load(ordering: .relaxed) == me { return try body() }
  var round: UInt32 = 0
  while true {
    let result = try searching.withLock { _ -> Result? in
      if ending.load(ordering: .acquiring) > 0 { return nil }
      keeper.store(me, ordering: .relaxed)
      defer { keeper.store(0, ordering: .relaxed) }
      return try body()
    }
    if let result { return result }
    easyreact_wait(round)
    round += 1
  }
}

private func countReferences(_ isMeant: (UInt64) -> Bool) -> [[LeakedNode]] {
  let closers = closers(isMeant)
  defer { for closer in closers { closer.release() } }
  var closing: [UnsafeMutableRawPointer: Int] = [:]
  for closer in closers { closing[closer.toOpaque(), default: 0] += 1 }
  var reported: Set<UnsafeMutableRawPointer> = []
  var leaks: [[LeakedNode]] = []
  for closer in closers where !reported.contains(closer.toOpaque()) {
    let ring = members(of: closer)
    defer { for member in ring { member.release() } }
    let places = Set(ring.map { $0.toOpaque() })
    reported.formUnion(places)
    let isLeak = ring.allSatisfy { member in
      let mine = 1 + (closing[member.toOpaque()] ?? 0)
      return Int(swift_retainCount(member.toOpaque())) - mine == edgesInside(places, from: member)
    }
    if isLeak { leaks.append(names(of: ring)) }
  }
  return leaks
}

/// The upstreams of edges that lead back and are not half of a sync, each retained once for each, in the order of these: each
/// closed a ring made by hand. Looks at all that lead back in the process.
@inline(never) private func closers(_ isMeant: (UInt64) -> Bool) -> [Reference] {
  let closers = underTopologyLock {
    topology.backEdges.compactMap { edge, number -> (upstream: AnyObject, number: UInt64)? in
      if edge.pointee.has([.sync, .cut]) || !isMeant(edge.pointee.up!.pointee.id) { return nil }
      return edge.pointee.up!.handle().map { ($0, number) }
    }
  }
  return closers.sorted { $0.number < $1.number }.map {
    Reference.passRetained(unsafeDowncast($0.upstream, to: AnyNode.self))
  }
}

/// The strongly connected component over the edges that keep their upstream alive, each retained
/// once. It is part of the one over all edges, so nothing beyond that is looked at.
@inline(never) private func members(of start: Reference) -> [Reference] {
  func search(_ list: EdgeListKind) -> [AnyNode] {
    var found = [start.takeUnretainedValue()]
    var seen: Set<UInt64> = [found[0].id]
    var next = 0
    while next < found.count {
      for far in keptNeighbours(found[next], list)
      where far.storage.isOnOneCycle(found[0].storage) && seen.insert(far.id).inserted {
        found.append(far)
      }
      next += 1
    }
    return found
  }
  let above = Set(search(.ins).map(\.id))
  return search(.outs).filter { above.contains($0.id) }.map { Reference.passRetained($0) }
}

private func keptNeighbours(_ node: AnyNode, _ list: EdgeListKind) -> [AnyNode] {
  node.lookAtEdges(list) { edge, far in edge.pointee.upHandle == nil ? nil : far }.compactMap { $0 }
}

@inline(never) private func edgesInside(
  _ ring: Set<UnsafeMutableRawPointer>, from member: Reference
) -> Int {
  keptNeighbours(member.takeUnretainedValue(), .outs)
    .count { ring.contains(Reference.passUnretained($0).toOpaque()) }
}

@inline(never) private func names(of ring: [Reference]) -> [LeakedNode] {
  ring.map {
    let node = $0.takeUnretainedValue()
    return LeakedNode(id: node.id, whereabouts: node.whereabouts)
  }
}
