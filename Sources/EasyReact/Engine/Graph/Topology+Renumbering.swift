import Synchronization

// Ranks are numbers of 32 bits, and they rise (Topology+Ranks.swift).

/// The rank past which a graph's ranks are counted anew. A ring that is cut and closed again in turn raises its ranks by one each time.
let rankLimit = Atomic<Int32>(1 << 30)

/// How often ranks were counted anew, or fell while joins of another thread may have been waiting by them: from this a turn sees that its joins have to be
/// ordered again (`firstJoin`).
let recounts = Atomic<Int>(0)

extension NodePointer {
  /// Gives the ranks and tops of a graph new numbers from zero, in the same order.
  func countAnew() {
    recounts.add(1, ordering: .sequentiallyConsistent)  // whoever sees a new number also sees this
    var seen: [NodePointer: (rank: Int32, top: Int32)] = [self: height]
    var todo = [self]
    func see(_ storage: NodePointer) {
      if seen.updateValue(storage.height, forKey: storage) == nil { todo.append(storage) }
    }
    while let storage = todo.popLast() {
      // All members of a component, since they have one top: the edge that holds them together may have its cut mark, which is not noted yet.
      let standIn = storage.standIn()
      if standIn == storage { storage.members()?.forEach(see) } else { see(standIn) }
      for list in [EdgeListKind.ins, .outs] {
        for edge in EdgeWalk(storage, list) where edge.pointee.isUncut() {
          see(edge.pointee.far(list))
        }
      }
    }
    let numbers = Set(seen.values.flatMap { [$0.rank, $0.top] }).subtracting([SideTable.noTop])
    let places = Dictionary(
      uniqueKeysWithValues: numbers.sorted().enumerated().map { ($1, Int32($0)) })
    // While a node is being made, its maker may lift it above upstreams that have new numbers, or old ones; and a node that came below
    // another one after the walk may still have gone by the old number of that one.
    let lifted = seen.filter { !$0.key.exchangeHeight($0.value, by: places) }.keys
    for storage in lifted {
      storage.orderBehindUpstreams()
      for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
        edge.pointee.down!.orderBehindUpstreams()
      }
    }
    for storage in seen.keys {
      for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
        let down = edge.pointee.down!
        if seen[down] == nil { down.orderBehindUpstreams() }
      }
    }
  }

  /// False: the node has other numbers by now.
  private func exchangeHeight(_ old: (rank: Int32, top: Int32), by places: [Int32: Int32]) -> Bool {
    var isExchanged = pointee.rank.compareExchange(
      expected: old.rank, desired: places[old.rank]!, ordering: .sequentiallyConsistent
    ).exchanged
    if let top = places[old.top] {
      isExchanged =
        sideTable().top.compareExchange(
          expected: old.top, desired: top, ordering: .sequentiallyConsistent
        ).exchanged && isExchanged
    }
    return isExchanged
  }
}
