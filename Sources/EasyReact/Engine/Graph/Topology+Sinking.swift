import Synchronization

// What goes down, or rises, when a cut opens cycles. The reasons are in decision 0007.

/// When a cut opens cycles, the start of an edge that led back has to have a lower rank than its end: either the starts go down, with what leads to
/// them, or the ends rise. Both are tried by turns, each time twice as far, and the one that is done first is taken.
/// - Parameter isMember: Was the node a member of the component?
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

/// The starts lie on no cycle now, or on the same ones, and go down together or not at all. What has to go down is looked for in two ways: by
/// the old ranks, which passes over what is low enough but may come back to a node; and each node once, after a look at all members that
/// lead to the starts.
private func sinkOrLeave(_ ends: [EdgePointer], among isMember: (NodePointer) -> Bool) {
  var most = 16, isDone = false
  while !isDone {
    isDone =
      goDown(ends, atMost: most) { _ in false } || goDown(ends, atMost: most, among: isMember)
      || wouldRaise(ends, atMost: most)
    most *= 2
  }
}

/// False: there are more edges to look at.
private func goDown(
  _ ends: [EdgePointer], atMost most: Int, among isMember: (NodePointer) -> Bool
) -> Bool {
  var sinking = Sinking(looks: most)
  if !sinking.run(ends, among: isMember) { return false }
  lower(sinking.ranks)
  return true
}

/// What has to go down, and how far.
private struct Sinking {
  private(set) var ranks: [NodePointer: Int32] = [:]
  private var left: Int
  /// The members that lead to the starts, each with the members and other nodes that lead to it; and to how many of these members each one leads.
  private var members: [NodePointer: (ups: [NodePointer], others: [NodePointer])] = [:]
  private var outs: [NodePointer: Int] = [:]
  /// Nodes that were no members, in order of their old ranks from the highest on: so with signs reversed.
  private var others = Lifts()

  init(looks: Int) { left = looks }

  /// False: there are more edges to look at.
  mutating func run(_ ends: [EdgePointer], among isMember: (NodePointer) -> Bool) -> Bool {
    if !find(from: ends.map { $0.pointee.up! }, among: isMember) { return false }
    lowerMembers(below: ends)
    return lowerOthers()
  }

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

  /// Each member once all that it leads to is known: the old ranks give no order among members, since the edges that were opened go against them.
  private mutating func lowerMembers(below ends: [EdgePointer]) {
    var most: [NodePointer: Int32] = [:]
    for edge in ends {
      let rank = edge.pointee.down!.pointee.rank.load(ordering: .relaxed) - 1
      most[edge.pointee.up!] = min(most[edge.pointee.up!] ?? .max, rank)
    }
    var ready = members.keys.filter { outs[$0] == nil }
    while let storage = ready.popLast() {
      var rank = storage.pointee.rank.load(ordering: .relaxed)
      if let most = most[storage], most < rank {
        (ranks[storage], rank) = (most, most)
        for up in members[storage]!.others { lower(up, below: rank) }
      }
      for up in members[storage]!.ups {
        most[up] = min(most[up] ?? .max, rank - 1)
        outs[up]! -= 1
        if outs[up] == 0 { ready.append(up) }
      }
    }
  }

  private mutating func lower(_ other: NodePointer, below rank: Int32) {
    let old = other.pointee.rank.load(ordering: .relaxed)
    if ranks[other] ?? old >= rank { others.add(other, from: -old, to: 1 - rank) }
  }

  /// These have the order of their old ranks. Each look counts for more here, since what goes down leaves no room above it, as what rises does below it: a chain
  /// that leads to one ring after another would go down for each of them.
  private mutating func lowerOthers() -> Bool {
    while let (storage, negative) = others.next() {
      ranks[storage] = -negative
      for edge in EdgeWalk(storage, .ins) where edge.pointee.isUncut() {
        left -= 16
        if left < 0 { return false }
        if edge.pointee.isOrdinary() { lower(edge.pointee.up!, below: -negative) }
      }
    }
    return true
  }
}

private func lower(_ ranks: [NodePointer: Int32]) {
  let ordered = ranks.sorted { $0.value < $1.value }
  for (storage, rank) in ordered {
    storage.liftTop(to: storage.top())  // the top does not fall
    storage.lowerRank(to: rank)
  }
  if let (storage, rank) = ordered.first, rank < -rankLimit.load(ordering: .relaxed) {
    storage.countAnew()
  }
}

/// If the ends of these edges rose above the starts, would no more than `most` nodes and edges be raised? Goes like `raise(above:)`, which comes back
/// to a node if the old ranks do not have the order of the new ones: to look eight times on average is too much too.
func wouldRaise(_ ends: [EdgePointer], atMost most: Int) -> Bool {
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
