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
  let top = sharedTop(of: newcomers, and: largest)
  let moved = largest.first?.top() == top ? newcomers : newcomers + largest.members
  let oldTops = moved.map { $0.top() }
  regrouping {
    for storage in newcomers { storage.put(into: largest) }
  }
  largest.add(newcomers)
  for storage in moved { storage.setTop(to: top) }
  settle(top, zip(moved, oldTops))
}

/// The lowest of their tops, the highest, or the one that the largest component has: the first that is seen to let nothing else rise, all
/// looked at by turns, so a node with n edges is synced with a new one in a few looks. A member that goes down counts with all its edges,
/// not only those above it: it may have to rise again, with what follows. If each lets something rise, that of the largest, or the lowest.
/// What leads to a member and is higher than the largest component lifts that, with room above it: see `raiseTops`.
private func sharedTop(of newcomers: [NodePointer], and largest: Component) -> Int32 {
  let own = Set(newcomers), kept = largest.first?.top(),
    tops = newcomers.map { $0.top() } + (kept.map { [$0] } ?? [])
  let low = tops.min() ?? .min, usual = kept ?? low
  func isMember(_ storage: NodePointer) -> Bool {
    own.contains(storage) || kept != nil && storage.component() == .passUnretained(largest)
  }
  func edges(_ top: Int32) -> some IteratorProtocol<EdgePointer> {
    (top == kept ? [own] : [own, largest.members]).joined().lazy.filter { $0.top() != top }
      .flatMap { storage in
        (storage.top() < top ? [.outs] : [.ins, .outs]).map { EdgeWalk(storage, $0) }
      }.joined().makeIterator()
  }
  func top(_ storage: NodePointer, _ choice: Int32) -> Int32 {
    isMember(storage) ? choice : storage.top()
  }
  var choices = Set([low, usual, tops.max() ?? .min]).sorted().map { (top: $0, edges: edges($0)) }
  while !choices.isEmpty {
    for index in choices.indices.reversed() {
      let choice = choices[index].top
      guard let edge = choices[index].edges.next() else { return choice }
      let (up, down) = (edge.pointee.up!, edge.pointee.down!)
      guard edge.pointee.isUncut(), top(up, choice) > top(down, choice) else { continue }
      if choice == usual, isMember(down), kept != nil { return usual }
      if choice != usual || isMember(down) { choices.remove(at: index) }
    }
  }
  return usual
}

/// No upstream of a component exceeds its top, and that none of what follows: only what is above a member that was higher may
/// exceed it, and only what follows one that was lower may be lower.
private func settle(_ top: Int32, _ moved: some Sequence<(NodePointer, Int32)>) {
  var least: [(node: NodePointer, top: Int32)] = []
  for (storage, old) in moved where old != top {
    for edge in EdgeWalk(storage, old < top ? .outs : .ins) where edge.pointee.isUncut() {
      least.append(old < top ? (edge.pointee.down!, top) : (storage, edge.pointee.up!.top()))
    }
  }
  raiseTops(least)
}
