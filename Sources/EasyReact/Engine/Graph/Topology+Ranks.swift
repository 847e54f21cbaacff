import Synchronization

// Two numbers that rise along edges. All of this happens under the topology lock, except for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It falls only where a cut opens cycles, and for a
// node to which no ordinary edge leads; past a limit the ranks of the whole graph are counted anew. Nodes that are raised together are raised
// further than they have to be, by up to twice the number of their nodes and edges, as far as what lies behind can give way with no more effort, and gaps
// are left between them (Topology+Raising.swift).
//
// The *top* does not fall along any edge: a node of higher top never leads to one of lower top,
// so tops bound the search for new cycles. The top is the rank, until a cycle is near: a rank falls along an
// edge that leads back, so nodes of a component, and those below it whose rank is lower, have a top
// of their own. Any number that does not fall will do. So what is raised gets more than it needs: each node
// one more than the one above it, since otherwise all that lies below a component would have one top, and each
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

  /// For a member of a component.
  func setTop(to top: Int32) {
    sideTable().top.store(top, ordering: .sequentiallyConsistent)
  }

  /// A node on no cycle to which nothing leads, for instance one that was let go of, need not have a higher top than what it leads to now.
  func dropTop(before down: NodePointer, by gap: Int32) {
    let top = down.top() - gap
    if component() == nil, self.top() > top, top > -rankLimit.load(ordering: .relaxed),
      !EdgeWalk(self, .ins).contains(where: { $0.pointee.isUncut() })
    {
      setTop(to: top)
    }
  }

  /// Together with its component's, and those of all that follows.
  func raiseTop(to least: Int32) { if top() < least { raiseTops([(self, least)]) } }

  /// Called also by a thread that is making the node. When a node gets a top of its own, it is not below the rank,
  /// whichever of the two another thread is raising.
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
  /// A node that is being made gets a higher rank and top than one more upstream. Called by its maker, under the upstream's lock, or the topology
  /// lock. A new node has at least rank zero, like the twin's: only `order` gives ranks below zero. A thread that reads a rank which was counted
  /// anew also sees that somebody is at work: see `insertFresh`.
  func liftFresh(above up: NodePointer) {
    _ = pointee.rank.max(
      up.pointee.rank.load(ordering: .acquiring) + 1, ordering: .sequentiallyConsistent)
    if up.top() >= top() { liftTop(to: up.top() + 1) }
    // The rank may have risen, or been counted anew, since `liftTop` looked at it.
    let rank = pointee.rank.load(ordering: .sequentiallyConsistent)
    if top() < rank { liftTop(to: rank) }
  }

  func isLifted(above up: NodePointer) -> Bool {
    let rank = pointee.rank.load(ordering: .sequentiallyConsistent)
    return up.pointee.rank.load(ordering: .acquiring) < rank && up.top() < top() && rank <= top()
  }

  /// With `noTop` the top is the rank.
  var height: (rank: Int32, top: Int32) {
    (pointee.rank.load(ordering: .sequentiallyConsistent), ownTop())
  }
}

// MARK: - Ranks

extension NodePointer {
  /// Makes ranks and tops rise along all its upstream edges again, whatever it and they were given meanwhile.
  func orderBehindUpstreams() {
    for edge in EdgeWalk(self, .ins) where edge.pointee.isUncut() {
      let up = edge.pointee.up!
      if edge.pointee.isOrdinary() { up.order(before: self, by: edge) }
      raiseTop(to: up.top())
    }
  }

  /// Makes ranks rise along an edge that does not lead back. A node to which no ordinary edge leads
  /// goes down, instead of raising all that follows: so building a chain from its end takes linear
  /// time too. But one with eight edges does not, where that is only a few nodes.
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
    // A hub would have to come up again, with all that follows it, for the next upstream.
    let outs = EdgeWalk(self, .outs).lazy.filter { $0.pointee.isUncut() }.prefix(8)
    if outs.reduce(0, { count, _ in count + 1 }) == 8, wouldRaise([edge], atMost: 16) {
      return false
    }
    let rank = down.pointee.rank.load(ordering: .relaxed) - 1
    lowerRank(to: rank)
    if rank < -rankLimit.load(ordering: .relaxed) { down.countAnew() }
    return true
  }

  /// Joins of the node that wait have to come earlier: they are moved, if this turn has them. Another thread puts all that waits there into a new order
  /// before it looks at it again. Of several nodes the lowest is lowered first, so that no thread that sees the new rank of one still orders, unawares, by the
  /// old rank of a node that leads to it.
  func lowerRank(to rank: Int32) {
    pointee.rank.store(rank, ordering: .sequentiallyConsistent)
    let turn = currentTurn()
    turn.readRunningRank()
    if isHeld(by: turn) {
      for join in joins() where join.pointee.isWaiting {
        let isRepeat = join.pointee.isRepeat  // it is entered once more, and waits as before
        pushJoin(join, in: turn)
        join.pointee.isRepeat = isRepeat
      }
    } else if isHeldByAnyone, !joins().isEmpty {
      recounts.add(1, ordering: .sequentiallyConsistent)
    }
  }

  /// The joins that run here: its own, and those of its flattens. The state of an edge that is seen uncut, and with it the join, stays as long
  /// as the topology lock is held: whoever cuts the edge waits for that lock.
  private func joins() -> [JoinPointer] {
    let edges = EdgeWalk(self, .ins).lazy.filter { $0.pointee.isUncut() }
    let all = [pointee.join] + edges.map { $0.pointee.joinBelow() }
    var seen: Set<JoinPointer> = []
    return all.compactMap { $0 }.filter { seen.insert($0).inserted }
  }

  /// Of eight edges one is assumed to be ordinary: to look at thousands that lead back would cost more than it saves.
  fileprivate func hasOrdinaryEdge(_ list: EdgeListKind, except edge: EdgePointer) -> Bool {
    let others = EdgeWalk(self, list).lazy.filter { $0 != edge && $0.pointee.isUncut() }.prefix(8)
    return others.enumerated().contains { index, other in
      index == 7 || other.pointee.isOrdinary() || other.pointee.hasGivenWay()
    }
  }
}
