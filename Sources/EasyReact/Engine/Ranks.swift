import HeapModule
import Synchronization

// Two numbers that rise along edges. All under the surgery lock, but for new nodes.
//
// The *rank* rises along every edge that does not lead back: joins run in its order. It never falls,
// but for a node that nothing ordinary leads to; past a limit the graph's ranks are counted anew.
//
// The *top* does not fall along any edge: what is above in it cannot be reached from what is below,
// so it bounds the search for new cycles. It is the rank, until a cycle is near: a rank falls along an
// edge that leads back, so nodes of a component, and those below it whose rank is lower, have a top
// of their own.

extension Extras {
  static var noTop: Int32 { .max }
}

func top(of core: CorePointer) -> Int32 {
  let own = ownTop(of: core)
  return own == Extras.noTop ? core.pointee.rank.load(ordering: .sequentiallyConsistent) : own
}

private func ownTop(of core: CorePointer) -> Int32 {
  core.pointee.extras.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
    $0.top.load(ordering: .sequentiallyConsistent)
  } ?? Extras.noTop
}

/// Of a component's member.
func setTop(of core: CorePointer, to top: Int32) {
  extras(of: core).top.store(top, ordering: .sequentiallyConsistent)
}

/// Raises the top of a node, with that of its component, and of all that follows.
func raiseTop(of core: CorePointer, to new: Int32) {
  var todo = [core]
  while let core = todo.popLast() {
    if top(of: core) >= new { continue }
    let members = component(of: core)?._withUnsafeGuaranteedRef { $0.members } ?? [core]
    for member in members { liftTop(of: member, to: new) }
    for member in members {
      for edge in EdgeWalk(member, .outs) where edge.pointee.isUncut() {
        todo.append(edge.pointee.down!)
      }
    }
  }
}

/// Also by a thread that is making the node. A top of its own is never below the rank where it is
/// given, whichever of the two another thread is raising.
private func liftTop(of core: CorePointer, to new: Int32) {
  let extras = extras(of: core)
  var old = extras.top.load(ordering: .sequentiallyConsistent)
  var new = new
  while true {
    if old != Extras.noTop && old >= new { return }
    let (exchanged, original) = extras.top.compareExchange(
      expected: old, desired: new, ordering: .sequentiallyConsistent)
    if !exchanged {
      old = original
      continue
    }
    if old != Extras.noTop { return }
    (old, new) = (new, max(new, core.pointee.rank.load(ordering: .sequentiallyConsistent)))
  }
}

// MARK: - New nodes

/// A node that is being made goes above one more upstream. By its maker, under the upstream's lock. A
/// new node has rank zero at least, like the twin's: ranks below zero are those of `order`.
func liftFresh(_ core: CorePointer, above up: CorePointer) {
  let rank = up.pointee.rank.load(ordering: .relaxed) + 1
  _ = core.pointee.rank.max(rank, ordering: .sequentiallyConsistent)
  let least = ownTop(of: up)
  if least == Extras.noTop ? ownTop(of: core) != Extras.noTop : least > top(of: core) {
    liftTop(of: core, to: top(of: up))
  }
}

// MARK: - Ranks

/// Makes the ranks rise along an edge that does not lead back. A node that nothing ordinary leads to
/// goes below, instead of raising all that follows: so a chain is built from its end in linear
/// time too.
func order(_ up: CorePointer, before down: CorePointer, by edge: EdgePointer) {
  let rank = down.pointee.rank.load(ordering: .relaxed)
  let least = up.pointee.rank.load(ordering: .relaxed)
  if rank > least { return }
  if hasOrdinaryEdge(down, .outs, except: edge), !hasOrdinaryEdge(up, .ins, except: edge) {
    up.pointee.rank.store(rank - 1, ordering: .relaxed)
    if rank < -rankLimit.load(ordering: .relaxed) { countAnew(around: down) }
  } else if raise(down, above: least) > rankLimit.load(ordering: .relaxed) {
    countAnew(around: down)
  }
}

private func hasOrdinaryEdge(
  _ core: CorePointer, _ list: EdgeListKind, except edge: EdgePointer
) -> Bool {
  EdgeWalk(core, list).contains { $0 != edge && $0.pointee.isOrdinary() }
}

/// A node that is to be raised.
private struct Lift: Comparable {
  let core: CorePointer
  let old: Int32
  init(_ core: CorePointer) {
    self.core = core
    old = core.pointee.rank.load(ordering: .relaxed)
  }
  static func < (a: Lift, b: Lift) -> Bool { a.old < b.old }
  static func == (a: Lift, b: Lift) -> Bool { a.old == b.old }
}

/// Raises a node, and what follows where that is not higher already: in order of the old ranks, so
/// that a node comes after all that raise it, and once. Returns the highest rank given.
private func raise(_ core: CorePointer, above rank: Int32) -> Int32 {
  var wanted = [core: rank + 1]
  var heap = Heap([Lift(core)])
  var tops: [(CorePointer, Int32)] = []
  var highest = rank
  while let core = heap.popMin()?.core {
    guard let rank = wanted.removeValue(forKey: core) else { continue }
    _ = core.pointee.rank.max(rank, ordering: .sequentiallyConsistent)
    highest = max(highest, rank)
    let hasOwnTop = ownTop(of: core) != Extras.noTop
    for edge in EdgeWalk(core, .outs) where edge.pointee.isUncut() {
      let down = edge.pointee.down!
      if !hasOwnTop, ownTop(of: down) != Extras.noTop { tops.append((down, rank)) }
      if edge.pointee.has(EdgeFlags.leadsBack) { continue }
      if down.pointee.rank.load(ordering: .relaxed) > rank { continue }
      let before = wanted.updateValue(max(rank + 1, wanted[down] ?? .min), forKey: down)
      if before == nil { heap.insert(Lift(down)) }
    }
  }
  for (core, top) in tops { raiseTop(of: core, to: top) }
  return highest
}

// MARK: - The limit

/// A ring that is cut and closed again in turn lets its ranks rise by one each time.
let rankLimit = Atomic<Int32>(1 << 30)

/// Gives the ranks and tops of a graph new numbers from zero, in the same order. A join that waits
/// meanwhile keeps its place by the old ones, so it may run once too often in that turn.
private func countAnew(around start: CorePointer) {
  var seen: Set<CorePointer> = [start]
  var todo = [start]
  var numbers: Set<Int32> = []
  while let core = todo.popLast() {
    numbers.formUnion([core.pointee.rank.load(ordering: .relaxed), top(of: core)])
    for list in [EdgeListKind.ins, .outs] {
      for edge in EdgeWalk(core, list) where edge.pointee.isUncut() {
        let far = edge.pointee.far(list)
        if seen.insert(far).inserted { todo.append(far) }
      }
    }
  }
  let places = Dictionary(
    uniqueKeysWithValues: numbers.sorted().enumerated().map { ($1, Int32($0)) })
  for core in seen {
    if let top = places[ownTop(of: core)] { setTop(of: core, to: top) }
    core.pointee.rank.store(
      places[core.pointee.rank.load(ordering: .relaxed)]!, ordering: .relaxed)
  }
}
