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
  var choice = TopChoice(newcomers, largest)
  let top = choice.decide()
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

/// Chooses the top of a component that grows: the lowest of its members' tops, the highest, or the top that the largest part has (the *usual* one; the
/// lowest, if there is none). The three are looked at by turns, and the first one that is seen to make nothing else rise is taken; so it takes a few looks to
/// sync a node with n edges with a new one. A member that would go down counts with all its edges, not only those above it: it may have to rise again, with
/// what follows. If each of the three makes something rise, the usual one is taken; and also as soon as everything that it makes rise has been
/// looked at. A node that leads to a member and is higher than the largest part lifts that one, with room above it: see `raiseTops`. So n newcomers,
/// each of them higher, raise it log n times; that is why the usual one is looked at four times as fast.
private struct TopChoice {
  private let own: Set<NodePointer>
  private let largest: Component
  private let low: Int32, high: Int32, usual: Int32, kept: Int32?
  /// What the usual top would make rise, and how far at least, since edges are not counted; and how far it would be lifted itself.
  private var raised: Front
  private var new: [NodePointer: Int32] = [:]
  private var lifted: Int32

  init(_ newcomers: [NodePointer], _ largest: Component) {
    (own, self.largest, kept) = (Set(newcomers), largest, largest.first?.top())
    let tops = newcomers.map { $0.top() } + (kept.map { [$0] } ?? [])
    (low, high) = (tops.min() ?? .min, tops.max() ?? .min)
    usual = kept ?? low
    lifted = usual
    raised = Front(newcomers[0], .outs, isAlone: false)
  }

  private func isMember(_ storage: NodePointer) -> Bool {
    own.contains(storage) || kept != nil && storage.component() == .passUnretained(largest)
  }

  /// The edges of the members that would rise to this top, or go down to it.
  private func edges(_ top: Int32) -> some IteratorProtocol<EdgePointer> {
    (top == kept ? [own] : [own, largest.members]).joined().lazy.filter { $0.top() != top }
      .flatMap { storage in
        (storage.top() < top ? [.outs] : [.ins, .outs]).map { EdgeWalk(storage, $0) }
      }.joined().makeIterator()
  }

  private func top(_ storage: NodePointer, _ choice: Int32) -> Int32 {
    if choice == usual {
      return isMember(storage) ? lifted : new[storage.standIn()] ?? storage.top()
    }
    return isMember(storage) ? choice : storage.top()
  }

  mutating func decide() -> Int32 {
    var choices = Set([low, usual, high]).sorted().map { (top: $0, edges: edges($0)) }
    while choices.count > 1 {
      for index in choices.indices.reversed() {
        let choice = choices[index].top
        for _ in 0..<(choice == usual ? 4 : 1) {
          guard let edge = choices[index].edges.next() ?? (choice == usual ? raised.next() : nil)
          else { return choice }
          let (up, down) = (edge.pointee.up!, edge.pointee.down!)
          guard edge.pointee.isUncut(), top(up, choice) > top(down, choice) else { continue }
          if choice != usual {
            choices.remove(at: index)
            break
          }
          lift(down, below: up)
        }
      }
    }
    return usual
  }

  /// What the usual top makes rise.
  private mutating func lift(_ down: NodePointer, below up: NodePointer) {
    if isMember(down) {
      if lifted == usual {
        raised.open(own)
        raised.open(largest.members)
      }
      lifted = up.top() + 1
    } else {
      let present = down.standIn()
      new[present] = top(up, usual) + 16
      let isNew = raised.see(present, andBeyond: down.component() == nil)
      if isNew, let members = down.members() { raised.open(members) }
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
