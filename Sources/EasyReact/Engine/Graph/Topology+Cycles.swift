import HeapModule
import Synchronization

// Which edges lie on a cycle. Nodes that reach each other are members of one *component* (strongly
// connected, over all edges); an edge lies on a cycle where both its ends have the same one. Nodes on
// no cycle have none, and pay nothing.
//
// A link that closes a cycle unites the components on the ways that it closes. A cut inside one may
// break it up; a cut elsewhere changes nothing. An edge that led back and lies on no cycle any more
// is an ordinary one again: that depends on the edges that are there, not on the order of the cuts.
// Decision 0007 has the bounds.

/// Nodes that reach each other, at least two. Touched under the topology lock. Its address, which is in the
/// side table of each member, is compared by anybody.
final class Component {
  private(set) var members: Set<NodePointer>
  /// The member that stands for all.
  private(set) var first: NodePointer?

  init(_ members: [NodePointer] = []) {
    self.members = Set(members)
    first = members.first
  }
  func add(_ newcomers: [NodePointer]) {
    members.formUnion(newcomers)
    first = first ?? newcomers.first
  }
  func remove(_ part: [NodePointer]) {
    members.subtract(part)
    members.shrinkIfSparse()
    if let present = first, !members.contains(present) { first = members.first }
  }
}

/// Odd while members change their component: whoever compares the components of two nodes looks at it before and after.
private let regroupings = Atomic<UInt64>(0)

func regrouping(_ body: () -> Void) {
  regroupings.add(1, ordering: .acquiringAndReleasing)
  body()
  regroupings.add(1, ordering: .releasing)
}

extension EdgePointer {
  /// Does the edge's end reach its start, over any edges? Asked for every hop of a wave that was led
  /// back: without a lock, unless the components are being changed at this moment.
  func liesOnCycle() -> Bool {
    pointee.up.unsafelyUnwrapped.isOnOneCycle(pointee.down.unsafelyUnwrapped)
  }
}

extension NodePointer {
  func isOnOneCycle(_ b: NodePointer) -> Bool {
    let number = regroupings.load(ordering: .acquiring)
    guard let component = self.component() else { return false }
    let isShared = component == b.component()
    if number & 1 == 0, regroupings.load(ordering: .relaxed) == number { return isShared }
    return underTopologyLock {
      self.component() != nil && self.component() == b.component()
    }
  }

  /// Its members may be looked at only under the topology lock.
  @inline(__always) func component() -> Unmanaged<Component>? {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
      $0.component.load(ordering: .acquiring)
    }
  }
}

func == (a: Unmanaged<Component>?, b: Unmanaged<Component>?) -> Bool {
  a?.toOpaque() == b?.toOpaque()
}
func != (a: Unmanaged<Component>?, b: Unmanaged<Component>?) -> Bool { !(a == b) }

extension NodePointer {
  func put(into component: Component?) {
    let sideTable = self.sideTable()
    let old = sideTable.component.load(ordering: .relaxed)
    sideTable.component.store(component.map { .passRetained($0) }, ordering: .releasing)
    old?.release()
  }

  /// The member that stands for the node's component; without one, the node itself.
  func standIn() -> NodePointer {
    component()?._withUnsafeGuaranteedRef { $0.first } ?? self
  }

  func members() -> Set<NodePointer>? {
    component()?._withUnsafeGuaranteedRef { $0.members }
  }
}

// MARK: - Closing

extension NodePointer {
  /// The nodes that lie on cycles which an edge from this node to `down` closes; for each component the member that stands
  /// for it. None: it closes no cycle. One: it lies inside a component.
  func cyclesClosed(to down: NodePointer) -> [NodePointer] {
    if down.pointee.firstOut.load(ordering: .relaxed) == nil || !hasUpstream { return [] }
    let start = down.standIn()
    let goal = standIn()
    if start == goal { return [start] }
    // Tops do not fall along any edge.
    let (low, high) = (start.top(), goal.top())
    if low > high { return [] }
    var forward = Ways(from: start, .outs, to: goal) { $0 <= high }
    var backward = Ways(from: goal, .ins, to: start) { $0 >= low }
    var common = Heap<SizedComponent>()
    // The two searches take turns. Whichever ends first has seen all ways between the two nodes.
    while true {
      let isForwardGoing = forward.step()
      if forward.hasEnded { return forward.found(from: [goal]) }
      let isBackwardGoing = backward.step()
      if backward.hasEnded { return backward.found(from: [start]) }
      if isForwardGoing || isBackwardGoing { continue }
      if let common = nextComponent(&forward, &backward, &common) {
        return Array(
          Set(forward.found(from: [goal, common])).union(backward.found(from: [common])))
      }
    }
  }
}

/// Both sides have only components left, which are expensive. One that both have reached lies on a way. If
/// it is the last one left, each side has seen the ways on its own side of it, and those that avoid it: then it is
/// returned. Else the smallest of the others is looked into.
/// - Parameter seenByBoth: The components that both had seen before.
private func nextComponent(
  _ forward: inout Ways, _ backward: inout Ways, _ seenByBoth: inout Heap<SizedComponent>
) -> NodePointer? {
  seenByBoth.insert(contentsOf: forward.takeNew().filter { backward.waiting.contains($0.standIn) })
  seenByBoth.insert(contentsOf: backward.takeNew().filter { forward.waiting.contains($0.standIn) })
  while let most = seenByBoth.max?.standIn,
    !forward.waiting.contains(most) || !backward.waiting.contains(most)
  {
    seenByBoth.removeMax()
  }
  let common = seenByBoth.max?.standIn
  switch (forward.smallest(except: common), backward.smallest(except: common)) {
  case (nil, nil): return common
  case (let one?, let other?) where other.size() < one.size(): backward.open(other)
  case (let one?, _): forward.open(one)
  case (nil, let other?): backward.open(other)
  }
  return nil
}

extension NodePointer {
  fileprivate func size() -> Int { members()?.count ?? 1 }
}

/// A component, by the member that stands for it; smaller ones come first.
private struct SizedComponent: Comparable {
  let standIn: NodePointer
  let size: Int
  init(_ standIn: NodePointer) { (self.standIn, size) = (standIn, standIn.size()) }
  static func < (a: SizedComponent, b: SizedComponent) -> Bool { a.size < b.size }
  static func == (a: SizedComponent, b: SizedComponent) -> Bool { a.size == b.size }
}

/// A search over nodes and whole components for all ways to a goal.
private struct Ways {
  private var front: Front
  private let goal: NodePointer
  private let isInside: (Int32) -> Bool
  /// From what was seen back to where it was seen from.
  private var arcs: [NodePointer: [NodePointer]] = [:]
  /// Components that are not looked into yet, by the members that stand for them.
  private(set) var waiting: Set<NodePointer> = []
  /// The same by size; those that have been looked into are taken out when they come first.
  private var bySize = Heap<SizedComponent>()
  private var new: [SizedComponent] = []
  private var patience = 0
  private(set) var hasEnded = false

  init(
    from start: NodePointer, _ list: EdgeListKind, to goal: NodePointer,
    isInside: @escaping (Int32) -> Bool
  ) {
    front = Front(start, list, isAlone: start.component() == nil)
    (self.goal, self.isInside) = (goal, isInside)
    if start.component() != nil { wait(start) }
  }

  private mutating func wait(_ component: NodePointer) {
    waiting.insert(component)
    bySize.insert(SizedComponent(component))
    new.append(SizedComponent(component))
  }

  /// Those that have come to wait since this was last asked.
  mutating func takeNew() -> [SizedComponent] {
    defer { new = [] }
    return new
  }

  /// Looks at one edge. False: only components are left; or nothing is, and then `hasEnded`. A component
  /// is looked into once the other side has gone on for as long as that may take.
  mutating func step() -> Bool {
    if let edge = front.next() {
      look(edge)
      return true
    }
    patience += 1
    if let smallest = smallest(except: nil) {
      if patience <= smallest.size() { return false }
      open(smallest)
      return true
    }
    hasEnded = true
    return false
  }

  private mutating func look(_ edge: EdgePointer) {
    let near = edge.pointee.far(front.list == .ins ? .outs : .ins).standIn()
    let far = edge.pointee.far(front.list).standIn()
    if !edge.pointee.isUncut() || far == near || !isInside(far.top()) { return }
    arcs[far, default: []].append(near)
    if far == goal || far.component() == nil {
      front.see(far, andBeyond: far != goal)
    } else if front.see(far, andBeyond: false) {
      wait(far)
    }
  }

  mutating func smallest(except one: NodePointer?) -> NodePointer? {
    var left: SizedComponent?
    while let first = bySize.min {
      if waiting.contains(first.standIn), first.standIn != one { break }
      bySize.removeMin()
      if first.standIn == one, waiting.contains(first.standIn) { left = first }
    }
    defer { if let left { bySize.insert(left) } }
    return bySize.min?.standIn
  }

  mutating func open(_ storage: NodePointer) {
    waiting.remove(storage)
    front.open(storage.members()!)
    patience = 0
  }

  /// What lies between, both ends included; nothing if none of these was reached.
  func found(from reached: [NodePointer]) -> [NodePointer] {
    if reached.allSatisfy({ arcs[$0] == nil }) { return [] }
    return Array(nodes(along: arcs, from: reached))
  }
}

/// All that the arcs lead to from these nodes, including the nodes themselves.
func nodes(along arcs: [NodePointer: [NodePointer]], from start: [NodePointer]) -> Set<NodePointer>
{
  var found = Set(start), todo = start
  while let storage = todo.popLast() {
    for next in arcs[storage] ?? [] where found.insert(next).inserted { todo.append(next) }
  }
  return found
}

extension NodePointer {
  /// Is there a way over edges that do not lead back? Between nodes that are not on a cycle yet, every
  /// way is such a way.
  /// - Parameter areAllOrdinary: Outside of components.
  func isOrdinaryWay(
    to goal: NodePointer, through closed: [NodePointer], areAllOrdinary: Bool
  ) -> Bool {
    if areAllOrdinary, closed.allSatisfy({ $0.component() == nil }) { return true }
    let low = pointee.rank.load(ordering: .relaxed)
    let high = goal.pointee.rank.load(ordering: .relaxed)
    if low >= high { return false }
    let closed = Set(closed)
    return leads(to: goal) { edge, far in
      if !edge.pointee.isOrdinary() || !closed.contains(far.standIn()) { return false }
      let rank = far.pointee.rank.load(ordering: .relaxed)
      return far == self || far == goal || low < rank && rank < high
    }
  }
}

extension NodePointer {
  /// Searches from both ends by turns, an edge at a time, until the two meet or one is at its end: that takes at most twice
  /// the work of the smaller one.
  private func leads(to goal: NodePointer, over isMeant: (EdgePointer, _ far: NodePointer) -> Bool)
    -> Bool
  {
    if self == goal { return true }
    var front = Front(self, .outs)
    var other = Front(goal, .ins)
    while let edge = front.next() {
      let far = edge.pointee.far(front.list)
      if isMeant(edge, far) {
        if other.seen.contains(far) { return true }
        front.see(far)
      }
      swap(&front, &other)
    }
    return false
  }
}
