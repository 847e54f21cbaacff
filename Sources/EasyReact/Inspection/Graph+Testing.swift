import CEasyReact
import Dispatch
import Synchronization

/// Waits until no region is with a background queue any more: when the threads of a test have
/// ended, the graph is then at rest, except for what waits on schedulers. False: it took longer.
package func waitForBackgroundWork(seconds: Int = 600) -> Bool {
  handOvers.wait(timeout: .now() + .seconds(seconds)) == .success
}

/// How many nodes and edges this thread looks at for the sake of the graph's shape, in `body`; each
/// wait for the lock of the shape counts too.
package func shapeLooks(in body: () throws -> Void) rethrows -> Int {
  let turn = currentTurn()
  let before = turn.pointee.looks
  try body()
  return turn.pointee.looks - before
}

/// How many edges a walk of the shape finds below a node, where the last one is attached, before those that
/// were to be attached earlier, as soon as the walk has found one. Such edges must be cut before they are attached.
package func edgesFound(below node: AnyNode) -> Int {
  underTopologyLock {
    var walk = EdgeWalk(node.storage, .outs), found: Set<EdgePointer> = []
    while let edge = walk.next() {
      found.insert(edge)
      if found.count == 1 { node.storage.edges(.outs).last?.attachToUpstream() }
    }
    return found.count
  }
}

/// How many edges lead away from a node, those to nodes that are being made too.
package func edgeCount(below node: AnyNode) -> Int { node.storage.edges(.outs).count }

/// The rank past which those of a graph are counted anew; a test lowers it.
package func withRankLimit<Result>(_ limit: Int32, _ body: () throws -> Result) rethrows -> Result {
  let before = rankLimit.exchange(limit, ordering: .relaxed)
  defer { rankLimit.store(before, ordering: .relaxed) }
  return try body()
}

/// The least and the greatest rank of these nodes.
package func ranks(of nodes: [AnyNode]) -> ClosedRange<Int> {
  let ranks = nodes.map { Int($0.storage.pointee.rank.load(ordering: .relaxed)) }
  return ranks.min()!...ranks.max()!
}

/// The least and the greatest top of these nodes.
package func tops(of nodes: [AnyNode]) -> ClosedRange<Int> {
  let tops = nodes.map { Int($0.storage.top()) }
  return tops.min()!...tops.max()!
}

/// Where a node was: what may be looked at as long as it lives, wherever it has gone.
package struct RegionOfNode: @unchecked Sendable {
  // Unchecked: an address; its word is atomic.
  private let region: RegionPointer
  package init(_ node: AnyNode) { region = node.storage.pointee.region.load(ordering: .relaxed) }
  package var isFree: Bool { region.pointee.word.load(ordering: .relaxed) == Region.free }
}

/// Is this thread inside the graph: in a listener, a closure or a `deinit` that the graph runs?
package func isInsideGraph() -> Bool { currentTurn().pointee.depth.load(ordering: .relaxed) != 0 }

/// Has the node's short lock until `isEnough`, as a thread that lost its processor would, while `body` runs
/// on this thread.
package func withShortLock(
  of node: AnyNode, _ body: () -> Void, until isEnough: @escaping @Sendable () -> Bool
) {
  let storage = EdgeReference(node.storage.inEdgePointer())
  node.storage.pointee.acquire()
  DispatchQueue.global().async {
    while !isEnough() { easyreact_yield() }
    storage.edge.pointee.down!.pointee.release()
  }
  body()
}
