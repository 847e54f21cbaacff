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

  /// - Parameter effort: Of the search for an order, relative to the usual one of optimised code.
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

  /// Puts the uppermost of `members` at `height`, and says how far down they reach.
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

  /// Into the gap of a column where it fits nearest to `wanted`: looked for from there both ways, until no gap can be nearer.
  private mutating func insert(_ vertex: Int, near wanted: Double, into column: inout [Int]) {
    let start = column.firstIndexOfSorted { y[$0] >= wanted }
    var best = (distance: Double.infinity, y: wanted, index: start)
    func look(_ index: Int) {
      guard let place = place(vertex, near: wanted, in: column, at: index) else { return }
      let distance = abs(place - wanted)
      if distance < best.distance || distance == best.distance && index < best.index {
        best = (distance, place, index)
      }
    }
    for index in start...column.count {
      if index > start, y[column[index - 1]] - wanted > best.distance { break }
      look(index)
    }
    for index in (0..<start).reversed() {
      if wanted - y[column[index]] > best.distance { break }
      look(index)
    }
    y[vertex] = best.y
    column.insert(vertex, at: best.index)
  }

  /// Where in the gap before that place of the column; nil: it does not fit.
  private func place(_ vertex: Int, near wanted: Double, in column: [Int], at index: Int) -> Double?
  {
    let least =
      index == 0
      ? -Double.infinity
      : y[column[index - 1]] + Placement.distance(column[index - 1], vertex, in: bent, heights)
    let most =
      index == column.count
      ? Double.infinity
      : y[column[index]] - Placement.distance(vertex, column[index], in: bent, heights)
    return least <= most ? min(max(wanted, least), most) : nil
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

extension Array {
  /// For elements of which those that are meant come last: the first of those.
  fileprivate func firstIndexOfSorted(where isMeant: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isMeant(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
