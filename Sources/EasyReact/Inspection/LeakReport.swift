import CEasyReact
import Synchronization

// A ring made by `link` keeps itself alive: each node's edge retains the node before. Whether
// anything else retains a member is told by its reference count, so this file keeps count of its
// own references: they are explicit, and no function that counts holds a node in a variable.

private typealias Reference = Unmanaged<AnyNode>

/// One search at a time: the references of another would look like somebody's.
private let searching = Mutex(())

/// Searches whose references may have been the last ones: nodes die of letting go of them.
private let ending = Atomic(0)

/// The members of each ring that nothing outside holds, described.
func findLeaks() -> [[String]] {
  let turn = currentTurn()
  turn.enter()  // what is let go of under the lock dies after it
  let leaks = searching.withLock { _ in
    ending.add(1, ordering: .relaxed)
    return countReferences()
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

private func countReferences() -> [[String]] {
  let closers = ringClosers().map { Reference.passRetained(unsafeDowncast($0, to: AnyNode.self)) }
  defer { for closer in closers { closer.release() } }
  var reported: Set<UnsafeMutableRawPointer> = []
  var leaks: [[String]] = []
  for closer in closers where !reported.contains(closer.toOpaque()) {
    let ring = members(of: closer)
    defer { for member in ring { member.release() } }
    reported.formUnion(ring.map { $0.toOpaque() })
    let isLeak = ring.allSatisfy { member in
      let mine = 1 + closers.count { $0.toOpaque() == member.toOpaque() }
      return Int(swift_retainCount(member.toOpaque())) - mine == edgesInside(ring, from: member)
    }
    if isLeak { leaks.append(names(of: ring)) }
  }
  return leaks
}

/// The strongly connected component over the edges that keep their upstream alive, each retained
/// once.
@inline(never) private func members(of start: Reference) -> [Reference] {
  func search(_ list: EdgeListKind) -> [AnyNode] {
    var found = [start.takeUnretainedValue()]
    var seen: Set<UInt64> = [found[0].id]
    var next = 0
    while next < found.count {
      for far in keptNeighbours(found[next], list) where seen.insert(far.id).inserted {
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

@inline(never) private func edgesInside(_ ring: [Reference], from member: Reference) -> Int {
  let places = Set(ring.map { $0.toOpaque() })
  return keptNeighbours(member.takeUnretainedValue(), .outs)
    .count { places.contains(Reference.passUnretained($0).toOpaque()) }
}

@inline(never) private func names(of ring: [Reference]) -> [String] {
  ring.map { $0.takeUnretainedValue().whereabouts }
}
