import CEasyReact
import Synchronization

// Changes of the graph's shape. Three things are kept up to date: which edges lead back, which nodes
// lie on cycles together (Topology+Cycles.swift), and ranks (Topology+Ranks.swift).
//
// Links between nodes that exist already are made one at a time in the whole process, under the
// topology lock, so two threads cannot close one cycle from both sides. The same goes for cuts on cycles. No user
// code runs under it. Everything else needs none of this: nothing leads away from a node before it is
// published, and by then its edges are there; and a cut that is on no cycle changes nothing that is kept here.

/// What is known of the graph's shape besides what nodes and edges know. Edges are addresses of blocks,
/// which are taken out of here before they are freed.
struct Topology {
  /// Edges that lead back, with the order in which they were linked.
  var backEdges: [EdgePointer: UInt64] = [:]
  private var links: UInt64 = 0
  /// How many edges the present operation has looked at; see `shapeLooks`.
  var looks = 0

  mutating func isBackEdge(_ edge: EdgePointer) {
    edge.pointee.insert(.isBackEdge)
    links += 1
    backEdges[edge] = links
  }

  /// Returns its number, the first time.
  mutating func forget(_ edge: EdgePointer) -> UInt64? {
    let number = backEdges.removeValue(forKey: edge)
    backEdges.shrinkIfSparse()
    return number
  }
}

// Unsafe: touched only under the topology lock. Unchecked: each edge looked at is counted here, and the check would take a third of
// a long walk; no access lasts until another begins, since none calls anything.
@exclusivity(unchecked) nonisolated(unsafe) var topology = Topology()

func underTopologyLock<Result>(_ body: () -> Result) -> Result {
  easyreact_topology_lock()
  _ = isAtWork.exchange(true, ordering: .sequentiallyConsistent)
  defer {
    currentTurn().pointee.looks += 1 + topology.looks
    topology.looks = 0
    isAtWork.store(false, ordering: .releasing)
    easyreact_topology_unlock()
  }
  return body()
}

/// Does somebody have the topology lock?
private let isAtWork = Atomic(false)

/// Called before the block of an edge or a node is freed, which is in no list any more. A walk keeps
/// addresses that it found in lists after giving back the locks of these; one that found this block has set
/// `isAtWork` before the block was taken out.
func awaitTopology() {
  if !isAtWork.load(ordering: .acquiring) { return }
  easyreact_topology_lock()
  easyreact_topology_unlock()
}

// MARK: - Linking

extension EdgePointer {
  /// Puts an edge between two nodes in their lists, and keeps what is known of the shape. It is not yet
  /// followed: see `attach`.
  @usableFromInline func insert() {
    // The search for the place of such a node would have no end, under the lock that all threads need.
    if pointee.up == pointee.down {
      fatalError(
        "EasyReact: an edge from a node to itself: a fault of the library, please report it")
    }
    underTopologyLock {
      let before = topology.looks
      let closed = closeCycles()
      let effort = topology.looks - before
      appendToUpstream()
      appendToDownstream()
      order(closed, after: effort)
    }
  }

  /// Does it lead back? Returns the cycles that it closes: see `cyclesClosed`.
  private func closeCycles() -> [NodePointer] {
    let (up, down) = (pointee.up!, pointee.down!)
    let closed = up.cyclesClosed(to: down)
    if closed.isEmpty { return closed }
    let areAllOrdinary = !partsGiveWay(through: closed)
    if down.isOrdinaryWay(to: up, through: closed, areAllOrdinary: areAllOrdinary)
      && !othersGiveWay(through: closed)
    {
      topology.isBackEdge(self)
    }
    return closed
  }

  /// What changes one part of a whole, and follows another one, comes round over the whole alone, and not to the part that it follows. So the edges
  /// into wholes lead back, and the part comes behind what changes it by an edge that orders only (`LensOf.presentInlet`). True: there were some.
  private func partsGiveWay(through closed: [NodePointer]) -> Bool {
    let intoWholes = closed.lazy.filter { $0.component() == nil }.compactMap { $0.wayIntoWhole() }
    if intoWholes.isEmpty { return false }
    let members = Set(closed)
    // Of a part that was cut from its whole only the order is left.
    let giving = Array(intoWholes).filter { members.contains($0.pointee.down!.standIn()) }
    for edge in giving { topology.isBackEdge(edge) }
    return !giving.isEmpty
  }

  /// Makes ranks and tops rise along it.
  private func order(_ closed: [NodePointer], after effort: Int) {
    let (up, down) = (pointee.up!, pointee.down!)
    // After a long search tops rise strictly, so that the next link here is known without a search to close no cycle.
    var gap: Int32 = effort > 64 ? 1 : 0
    if !closed.isEmpty { return orderOnCycles(closed, atMost: gap > 0 ? effort : 0) }
    up.order(before: down, by: self)
    up.dropTop(before: down, by: gap)
    // But not if more edges lead on than were looked at: what is synced with a form again and again would rise with all that follows it.
    if gap > 0, down.top() == up.top(), down.standIn().leadsOn(overMoreThan: effort) { gap = 0 }
    down.raiseTop(to: up.top() + gap)
  }

  /// What follows the nodes that lie on cycles now gets a higher top than these, as far as a look at so many edges goes.
  @inline(never) private func orderOnCycles(_ closed: [NodePointer], atMost looks: Int) {
    let (up, down) = (pointee.up!, pointee.down!)
    let newcomers = closed.count > 1 ? unite(closed) : []
    if !pointee.has(.isBackEdge) { up.order(before: down, by: self) }
    let edges = newcomers.lazy.flatMap { EdgeWalk($0, .outs) }.prefix(looks)
    let leaving = edges.filter {
      $0.pointee.isUncut() && $0.pointee.up!.standIn() != $0.pointee.down!.standIn()
    }
    let top = up.top() + 1
    raiseTops(leaving.map { ($0.pointee.down!, top) })
  }

  /// The same for an edge to a node that is not published yet, from which nothing leads away. Whoever raises the upstream
  /// walks its edges afterwards, under the same lock, and so finds this one.
  func insertFresh() {
    let up = pointee.up!
    let down = pointee.down!
    up.pointee.acquire()
    down.liftFresh(above: up)
    appendLocked(up)
    up.pointee.release()
    appendToDownstream()
    // A thread that counts ranks anew may have given the upstream its new one before this edge was there, and come to the node only
    // now. To be asked in this order: if that is over, all its numbers are seen.
    if !isAtWork.load(ordering: .acquiring), down.isLifted(above: up) { return }
    underTopologyLock { down.liftFresh(above: up) }
  }
}

extension NodePointer {
  /// It is the first edge of an inlet.
  fileprivate func wayIntoWhole() -> EdgePointer? {
    pointee.acquire()
    defer { pointee.release() }
    guard let edge = firstEdge(.outs), edge.pointee.has(.intoWhole), edge.pointee.isOrdinary()
    else { return nil }
    return edge
  }
}

// MARK: - Cutting

extension EdgePointer {
  /// The edge has its cut mark. If it lies on a cycle, what it held together may fall apart.
  func noteCut() {
    let (up, down) = (pointee.up!, pointee.down!)
    // A link that is being made either saw that this edge is cut, or is seen here. Only after that is it asked
    // whether there is a cycle.
    if !isAtWork.load(ordering: .sequentiallyConsistent), !up.isOnOneCycle(down) { return }
    underTopologyLock { openCycles() }
  }

  /// The same under the topology lock.
  func openCycles() {
    let (up, down) = (pointee.up!, pointee.down!)
    guard let component = up.component(), component == down.component() else { return }
    _ = topology.forget(self)
    let (opened, left, missed) = shrink(
      component.takeUnretainedValue(), withoutWayFrom: up, to: down)
    sink(opened) { left.contains($0) || $0.component() == component }
    for edge in opened { edge.pointee.up!.order(before: edge.pointee.down!, by: edge) }
    // A join has turned away from it in its run. Where a user cuts, or what dies is cut, nothing is to run because of that.
    let turn = currentTurn()
    if !missed.isEmpty, turn.pointee.running == down { tellMissed(over: missed, in: turn) }
  }
}

// MARK: - Walks

/// The edges of one list, one short look at a time. Under the topology lock: no edge that was found is
/// freed before the walk ends, and every edge that is in the list when it begins is found.
///
/// A downstream edge may be attached meanwhile: then it moves forward, from those that are starting
/// to the end of the others. So the starting ones are walked first.
struct EdgeWalk: Sequence, IteratorProtocol {
  private let storage: NodePointer
  private let list: EdgeListKind
  private var last: EdgePointer?
  private var isAmongStarting: Bool
  private let isBackwards: Bool

  /// - Parameter isBackwards: Upstream edges from the last one on; of no effect on others.
  init(_ storage: NodePointer, _ list: EdgeListKind, isBackwards: Bool = false) {
    (self.storage, self.list) = (storage, list)
    self.isBackwards = isBackwards && list == .ins
    isAmongStarting = list == .outs
  }

  mutating func next() -> EdgePointer? {
    topology.looks += 1
    storage.pointee.acquire()
    defer { storage.pointee.release() }
    last = following()
    if last == nil, isAmongStarting {
      isAmongStarting = false
      if storage.pointee.lastOut.load(ordering: .relaxed) != nil { last = storage.firstEdge(list) }
    }
    return last
  }

  /// Under the node's lock.
  private func following() -> EdgePointer? {
    if isBackwards { return storage.upstreamEdge(before: last) }
    let lastAttached = list == .outs ? storage.pointee.lastOut.load(ordering: .relaxed) : nil
    guard let last else {
      return isAmongStarting && lastAttached != nil
        ? lastAttached!.edgeBehind(list) : storage.firstEdge(list)
    }
    return !isAmongStarting && last == lastAttached ? nil : last.edgeBehind(list)
  }
}

extension EdgeStorage {
  /// See `noteCut` for the order.
  borrowing func isUncut() -> Bool {
    !allFlags.has(.cut)
  }
  borrowing func isOrdinary() -> Bool {
    !allFlags.has([.cut, .isBackEdge])
  }
  borrowing func hasGivenWay() -> Bool {
    let flags = allFlags
    return flags.has(.gaveWay) && !flags.has(.cut)
  }
  /// The other end, seen from the node whose list this is.
  borrowing func far(_ list: EdgeListKind) -> NodePointer { (list == .ins ? up : down)! }
}

/// One half of a search both ways.
struct Front {
  let list: EdgeListKind
  private(set) var seen: Set<NodePointer>
  private var nodes: [NodePointer], taken = 0
  private var groups: [Set<NodePointer>.Iterator] = []
  /// Only one, except in a deep front, where others wait for what lies deeper.
  private var walks: [EdgeWalk] = []
  private let isDeep: Bool

  /// - Parameters:
  ///   - isAlone: `start` does not stand for a component.
  ///   - isDeep: Depth first; upstream edges from the last one on, so that a run of edges which lead nowhere
  ///     does not hold up both of two searches that run towards each other.
  init(
    _ start: NodePointer, _ list: EdgeListKind, isAlone: Bool = true, isDeep: Bool = false
  ) {
    (self.list, self.isDeep) = (list, isDeep)
    seen = [start]
    nodes = isAlone ? [start] : []
  }

  /// The next edge of the nodes seen. Nil: none is left. Cut ones too, which stay in their lists for the rest of a turn: if they
  /// were passed over here, the other half of the search would have to wait for a thousand of them.
  mutating func next() -> EdgePointer? {
    while true {
      if walks.isEmpty {
        guard let storage = nextNode() else { return nil }
        walk(storage)
      }
      if let edge = walks[walks.count - 1].next() { return edge }
      walks.removeLast()
    }
  }

  private mutating func walk(_ storage: NodePointer) {
    walks.append(EdgeWalk(storage, list, isBackwards: isDeep))
  }

  private mutating func nextNode() -> NodePointer? {
    // Breadth first: two searches that run towards each other meet soon.
    if taken < nodes.count {
      taken += 1
      return nodes[taken - 1]
    }
    while !groups.isEmpty {
      if let member = groups[groups.count - 1].next() { return member }
      groups.removeLast()
    }
    return nil
  }

  /// True: it is new. Its edges come later, if `isWanted`.
  @discardableResult
  mutating func see(_ storage: NodePointer, andBeyond isWanted: Bool = true) -> Bool {
    if !seen.insert(storage).inserted { return false }
    if isWanted { if isDeep { walk(storage) } else { nodes.append(storage) } }
    return true
  }

  /// The edges of all these come later.
  mutating func open(_ members: Set<NodePointer>) { groups.append(members.makeIterator()) }
}
