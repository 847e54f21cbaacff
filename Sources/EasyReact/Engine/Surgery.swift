import CEasyReact
import Synchronization

// Changes of the graph's shape: which edges lead back, and ranks.
//
// Links between nodes that exist already are made one at a time in the whole process, under the
// surgery lock, so two threads cannot close one cycle from both sides. No user code runs under it.
// Deriving a new node needs none of this: nothing leads from it to anywhere yet.

/// The edges that do not lead back form a graph without cycles; `rank` rises along each of them.
/// Edges and cores are addresses of blocks that are taken out of here before they are freed.
private struct Surgery {
  /// Edges that lead back, with the order in which they were linked.
  var backEdges: [EdgePointer: UInt64] = [:]
  var links: UInt64 = 0
  /// Strongly connected components, by need; emptied whenever the shape changes. A number is never
  /// used twice.
  var components: [CorePointer: Int] = [:]
  var componentNumber = 0
}

/// Touched under the surgery lock only.
nonisolated(unsafe) private var surgery = Surgery()

private func underSurgeryLock<Result>(_ body: (inout Surgery) -> Result) -> Result {
  easyreact_surgery_lock()
  _ = isAtWork.exchange(true, ordering: .sequentiallyConsistent)
  defer {
    isAtWork.store(false, ordering: .releasing)
    easyreact_surgery_unlock()
  }
  return body(&surgery)
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

/// How many edges lead back. Without any, cutting needs no search.
private let backEdgeCount = Atomic<Int>(0)
private let componentCount = Atomic<Int>(0)

// MARK: - Linking

/// Puts an edge between two nodes in their lists, and keeps ranks. It is not yet followed: see
/// `attach`.
func insert(_ edge: EdgePointer) {
  underSurgeryLock { state in
    let up = edge.pointee.up!
    let down = edge.pointee.down!
    state.links += 1
    if reaches(down, up) {
      _ = edge.pointee.flags.bitwiseOr(EdgeFlags.leadsBack, ordering: .acquiringAndReleasing)
      state.backEdges[edge] = state.links
      backEdgeCount.wrappingAdd(1, ordering: .relaxed)
    }
    appendToUpstream(edge)
    appendToDownstream(edge)
    if !edge.pointee.has(EdgeFlags.leadsBack) { order(up, before: down, by: edge) }
    // No cycle runs over the new edge if nothing leads to its start, or nothing away from its end.
    if !state.components.isEmpty, up.pointee.firstIn.load(ordering: .relaxed) != nil,
      down.pointee.firstOut.load(ordering: .relaxed) != nil
    {
      clearComponents(&state)
    }
  }
}

/// The same for an edge to a new node, from which nothing leads away.
func insertFresh(_ edge: EdgePointer) {
  underSurgeryLock { state in
    state.links += 1
    appendToUpstream(edge)
    appendToDownstream(edge)
    raiseRank(of: edge.pointee.down!, above: edge.pointee.up!.pointee.rank.load(ordering: .relaxed))
  }
}

/// Is there a way from `start` to `goal` over edges that do not lead back? Ranks rise along those,
/// so only nodes below the goal's rank are looked at; for most links that is none.
private func reaches(_ start: CorePointer, _ goal: CorePointer) -> Bool {
  if start == goal { return true }
  if goal.pointee.firstIn.load(ordering: .relaxed) == nil { return false }
  let limit = goal.pointee.rank.load(ordering: .relaxed)
  if start.pointee.rank.load(ordering: .relaxed) >= limit { return false }
  var seen: Set<CorePointer> = [start]
  var todo = [start]
  while let core = todo.popLast() {
    var isFound = false
    forEachEdge(core, .outs) { edge in
      let flags = edge.pointee.flags.load(ordering: .sequentiallyConsistent)  // see `noteCut`
      if flags & (EdgeFlags.cut | EdgeFlags.leadsBack) != 0 { return }
      let down = edge.pointee.down!
      if down == goal { isFound = true }
      if down.pointee.rank.load(ordering: .relaxed) < limit, seen.insert(down).inserted {
        todo.append(down)
      }
    }
    if isFound { return true }
  }
  return false
}

/// Makes the ranks rise along an edge that does not lead back. A node that nothing ordinary leads
/// to goes below, instead of raising all that follows: so a chain is built from its end in linear
/// time too.
private func order(_ up: CorePointer, before down: CorePointer, by edge: EdgePointer) {
  let rank = down.pointee.rank.load(ordering: .relaxed)
  if rank > up.pointee.rank.load(ordering: .relaxed) { return }
  if hasOrdinaryEdge(down, .outs, except: edge), !hasOrdinaryEdge(up, .ins, except: edge) {
    up.pointee.rank.store(rank - 1, ordering: .relaxed)
  } else {
    raiseRank(of: down, above: up.pointee.rank.load(ordering: .relaxed))
  }
}

private func hasOrdinaryEdge(
  _ core: CorePointer, _ list: EdgeListKind, except edge: EdgePointer
) -> Bool {
  var isFound = false
  forEachEdge(core, list) {
    if $0 != edge, !$0.pointee.has(EdgeFlags.cut | EdgeFlags.leadsBack) { isFound = true }
  }
  return isFound
}

private func raiseRank(of core: CorePointer, above rank: Int32) {
  var todo = [(core, rank + 1)]
  while let (core, rank) = todo.popLast() {
    if rank <= core.pointee.rank.load(ordering: .relaxed) { continue }
    core.pointee.rank.store(rank, ordering: .relaxed)
    forEachEdge(core, .outs) { edge in
      if !edge.pointee.has(EdgeFlags.cut | EdgeFlags.leadsBack) {
        todo.append((edge.pointee.down!, rank + 1))
      }
    }
  }
}

// MARK: - Cutting

/// The edge has its cut mark. Edges that led back become ordinary where their cycle is open now.
func noteCut(_ edge: EdgePointer) {
  // A link that is being made saw this edge uncut, or is seen here; and only then is the number
  // looked at.
  if !isAtWork.load(ordering: .sequentiallyConsistent),
    backEdgeCount.load(ordering: .acquiring) == 0
  {
    return
  }
  underSurgeryLock { state in
    if state.backEdges.isEmpty { return }
    if state.backEdges.removeValue(forKey: edge) != nil {
      backEdgeCount.wrappingSubtract(1, ordering: .relaxed)
      if !state.components.isEmpty { clearComponents(&state) }
      return  // no ordinary way ran over it
    }
    let down = edge.pointee.down!
    if down.pointee.firstOut.load(ordering: .relaxed) == nil { return }  // lies on no cycle
    if !state.components.isEmpty { clearComponents(&state) }
    // Only a cycle that ran over the cut edge can have opened: its last edge starts below and ends
    // above.
    for (candidate, _) in backEdges(above: edge.pointee.up!, orBelow: down, in: state) {
      let start = candidate.pointee.up!
      let end = candidate.pointee.down!
      if reaches(end, start) { continue }
      _ = candidate.pointee.flags.bitwiseAnd(
        ~EdgeFlags.leadsBack, ordering: .acquiringAndReleasing)
      state.backEdges[candidate] = nil
      backEdgeCount.wrappingSubtract(1, ordering: .relaxed)
      order(start, before: end, by: candidate)
    }
  }
}

/// Those that end above, or those that start below, whichever are found with less work; in the
/// order in which they were linked. Both ways are searched in turn until one of them is at its end:
/// a long chain that is freed from its start or from its end looks at a few nodes a cut.
private func backEdges(
  above top: CorePointer, orBelow bottom: CorePointer, in state: Surgery
) -> [(EdgePointer, UInt64)] {
  var above = Search(top, .ins)
  var below = Search(bottom, .outs)
  while true {
    if !above.step(state) { return above.found.sorted { $0.1 < $1.1 } }
    if !below.step(state) { return below.found.sorted { $0.1 < $1.1 } }
  }
}

/// A search one way over ordinary edges, which notes the edges that lead back on its border.
private struct Search {
  private let list: EdgeListKind
  private var seen: Set<CorePointer>
  private var todo: [CorePointer]
  private(set) var found: [(EdgePointer, UInt64)] = []

  init(_ start: CorePointer, _ list: EdgeListKind) {
    self.list = list
    seen = [start]
    todo = [start]
  }

  /// Looks at one node. False: there is none left.
  mutating func step(_ state: Surgery) -> Bool {
    guard let core = todo.popLast() else { return false }
    // An edge that is not cut keeps its far node's block: whoever cuts it waits for the surgery
    // lock.
    for edge in edges(core, list) {
      if let order = state.backEdges[edge] {
        found.append((edge, order))
        continue
      }
      let far = list == .ins ? edge.pointee.up! : edge.pointee.down!
      if seen.insert(far).inserted { todo.append(far) }
    }
    return true
  }
}

// MARK: - Cycles

/// Does the edge's end reach its start, over any edges? Asked only for a wave that was led back.
func liesOnCycle(_ edge: EdgePointer) -> Bool {
  underSurgeryLock { state in
    let up = edge.pointee.up!
    let down = edge.pointee.down!
    if state.components[up] == nil { findComponents(from: up, &state) }
    return state.components[up] == state.components[down]
  }
}

private func clearComponents(_ state: inout Surgery) {
  state.components.removeAll(keepingCapacity: true)
  componentCount.store(0, ordering: .relaxed)
}

/// Tarjan's algorithm with a stack of its own: R. Tarjan, Depth-first search and linear graph
/// algorithms (1972).
private func findComponents(from root: CorePointer, _ state: inout Surgery) {
  struct Frame {
    let core: CorePointer
    let downs: [CorePointer]
    var next = 0
  }
  var index: [CorePointer: Int] = [:]
  var low: [CorePointer: Int] = [:]
  var open: [CorePointer] = []
  var frames: [Frame] = []
  func visit(_ core: CorePointer) {
    index[core] = index.count
    low[core] = index[core]
    open.append(core)
    frames.append(Frame(core: core, downs: edges(core, .outs).map { $0.pointee.down! }))
  }
  visit(root)
  while let frame = frames.last {
    if frame.next < frame.downs.count {
      frames[frames.count - 1].next += 1
      let down = frame.downs[frame.next]
      if state.components[down] != nil { continue }
      if let seen = index[down] {
        low[frame.core] = min(low[frame.core]!, seen)
      } else {
        visit(down)
      }
      continue
    }
    frames.removeLast()
    if let below = frames.last { low[below.core] = min(low[below.core]!, low[frame.core]!) }
    if low[frame.core] == index[frame.core] {
      state.componentNumber += 1
      while let member = open.popLast() {
        state.components[member] = state.componentNumber
        if member == frame.core { break }
      }
    }
  }
  componentCount.store(state.components.count, ordering: .relaxed)
}

/// Before the block of a core is freed.
func forgetCycle(of core: CorePointer) {
  if componentCount.load(ordering: .relaxed) == 0 { return }
  underSurgeryLock { state in state.components[core] = nil }
}

/// A snapshot of the edges that lead back and are not half of a sync: each closed a ring made by
/// hand.
func ringClosers() -> [AnyNode] {
  underSurgeryLock { state in
    state.backEdges.sorted { $0.value < $1.value }.compactMap { edge, _ in
      edge.pointee.has(EdgeFlags.sync | EdgeFlags.cut) ? nil : edge.pointee.up.flatMap(node(of:))
    }
  }
}
