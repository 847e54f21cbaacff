import Synchronization

// Two numbers that rise along edges. All under the topology lock, but for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It never falls,
// but for a node that nothing ordinary leads to, and where a cut opens cycles; but never that of a join which waits; past a limit the graph's ranks are counted anew. What is raised
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
    return lookingInside {
      if mayWait() { return false }
      let rank = down.pointee.rank.load(ordering: .relaxed) - 1
      pointee.rank.store(rank, ordering: .relaxed)
      currentTurn().readRunningRank()
      if rank < -rankLimit.load(ordering: .relaxed) { down.countAnew() }
      return true
    }
  }

  /// Does a join wait for its run by the rank of this node, or may it, in another thread's turn?
  fileprivate func mayWait() -> Bool {
    mayWait(pointee.join)
      || EdgeWalk(self, .ins).contains { $0.pointee.isUncut() && mayWait($0.pointee.joinBelow()) }
  }

  /// The same of one of its joins, `lookingInside`. Where this turn holds the node none waits in another's. The state of an edge that is
  /// seen uncut, and so that join, is there as long as the topology lock is held: whoever cuts it waits for that.
  fileprivate func mayWait(_ join: JoinPointer?) -> Bool {
    guard let join else { return false }
    return !holds(by: currentTurn()) || join.pointee.isWaiting
  }

  /// Of eight edges one is taken to be ordinary: to look at thousands that lead back costs more than what it saves.
  fileprivate func hasOrdinaryEdge(_ list: EdgeListKind, except edge: EdgePointer) -> Bool {
    let others = EdgeWalk(self, list).lazy.filter { $0 != edge && $0.pointee.isUncut() }.prefix(8)
    return others.enumerated().contains { index, other in
      index == 7 || other.pointee.isOrdinary() || other.pointee.hasGivenWay()
    }
  }
}

/// Where a cut opens cycles, what led back has to lie below its end: so the starts go down with what leads to them, or the ends rise. Both ways are
/// looked at by turns, each time twice as far, and the one that ends first is taken.
/// - Parameter isMember: Of what was the component.
func sink(_ opened: [EdgePointer], among isMember: (NodePointer) -> Bool) {
  var groups: [UnsafeMutableRawPointer?: [EdgePointer]] = [:]
  for edge in opened { groups[edge.pointee.up!.component()?.toOpaque(), default: []].append(edge) }
  for edge in opened {
    guard let group = groups.removeValue(forKey: edge.pointee.up!.component()?.toOpaque())
    else { continue }
    let ends = group.filter {
      $0.pointee.up!.pointee.rank.load(ordering: .relaxed)
        >= $0.pointee.down!.pointee.rank.load(ordering: .relaxed)
    }
    if !ends.isEmpty { sinkOrLeave(ends, among: isMember) }
  }
}

/// Starts that lie on no cycle now, or on the same ones, which go down together or not at all.
private func sinkOrLeave(_ ends: [EdgePointer], among isMember: (NodePointer) -> Bool) {
  var most = 16, isDone = false
  while !isDone {
    isDone = lookingInside {
      var sinking = Sinking(looks: most)
      switch sinking.run(ends, among: isMember) {
      case .known: lower(sinking.ranks)
      case .isKept: break
      case .tooFar: return false
      }
      return true
    }
    isDone = isDone || wouldRaise(ends, atMost: most)
    most *= 2
  }
}

/// Regions that are taken for a look at whether joins wait are given back behind it, with what others have left there meanwhile: who opens a ring
/// is not inside all that leads there.
private func lookingInside<Result>(_ body: () -> Result) -> Result {
  let turn = currentTurn(), before = turn.pointee.held
  defer {
    while let region = turn.pointee.held, region != before {
      if region.hasMessages {
        turn.pointee.held = region.pointee.nextHeld
        region.handOver()
      } else {
        turn.release(region)
      }
    }
  }
  return body()
}

/// What has to go down, and how far.
private struct Sinking {
  enum Outcome {
    case known
    /// A join that may wait would have to.
    case isKept
    /// There are more edges to look at.
    case tooFar
  }

  private(set) var ranks: [NodePointer: Int32] = [:]
  private var left: Int
  /// The members that lead to the starts, and those that lead to each of these; and how many of them each leads to.
  private var members: [NodePointer: (ups: [NodePointer], others: [NodePointer])] = [:]
  private var outs: [NodePointer: Int] = [:]
  /// What was no member, in order of the old ranks from the highest: so with signs reversed.
  private var others = Lifts()

  init(looks: Int) { left = looks }

  mutating func run(_ ends: [EdgePointer], among isMember: (NodePointer) -> Bool) -> Outcome {
    if !find(from: ends.map { $0.pointee.up! }, among: isMember) { return .tooFar }
    return lowerMembers(below: ends) ? lowerOthers() : .isKept
  }

  /// False: too far.
  private mutating func find(from starts: [NodePointer], among isMember: (NodePointer) -> Bool)
    -> Bool
  {
    var todo = starts
    while let storage = todo.popLast() {
      if members[storage] != nil { continue }
      var ups: [NodePointer] = [], others: [NodePointer] = []
      for edge in EdgeWalk(storage, .ins) where edge.pointee.isUncut() {
        left -= 1
        if left < 0 { return false }
        let up = edge.pointee.up!
        if !edge.pointee.isOrdinary() { continue }
        if isMember(up) { ups.append(up) } else { others.append(up) }
      }
      members[storage] = (ups, others)
      for up in ups { outs[up, default: 0] += 1 }
      todo += ups
    }
    return true
  }

  /// Each when all that it leads to is known: by their old ranks they have no order, for the edges that were opened go against it. False: one is kept.
  private mutating func lowerMembers(below ends: [EdgePointer]) -> Bool {
    var most: [NodePointer: Int32] = [:]
    for edge in ends {
      let rank = edge.pointee.down!.pointee.rank.load(ordering: .relaxed) - 1
      most[edge.pointee.up!] = min(most[edge.pointee.up!] ?? .max, rank)
    }
    var ready = members.keys.filter { outs[$0] == nil }
    while let storage = ready.popLast() {
      var rank = storage.pointee.rank.load(ordering: .relaxed)
      if let most = most[storage], most < rank {
        if storage.mayWait() { return false }
        (ranks[storage], rank) = (most, most)
        for up in members[storage]!.others { lower(up, below: rank) }
      }
      for up in members[storage]!.ups {
        most[up] = min(most[up] ?? .max, rank - 1)
        outs[up]! -= 1
        if outs[up] == 0 { ready.append(up) }
      }
    }
    return true
  }

  private mutating func lower(_ other: NodePointer, below rank: Int32) {
    let old = other.pointee.rank.load(ordering: .relaxed)
    if old >= rank { others.add(other, from: -old, to: 1 - rank) }
  }

  /// They have the order of their old ranks. They count for more, since no room is left above what goes down, as is below what rises: a chain
  /// that leads to one ring after the other would go down for each.
  private mutating func lowerOthers() -> Outcome {
    while let (storage, negative) = others.next() {
      ranks[storage] = -negative
      if storage.mayWait(storage.pointee.join) { return .isKept }
      for edge in EdgeWalk(storage, .ins) where edge.pointee.isUncut() {
        left -= 16
        if left < 0 { return .tooFar }
        if storage.mayWait(edge.pointee.joinBelow()) { return .isKept }
        if edge.pointee.isOrdinary() { lower(edge.pointee.up!, below: -negative) }
      }
    }
    return .known
  }
}

private func lower(_ ranks: [NodePointer: Int32]) {
  for (storage, rank) in ranks {
    storage.liftTop(to: storage.top())  // which does not fall
    storage.pointee.rank.store(rank, ordering: .releasing)
  }
  currentTurn().readRunningRank()
  if let (storage, rank) = ranks.min(by: { $0.value < $1.value }),
    rank < -rankLimit.load(ordering: .relaxed)
  {
    storage.countAnew()
  }
}

/// Would the ends of these edges raise no more nodes and edges than that, if they came behind the starts? The way of `raise(above:)`, which comes back
/// to a node where the old ranks are not the order of the new ones: to look eight times on average is too much too.
private func wouldRaise(_ ends: [EdgePointer], atMost most: Int) -> Bool {
  var ranks: [NodePointer: Int32] = [:], left = most, looks = 8 * most
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
      looks -= 1
      if left < 0 || looks < 0 { return false }
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
