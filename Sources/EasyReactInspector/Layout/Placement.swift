/// Heights of the vertices of one component: each near the mean of its neighbours, in the order of its
/// layer, none too near another.
///
/// A layer whose neighbours stand still is an isotonic regression: the nearest heights, by least squares,
/// that keep order and distances; pooling adjacent violators finds them in linear time (Ayer and others,
/// 1955). Sweeps down and up repeat it.
struct Placement {
  private let graph: BentGraph
  private let heights: [Double]
  private let layers: [[Int]]

  /// - Parameter y: The heights of all vertices; those of the layers are set.
  static func place(
    _ layers: [[Int]], of graph: BentGraph, heights: [Double], sweeps: Int, into y: inout [Double]
  ) {
    let placement = Placement(graph: graph, heights: heights, layers: layers)
    for layer in layers { placement.pack(layer, &y) }
    for sweep in 0..<sweeps {
      let isDown = sweep.isMultiple(of: 2)
      for index in isDown ? Array(layers.indices) : layers.indices.reversed() {
        // At the end both sides count, so that nothing leans to one of them.
        let isLast = sweep >= sweeps - 2
        placement.settle(layers[index], up: isDown || isLast, down: !isDown || isLast, &y)
      }
    }
  }

  /// What must lie between the middles of two vertices that stand next to each other.
  static func distance(_ a: Int, _ b: Int, in graph: BentGraph, _ heights: [Double]) -> Double {
    let gap = graph.isBend(a) || graph.isBend(b) ? Spacing.besideBend : Spacing.betweenNodes
    return (heights[a] + heights[b]) / 2 + gap
  }

  private func pack(_ layer: [Int], _ y: inout [Double]) {
    var last: Int?
    for vertex in layer {
      y[vertex] = last.map { y[$0] + Self.distance($0, vertex, in: graph, heights) } ?? 0
      last = vertex
    }
  }

  /// Straightens long edges before anything else.
  private func weight(_ a: Int, _ b: Int) -> Double {
    switch (graph.isBend(a), graph.isBend(b)) {
    case (true, true): 8
    case (false, false): 1
    default: 2
    }
  }

  private func wanted(_ vertex: Int, up: Bool, down: Bool, _ y: [Double]) -> (
    y: Double, weight: Double
  ) {
    var sum = 0.0, weights = 0.0
    for (isUsed, side) in [(up, graph.up), (down, graph.down)] where isUsed {
      for far in side.far[side.slots(vertex)] {
        let weight = weight(vertex, far)
        sum += y[far] * weight
        weights += weight
      }
    }
    return weights > 0 ? (sum / weights, weights) : (y[vertex], 0.1)
  }

  private func settle(_ layer: [Int], up: Bool, down: Bool, _ y: inout [Double]) {
    struct Pool {
      var sum: Double, weight: Double, count: Int
      var mean: Double { sum / weight }
    }
    var pools: [Pool] = []
    var offset = 0.0, last: Int?
    var offsets: [Double] = []
    for vertex in layer {
      if let last { offset += Self.distance(last, vertex, in: graph, heights) }
      last = vertex
      offsets.append(offset)
      let (wish, weight) = wanted(vertex, up: up, down: down, y)
      var pool = Pool(sum: (wish - offset) * weight, weight: weight, count: 1)
      while let before = pools.last, before.mean >= pool.mean {
        pool.sum += before.sum
        pool.weight += before.weight
        pool.count += before.count
        pools.removeLast()
      }
      pools.append(pool)
    }
    var index = 0
    for pool in pools {
      let mean = pool.mean
      for _ in 0..<pool.count {
        y[layer[index]] = mean + offsets[index]
        index += 1
      }
    }
  }
}
