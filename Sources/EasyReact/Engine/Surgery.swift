import CEasyReact
import Synchronization

// Changes of the graph's shape. Three things are kept up to date: which edges lead back, which nodes
// lie on cycles together (Cycles.swift), and ranks (Ranks.swift).
//
// Links between nodes that exist already are made one at a time in the whole process, under the
// surgery lock, so two threads cannot close one cycle from both sides. So are cuts on cycles. No user
// code runs under it. Everything else needs none of this: nothing leads away from a node that is
// being derived, and a cut that is on no cycle changes nothing that is kept.

/// Touched under the surgery lock only. Edges are addresses of blocks that are taken out of here
/// before they are freed.
struct Surgery {
  /// Edges that lead back, with the order in which they were linked.
  var backEdges: [EdgePointer: UInt64] = [:]
  private var links: UInt64 = 0
  /// How many edges the present operation has looked at; see `shapeLooks`.
  var looks = 0

  mutating func leadsBack(_ edge: EdgePointer) {
    _ = edge.pointee.flags.bitwiseOr(EdgeFlags.leadsBack, ordering: .acquiringAndReleasing)
    links += 1
    backEdges[edge] = links
  }

  /// The number that it had, once.
  mutating func forget(_ edge: EdgePointer) -> UInt64? {
    let number = backEdges.removeValue(forKey: edge)
    if backEdges.isEmpty { backEdges = [:] }  // a dictionary does not shrink
    return number
  }
}

nonisolated(unsafe) var surgery = Surgery()

func underSurgeryLock<Result>(_ body: () -> Result) -> Result {
  easyreact_surgery_lock()
  _ = isAtWork.exchange(true, ordering: .sequentiallyConsistent)
  defer {
    currentTurn().pointee.looks += 1 + surgery.looks
    surgery.looks = 0
    isAtWork.store(false, ordering: .releasing)
    easyreact_surgery_unlock()
  }
  return body()
}

/// Somebody has the surgery lock.
private let isAtWork = Atomic(false)

/// Before the block of an edge or a core is freed, which is in no list any more. A walk keeps
/// addresses that it found in lists beyond those lists' locks; one that found this block has set
/// the mark before the block was taken out.
func awaitSurgery() {
  if !isAtWork.load(ordering: .acquiring) { return }
  easyreact_surgery_lock()
  easyreact_surgery_unlock()
}

// MARK: - Linking

/// Puts an edge between two nodes in their lists, and keeps what is known of the shape. It is not yet
/// followed: see `attach`.
func insert(_ edge: EdgePointer) {
  underSurgeryLock {
    let up = edge.pointee.up!
    let down = edge.pointee.down!
    let closed = cyclesClosed(from: up, to: down)
    let leadsBack = !closed.isEmpty && isOrdinaryWay(from: down, to: up, through: closed)
    if leadsBack { surgery.leadsBack(edge) }
    appendToUpstream(edge)
    appendToDownstream(edge)
    if closed.count > 1 { unite(closed) }
    if !leadsBack { order(up, before: down, by: edge) }
    raiseTop(of: down, to: top(of: up))
  }
}

/// The same for an edge to a new node, from which nothing leads away. Like `follow`: who raises the
/// upstream walks its edges afterwards, under the same lock, and so finds this one.
func insertFresh(_ edge: EdgePointer) {
  let up = edge.pointee.up!
  let down = edge.pointee.down!
  up.pointee.acquire()
  liftFresh(down, above: up)
  appendLocked(edge, up)
  up.pointee.release()
  appendToDownstream(edge)
}

// MARK: - Cutting

/// The edge has its cut mark. On a cycle: what it held together falls apart.
func noteCut(_ edge: EdgePointer) {
  let up = edge.pointee.up!
  let down = edge.pointee.down!
  // A link that is being made saw this edge uncut, or is seen here; and only then is looked whether
  // there is a cycle.
  if !isAtWork.load(ordering: .sequentiallyConsistent), !isOnOneCycle(up, down) { return }
  underSurgeryLock {
    guard let component = component(of: up), component == EasyReact.component(of: down) else {
      return
    }
    _ = surgery.forget(edge)
    let opened = shrink(component.takeUnretainedValue(), withoutWayFrom: up, to: down)
    for edge in opened {
      edge.pointee.flags.bitwiseAnd(~EdgeFlags.leadsBack, ordering: .acquiringAndReleasing)
      order(edge.pointee.up!, before: edge.pointee.down!, by: edge)
    }
  }
}

/// A snapshot of the edges that lead back and are not half of a sync: each closed a ring made by
/// hand.
func ringClosers() -> [AnyNode] {
  underSurgeryLock {
    surgery.backEdges.sorted { $0.value < $1.value }.compactMap { edge, _ in
      edge.pointee.has(EdgeFlags.sync | EdgeFlags.cut) ? nil : edge.pointee.up.flatMap(node(of:))
    }
  }
}

// MARK: - Walks

/// The edges of one list, one short look at a time. Under the surgery lock: no edge that was found is
/// freed before its end, and what is in the list at the beginning is found.
struct EdgeWalk: Sequence, IteratorProtocol {
  private let core: CorePointer
  private let list: EdgeListKind
  private var last: EdgePointer?

  init(_ core: CorePointer, _ list: EdgeListKind) { (self.core, self.list) = (core, list) }

  mutating func next() -> EdgePointer? {
    surgery.looks += 1
    core.pointee.acquire()
    defer { core.pointee.release() }
    last = last.map { edgeBehind($0, list) } ?? firstEdge(core, list)
    return last
  }
}

extension Edge {
  /// See `noteCut` for the order.
  borrowing func isUncut() -> Bool {
    flags.load(ordering: .sequentiallyConsistent) & EdgeFlags.cut == 0
  }
  borrowing func isOrdinary() -> Bool {
    flags.load(ordering: .sequentiallyConsistent) & (EdgeFlags.cut | EdgeFlags.leadsBack) == 0
  }
  /// The other node, seen from one whose list this is.
  borrowing func far(_ list: EdgeListKind) -> CorePointer { (list == .ins ? up : down)! }
}

/// One half of a search both ways.
struct Front {
  let list: EdgeListKind
  private(set) var seen: Set<CorePointer>
  private var nodes: [CorePointer], taken = 0
  private var groups: [Set<CorePointer>.Iterator] = []
  private var walk: EdgeWalk?

  /// - Parameter isAlone: Not a component, for which `start` stands.
  init(_ start: CorePointer, _ list: EdgeListKind, isAlone: Bool = true) {
    self.list = list
    seen = [start]
    nodes = isAlone ? [start] : []
  }

  /// The next uncut edge of the nodes seen. Nil: there is none left.
  mutating func next() -> EdgePointer? {
    while true {
      if let edge = walk?.next() {
        if edge.pointee.isUncut() { return edge }
      } else {
        guard let core = nextNode() else {
          walk = nil
          return nil
        }
        walk = EdgeWalk(core, list)
      }
    }
  }

  private mutating func nextNode() -> CorePointer? {
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

  /// True: it is new. Its edges come later, if what lies beyond it is looked for.
  @discardableResult
  mutating func see(_ core: CorePointer, andBeyond isWanted: Bool = true) -> Bool {
    if !seen.insert(core).inserted { return false }
    if isWanted { nodes.append(core) }
    return true
  }

  /// The edges of all these come later.
  mutating func open(_ members: Set<CorePointer>) { groups.append(members.makeIterator()) }
}
