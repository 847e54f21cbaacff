import HeapModule
import Synchronization

// The order in which ranks and tops rise, or ranks sink; and what one link raises. The reasons are in Topology+Ranks.swift.

/// A node, or a component, that is to be raised. Of two that are level the one of lower rank comes first, since it may lead to the
/// other.
struct Lift: Comparable {
  let storage: NodePointer
  let old: Int32, rank: Int32
  init(_ storage: NodePointer, _ old: Int32) {
    (self.storage, self.old) = (storage, old)
    rank = storage.pointee.rank.load(ordering: .relaxed)
  }
  static func < (a: Lift, b: Lift) -> Bool { (a.old, a.rank) < (b.old, b.rank) }
  static func == (a: Lift, b: Lift) -> Bool { a.old == b.old && a.rank == b.rank }
}

/// What is to be raised, and to which number. In the order of the old numbers, so that most nodes come after all that raise them.
struct Lifts {
  private var wanted: [NodePointer: Int32] = [:]
  private var heap = Heap<Lift>()

  mutating func add(_ storage: NodePointer, from old: Int32, to new: Int32) {
    let before = wanted.updateValue(max(new, wanted[storage] ?? .min), forKey: storage)
    if before == nil { heap.insert(Lift(storage, old)) }
  }

  mutating func next() -> (storage: NodePointer, new: Int32)? {
    while let storage = heap.popMin()?.storage {
      if let new = wanted.removeValue(forKey: storage) { return (storage, new) }
    }
    return nil
  }
}

extension NodePointer {
  /// Raises a node, and whatever follows it and is not higher already. Returns the highest rank given.
  func raise(above rank: Int32) -> Int32 {
    var raising = Raising()
    raising.raise([(self, rank + 1)])
    return raising.end()
  }
}

/// Spreads what was raised over the room that is left: all of it may rise by that much more. Up to a quarter of the room goes into a gap of one
/// after each number except the three lowest. Of the rest, half lies below the lowest number, a quarter after it, an eighth after the next, and
/// another eighth after the third. So if each of n links raises all that follows it, wherever it begins, each node is raised, and each edge looked
/// at, log n times. Returns the nodes and their new ranks or tops.
func shares(
  of room: Int32, among raised: Set<NodePointer>, by number: (NodePointer) -> Int32
) -> [(storage: NodePointer, number: Int32)] {
  var ordered = raised.map { (storage: $0, number: number($0)) }.sorted { $0.number < $1.number }
  let numbers = Set(ordered.lazy.map(\.number)).count
  let places = min(Int32(clamping: max(0, numbers - 3)), room / 4), rest = room - places
  var place = Int32(0), before = ordered.first?.number
  for (index, (_, number)) in ordered.enumerated() {
    if number != before { place += 1 }
    before = number
    ordered[index].number +=
      place < 3 ? rest - rest >> (place + 1) : rest + min(places, place - 2)
  }
  return ordered
}

/// By how much more what was raised may rise. What lies behind it gives way, each node as far as the gaps before it do not suffice, as long as that
/// takes no more effort than what has to rise: if raising stopped at a small gap, the next link would only get as far as the next gap.
/// - Parameter reached: Edges that lead from what was raised to nodes that are high enough.
/// - Parameter downs: Yields nil for an edge that raises nothing.
/// - Returns: Also the nodes that may have to give way, each with how much more may be raised before it has to.
func roomBehind(
  _ reached: [(up: NodePointer, down: NodePointer)], _ raised: Set<NodePointer>,
  atMost most: Int32, effort: Int, gap: (_ up: NodePointer, _ down: NodePointer) -> Int32,
  downs: (NodePointer) -> some Sequence<NodePointer?>
) -> (room: Int32, behind: [NodePointer: Int32]) {
  var behind: [NodePointer: Int32] = [:], heap = Heap<Lift>(), left = effort
  func add(_ down: NodePointer, behind up: NodePointer, _ before: Int32) {
    let gap = gap(up, down)
    if gap < most - before { heap.insert(Lift(down, before + gap)) }
  }
  for (up, down) in reached { add(down, behind: up, 0) }
  while let next = heap.popMin() {
    let storage = next.storage
    if raised.contains(storage) || behind[storage] != nil { continue }
    left -= 1
    for down in downs(storage) {
      left -= 1
      if left < 0 { break }
      if let down { add(down, behind: storage, next.old) }
    }
    if left < 0 { return (next.old, behind) }
    behind[storage] = next.old
  }
  return (most, behind)
}

/// What one link raises.
private struct Raising {
  private var raised: Set<NodePointer> = []
  /// Nodes raised and edges looked at for it.
  private var effort = 0
  /// Edges to nodes whose rank is high enough; and to nodes with a top of their own.
  private var reached: [(up: NodePointer, down: NodePointer)] = []
  private var topped: [(up: NodePointer, down: NodePointer)] = []

  mutating func raise(_ wishes: [(node: NodePointer, rank: Int32)]) {
    var lifts = Lifts()
    for (node, rank) in wishes {
      let old = node.pointee.rank.load(ordering: .relaxed)
      if old < rank { lifts.add(node, from: old, to: rank) }
    }
    while let (storage, rank) = lifts.next() {
      _ = storage.pointee.rank.max(rank, ordering: .sequentiallyConsistent)
      let isNew = raised.insert(storage).inserted
      if isNew { effort += 1 }
      for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
        let down = edge.pointee.down!
        noteTop(of: down, below: storage)
        if isNew { effort += 1 }
        if edge.pointee.has(.isBackEdge) { continue }
        let old = down.pointee.rank.load(ordering: .relaxed)
        if old > rank {
          reached.append((storage, down))
        } else {
          lifts.add(down, from: old, to: rank + 1)
        }
      }
    }
  }

  private mutating func noteTop(of down: NodePointer, below up: NodePointer) {
    if down.ownTop() != SideTable.noTop, up.ownTop() == SideTable.noTop {
      topped.append((up, down))
    }
  }

  mutating func end() -> Int32 {
    spread()
    let highest = raised.lazy.map { $0.pointee.rank.load(ordering: .relaxed) }.max() ?? .min
    if !topped.isEmpty {
      raiseTops(topped.map { ($0.down, $0.up.pointee.rank.load(ordering: .relaxed)) })
    }
    return highest
  }

  /// Raises all by more: by up to twice the number of nodes and edges, in `shares`. What lies behind rises with them; and whatever this leaves
  /// too low, or was derived meanwhile, rises as far as it has to.
  private mutating func spread() {
    let (room, behind) = roomBehind(
      reached, raised, atMost: Int32(clamping: 2 * (effort - 1)), effort: effort
    ) { up, down in
      down.pointee.rank.load(ordering: .relaxed) - up.pointee.rank.load(ordering: .relaxed) - 1
    } downs: {
      EdgeWalk($0, .outs).lazy.filter { $0.pointee.isUncut() }
        .map { $0.pointee.has(.isBackEdge) ? nil : $0.pointee.down! }
    }
    if room <= 0 { return }
    let ranks = shares(of: room, among: raised) { $0.pointee.rank.load(ordering: .relaxed) }
    for (storage, rank) in ranks {
      _ = storage.pointee.rank.max(rank, ordering: .sequentiallyConsistent)
    }
    for (storage, before) in behind where before < room {
      let rank = storage.pointee.rank.load(ordering: .relaxed)
      _ = storage.pointee.rank.max(rank + room - before, ordering: .sequentiallyConsistent)
      raised.insert(storage)
      for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
        noteTop(of: edge.pointee.down!, below: storage)
      }
    }
    raise(
      raised.flatMap { storage in
        EdgeWalk(storage, .outs).lazy.filter { $0.pointee.isOrdinary() }.map {
          ($0.pointee.down!, storage.pointee.rank.load(ordering: .relaxed) + 1)
        }
      })
  }
}
