import Synchronization

// Which edges lie on a cycle. Nodes that reach each other are members of one *component* (strongly
// connected, over all edges); an edge lies on a cycle where both its ends have the same one. Nodes on
// no cycle have none, and pay nothing.
//
// A link that closes a cycle unites the components on the ways that it closes. A cut inside one may
// break it up; a cut elsewhere changes nothing. An edge that led back and lies on no cycle any more
// is an ordinary one again: that depends on the edges that are there, not on the order of the cuts.
// Decision 0007 has the bounds.

/// Nodes that reach each other, two at least. Touched under the surgery lock; its address, which each
/// member's extras have, is compared by anybody.
final class Component {
  private(set) var members: Set<CorePointer>
  /// One of them, which stands for all.
  private(set) var first: CorePointer?

  init(_ members: [CorePointer] = []) {
    self.members = Set(members)
    first = members.first
  }
  func add(_ newcomers: [CorePointer]) {
    members.formUnion(newcomers)
    first = first ?? newcomers.first
  }
  func remove(_ side: Set<CorePointer>) {
    members.subtract(side)
    if let present = first, side.contains(present) { first = members.first }
  }
}

/// Odd while members change their component: who compares two of them looks at it before and after.
private let regroupings = Atomic<UInt64>(0)

func regrouping(_ body: () -> Void) {
  regroupings.add(1, ordering: .acquiringAndReleasing)
  body()
  regroupings.add(1, ordering: .releasing)
}

/// Does the edge's end reach its start, over any edges? Asked for every hop of a wave that was led
/// back: no lock, unless the components are being changed at this moment.
func liesOnCycle(_ edge: EdgePointer) -> Bool {
  isOnOneCycle(edge.pointee.up.unsafelyUnwrapped, edge.pointee.down.unsafelyUnwrapped)
}

func isOnOneCycle(_ a: CorePointer, _ b: CorePointer) -> Bool {
  let number = regroupings.load(ordering: .acquiring)
  guard let component = component(of: a) else { return false }
  let isShared = component == EasyReact.component(of: b)
  if number & 1 == 0, regroupings.load(ordering: .relaxed) == number { return isShared }
  return underSurgeryLock {
    EasyReact.component(of: a) != nil && EasyReact.component(of: a) == EasyReact.component(of: b)
  }
}

/// To be looked into under the surgery lock only.
func component(of core: CorePointer) -> Unmanaged<Component>? {
  core.pointee.extras.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
    $0.component.load(ordering: .acquiring)
  }
}

func == (a: Unmanaged<Component>?, b: Unmanaged<Component>?) -> Bool {
  a?.toOpaque() == b?.toOpaque()
}
func != (a: Unmanaged<Component>?, b: Unmanaged<Component>?) -> Bool { !(a == b) }

func put(_ core: CorePointer, into component: Component?) {
  let extras = extras(of: core)
  let old = extras.component.load(ordering: .relaxed)
  extras.component.store(component.map { .passRetained($0) }, ordering: .releasing)
  old?.release()
}

/// A member that stands for all of them, or the node itself.
private func standIn(_ core: CorePointer) -> CorePointer {
  component(of: core)?._withUnsafeGuaranteedRef { $0.first } ?? core
}

private func members(_ core: CorePointer) -> Set<CorePointer>? {
  component(of: core)?._withUnsafeGuaranteedRef { $0.members }
}

// MARK: - Closing

/// The nodes, and one member of each component, that lie on cycles which an edge from `up` to `down`
/// closes. None: it closes no cycle. One: it lies inside a component.
func cyclesClosed(from up: CorePointer, to down: CorePointer) -> [CorePointer] {
  if up.pointee.firstIn.load(ordering: .relaxed) == nil
    || down.pointee.firstOut.load(ordering: .relaxed) == nil
  {
    return []
  }
  let start = standIn(down)
  let goal = standIn(up)
  if start == goal { return [start] }
  // Along every edge tops do not fall.
  let (low, high) = (top(of: start), top(of: goal))
  if low > high { return [] }
  var forward = Ways(from: start, .outs, to: goal) { $0 <= high }
  var backward = Ways(from: goal, .ins, to: start) { $0 >= low }
  // By turns. Whichever ends first has seen all ways between the two.
  while true {
    let isForwardGoing = forward.step()
    if forward.hasEnded { return forward.found(from: [goal]) }
    let isBackwardGoing = backward.step()
    if backward.hasEnded { return backward.found(from: [start]) }
    if isForwardGoing || isBackwardGoing { continue }
    if let common = nextComponent(&forward, &backward) {
      return Array(Set(forward.found(from: [goal, common])).union(backward.found(from: [common])))
    }
  }
}

/// Both sides have only components left, which are dear. One that both have reached lies on a way; if
/// it is the last, each has seen the ways on its side of it, and those that leave it out: it is
/// returned. Else the smallest other one is looked into.
private func nextComponent(_ forward: inout Ways, _ backward: inout Ways) -> CorePointer? {
  let common = forward.waiting.intersection(backward.waiting).max { size($0) < size($1) }
  switch (forward.smallest(except: common), backward.smallest(except: common)) {
  case (nil, nil): return common
  case (let one?, let other?) where size(other) < size(one): backward.open(other)
  case (let one?, _): forward.open(one)
  case (nil, let other?): backward.open(other)
  }
  return nil
}

private func size(_ core: CorePointer) -> Int { members(core)?.count ?? 1 }

/// A search over nodes and whole components for all ways to a goal.
private struct Ways {
  private var front: Front
  private let goal: CorePointer
  private let isInside: (Int32) -> Bool
  /// From what was seen back to where it was seen from.
  private var arcs: [CorePointer: [CorePointer]] = [:]
  /// Components that are not looked into yet, by the members that stand for them.
  private(set) var waiting: Set<CorePointer> = []
  private var patience = 0
  private(set) var hasEnded = false

  init(
    from start: CorePointer, _ list: EdgeListKind, to goal: CorePointer,
    isInside: @escaping (Int32) -> Bool
  ) {
    front = Front(start, list, isAlone: component(of: start) == nil)
    (self.goal, self.isInside) = (goal, isInside)
    if component(of: start) != nil { waiting.insert(start) }
  }

  /// Looks at one edge. False: only components are left, or nothing is, and it has ended. A component
  /// is looked into when the other side has gone on for as long as that may take.
  mutating func step() -> Bool {
    if let edge = front.next() {
      look(edge)
      return true
    }
    patience += 1
    if let smallest = smallest(except: nil) {
      if patience <= size(smallest) { return false }
      open(smallest)
      return true
    }
    hasEnded = true
    return false
  }

  private mutating func look(_ edge: EdgePointer) {
    let near = standIn(edge.pointee.far(front.list == .ins ? .outs : .ins))
    let far = standIn(edge.pointee.far(front.list))
    if far == near || !isInside(top(of: far)) { return }
    arcs[far, default: []].append(near)
    if far == goal || component(of: far) == nil {
      front.see(far, andBeyond: far != goal)
    } else if front.see(far, andBeyond: false) {
      waiting.insert(far)
    }
  }

  func smallest(except one: CorePointer?) -> CorePointer? {
    waiting.filter { $0 != one }.min { size($0) < size($1) }
  }

  mutating func open(_ core: CorePointer) {
    waiting.remove(core)
    front.open(members(core)!)
    patience = 0
  }

  /// What lies between, both ends included; nothing if none of these was reached.
  func found(from reached: [CorePointer]) -> [CorePointer] {
    if reached.allSatisfy({ arcs[$0] == nil }) { return [] }
    var found = Set(reached)
    var todo = reached
    while let core = todo.popLast() {
      for nearer in arcs[core] ?? [] where found.insert(nearer).inserted { todo.append(nearer) }
    }
    return Array(found)
  }
}

/// Is there a way over edges that do not lead back? Between nodes that are not on a cycle yet every
/// way is one.
func isOrdinaryWay(
  from start: CorePointer, to goal: CorePointer, through closed: [CorePointer]
) -> Bool {
  if closed.allSatisfy({ component(of: $0) == nil }) { return true }
  let low = start.pointee.rank.load(ordering: .relaxed)
  let high = goal.pointee.rank.load(ordering: .relaxed)
  if low >= high { return false }
  let closed = Set(closed)
  let result = search(from: start, to: goal) { edge, far, list in
    if !edge.pointee.isOrdinary() || !closed.contains(standIn(far)) { return false }
    let rank = far.pointee.rank.load(ordering: .relaxed)
    return far == start || far == goal || low < rank && rank < high
  }
  if case .met = result { return true }
  return false
}

enum SearchResult {
  case met
  /// All that was seen in this direction, which is at its end.
  case ended(Set<CorePointer>, EdgeListKind)
}

/// Is there a way? Both ways by turns, an edge at a time, until the two meet or one is at its end: that
/// takes at most twice the work of the smaller one.
func search(
  from start: CorePointer, to goal: CorePointer,
  isInside: (EdgePointer, CorePointer, EdgeListKind) -> Bool
) -> SearchResult {
  if start == goal { return .met }
  var front = Front(start, .outs)
  var other = Front(goal, .ins)
  while let edge = front.next() {
    let far = edge.pointee.far(front.list)
    if isInside(edge, far, front.list) {
      if other.seen.contains(far) { return .met }
      front.see(far)
    }
    swap(&front, &other)
  }
  return .ended(front.seen, front.list)
}

/// One component of them all. The largest stays, so a node changes its component a logarithmic number
/// of times while components only grow.
func unite(_ parts: [CorePointer]) {
  let components = parts.compactMap { component(of: $0)?.takeUnretainedValue() }
  let largest = components.max { $0.members.count < $1.members.count } ?? Component()
  let newcomers = parts.flatMap { core -> [CorePointer] in
    guard let members = members(core) else { return [core] }
    return largest.members.contains(core) ? [] : Array(members)
  }
  let oldTop = largest.first.map(top(of:)) ?? .min
  let isHigher = newcomers.contains { top(of: $0) > oldTop }
  regrouping {
    for core in newcomers { put(core, into: largest) }
  }
  largest.add(newcomers)
  settleTop(of: largest, oldTop, newcomers, isHigher: isHigher)
}

/// The lowest top that no upstream exceeds.
private func settleTop(
  of component: Component, _ oldTop: Int32, _ newcomers: [CorePointer], isHigher: Bool
) {
  var new = oldTop
  if isHigher {
    for core in newcomers {
      for edge in EdgeWalk(core, .ins)
      where edge.pointee.isUncut() && !component.members.contains(edge.pointee.up!) {
        new = max(new, top(of: edge.pointee.up!))
      }
    }
  }
  let changed = new == oldTop ? Set(newcomers) : component.members
  for core in changed { setTop(of: core, to: new) }
  for core in changed {
    for edge in EdgeWalk(core, .outs) where edge.pointee.isUncut() {
      raiseTop(of: edge.pointee.down!, to: new)
    }
  }
}
