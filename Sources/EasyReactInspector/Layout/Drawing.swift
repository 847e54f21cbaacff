/// Where everything of a graph is drawn, from left to right: a layered drawing.
///
/// No two boxes overlap, and no line passes under a box: between layers lines change their height, and
/// past a layer they run straight, at a height of their own. The same graph gives the same drawing; one
/// that is made from an earlier one keeps its places (``init(of:keeping:)``).
///
/// - Complexity: In practice O(v log v) with v vertices, bends included: the searches for short edges and for few
///   crossings have budgets. `Tests/LayoutBenchmark` measures it, and counts crossings beside Graphviz's.
struct Drawing: Sendable {
  struct Point: Hashable, Sendable { var x: Double, y: Double }
  /// By its middle.
  struct Box: Hashable, Sendable { var x: Double, y: Double, width: Double, height: Double }
  /// Of nodes, by their index.
  private(set) var boxes: [Box] = []
  /// Of edges, by their index: from the start's right side to the end's left side, or the other way round
  /// for an edge that is drawn backwards. Between the points of an even and an odd index the line changes its height; from
  /// the odd one to the next it runs straight past a layer.
  private(set) var lines: [[Point]] = []
  /// Of edges: is the line drawn from the edge's end to its start?
  private(set) var isReversed: [Bool] = []
  private(set) var layers: [Int] = []
  private(set) var width = 0.0
  private(set) var height = 0.0
  /// How many pieces of lines cross.
  private(set) var crossings = 0
  /// For the next drawing.
  private(set) var memory = Memory()

  /// What a later drawing of the changed graph needs.
  struct Memory: Sendable {
    struct BendKey: Hashable, Sendable {
      var from: String, to: String
      var layer: Int
    }
    var nodes: [String: (layer: Int, y: Double)] = [:]
    var bends: [BendKey: Double] = [:]
    var columnWidths: [Double] = []
    /// Of the last drawing that was made from nothing.
    var freshCrossings = 0
  }

  /// Code that is not optimised takes twenty times as long for the same, and a page should not wait.
  private static var usualEffort: Double { _isDebugAssertConfiguration() ? 0.1 : 1 }

  /// A new drawing that remembers nothing.
  ///
  /// - Parameter effort: How long fewer crossings are searched for; 1: as optimised code does.
  init(of graph: LayoutGraph, effort: Double? = nil) {
    var canvas = Canvas(graph)
    canvas.drawAnew(effort: effort ?? Self.usualEffort)
    finish(canvas, graph, keeping: nil)
    memory.freshCrossings = crossings
  }

  /// A drawing in which everything that was in `previous` stands where it stood; what is new stands in the
  /// free places nearest to its neighbours. Something moves to the side only if it comes to stand in
  /// another layer, or a layer needs more width. When that has made a tangle, it is drawn anew.
  init(of graph: LayoutGraph, keeping previous: Drawing) {
    var canvas = Canvas(graph, keeping: previous.memory)
    canvas.draw(keeping: previous.memory)
    finish(canvas, graph, keeping: previous.memory)
    if crossings > 2 * previous.memory.freshCrossings + 10 + graph.edges.count / 20 {
      self = Drawing(of: graph)
    } else {
      memory.freshCrossings = previous.memory.freshCrossings
    }
  }

  private mutating func finish(_ canvas: Canvas, _ graph: LayoutGraph, keeping old: Memory?) {
    let bent = canvas.bent
    layers = Array(bent.layer.prefix(graph.nodes.count))
    isReversed = canvas.layering.isReversed
    let columns = Columns(graph, layers: layers, count: bent.layerCount, atLeast: old?.columnWidths)
    let top = canvas.top
    boxes = graph.nodes.indices.map {
      Box(
        x: columns.middle[layers[$0]], y: canvas.y[$0] - top, width: graph.nodes[$0].width,
        height: graph.nodes[$0].height)
    }
    lines = bent.chains.map { line($0, canvas, columns, top: top) }
    width = columns.total
    height = canvas.bottom - top
    crossings = canvas.countCrossings()
    remember(canvas, graph, columns)
  }

  private func line(_ chain: [Int], _ canvas: Canvas, _ columns: Columns, top: Double) -> [Point] {
    var points: [Point] = []
    for (place, vertex) in chain.enumerated() {
      let y = canvas.y[vertex] - top
      if place > 0 {
        let half =
          canvas.bent.isBend(vertex)
          ? columns.half(canvas.bent.layer[vertex]) : boxes[vertex].width / 2
        points.append(Point(x: columns.middle[canvas.bent.layer[vertex]] - half, y: y))
      }
      if place < chain.count - 1 {
        let half =
          canvas.bent.isBend(vertex)
          ? columns.half(canvas.bent.layer[vertex]) : boxes[vertex].width / 2
        points.append(Point(x: columns.middle[canvas.bent.layer[vertex]] + half, y: y))
      }
    }
    return points
  }

  /// Heights are remembered as they are on the canvas: `top` moves when something comes above all others.
  private mutating func remember(_ canvas: Canvas, _ graph: LayoutGraph, _ columns: Columns) {
    memory.columnWidths = columns.widths
    for (index, node) in graph.nodes.enumerated() {
      memory.nodes[node.id] = (layers[index], canvas.y[index])
    }
    for (index, chain) in canvas.bent.chains.enumerated() where chain.count > 2 {
      for vertex in chain.dropFirst().dropLast() {
        memory.bends[canvas.key(ofEdge: index, layer: canvas.bent.layer[vertex])] = canvas.y[vertex]
      }
    }
  }
}

/// Where the layers stand.
private struct Columns {
  private(set) var widths: [Double]
  private(set) var middle: [Double] = []
  private(set) var total = 0.0

  init(_ graph: LayoutGraph, layers: [Int], count: Int, atLeast old: [Double]?) {
    widths = Array(repeating: Spacing.widthStep, count: count)
    for (index, width) in (old ?? []).prefix(count).enumerated() { widths[index] = width }
    for (node, layer) in zip(graph.nodes, layers) {
      let steps = Int(node.width / Spacing.widthStep) + 1
      widths[layer] = max(widths[layer], Double(steps) * Spacing.widthStep)
    }
    for width in widths {
      middle.append(total + width / 2)
      total += width + Spacing.betweenLayers
    }
    total = max(0, total - Spacing.betweenLayers)
  }

  func half(_ layer: Int) -> Double { widths[layer] / 2 }
}
