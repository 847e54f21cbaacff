import Testing

@testable import EasyReactInspector

/// What must hold of every drawing; each says in words what is wrong.
enum DrawingRules {
  static func faults(of drawing: Drawing, _ graph: LayoutGraph) -> [String] {
    overlaps(drawing) + badLines(drawing, graph) + coveredLines(drawing, graph)
  }

  private static func overlaps(_ drawing: Drawing) -> [String] {
    var faults: [String] = []
    let byLayer = Dictionary(grouping: drawing.boxes.indices) { drawing.layers[$0] }
    for members in byLayer.values {
      let sorted = members.sorted { drawing.boxes[$0].y < drawing.boxes[$1].y }
      for (a, b) in zip(sorted, sorted.dropFirst()) {
        let (up, low) = (drawing.boxes[a], drawing.boxes[b])
        if low.y - low.height / 2 - (up.y + up.height / 2) < Spacing.betweenNodes - 0.001 {
          faults.append("nodes \(a) and \(b) are too near")
        }
      }
    }
    for (a, one) in drawing.boxes.enumerated()
    where one.x - one.width / 2 < -0.001 || one.y - one.height / 2 < -0.001 {
      faults.append("node \(a) lies outside")
    }
    for (a, one) in drawing.boxes.enumerated()
    where one.x + one.width / 2 > drawing.width + 0.001
      || one.y + one.height / 2 > drawing.height + 0.001
    {
      faults.append("node \(a) lies outside")
    }
    return faults
  }

  private static func badLines(_ drawing: Drawing, _ graph: LayoutGraph) -> [String] {
    guard drawing.lines.count == graph.edges.count else { return ["an edge has no line"] }
    return graph.edges.indices.compactMap { index in
      let edge = graph.edges[index], line = drawing.lines[index]
      let (left, right) = drawing.isReversed[index] ? (edge.to, edge.from) : (edge.from, edge.to)
      let (one, other) = (drawing.boxes[left], drawing.boxes[right])
      guard line.count >= 2, line.count.isMultiple(of: 2) else { return "edge \(index) is no line" }
      guard line.first == .init(x: one.x + one.width / 2, y: one.y) else {
        return "edge \(index) begins elsewhere"
      }
      guard line.last == .init(x: other.x - other.width / 2, y: other.y) else {
        return "edge \(index) ends elsewhere"
      }
      guard zip(line, line.dropFirst()).allSatisfy({ $0.x < $1.x }) else {
        return "edge \(index) turns round"
      }
      let isStraight = stride(from: 1, to: line.count - 1, by: 2).allSatisfy {
        line[$0].y == line[$0 + 1].y
      }
      return isStraight ? nil : "edge \(index) bends in a layer"
    }
  }

  /// The line runs straight past a layer; there no box may be. Between layers there is none.
  private static func coveredLines(_ drawing: Drawing, _ graph: LayoutGraph) -> [String] {
    let byLayer = Dictionary(grouping: drawing.boxes.indices) { drawing.layers[$0] }
    var faults: [String] = []
    for (index, line) in drawing.lines.enumerated() {
      let edge = graph.edges[index]
      let first = min(drawing.layers[edge.from], drawing.layers[edge.to])
      for (step, place) in stride(from: 1, to: line.count - 1, by: 2).enumerated() {
        for node in byLayer[first + 1 + step] ?? [] {
          let box = drawing.boxes[node]
          if abs(box.y - line[place].y) < box.height / 2 {
            faults.append("edge \(index) runs under node \(node)")
          }
          if line[place].x > box.x - box.width / 2 + 0.001
            || line[place + 1].x < box.x + box.width / 2 - 0.001
          {
            faults.append("edge \(index) turns beside node \(node)")
          }
        }
      }
    }
    return faults
  }
}

/// Contract 19: the graph on the page.
@Suite struct DrawingTests {
  @Test(arguments: [(1, 0, 0), (2, 1, 1), (12, 14, 2), (60, 80, 6), (200, 340, 12), (120, 40, 0)])
  func `19 no box overlaps another, every edge has its line, and no line runs under a box`(
    nodes: Int, edges: Int, back: Int
  ) {
    for seed in 1...20 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: nodes, edges: edges, backEdges: back, seed: seed)
      let drawing = Drawing(of: graph)
      #expect(DrawingRules.faults(of: drawing, graph) == [], "seed \(seed)")
    }
  }

  @Test func `19 the same graph gives the same drawing`() {
    for seed in 1...5 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: 90, edges: 140, backEdges: 6, seed: seed)
      let (one, other) = (Drawing(of: graph), Drawing(of: graph))
      #expect(one.boxes == other.boxes && one.lines == other.lines, "seed \(seed)")
    }
  }

  @Test func `19 every edge that does not lead back leads to the right`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: 80, edges: 130, seed: seed)
      let drawing = Drawing(of: graph)
      for (index, edge) in graph.edges.enumerated() {
        #expect(
          drawing.layers[edge.from] < drawing.layers[edge.to] && !drawing.isReversed[index],
          "seed \(seed)")
      }
    }
  }

  @Test func `19 a cycle that no flag tells of is drawn with one edge backwards`() {
    let nodes = (0..<4).map { LayoutGraph.Node(id: "\($0)", width: 60) }
    let graph = LayoutGraph(nodes: nodes, edges: (0..<4).map { .init(from: $0, to: ($0 + 1) % 4) })
    let drawing = Drawing(of: graph)
    #expect(DrawingRules.faults(of: drawing, graph) == [])
    #expect(drawing.isReversed.count { $0 } == 1)
  }

  @Test func `19 edges are as short as can be, and trees are drawn without a crossing`() {
    // A chain of five, and a source that only its last node reads: the source stands right before it.
    let nodes = (0..<6).map { LayoutGraph.Node(id: "\($0)", width: 60) }
    let chain = (0..<4).map { LayoutGraph.Edge(from: $0, to: $0 + 1) }
    let late = Drawing(of: LayoutGraph(nodes: nodes, edges: chain + [.init(from: 5, to: 4)]))
    #expect(late.layers == [0, 1, 2, 3, 4, 3])

    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let nodes = (0..<150).map { LayoutGraph.Node(id: "\($0)", width: 60) }
      let edges = (1..<150).map {
        LayoutGraph.Edge(from: Int.random(in: 0..<$0, using: &random), to: $0)
      }
      #expect(Drawing(of: LayoutGraph(nodes: nodes, edges: edges)).crossings == 0, "seed \(seed)")
    }
  }
}

/// Contract 19: what is on the page stays where it is.
@Suite struct KeepingTests {
  @Test func `19 when a node goes all others stay`() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: 60, edges: 80, backEdges: 3, seed: seed)
      let before = Drawing(of: graph)
      // One without which no other has another layer.
      let removed = graph.nodes.indices.last { !graph.edges.map(\.from).contains($0) }!
      let after = graph.without(removed)
      let drawing = Drawing(of: after, keeping: before)
      #expect(DrawingRules.faults(of: drawing, after) == [], "seed \(seed)")
      let places = after.moved(from: graph, before, drawing)
      #expect(places.isEmpty, "seed \(seed): \(places)")
    }
  }

  @Test func `19 when a node comes all others stay`() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: 60, edges: 80, backEdges: 3, seed: seed)
      let before = Drawing(of: graph)
      var after = graph
      after.nodes.append(.init(id: "new", width: 60))
      let layers = before.layers
      let inner = graph.nodes.indices.filter { layers[$0] < layers.max()! }
      after.edges.append(.init(from: inner[Int(seed) % inner.count], to: 60))
      let drawing = Drawing(of: after, keeping: before)
      #expect(DrawingRules.faults(of: drawing, after) == [], "seed \(seed)")
      let places = after.moved(from: graph, before, drawing)
      #expect(places.isEmpty, "seed \(seed): \(places)")
    }
  }

  /// They stood in the first layer, with lines as long as the graph.
  @Test func `19 what comes, and nothing old leads to it, stands beside what follows it`() {
    var graph = LayoutGraph(
      nodes: (0..<8).map { .init(id: "\($0)", width: 60) },
      edges: (1..<8).map { .init(from: $0 - 1, to: $0) })
    let before = Drawing(of: graph)
    graph.nodes += ["source", "map", "rest", "end"].map { .init(id: $0, width: 60) }
    graph.edges += [
      .init(from: 8, to: 9), .init(from: 9, to: 7), .init(from: 8, to: 10), .init(from: 10, to: 11),
      .init(from: 4, to: 10),
    ]
    let drawing = Drawing(of: graph, keeping: before)
    #expect(drawing.layers == [0, 1, 2, 3, 4, 5, 6, 7, 4, 6, 5, 6])
    #expect(DrawingRules.faults(of: drawing, graph) == [])
  }

  @Test func `19 whatever changes, a drawing that keeps places has no fault`() {
    for seed in 1...30 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var graph = RandomGraphs.graph(nodes: 40, edges: 55, backEdges: 4, seed: seed)
      var drawing = Drawing(of: graph)
      for step in 0..<20 {
        graph = graph.changed(step, &random)
        drawing = Drawing(of: graph, keeping: drawing)
        #expect(DrawingRules.faults(of: drawing, graph) == [], "seed \(seed), step \(step)")
      }
    }
  }

  @Test func `19 a tangle that came about bit by bit is drawn anew`() {
    let count = 40
    let nodes = (0..<2 * count).map { LayoutGraph.Node(id: "\($0)", width: 60) }
    let straight = (0..<count).map { LayoutGraph.Edge(from: $0, to: $0 + count) }
    let turned = (0..<count).map { LayoutGraph.Edge(from: $0, to: 2 * count - 1 - $0) }
    let before = Drawing(of: LayoutGraph(nodes: nodes, edges: straight))
    let after = Drawing(of: LayoutGraph(nodes: nodes, edges: turned), keeping: before)
    #expect(before.crossings == 0)
    #expect(after.crossings == 0)
  }
}

extension LayoutGraph {
  fileprivate func without(_ removed: Int) -> LayoutGraph {
    var graph = self
    graph.nodes.remove(at: removed)
    graph.edges = edges.filter { $0.from != removed && $0.to != removed }.map {
      var edge = $0
      edge.from -= edge.from > removed ? 1 : 0
      edge.to -= edge.to > removed ? 1 : 0
      return edge
    }
    return graph
  }

  /// A node more, an edge more, or a node less.
  fileprivate func changed(_ step: Int, _ random: inout SeededGenerator) -> LayoutGraph {
    var graph = self
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return without(Int.random(in: nodes.indices, using: &random))
    case 1: graph.nodes.append(Node(id: "new \(step)", width: 90))
    default: break
    }
    let from = Int.random(in: nodes.indices, using: &random),
      to = Int.random(in: graph.nodes.indices, using: &random)
    if from != to, !edges.contains(where: { $0.from == from && $0.to == to }) {
      graph.edges.append(Edge(from: from, to: to))
    }
    return graph
  }

  /// The nodes of both graphs that stand elsewhere though their layer is the same.
  fileprivate func moved(from old: LayoutGraph, _ before: Drawing, _ after: Drawing) -> [String] {
    // The whole may have moved as one, when what was uppermost went.
    let common = nodes.indices.compactMap { index in
      old.nodes.firstIndex { $0.id == nodes[index].id }.map { (old: $0, new: index) }
    }
    let shift = common.first.map { after.boxes[$0.new].y - before.boxes[$0.old].y } ?? 0
    return common.filter { pair in
      let (one, other) = (before.boxes[pair.old], after.boxes[pair.new])
      let isMoved = abs(one.y + shift - other.y) > 0.001 || one.x != other.x
      return isMoved && before.layers[pair.old] == after.layers[pair.new]
    }.map { nodes[$0.new].id }
  }
}
