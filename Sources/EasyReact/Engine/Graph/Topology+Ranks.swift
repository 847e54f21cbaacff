import Synchronization

// Two numbers that rise along edges. All under the topology lock, but for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It never falls,
// but for a node that nothing ordinary leads to, and where a cut opens cycles; past a limit the graph's ranks are counted anew. What is raised
// together is raised by twice as much more as it has nodes and edges, as far as what lies behind can give way with no more effort, and gaps are left between
// (Topology+Raising.swift).
//
// The *top* does not fall along any edge: what is above in it cannot be reached from what is below,
// so it bounds the search for new cycles. It is the rank, until a cycle is near: a rank falls along an
// edge that leads back, so nodes of a component, and those below it whose rank is lower, have a top
// of their own. It may be any that does not fall. So what is raised gets more than it needs: each node
// one more than the one above it, for else all that lies below a component would have one top, and each
// search there would look at all of it; and as much more as it has edges, and a component members, so that n
// newcomers raise it log n times.

extension SideTable {
  static var noTop: Int32 { .max }
}

extension NodePointer {
  func top() -> Int32 {
    let own = ownTop()
    return own == SideTable.noTop ? pointee.rank.load(ordering: .sequentiallyConsistent) : own
  }

  func ownTop() -> Int32 {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
      $0.top.load(ordering: .sequentiallyConsistent)
    } ?? SideTable.noTop
  }

  /// Of a component's member.
  func setTop(to top: Int32) {
    sideTable().top.store(top, ordering: .sequentiallyConsistent)
  }

  /// A node off cycles that nothing leads to, as one that was let go of, need not be above what it leads to now.
  func dropTop(before down: NodePointer, by gap: Int32) {
    let top = down.top() - gap
    if component() == nil, self.top() > top, top > -rankLimit.load(ordering: .relaxed),
      !EdgeWalk(self, .ins).contains(where: { $0.pointee.isUncut() })
    {
      setTop(to: top)
    }
  }

  /// With that of its component, and of all that follows.
  func raiseTop(to least: Int32) { if top() < least { raiseTops([(self, least)]) } }

  /// Also by a thread that is making the node. A top of its own is never below the rank where it is
  /// given, whichever of the two another thread is raising.
  func liftTop(to new: Int32) {
    let sideTable = self.sideTable()
    var old = sideTable.top.load(ordering: .sequentiallyConsistent)
    var new = new
    while true {
      if old != SideTable.noTop && old >= new { return }
      let (exchanged, original) = sideTable.top.compareExchange(
        expected: old, desired: new, ordering: .sequentiallyConsistent)
      if !exchanged {
        old = original
        continue
      }
      if old != SideTable.noTop { return }
      (old, new) = (new, max(new, pointee.rank.load(ordering: .sequentiallyConsistent)))
    }
  }
}

// MARK: - New nodes

extension NodePointer {
  /// A node that is being made goes above one more upstream. By its maker, under the upstream's lock, or that of the topology. A
  /// new node has rank zero at least, like the twin's: ranks below zero are those of `order`. Who reads a rank that was counted anew
  /// sees that somebody is at work: see `insertFresh`.
  func liftFresh(above up: NodePointer) {
    _ = pointee.rank.max(
      up.pointee.rank.load(ordering: .acquiring) + 1, ordering: .sequentiallyConsistent)
    if up.top() >= top() { liftTop(to: up.top() + 1) }
    // Its rank may have risen, or been counted anew, behind the look for a top of its own that was given just now.
    let rank = pointee.rank.load(ordering: .sequentiallyConsistent)
    if top() < rank { liftTop(to: rank) }
  }

  func isLifted(above up: NodePointer) -> Bool {
    let rank = pointee.rank.load(ordering: .sequentiallyConsistent)
    return up.pointee.rank.load(ordering: .acquiring) < rank && up.top() < top() && rank <= top()
  }

  /// A top of `noTop` is the rank.
  var height: (rank: Int32, top: Int32) {
    (pointee.rank.load(ordering: .sequentiallyConsistent), ownTop())
  }
}

// MARK: - Ranks

extension NodePointer {
  /// Ranks and tops rise along all its upstream edges, whatever has been given meanwhile.
  func orderBehindUpstreams() {
    for edge in EdgeWalk(self, .ins) where edge.pointee.isUncut() {
      let up = edge.pointee.up!
      if edge.pointee.isOrdinary() { up.order(before: self, by: edge) }
      raiseTop(to: up.top())
    }
  }

  /// Makes the ranks rise along an edge that does not lead back. A node that nothing ordinary leads to
  /// goes below, instead of raising all that follows: so a chain is built from its end in linear
  /// time too.
  func order(before down: NodePointer, by edge: EdgePointer) {
    let rank = down.pointee.rank.load(ordering: .relaxed)
    let least = pointee.rank.load(ordering: .relaxed)
    if rank > least || goesBelow(down, by: edge) { return }
    if down.raise(above: least) > rankLimit.load(ordering: .relaxed) { down.countAnew() }
  }

  private func goesBelow(_ down: NodePointer, by edge: EdgePointer) -> Bool {
    if !down.hasOrdinaryEdge(.outs, except: edge) || hasOrdinaryEdge(.ins, except: edge) {
      return false
    }
    let rank = down.pointee.rank.load(ordering: .relaxed) - 1
    lowerRank(to: rank)
    if rank < -rankLimit.load(ordering: .relaxed) { down.countAnew() }
    return true
  }

  /// The node's joins that wait have to come earlier: they are moved, where this turn has them. Another thread orders all that waits anew
  /// before it looks at it again; of several nodes the lower is lowered first, so that nobody who sees the rank of one has waited by the
  /// old rank of what leads there, and does not know that.
  func lowerRank(to rank: Int32) {
    pointee.rank.store(rank, ordering: .sequentiallyConsistent)
    let turn = currentTurn()
    turn.readRunningRank()
    if isHeld(by: turn) {
      for join in joins() where join.pointee.isWaiting { pushJoin(join, in: turn) }
    } else if isHeldByAnyone, !joins().isEmpty {
      recounts.add(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Those that run here: its own, and those of its flattens. The state of an edge that is seen uncut, and so its join, is there as long
  /// as the topology lock is held: whoever cuts it waits for that.
  private func joins() -> [JoinPointer] {
    let edges = EdgeWalk(self, .ins).lazy.filter { $0.pointee.isUncut() }
    let all = [pointee.join] + edges.map { $0.pointee.joinBelow() }
    var seen: Set<JoinPointer> = []
    return all.compactMap { $0 }.filter { seen.insert($0).inserted }
  }

  /// Of eight edges one is taken to be ordinary: to look at thousands that lead back costs more than what it saves.
  fileprivate func hasOrdinaryEdge(_ list: EdgeListKind, except edge: EdgePointer) -> Bool {
    let others = EdgeWalk(self, list).lazy.filter { $0 != edge && $0.pointee.isUncut() }.prefix(8)
    return others.enumerated().contains { index, other in
      index == 7 || other.pointee.isOrdinary() || other.pointee.hasGivenWay()
    }
  }
}
