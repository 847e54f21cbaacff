/// Finds an order of the vertices in their layers with few crossings, one component at a time.
///
/// Sweeps down and up sort each layer by where the neighbours of its vertices stand in the layer before,
/// by their median and by their mean in turn; then neighbours change places as long as that saves
/// crossings (Gansner and others, 1993, section 3). The best order of all sweeps counts. It begins from a
/// walk in depth, once from the first layer and once from the last. The same graph gives the same order.
struct OrderSearch {
  private let graph: BentGraph
  private let members: [Int]
  private(set) var layers: [[Int]]
  private(set) var crossings = 0
  /// Of each vertex in its layer; of other components' without meaning.
  private var position: [Int]

  /// - Parameter sweeps: How often each layer is sorted at most.
  init(_ graph: BentGraph, members: [Int], sweeps: Int, scratch: inout [Int]) {
    self.graph = graph
    self.members = members
    layers = []
    position = []
    swap(&position, &scratch)
    defer { swap(&position, &scratch) }
    var best: (crossings: Int, layers: [[Int]])?
    for attempt in 0..<Self.attempts(members.count) {
      begin(attempt)
      improve(sweeps: sweeps)
      if best.map({ crossings < $0.crossings }) ?? true { best = (crossings, layers) }
      if best?.crossings == 0 { break }
    }
    (crossings, layers) = (best!.crossings, best!.layers)
  }

  /// From how many orders the search begins: from many where that costs little.
  private static func attempts(_ count: Int) -> Int {
    count > 8_000 ? 1 : 2 + min(12, 2_500 / count)
  }

  /// The order of a walk in depth, so what hangs together stands together: from the first layer, from the last one, and
  /// then from other starts, which differ by the attempt and are the same each time.
  private mutating func begin(_ attempt: Int) {
    let fromEnd = !attempt.isMultiple(of: 2)
    layers = Array(repeating: [], count: graph.layerCount)
    let sign = fromEnd ? -1 : 1
    var isSeen: Set<Int> = []
    isSeen.reserveCapacity(members.count)
    let salt = UInt64(attempt / 2) &* 0x9E37_79B9_7F4A_7C15
    let starts = members.map {
      (depth: sign * graph.layer[$0], salt: (UInt64($0) &* salt) >> 32, vertex: $0)
    }.sorted { $0 < $1 }
    for (_, _, start) in starts {
      var path = [start]
      while let vertex = path.popLast() {
        guard isSeen.insert(vertex).inserted else { continue }
        layers[graph.layer[vertex]].append(vertex)
        let next =
          fromEnd ? graph.up.far[graph.up.slots(vertex)] : graph.down.far[graph.down.slots(vertex)]
        // Every other pair of attempts walks the other way round.
        path += (attempt & 2) == 0 ? next.reversed() : Array(next)
      }
    }
    for layer in layers { number(layer) }
    crossings = countCrossings()
  }

  private mutating func improve(sweeps: Int) {
    var best = (crossings, layers)
    var idle = 0
    for sweep in 0..<sweeps where crossings > 0 && idle < 6 {
      let isDown = sweep.isMultiple(of: 2), usesMedian = sweep % 4 < 2
      let order = isDown ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed()
      for layer in order { sort(layer, isDown: isDown, usesMedian: usesMedian) }
      exchangeNeighbours(takesTies: sweep % 4 == 1)
      crossings = countCrossings()
      idle += 1
      if crossings < best.0 { (best, idle) = ((crossings, layers), 0) }
    }
    (crossings, layers) = best
    for layer in layers { number(layer) }
  }

  private mutating func number(_ layer: [Int]) {
    for (index, vertex) in layer.enumerated() { position[vertex] = index }
  }

  // MARK: - Sorting a layer

  /// Those without a neighbour in the layer before keep their places; the others share the rest.
  private mutating func sort(_ index: Int, isDown: Bool, usesMedian: Bool) {
    let before = isDown ? graph.up : graph.down
    var keyed: [(key: Double, old: Int, vertex: Int)] = []
    for (old, vertex) in layers[index].enumerated() where !before.slots(vertex).isEmpty {
      keyed.append((middle(of: before.far[before.slots(vertex)], usesMedian), old, vertex))
    }
    keyed.sort { ($0.key, $0.old) < ($1.key, $1.old) }
    var next = 0
    for (old, vertex) in layers[index].enumerated() where !before.slots(vertex).isEmpty {
      _ = vertex
      layers[index][old] = keyed[next].vertex
      next += 1
    }
    number(layers[index])
  }

  private func middle(of neighbours: ArraySlice<Int>, _ usesMedian: Bool) -> Double {
    if neighbours.count == 1 { return Double(position[neighbours.first!]) }
    if !usesMedian || neighbours.count == 2 {
      return Double(neighbours.reduce(0) { $0 + position[$1] }) / Double(neighbours.count)
    }
    let places = neighbours.map { position[$0] }.sorted()
    let half = places.count / 2
    if !places.count.isMultiple(of: 2) { return Double(places[half]) }
    // Nearer to the side where the places are closer together.
    let left = Double(places[half - 1] - places[0]),
      right = Double(places[places.count - 1] - places[half])
    if left + right == 0 { return Double(places[half - 1] + places[half]) / 2 }
    return (Double(places[half - 1]) * right + Double(places[half]) * left) / (left + right)
  }

  // MARK: - Neighbours that change places

  /// - Parameter takesTies: Change places also where that saves nothing: it leads away from a dead end.
  private mutating func exchangeNeighbours(takesTies: Bool) {
    for round in 0..<4 {
      var isBetter = false
      for layer in layers.indices where layers[layer].count > 1 {
        if exchangeNeighbours(in: layer, takesTies: takesTies && round == 0) { isBetter = true }
      }
      if !isBetter { return }
    }
  }

  /// The layers on both sides stand still meanwhile, so the places of neighbours are sorted once.
  private mutating func exchangeNeighbours(in index: Int, takesTies: Bool) -> Bool {
    var order = layers[index]
    let ups = SortedPlaces(order, graph.up, position),
      downs = SortedPlaces(order, graph.down, position)
    var slots = Array(order.indices)
    var isBetter = false
    for round in 0..<8 {
      var hasChanged = false
      for left in 0..<order.count - 1 {
        let (a, b) = (slots[left], slots[left + 1])
        let saved =
          ups.inversions(a, b) - ups.inversions(b, a) + downs.inversions(a, b)
          - downs.inversions(b, a)
        if saved > 0 || (saved == 0 && takesTies && round == 0) {
          order.swapAt(left, left + 1)
          slots.swapAt(left, left + 1)
          hasChanged = true
        }
      }
      if !hasChanged { break }
      isBetter = true
    }
    layers[index] = order
    if isBetter { number(order) }
    return isBetter
  }

  // MARK: - Counting

  private func countCrossings() -> Int {
    layers.indices.dropLast().reduce(0) { sum, index in
      sum + Crossings.between(layers[index], width: layers[index + 1].count, graph.down, position)
    }
  }
}

/// The places of the neighbours of a layer's vertices, sorted, one flat list.
private struct SortedPlaces {
  private var places: [Int] = []
  private var first: [Int] = [0]

  init(_ vertices: [Int], _ adjacency: Adjacency, _ position: [Int]) {
    for vertex in vertices {
      let slots = adjacency.slots(vertex)
      if slots.count == 1 {
        places.append(position[adjacency.far[slots.lowerBound]])
      } else {
        places += adjacency.far[slots].map { position[$0] }.sorted()
      }
      first.append(places.count)
    }
  }

  /// How many edges of the vertex at `a` cross edges of the one at `b` when `a` stands first.
  func inversions(_ a: Int, _ b: Int) -> Int {
    var count = 0, passed = first[b]
    for slot in first[a]..<first[a + 1] {
      while passed < first[b + 1], places[passed] < places[slot] { passed += 1 }
      count += passed - first[b]
    }
    return count
  }
}

enum Crossings {
  /// How many pieces cross between a layer and the next one. O(e log n): a tree of counters over the
  /// places of the next layer (Barth, Jünger, Mutzel, Simple and Efficient Bilayer Cross Counting, 2004).
  static func between(_ layer: [Int], width: Int, _ down: Adjacency, _ position: [Int]) -> Int {
    var tree = Array(repeating: 0, count: width + 1)
    var passed = 0, crossings = 0
    for vertex in layer {
      let slots = down.slots(vertex)
      for far in down.far[slots] {
        var index = position[far] + 1, atMost = 0
        while index > 0 {
          atMost += tree[index]
          index &= index - 1
        }
        crossings += passed - atMost
      }
      for far in down.far[slots] {
        var index = position[far] + 1
        while index <= width {
          tree[index] += 1
          index += index & -index
        }
      }
      passed += slots.count
    }
    return crossings
  }
}
