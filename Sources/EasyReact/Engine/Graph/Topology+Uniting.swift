// A link closes cycles (Topology+Cycles.swift): what lies on them becomes one component, with one top (Topology+Ranks.swift).

/// Makes one component of them all. The largest one stays, so a node changes its component only a logarithmic number
/// of times while components grow.
/// - Returns: The nodes that were not in the largest.
func unite(_ parts: [NodePointer]) -> [NodePointer] {
  let components = parts.compactMap { $0.component()?.takeUnretainedValue() }
  let largest = components.max { $0.members.count < $1.members.count } ?? Component()
  let newcomers = parts.flatMap { storage -> [NodePointer] in
    guard let members = storage.members() else { return [storage] }
    return largest.members.contains(storage) ? [] : Array(members)
  }
  let top = cheapestTop(newcomers, largest)
  let moved = largest.first?.top() == top ? newcomers : newcomers + largest.members
  let oldTops = moved.map { $0.top() }
  regrouping {
    for storage in newcomers { storage.put(into: largest) }
  }
  largest.add(newcomers)
  for storage in moved { storage.setTop(to: top) }
  settle(top, zip(moved, oldTops))
  return newcomers
}

/// The top of a component that grows: the one that makes least rise, of the lowest of its members' tops, the highest, and the one that the largest part has (the
/// *usual* one; the lowest, if there is none); and, where few come to it, of theirs: one of these may be a hub that others were made above and below. All are
/// looked at by turns, an edge at a time, and the first of which nothing is left to look at is taken. So it takes a few looks to sync a node with n edges
/// with a new one.
private func cheapestTop(_ newcomers: [NodePointer], _ largest: Component) -> Int32 {
  let own = Set(newcomers), kept = largest.first?.top()
  let tops = newcomers.map { $0.top() } + (kept.map { [$0] } ?? [])
  let (low, high) = (tops.min() ?? .min, tops.max() ?? .min)
  let usual = kept ?? low
  let candidates = Set(tops.count <= 16 ? tops : [low, usual, high])
  var choices = candidates.sorted().map { TopChoice($0, own, largest, kept) }
  if choices.count == 1 { return usual }
  while true {
    for index in choices.indices.reversed() {
      // It leaves room, and the others do not.
      for _ in 0..<(choices[index].top == usual ? 4 : 1) {
        if !choices[index].look() { return choices[index].top }
      }
    }
  }
}

/// What one top would make rise. A member that would go down counts with all its edges, not only those above it: it may have to rise again, with what
/// follows. A node that leads to a member and is higher lifts the component, with room above it: see `raiseTops`. So n newcomers, each of them
/// higher, raise it log n times.
private struct TopChoice {
  let top: Int32
  private let own: Set<NodePointer>
  private let largest: Component
  private let kept: Int32?
  private var members: FlattenSequence<[Set<NodePointer>]>.Iterator
  /// Of one member.
  private var walks: [EdgeWalk] = []
  /// What rises, and how far at least, since edges are not counted; and how far the component is lifted itself.
  private var raised: Front?
  private var new: [NodePointer: Int32] = [:]
  private var lifted: Int32

  init(_ top: Int32, _ own: Set<NodePointer>, _ largest: Component, _ kept: Int32?) {
    (self.top, self.own, self.largest, self.kept) = (top, own, largest, kept)
    lifted = top
    members = (top == kept ? [own] : [own, largest.members]).joined().makeIterator()
  }

  private func isMember(_ storage: NodePointer) -> Bool {
    own.contains(storage) || kept != nil && storage.component() == .passUnretained(largest)
  }

  private func top(_ storage: NodePointer) -> Int32 {
    isMember(storage) ? lifted : new[storage.standIn()] ?? storage.top()
  }

  /// At one edge. False: none is left.
  mutating func look() -> Bool {
    guard let edge = nextOfMembers() ?? raised?.next() else { return false }
    let (up, down) = (edge.pointee.up!, edge.pointee.down!)
    if edge.pointee.isUncut(), top(up) > top(down) { lift(down, below: up) }
    return true
  }

  /// The edges of the members that would rise to this top, or go down to it.
  private mutating func nextOfMembers() -> EdgePointer? {
    while true {
      while !walks.isEmpty {
        if let edge = walks[walks.count - 1].next() { return edge }
        walks.removeLast()
      }
      guard let member = members.next() else { return nil }
      if member.top() == top { continue }
      walks.append(EdgeWalk(member, .outs))
      if member.top() > top { walks.append(EdgeWalk(member, .ins)) }
    }
  }

  private mutating func lift(_ down: NodePointer, below up: NodePointer) {
    if raised == nil { raised = Front(own.first!, .outs, isAlone: false) }
    if isMember(down) {
      if lifted == top {
        raised?.open(own)
        raised?.open(largest.members)
      }
      lifted = up.top() + 1
    } else {
      let present = down.standIn()
      new[present] = top(up) + 1
      let isNew = raised!.see(present, andBeyond: down.component() == nil)
      if isNew, let members = down.members() { raised!.open(members) }
    }
  }
}

/// Restores the law that no upstream of a component exceeds its top, and the top none of what follows. Only what leads to a member that was higher may
/// exceed it, and only what follows a member that was lower may be lower.
private func settle(_ top: Int32, _ moved: some Sequence<(NodePointer, Int32)>) {
  var least: [(node: NodePointer, top: Int32)] = []
  for (storage, old) in moved where old != top {
    for edge in EdgeWalk(storage, old < top ? .outs : .ins) where edge.pointee.isUncut() {
      least.append(old < top ? (edge.pointee.down!, top) : (storage, edge.pointee.up!.top()))
    }
  }
  raiseTops(least)
}
