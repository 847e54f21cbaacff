import Synchronization

// Joins that exchange direction in one turn: b followed a, and now a follows b. Whichever runs first links its
// new edge while the other's old one still stands, and the two edges close a cycle that nobody means.
//
// So a node that a join turns to comes before the join: of the edges on the ways from the join to that node, those that may
// still be dropped in this turn *give way*: all that end at a join which is sure to run, and, on each way that is then left, the
// first one. They lead back until the joins below have run. A join that then goes on to follow such an edge comes behind its
// upstream again, and others give way; until only edges that were chosen in this turn are left on a way: then the last one
// really closes a cycle.

extension EdgeStorage {
  /// The join below, for an edge that it chose in a run and may drop in its next one.
  fileprivate borrowing func movingJoin() -> JoinPointer? {
    state?._withUnsafeGuaranteedRef { $0.outer?.movingJoin }
  }

  /// May it be dropped before this turn is over?
  /// - Parameter isCertain: Only if the join below is sure to run.
  fileprivate borrowing func mayBeDropped(in turn: TurnPointer, ifCertain isCertain: Bool) -> Bool {
    // Maintenance that is opened here, under the topology lock, only ends lives; if it ever cut an edge, that would wait for this very lock.
    guard isOrdinary(), let join = movingJoin(), down!.holds(by: turn) else { return false }
    return join.pointee.isWaiting ? !join.pointee.isRepeat : !isCertain
  }
}

extension EdgePointer {
  /// This edge, which a join has chosen, closes a cycle. True: others give way. Under the topology lock.
  func othersGiveWay(through closed: [NodePointer]) -> Bool {
    let turn = currentTurn()
    // If no join waits, all that was to come first has run.
    if pointee.movingJoin() == nil || !turn.hasWaitingJoins() { return false }
    let (up, join) = (pointee.up!, pointee.down!)
    let closed = Set(closed)
    // A join that is sure to run drops its edge, or follows it again when its turn comes: all others stay in order.
    let between = up.nodesBetween(join, through: closed)
    turn.giveWay(
      up.edges(from: join, between).filter {
        $0.pointee.mayBeDropped(in: turn, ifCertain: true)
      })
    return turn.giveWay(firstOnWaysLeft(through: closed, in: turn))
  }

  /// The first edge that may be dropped on each way that is left from the join. Nil: there is a way without one.
  private func firstOnWaysLeft(through closed: Set<NodePointer>, in turn: TurnPointer)
    -> [EdgePointer]?
  {
    let (up, join) = (pointee.up!, pointee.down!)
    let between = up.nodesBetween(join, through: closed)
    let outs = Dictionary(
      grouping: up.edges(from: join, between).lazy.filter { $0.pointee.isOrdinary() }
    ) { $0.pointee.up! }
    var found: [EdgePointer] = [], seen: Set = [join], todo = [join]
    while let storage = todo.popLast() {
      for edge in outs[storage] ?? [] {
        let down = edge.pointee.down!
        if edge.pointee.mayBeDropped(in: turn, ifCertain: false) {
          found.append(edge)
        } else if down == up {
          return nil
        } else if seen.insert(down).inserted {
          todo.append(down)
        }
      }
    }
    return found
  }
}

extension NodePointer {
  /// The nodes on ordinary ways from the join to this node, including this one, without the join. Searched from both ends by
  /// turns, an edge at a time: whichever search ends first has seen them all.
  fileprivate func nodesBetween(_ join: NodePointer, through closed: Set<NodePointer>)
    -> Set<NodePointer>
  {
    let low = join.pointee.rank.load(ordering: .relaxed)
    let high = pointee.rank.load(ordering: .relaxed)
    func isBetween(_ node: NodePointer) -> Bool {
      let rank = node.pointee.rank.load(ordering: .relaxed)
      return low < rank && rank < high && closed.contains(node.standIn())
    }
    var above = Front(self, .ins), below = Front(join, .outs)
    // From each node seen from the join, back to those that it was seen from, without the join.
    var arcs: [NodePointer: [NodePointer]] = [:]
    while let edge = above.next() {
      let up = edge.pointee.up!
      if edge.pointee.isOrdinary(), isBetween(up) { above.see(up) }
      guard let edge = below.next() else { return nodes(along: arcs, from: [self]) }
      let (near, down) = (edge.pointee.up!, edge.pointee.down!)
      if edge.pointee.isOrdinary(), down == self || isBetween(down) {
        if near != join { arcs[down, default: []].append(near) }
        below.see(down, andBeyond: down != self)
      }
    }
    return above.seen
  }

  /// The edges on the ways from the join to this node, given the nodes between. Each edge is in two lists, either of which may be long, as that of a
  /// node with a thousand downstreams is: so the lists of both sides are read by turns, until one side is at its end.
  fileprivate func edges(from join: NodePointer, _ between: Set<NodePointer>) -> [EdgePointer] {
    let ups = between.subtracting([self]).union([join])
    var outs = ups.lazy.flatMap { EdgeWalk($0, .outs) }.makeIterator()
    var ins = between.lazy.flatMap { EdgeWalk($0, .ins) }.makeIterator()
    var found: (below: [EdgePointer], above: [EdgePointer]) = ([], [])
    while let edge = outs.next() {
      if between.contains(edge.pointee.down!) { found.below.append(edge) }
      guard let edge = ins.next() else { return found.above }
      if ups.contains(edge.pointee.up!) { found.above.append(edge) }
    }
    return found.below
  }

  /// The join has run, and goes on to follow edges that gave way before. True: there were some.
  @usableFromInline @inline(never) func followAgain(in turn: TurnPointer) -> Bool {
    underTopologyLock {
      let again = EdgeWalk(self, .ins).filter {
        $0.pointee.isUncut() && $0.pointee.has(.gaveWay) && $0.pointee.has(.isBackEdge)
      }
      for edge in again {
        edge.pointee.remove(.gaveWay)
        if !edge.othersGiveWay(through: [standIn()]) { continue }
        edge.pointee.remove(.isBackEdge)
        _ = topology.forget(edge)
        edge.pointee.up!.order(before: self, by: edge)
      }
      return !again.isEmpty
    }
  }
}

extension TurnPointer {
  /// Nil, and false: there is a way without such an edge.
  @discardableResult fileprivate func giveWay(_ edges: [EdgePointer]?) -> Bool {
    guard let edges else { return false }
    for edge in edges {
      topology.isBackEdge(edge)
      edge.pointee.insert(.gaveWay)
    }
    pointee.gaveWay += edges
    return true
  }

  /// Everything that was to come before something else has run.
  @inline(never) func endExchange() {
    for edge in pointee.gaveWay { edge.pointee.remove(.gaveWay) }
    pointee.gaveWay = []
  }
}
