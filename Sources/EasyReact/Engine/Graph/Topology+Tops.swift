import HeapModule
import Synchronization

// What raises tops (Topology+Ranks.swift), each with its component. Why: decision 0007.

/// Raises tops that are lower than these, each with its component, and those of all that follows.
func raiseTops(_ least: [(node: NodePointer, top: Int32)]) {
  var raising = TopRaising()
  for (node, top) in least { raising.add(node, top) }
  raising.run()
  raising.spread()
  if raising.highest > rankLimit.load(ordering: .relaxed) { least[0].node.countAnew() }
}

/// By the old tops, and those that are level in the order in which they lead to each other: so each once.
private struct TopRaising {
  private(set) var highest = Int32.min
  /// By the members that stand for components.
  private var wanted: [NodePointer: Int32] = [:]
  private var levels: [Int32: [NodePointer]] = [:]
  private var heap = Heap<Int32>()
  private var raised: Set<NodePointer> = []
  /// Edges that lead to a top that is high enough.
  private var reached: [(up: NodePointer, down: NodePointer)] = []
  /// Members raised, and edges looked at for it.
  private var effort: Int32 = 0

  mutating func add(_ node: NodePointer, _ top: Int32) {
    let storage = node.standIn(), old = storage.top()
    if old >= top { return }
    let before = wanted.updateValue(max(top + 1, wanted[storage] ?? .min), forKey: storage)
    if before != nil { return }
    if levels[old] == nil { heap.insert(old) }
    levels[old, default: []].append(storage)
  }

  mutating func run() {
    while let level = heap.popMin() {
      for storage in withLevelOnes(below: levels.removeValue(forKey: level)!, at: level) {
        if let wish = wanted.removeValue(forKey: storage) { raise(storage, to: wish) }
      }
    }
  }

  private mutating func raise(_ storage: NodePointer, to wish: Int32) {
    if wish <= storage.top() { return }
    raised.insert(storage)
    let members = storage.members() ?? [storage]
    let edges = members.reduce(0) { $0 + EdgeWalk($1, .outs).count { $0.pointee.isUncut() } }
    let new = wish + Int32(clamping: members.count - 1 + edges)
    effort += Int32(clamping: members.count + edges)
    lift(storage, to: new)
    for down in downs(storage) {
      if down.top() < new { add(down, new) } else { reached.append((storage, down)) }
    }
  }

  private mutating func lift(_ storage: NodePointer, to new: Int32) {
    highest = max(highest, new)
    for member in storage.members() ?? [storage] { member.liftTop(to: new) }
  }

  private func downs(_ storage: NodePointer) -> [NodePointer] {
    (storage.members() ?? [storage]).flatMap { member in
      EdgeWalk(member, .outs).lazy.filter { $0.pointee.isUncut() }
        .map { $0.pointee.down!.standIn() }.filter { $0 != storage }
    }
  }

  /// These, and all of that level that they lead to, in the order in which they do.
  private func withLevelOnes(below starts: [NodePointer], at level: Int32) -> [NodePointer] {
    var seen: Set<NodePointer> = [], order: [NodePointer] = []
    var stack: [(storage: NodePointer, downs: [NodePointer])] = []
    func see(_ storage: NodePointer) {
      if storage.top() == level, seen.insert(storage).inserted {
        stack.append((storage, downs(storage)))
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

  /// Several by as much more as they are and have edges, as far as what follows them lets them: so n newcomers in front raise them log n times.
  mutating func spread() {
    if raised.count < 2 { return }
    var more = effort
    for (up, down) in reached where !raised.contains(down) {
      more = min(more, down.top() - up.top())
    }
    if more <= 0 { return }
    for storage in raised { lift(storage, to: storage.top() + more) }
    // What was derived meanwhile.
    for storage in raised { for down in downs(storage) { add(down, storage.top()) } }
    run()
  }
}
