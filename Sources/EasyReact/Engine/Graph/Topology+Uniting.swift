// A link closes cycles (Topology+Cycles.swift): what lies on them becomes one component, with one top (Topology+Ranks.swift).

/// One component of them all. The largest stays, so a node changes its component a logarithmic number
/// of times while components only grow.
func unite(_ parts: [NodePointer]) {
  let components = parts.compactMap { $0.component()?.takeUnretainedValue() }
  let largest = components.max { $0.members.count < $1.members.count } ?? Component()
  let newcomers = parts.flatMap { storage -> [NodePointer] in
    guard let members = storage.members() else { return [storage] }
    return largest.members.contains(storage) ? [] : Array(members)
  }
  let top = largest.first.map { $0.top() } ?? newTop(of: newcomers)
  let oldTops = newcomers.map { $0.top() }
  regrouping {
    for storage in newcomers { storage.put(into: largest) }
  }
  largest.add(newcomers)
  for storage in newcomers { storage.setTop(to: top) }
  settle(top, zip(newcomers, oldTops))
}

/// Of a new component the lowest of its members' tops or the highest, whichever lets nothing else rise. For the lowest one may have to
/// that leads to a member, for the highest one that follows: both are looked for by turns, so a node with n edges is synced with a new
/// one in a few looks.
private func newTop(of members: [NodePointer]) -> Int32 {
  let tops = members.map { $0.top() }, own = Set(members)
  let low = tops.min() ?? .min, high = tops.max() ?? .min
  var ins = members.lazy.filter { $0.top() > low }.flatMap { EdgeWalk($0, .ins) }.makeIterator()
  var outs = members.lazy.filter { $0.top() < high }.flatMap { EdgeWalk($0, .outs) }.makeIterator()
  func isOutside(_ edge: EdgePointer, _ list: EdgeListKind) -> Bool {
    edge.pointee.isUncut() && !own.contains(edge.pointee.far(list))
  }
  func isAbove(_ edge: EdgePointer) -> Bool {
    isOutside(edge, .ins) && edge.pointee.up!.top() > low
  }
  func isBelow(_ edge: EdgePointer) -> Bool {
    isOutside(edge, .outs) && edge.pointee.down!.top() < high
  }
  while let edge = ins.next() {
    if isAbove(edge) {
      while let edge = outs.next() { if isBelow(edge) { return low } }
      return high
    }
    guard let edge = outs.next() else { return high }
    if isBelow(edge) { return low }
  }
  return low
}

/// No upstream of a component exceeds its top, and that none of what follows: only what is above a newcomer that was higher may
/// exceed it, and only what follows one that was lower may be lower.
private func settle(_ top: Int32, _ newcomers: some Sequence<(NodePointer, Int32)>) {
  var least: [(node: NodePointer, top: Int32)] = []
  for (storage, old) in newcomers where old != top {
    for edge in EdgeWalk(storage, old < top ? .outs : .ins) where edge.pointee.isUncut() {
      least.append(old < top ? (edge.pointee.down!, top) : (storage, edge.pointee.up!.top()))
    }
  }
  raiseTops(least)
}
