/// A drawing in the making: the heights of all vertices.
struct Canvas {
  private let graph: LayoutGraph
  let layering: Layering
  let bent: BentGraph
  private let heights: [Double]
  private(set) var y: [Double]

  init(_ graph: LayoutGraph, keeping memory: Drawing.Memory? = nil) {
    self.graph = graph
    layering =
      memory.map { memory in Layering(graph) { memory.nodes[$0]?.layer } } ?? Layering(graph)
    bent = BentGraph(graph, layering)
    heights = bent.layer.indices.map { $0 < graph.nodes.count ? graph.nodes[$0].height : 0 }
    y = Array(repeating: 0, count: bent.layer.count)
  }

  var top: Double { y.indices.map { y[$0] - heights[$0] / 2 }.min() ?? 0 }
  var bottom: Double { y.indices.map { y[$0] + heights[$0] / 2 }.max() ?? 0 }

  func key(ofEdge index: Int, layer: Int) -> Drawing.Memory.BendKey {
    let edge = graph.edges[index]
    return .init(from: graph.nodes[edge.from].id, to: graph.nodes[edge.to].id, layer: layer)
  }

  // MARK: - From nothing

  /// - Parameter effort: Of the search for an order, to the usual one of optimised code.
  mutating func drawAnew(effort: Double) {
    // Up to 30 ms for a small graph, less than 100 ms in all for one of a thousand nodes, half a second for one of ten
    // thousand (`Benchmarks`: growth, crossings); more where edges are long, for each has a bend in each layer.
    let budget = Int(effort * Double(3_000_000 + 3_500 * bent.layer.count))
    let size = bent.layer.count + bent.down.far.count
    var next = 0.0
    for members in bent.components {
      let order = OrderSearch(
        bent, members: members, budget: budget * members.count / bent.layer.count)
      Placement.place(
        order.layers, of: bent, heights: heights, sweeps: size < 100_000 ? 16 : 6, into: &y)
      next = move(members, below: next) + Spacing.betweenComponents
    }
    var rows: [Int: Double] = [:]
    for node in layering.isolated {
      let row = rows[bent.layer[node], default: next]
      y[node] = row + heights[node] / 2
      rows[bent.layer[node]] = row + heights[node] + Spacing.betweenNodes
    }
  }

  /// Puts the uppermost of `members` to `height`, and says how far down they reach.
  private mutating func move(_ members: [Int], below height: Double) -> Double {
    let top = members.map { y[$0] - heights[$0] / 2 }.min()!
    for vertex in members { y[vertex] += height - top }
    return members.map { y[$0] + heights[$0] / 2 }.max()!
  }

  // MARK: - With what was there

  /// What is new goes into free places, layer by layer, near what is placed already.
  mutating func draw(keeping memory: Drawing.Memory) {
    var isPlaced = Array(repeating: false, count: y.count)
    var wish: [Int: Double] = [:]
    for (index, node) in graph.nodes.enumerated() {
      guard let old = memory.nodes[node.id] else { continue }
      if old.layer == bent.layer[index] {
        (y[index], isPlaced[index]) = (old.y, true)
      } else {
        wish[index] = old.y
      }
    }
    for (index, chain) in bent.chains.enumerated() {
      for vertex in chain.dropFirst().dropLast() {
        guard let old = memory.bends[key(ofEdge: index, layer: bent.layer[vertex])] else {
          continue
        }
        (y[vertex], isPlaced[vertex]) = (old, true)
      }
    }
    let below = y.indices.filter { isPlaced[$0] }.map { y[$0] + heights[$0] / 2 }.max() ?? 0
    var columns = Array(repeating: [Int](), count: bent.layerCount)
    for vertex in y.indices where isPlaced[vertex] { columns[bent.layer[vertex]].append(vertex) }
    for layer in columns.indices { columns[layer].sort { y[$0] < y[$1] } }
    for vertex in unplaced(isPlaced) {
      let wanted =
        wish[vertex] ?? meanOfNeighbours(vertex, isPlaced)
        ?? below + Spacing.betweenComponents + heights[vertex] / 2
      insert(vertex, near: wanted, into: &columns[bent.layer[vertex]])
      isPlaced[vertex] = true
    }
  }

  /// Nodes before bends, both by layer.
  private func unplaced(_ isPlaced: [Bool]) -> [Int] {
    y.indices.filter { !isPlaced[$0] }.sorted {
      (bent.isBend($0) ? 1 : 0, bent.layer[$0], $0) < (bent.isBend($1) ? 1 : 0, bent.layer[$1], $1)
    }
  }

  private func meanOfNeighbours(_ vertex: Int, _ isPlaced: [Bool]) -> Double? {
    let near = (bent.up.far[bent.up.slots(vertex)] + bent.down.far[bent.down.slots(vertex)])
      .filter { isPlaced[$0] }
    return near.isEmpty ? nil : near.reduce(0) { $0 + y[$1] } / Double(near.count)
  }

  /// Into the gap of a column where it fits nearest to `wanted`.
  private mutating func insert(_ vertex: Int, near wanted: Double, into column: inout [Int]) {
    var best: (distance: Double, y: Double, index: Int)?
    for index in 0...column.count {
      let least =
        index == 0
        ? -Double.infinity
        : y[column[index - 1]] + Placement.distance(column[index - 1], vertex, in: bent, heights)
      let most =
        index == column.count
        ? Double.infinity
        : y[column[index]] - Placement.distance(vertex, column[index], in: bent, heights)
      guard least <= most else { continue }
      let place = min(max(wanted, least), most)
      if best.map({ abs(place - wanted) < $0.distance }) ?? true {
        best = (abs(place - wanted), place, index)
      }
    }
    y[vertex] = best!.y
    column.insert(vertex, at: best!.index)
  }

  // MARK: - Judging

  func countCrossings() -> Int {
    var columns = Array(repeating: [Int](), count: bent.layerCount)
    for vertex in y.indices { columns[bent.layer[vertex]].append(vertex) }
    var position = y.map { _ in 0 }
    for layer in columns.indices {
      columns[layer].sort { y[$0] < y[$1] }
      for (index, vertex) in columns[layer].enumerated() { position[vertex] = index }
    }
    return columns.indices.dropLast().reduce(0) {
      $0 + Crossings.between(columns[$1], width: columns[$1 + 1].count, bent.down, position)
    }
  }
}
