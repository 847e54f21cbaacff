/// In which layer each node stands, and which edges are drawn against their direction.
///
/// Every edge leads, in the direction in which it is drawn, to a later layer. To begin with the layer is the length of
/// the longest way to a node over edges that do not lead back: its rank, without the holes that cut edges leave. Then
/// the edges are shortened (``NetworkSimplex``), which halves the bends and the crossings of a usual graph.
///
/// The graph tells which edges lead back. What else goes round, a folded group that is upstream and
/// downstream of another, or a picture taken while other threads changed the graph, is cut open by a
/// walk in depth (Gansner and others, A Technique for Drawing Directed Graphs, 1993, section 2.1).
struct Layering {
  private(set) var layer: [Int]
  /// Of each edge: is it drawn from its end to its start?
  private(set) var isReversed: [Bool]
  /// Nodes without an edge; they fill the layers evenly.
  private(set) var isolated: [Int] = []
  /// The edges as they are drawn, by their start and by their end.
  private var out = Adjacency(0, [])
  private var into = Adjacency(0, [])

  init(_ graph: LayoutGraph) {
    layer = Array(repeating: 0, count: graph.nodes.count)
    isReversed = graph.edges.map(\.isBackEdge)
    cutCycles(graph)
    for node in topologicalOrder(graph) { layer[node] = earliest(node) }
    shorten(graph)
    findIsolated(graph)
    let columns = max((layer.max() ?? 0) + 1, min(8, isolated.count))
    for (number, node) in isolated.enumerated() { layer[node] = number % columns }
  }

  /// Each node that had a layer keeps it, unless one that leads to it stands there or later; a new one stands next to
  /// those that lead to it; where these are all new too, next to those that follow it.
  init(_ graph: LayoutGraph, keeping old: (String) -> Int?) {
    layer = Array(repeating: 0, count: graph.nodes.count)
    isReversed = graph.edges.map(\.isBackEdge)
    cutCycles(graph)
    let kept = graph.nodes.map { old($0.id) }
    let order = topologicalOrder(graph)
    var isBelowKept = kept.map { $0 != nil }
    for node in order {
      layer[node] = max(kept[node] ?? 0, earliest(node))
      if into.far[into.slots(node)].contains(where: { isBelowKept[$0] }) {
        isBelowKept[node] = true
      }
    }
    // What nothing holds from above goes up to what follows it.
    for node in order.reversed() where !isBelowKept[node] {
      if let next = out.far[out.slots(node)].map({ layer[$0] }).min() { layer[node] = next - 1 }
    }
    findIsolated(graph)
  }

  private func earliest(_ node: Int) -> Int {
    into.far[into.slots(node)].reduce(0) { max($0, layer[$1] + 1) }
  }

  /// The ends of an edge as it is drawn.
  func ends(_ index: Int, of graph: LayoutGraph) -> (from: Int, to: Int) {
    let edge = graph.edges[index]
    return isReversed[index] ? (edge.to, edge.from) : (edge.from, edge.to)
  }

  private mutating func cutCycles(_ graph: LayoutGraph) {
    enum Mark { case new, open, closed }
    let out = Adjacency(graph.nodes.count, graph.edges.indices.map { ends($0, of: graph) })
    var marks = Array(repeating: Mark.new, count: graph.nodes.count)
    var hasUpstream = Array(repeating: false, count: graph.nodes.count)
    for edge in graph.edges.indices { hasUpstream[ends(edge, of: graph).to] = true }
    let starts = graph.nodes.indices.filter { !hasUpstream[$0] } + graph.nodes.indices
    for start in starts where marks[start] == .new {
      var path = [(node: start, next: out.slots(start).lowerBound)]
      marks[start] = .open
      while let (node, next) = path.last {
        guard next < out.slots(node).upperBound else {
          marks[node] = .closed
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let (edge, far) = (out.edge[next], out.far[next])
        switch marks[far] {
        case .new:
          marks[far] = .open
          path.append((far, out.slots(far).lowerBound))
        case .open: isReversed[edge].toggle()
        case .closed: break
        }
      }
    }
  }

  /// Each node after all that lead to it.
  private mutating func topologicalOrder(_ graph: LayoutGraph) -> [Int] {
    let ends = graph.edges.indices.map { self.ends($0, of: graph) }
    out = Adjacency(graph.nodes.count, ends)
    into = Adjacency(graph.nodes.count, ends.map { ($0.to, $0.from) })
    var missing = graph.nodes.indices.map { into.slots($0).count }
    var ready = graph.nodes.indices.filter { missing[$0] == 0 }
    var taken = 0
    while taken < ready.count {
      for far in out.far[out.slots(ready[taken])] {
        missing[far] -= 1
        if missing[far] == 0 { ready.append(far) }
      }
      taken += 1
    }
    return ready
  }

  /// Shortens the edges, one component at a time.
  private mutating func shorten(_ graph: LayoutGraph) {
    let ends = graph.edges.indices.map { self.ends($0, of: graph) }
    let near = Adjacency(graph.nodes.count, ends + ends.map { ($0.to, $0.from) })
    var local = Array(repeating: -1, count: graph.nodes.count)
    for start in graph.nodes.indices where local[start] < 0 && !near.slots(start).isEmpty {
      var members = [start], taken = 0
      var edges: [(from: Int, to: Int)] = []
      local[start] = 0
      while taken < members.count {
        let node = members[taken]
        taken += 1
        for slot in near.slots(node) where local[near.far[slot]] < 0 {
          local[near.far[slot]] = members.count
          members.append(near.far[slot])
        }
      }
      for node in members {
        for slot in near.slots(node) where near.edge[slot] < ends.count {
          edges.append((local[node], local[near.far[slot]]))
        }
      }
      var simplex = NetworkSimplex(
        nodes: members.count, edges: edges, layer: members.map { layer[$0] })
      simplex.run(rounds: max(200, 40_000_000 / (members.count + edges.count)))
      let first = simplex.layer.min()!
      for (index, node) in members.enumerated() { layer[node] = simplex.layer[index] - first }
    }
  }

  private mutating func findIsolated(_ graph: LayoutGraph) {
    isolated = graph.nodes.indices.filter { out.slots($0).isEmpty && into.slots($0).isEmpty }
  }
}

/// The edges that leave each node, as two flat lists.
struct Adjacency {
  private(set) var far: [Int]
  private(set) var edge: [Int]
  private var first: [Int]

  init(_ count: Int, _ ends: [(from: Int, to: Int)]) {
    first = Array(repeating: 0, count: count + 1)
    for (from, _) in ends { first[from + 1] += 1 }
    for node in 0..<count { first[node + 1] += first[node] }
    var next = first
    far = Array(repeating: 0, count: ends.count)
    edge = far
    for (index, (from, to)) in ends.enumerated() {
      far[next[from]] = to
      edge[next[from]] = index
      next[from] += 1
    }
  }

  /// Where the edges of a node stand in `far` and `edge`, in the order in which they were given.
  func slots(_ node: Int) -> Range<Int> { first[node]..<first[node + 1] }
}
