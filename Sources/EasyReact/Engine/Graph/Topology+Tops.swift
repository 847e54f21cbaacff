import HeapModule
import Synchronization

// What raises tops (Topology+Ranks.swift), each with its component. The reasons are in decision 0007.

/// Raises the tops of nodes that are lower than given here, each with its component, and those of all that follows.
func raiseTops(_ least: [(node: NodePointer, top: Int32)]) {
  var raising = TopRaising()
  for (node, top) in least { raising.add(node, top) }
  raising.run()
  raising.spread()
  if raising.highest > rankLimit.load(ordering: .relaxed) { least[0].node.countAnew() }
}

/// In the order of the old tops; those that are level, in the order in which they lead to each other: so each is raised once.
private struct TopRaising {
  private(set) var highest = Int32.min
  /// By the members that stand for components.
  private var wanted: [NodePointer: Int32] = [:]
  private var heap = Heap<Lift>()
  private var raised: Set<NodePointer> = []
  /// Edges to nodes whose top is high enough.
  private var reached: [(up: NodePointer, down: NodePointer)] = []
  /// Members raised, and edges looked at for it.
  private var effort: Int32 = 0

  mutating func add(_ node: NodePointer, _ top: Int32) {
    let storage = node.standIn(), old = storage.top()
    if old >= top { return }
    let before = wanted.updateValue(max(top + 1, wanted[storage] ?? .min), forKey: storage)
    if before != nil { return }
    heap.insert(Lift(storage, old))
  }

  mutating func run() {
    while let first = heap.popMin() {
      var starts = [first.storage]
      while heap.min?.old == first.old { starts.append(heap.removeMin().storage) }
      for storage in levelOnes(below: starts, at: first.old) {
        if let wish = wanted.removeValue(forKey: storage) { raise(storage, to: wish) }
      }
      // The maker of a new node may have lifted it off this level meanwhile (`liftFresh`).
      for storage in starts {
        if let wish = wanted.removeValue(forKey: storage) { add(storage, wish - 1) }
      }
    }
  }

  private mutating func raise(_ storage: NodePointer, to wish: Int32) {
    if wish <= storage.top() { return }
    raised.insert(storage)
    let members = storage.members()?.count ?? 1, edges = storage.componentOuts().count { _ in true }
    let new = wish + Int32(clamping: members - 1 + edges)
    effort += Int32(clamping: members + edges)
    lift(storage, to: new)
    for down in storage.componentDowns() {
      if down.top() < new { add(down, new) } else { reached.append((storage, down)) }
    }
  }

  private mutating func lift(_ storage: NodePointer, to new: Int32) {
    highest = max(highest, new)
    for member in storage.members() ?? [storage] { member.liftTop(to: new) }
  }

  /// If several were raised, raises them by more: by up to the number of their members and edges (`roomBehind`, `shares`).
  mutating func spread() {
    if raised.count < 2 { return }
    let (room, behind) = roomBehind(reached, raised, atMost: effort, effort: Int(effort)) {
      $1.top() - $0.top()
    } downs: { storage in
      storage.componentOuts().lazy.map { $0.pointee.down!.standIn() }
        .map { $0 == storage ? nil : $0 }
    }
    if room <= 0 { return }
    for (storage, top) in shares(of: room, among: raised, by: { $0.top() }) {
      lift(storage, to: top)
    }
    for (storage, before) in behind where before < room {
      lift(storage, to: storage.top() + room - before)
      raised.insert(storage)
    }
    // Also what was derived meanwhile.
    for storage in raised { for down in storage.componentDowns() { add(down, storage.top()) } }
    run()
  }
}

extension NodePointer {
  /// The edges that lead away from it, or from a member of its component.
  fileprivate func componentOuts() -> some Sequence<EdgePointer> {
    (members() ?? [self]).lazy.flatMap { member in
      EdgeWalk(member, .outs).lazy.filter { $0.pointee.isUncut() }
    }
  }

  /// Do more edges than that lead away? Those within its component count too.
  func leadsOn(overMoreThan count: Int) -> Bool {
    componentOuts().prefix(count + 1).count { _ in true } > count
  }

  /// What those edges lead to outside the component.
  fileprivate func componentDowns() -> [NodePointer] {
    componentOuts().map { $0.pointee.down!.standIn() }.filter { $0 != self }
  }
}

/// These nodes, and all on that level that they lead to, in the order in which they lead to each other.
private func levelOnes(below starts: [NodePointer], at level: Int32) -> [NodePointer] {
  var seen: Set<NodePointer> = [], order: [NodePointer] = []
  var stack: [(storage: NodePointer, downs: [NodePointer])] = []
  func see(_ storage: NodePointer) {
    if storage.top() == level, seen.insert(storage).inserted {
      stack.append((storage, storage.componentDowns()))
    }
  }
  for start in starts {
    see(start)
    while !stack.isEmpty {
      if let next = stack[stack.count - 1].downs.popLast() {
        see(next)
      } else {
        order.append(stack.removeLast().storage)
      }
    }
  }
  return order.reversed()
}
