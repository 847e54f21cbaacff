import Synchronization

// Two numbers that rise along edges. All under the topology lock, but for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It never falls,
// but for a plain node that nothing ordinary leads to, and for plain ones that a cut takes out of a component; past a limit the graph's ranks are counted anew. What is raised
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
  fileprivate func liftTop(to new: Int32) {
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
  }

  func isLifted(above up: NodePointer) -> Bool {
    up.pointee.rank.load(ordering: .relaxed) < pointee.rank.load(ordering: .relaxed)
      && up.top() < top()
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

  /// Makes the ranks rise along an edge that does not lead back. A plain node that nothing ordinary leads to
  /// goes below, instead of raising all that follows: so a chain is built from its end in linear
  /// time too.
  func order(before down: NodePointer, by edge: EdgePointer) {
    let rank = down.pointee.rank.load(ordering: .relaxed)
    let least = pointee.rank.load(ordering: .relaxed)
    if rank > least { return }
    if down.hasOrdinaryEdge(.outs, except: edge), !hasOrdinaryEdge(.ins, except: edge), !mayWait() {
      pointee.rank.store(rank - 1, ordering: .relaxed)
      if rank < -rankLimit.load(ordering: .relaxed) { down.countAnew() }
    } else if down.raise(above: least) > rankLimit.load(ordering: .relaxed) {
      down.countAnew()
    }
  }

  /// A join, which keeps its rank: it may wait by that, in another thread's turn.
  fileprivate func mayWait() -> Bool {
    isDerivation
      || EdgeWalk(self, .ins).contains { $0.pointee.isUncut() && $0.pointee.leadsToJoin() }
  }

  /// Of which no edge need be there.
  fileprivate var isDerivation: Bool { pointee.join?.pointee.count == 0 }

  /// Of eight edges one is taken to be ordinary: to look at thousands that lead back costs more than what it saves.
  fileprivate func hasOrdinaryEdge(_ list: EdgeListKind, except edge: EdgePointer) -> Bool {
    let others = EdgeWalk(self, list).lazy.filter { $0 != edge && $0.pointee.isUncut() }.prefix(8)
    return others.enumerated().contains { index, other in
      index == 7 || other.pointee.isOrdinary() || other.pointee.hasGivenWay()
    }
  }
}

/// What has fallen out of a component goes below what it led back to, if that takes plain nodes alone that fell with it; else the ends rise
/// above it. Both ways are looked at by turns, each time twice as far, and the one that ends first is taken.
func sink(_ opened: [EdgePointer], _ fallen: [NodePointer]) {
  let fallen = Set(fallen)
  let ends = opened.filter { fallen.contains($0.pointee.up!) }
  if ends.isEmpty { return }
  var most = 8 * fallen.count
  while true {
    guard let (ranks, isAll) = ranksBelow(ends, fallen, looks: most) else { return }
    if isAll { return lower(ranks) }
    if wouldRaise(ends, atMost: most) { return }
    most *= 2
  }
}

/// Nil: something else would have to go down. Not all: there are more edges to look at.
private func ranksBelow(_ ends: [EdgePointer], _ fallen: Set<NodePointer>, looks: Int)
  -> (ranks: [NodePointer: Int32], isAll: Bool)?
{
  var ranks: [NodePointer: Int32] = [:], left = looks
  // In order of the old ranks, from the highest: so with signs reversed.
  var lifts = Lifts()
  /// False: that has not fallen.
  func add(_ edge: EdgePointer, _ rank: Int32) -> Bool {
    let up = edge.pointee.up!, old = up.pointee.rank.load(ordering: .relaxed)
    if rank > ranks[up] ?? old { return true }
    lifts.add(up, from: -old, to: 1 - rank)
    return fallen.contains(up)
  }
  for edge in ends { _ = add(edge, edge.pointee.down!.pointee.rank.load(ordering: .relaxed)) }
  while let (storage, negative) = lifts.next() {
    let isNew = ranks.updateValue(-negative, forKey: storage) == nil
    // `mayWait`, in one walk with the rest: that ends at the first edge which holds the node, be there thousands.
    if storage.isDerivation { return nil }
    for edge in EdgeWalk(storage, .ins) where edge.pointee.isUncut() {
      if isNew { left -= 1 }
      if left < 0 { return (ranks, false) }
      if edge.pointee.leadsToJoin() || edge.pointee.isOrdinary() && !add(edge, -negative) {
        return nil
      }
    }
  }
  return (ranks, true)
}

private func lower(_ ranks: [NodePointer: Int32]) {
  for (storage, rank) in ranks { storage.pointee.rank.store(rank, ordering: .relaxed) }
  if let (storage, rank) = ranks.min(by: { $0.value < $1.value }),
    rank < -rankLimit.load(ordering: .relaxed)
  {
    storage.countAnew()
  }
}

/// Would the ends of these edges raise no more nodes and edges than that, if they came behind the starts? The way of `raise(above:)`.
private func wouldRaise(_ ends: [EdgePointer], atMost most: Int) -> Bool {
  var ranks: [NodePointer: Int32] = [:], left = most
  var lifts = Lifts()
  func add(_ edge: EdgePointer, above rank: Int32) {
    let down = edge.pointee.down!, old = down.pointee.rank.load(ordering: .relaxed)
    if ranks[down] ?? old <= rank { lifts.add(down, from: old, to: rank + 1) }
  }
  for edge in ends { add(edge, above: edge.pointee.up!.pointee.rank.load(ordering: .relaxed)) }
  while let (storage, rank) = lifts.next() {
    let isNew = ranks.updateValue(rank, forKey: storage) == nil
    if isNew { left -= 1 }
    for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
      if isNew { left -= 1 }
      if left < 0 { return false }
      if !edge.pointee.has(.isBackEdge) { add(edge, above: rank) }
    }
  }
  return left >= 0
}

/// Raises tops that are lower than these, each with its component, and those of all that follows.
func raiseTops(_ least: [(node: NodePointer, top: Int32)]) {
  var lifts = Lifts()
  func add(_ node: NodePointer, _ top: Int32) {
    let storage = node.standIn(), old = storage.top()
    if old < top { lifts.add(storage, from: old, to: top + 1) }
  }
  for (node, top) in least { add(node, top) }
  var highest = Int32.min
  while let (storage, wish) = lifts.next() {
    if wish <= storage.top() { continue }
    let members = storage.members() ?? [storage]
    let edges = members.reduce(0) { $0 + EdgeWalk($1, .outs).count { $0.pointee.isUncut() } }
    let new = wish + Int32(clamping: members.count - 1 + edges)
    highest = max(highest, new)
    for member in members { member.liftTop(to: new) }
    for member in members {
      for edge in EdgeWalk(member, .outs) where edge.pointee.isUncut() {
        add(edge.pointee.down!, new)
      }
    }
  }
  if highest > rankLimit.load(ordering: .relaxed) { least[0].node.countAnew() }
}
