import HeapModule
import Synchronization

// Two numbers that rise along edges. All under the topology lock, but for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It never falls,
// but for a node that nothing ordinary leads to; past a limit the graph's ranks are counted anew.
//
// The *top* does not fall along any edge: what is above in it cannot be reached from what is below,
// so it bounds the search for new cycles. It is the rank, until a cycle is near: a rank falls along an
// edge that leads back, so nodes of a component, and those below it whose rank is lower, have a top
// of their own. It may be any that does not fall. So what is raised gets more than it needs: each node
// one more than the one above it, for else all that lies below a component would have one top, and each
// search there would look at all of it; and a component as much more as it has members, so that n
// newcomers raise it log n times.

extension SideTable {
  static var noTop: Int32 { .max }
}

extension NodePointer {
  func top() -> Int32 {
    let own = ownTop()
    return own == SideTable.noTop ? pointee.rank.load(ordering: .sequentiallyConsistent) : own
  }

  fileprivate func ownTop() -> Int32 {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
      $0.top.load(ordering: .sequentiallyConsistent)
    } ?? SideTable.noTop
  }

  /// Of a component's member.
  func setTop(to top: Int32) {
    sideTable().top.store(top, ordering: .sequentiallyConsistent)
  }

  /// Raises the top of a node, with that of its component, and of all that follows: in order of the old ones, so that most
  /// come after all that raise them.
  func raiseTop(to new: Int32) {
    if top() >= new { return }
    var wanted = [standIn(): new + 1]
    var heap = Heap([Lift(standIn(), top())])
    var highest = new + 1
    while let storage = heap.popMin()?.storage {
      guard let wish = wanted.removeValue(forKey: storage), wish > storage.top() else { continue }
      let members = storage.members() ?? [storage]
      let new = wish + Int32(clamping: members.count - 1)
      highest = max(highest, new)
      for member in members { member.liftTop(to: new) }
      for member in members {
        for edge in EdgeWalk(member, .outs) where edge.pointee.isUncut() {
          let down = edge.pointee.down!.standIn()
          if down.top() >= new { continue }
          let before = wanted.updateValue(max(new + 1, wanted[down] ?? .min), forKey: down)
          if before == nil { heap.insert(Lift(down, down.top())) }
        }
      }
    }
    if highest > rankLimit.load(ordering: .relaxed) { countAnew() }
  }

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
  /// A node that is being made goes above one more upstream. By its maker, under the upstream's lock. A
  /// new node has rank zero at least, like the twin's: ranks below zero are those of `order`.
  func liftFresh(above up: NodePointer) {
    let rank = up.pointee.rank.load(ordering: .relaxed) + 1
    _ = pointee.rank.max(rank, ordering: .sequentiallyConsistent)
    let least = up.ownTop()
    if least == SideTable.noTop ? ownTop() != SideTable.noTop : least >= top() {
      liftTop(to: up.top() + 1)
    }
  }
}

// MARK: - Ranks

extension NodePointer {
  /// Makes the ranks rise along an edge that does not lead back. A node that nothing ordinary leads to
  /// goes below, instead of raising all that follows: so a chain is built from its end in linear
  /// time too.
  func order(before down: NodePointer, by edge: EdgePointer) {
    let rank = down.pointee.rank.load(ordering: .relaxed)
    let least = pointee.rank.load(ordering: .relaxed)
    if rank > least { return }
    if down.hasOrdinaryEdge(.outs, except: edge), !hasOrdinaryEdge(.ins, except: edge) {
      pointee.rank.store(rank - 1, ordering: .relaxed)
      if rank < -rankLimit.load(ordering: .relaxed) { down.countAnew() }
    } else if down.raise(above: least) > rankLimit.load(ordering: .relaxed) {
      down.countAnew()
    }
  }

  fileprivate func hasOrdinaryEdge(_ list: EdgeListKind, except edge: EdgePointer) -> Bool {
    EdgeWalk(self, list).contains {
      $0 != edge && ($0.pointee.isOrdinary() || $0.pointee.hasGivenWay())
    }
  }
}

/// A node that is to be raised.
private struct Lift: Comparable {
  let storage: NodePointer
  let old: Int32
  init(_ storage: NodePointer, _ old: Int32) { (self.storage, self.old) = (storage, old) }
  static func < (a: Lift, b: Lift) -> Bool { a.old < b.old }
  static func == (a: Lift, b: Lift) -> Bool { a.old == b.old }
}

extension NodePointer {
  /// Raises a node, and what follows where that is not higher already: in order of the old ranks, so
  /// that a node comes after all that raise it, and once. Returns the highest rank given.
  fileprivate func raise(above rank: Int32) -> Int32 {
    let storage = self
    var wanted = [storage: rank + 1]
    var heap = Heap([Lift(storage, storage.pointee.rank.load(ordering: .relaxed))])
    var tops: [(NodePointer, Int32)] = []
    var highest = rank
    while let storage = heap.popMin()?.storage {
      guard let rank = wanted.removeValue(forKey: storage) else { continue }
      _ = storage.pointee.rank.max(rank, ordering: .sequentiallyConsistent)
      highest = max(highest, rank)
      let hasOwnTop = storage.ownTop() != SideTable.noTop
      for edge in EdgeWalk(storage, .outs) where edge.pointee.isUncut() {
        let down = edge.pointee.down!
        if !hasOwnTop, down.ownTop() != SideTable.noTop { tops.append((down, rank)) }
        if edge.pointee.has(.isBackEdge) { continue }
        let old = down.pointee.rank.load(ordering: .relaxed)
        if old > rank { continue }
        let before = wanted.updateValue(max(rank + 1, wanted[down] ?? .min), forKey: down)
        if before == nil { heap.insert(Lift(down, old)) }
      }
    }
    for (storage, top) in tops { storage.raiseTop(to: top) }
    return highest
  }
}

// MARK: - The limit

/// A ring that is cut and closed again in turn lets its ranks rise by one each time.
let rankLimit = Atomic<Int32>(1 << 30)

extension NodePointer {
  /// Gives the ranks and tops of a graph new numbers from zero, in the same order. A join that waits
  /// meanwhile keeps its place by the old ones, so it may run once too often in that turn.
  fileprivate func countAnew() {
    var seen: Set<NodePointer> = [self]
    var todo = [self]
    var numbers: Set<Int32> = []
    while let storage = todo.popLast() {
      numbers.formUnion([storage.pointee.rank.load(ordering: .relaxed), storage.top()])
      for list in [EdgeListKind.ins, .outs] {
        for edge in EdgeWalk(storage, list) where edge.pointee.isUncut() {
          let far = edge.pointee.far(list)
          if seen.insert(far).inserted { todo.append(far) }
        }
      }
    }
    let places = Dictionary(
      uniqueKeysWithValues: numbers.sorted().enumerated().map { ($1, Int32($0)) })
    for storage in seen {
      if let top = places[storage.ownTop()] { storage.setTop(to: top) }
      storage.pointee.rank.store(
        places[storage.pointee.rank.load(ordering: .relaxed)]!, ordering: .relaxed)
    }
  }
}
