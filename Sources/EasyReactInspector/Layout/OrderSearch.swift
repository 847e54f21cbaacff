/// Finds an order of the vertices in their layers with few crossings, one component at a time.
///
/// Sweeps down and up sort each layer by where the neighbours of its vertices stand in the layer before,
/// by their median and by their mean in turn (Sugiyama and others, 1981; Gansner and others, 1993, section 3);
/// after each sweep every vertex is sifted to the best place of its layer (``Sifting``). The first two searches begin
/// from a walk in depth, one from each end, the next two from random ones, and all later ones from the best order so
/// far, in which a twelfth of the vertices was moved at random. The best order counts. How long it searches is counted
/// in edges looked at, not in time, and the random numbers have a fixed seed: the same graph gives the same order.
struct OrderSearch {
  /// The vertices of the component have numbers of their own here; these are those of the graph.
  private let members: [Int]
  private let layerOf: [Int]
  private let up: Adjacency
  private let down: Adjacency
  private var order: [[Int]]
  /// Of each vertex in its layer.
  private var position: [Int]
  private(set) var crossings = 0
  private let budget: Int
  private var spent = 0
  /// How far a vertex is sifted to each side: less in a large graph, so that the budget lasts for several sweeps.
  private let reach: Int
  private var random = SplitMix(seed: 1)

  /// From the first layer to the last.
  var layers: [[Int]] { order.map { $0.map { members[$0] } } }

  /// - Parameter budget: How many edges are looked at, about; two sweeps are made in any case.
  init(_ graph: BentGraph, members: [Int], budget: Int) {
    self.members = members
    self.budget = budget
    reach = max(1, min(24, budget / (144 * members.count)))
    layerOf = members.map { graph.layer[$0] }
    var number: [Int: Int] = [:]
    number.reserveCapacity(members.count)
    for (index, vertex) in members.enumerated() { number[vertex] = index }
    var pieces: [(from: Int, to: Int)] = []
    for (index, vertex) in members.enumerated() {
      for slot in graph.down.slots(vertex) { pieces.append((index, number[graph.down.far[slot]]!)) }
    }
    down = Adjacency(members.count, pieces)
    up = Adjacency(members.count, pieces.map { ($0.to, $0.from) })
    order = Array(repeating: [], count: graph.layerCount)
    position = Array(repeating: 0, count: members.count)
    search()
  }

  private var isSpent: Bool { spent >= budget }

  private mutating func search() {
    var best: (crossings: Int, order: [[Int]])?
    for attempt in 0... {
      if attempt < 4 { begin(attempt) } else { disturb(best!.order) }
      improve()
      // An order that is as good is taken too: it leads elsewhere.
      if best.map({ crossings <= $0.crossings }) ?? true { best = (crossings, order) }
      if crossings == 0 || isSpent { break }
    }
    (crossings, order) = best!
  }

  // MARK: - Where a search begins

  /// The order of a walk in depth, so what hangs together stands together.
  private mutating func begin(_ attempt: Int) {
    let fromEnd = !attempt.isMultiple(of: 2), isRandom = attempt >= 2
    var starts = Array(members.indices)
    if isRandom { starts.shuffle(using: &random) }
    var isSeen = Array(repeating: false, count: members.count)
    order = Array(repeating: [], count: order.count)
    // Stable, so the shuffled ones stay shuffled in their layers.
    for (_, start) in starts.map({ (fromEnd ? -layerOf[$0] : layerOf[$0], $0) }).sorted(by: {
      $0.0 < $1.0
    }) {
      var path = [start]
      while let vertex = path.popLast() {
        if isSeen[vertex] { continue }
        isSeen[vertex] = true
        order[layerOf[vertex]].append(vertex)
        let next = fromEnd ? up.far[up.slots(vertex)] : down.far[down.slots(vertex)]
        path += isRandom ? next.shuffled(using: &random) : next.reversed()
      }
    }
    recount()
  }

  /// Moves a twelfth of the vertices to any place of their layers.
  private mutating func disturb(_ best: [[Int]]) {
    order = best
    for _ in 0...members.count / 12 {
      let vertex = Int.random(in: members.indices, using: &random), layer = layerOf[vertex]
      order[layer].remove(at: order[layer].firstIndex(of: vertex)!)
      order[layer].insert(vertex, at: Int.random(in: 0...order[layer].count, using: &random))
    }
    recount()
  }

  // MARK: - Making it better

  private mutating func improve() {
    var best = (crossings, order)
    var sweep = 0, idle = 0
    while crossings > 0, idle < 3, sweep < 2 || !isSpent {
      let isDown = sweep.isMultiple(of: 2), usesMedian = sweep % 4 < 2
      for layer in isDown ? Array(order.indices) : order.indices.reversed() {
        sort(layer, by: isDown ? up : down, usesMedian)
      }
      siftAll()
      recount()
      sweep += 1
      idle += 1
      if crossings < best.0 { (best, idle) = ((crossings, order), 0) }
    }
    (crossings, order) = best
  }

  /// Those without a neighbour in the layer before keep their places; the others share the rest.
  private mutating func sort(_ index: Int, by before: Adjacency, _ usesMedian: Bool) {
    let places = order[index].indices.filter { !before.slots(order[index][$0]).isEmpty }
    var keyed = places.map { place in
      let slots = before.slots(order[index][place])
      return (
        key: middle(of: before.far[slots], usesMedian), old: place, vertex: order[index][place]
      )
    }
    keyed.sort { ($0.key, $0.old) < ($1.key, $1.old) }
    for (place, (_, _, vertex)) in zip(places, keyed) { order[index][place] = vertex }
    number(order[index])
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

  /// Twice, unless nothing is left to win: more rounds cost more than another beginning.
  private mutating func siftAll() {
    for round in 0..<2 where round == 0 || !isSpent {
      var isBetter = false
      for index in order.indices where order[index].count > 1 {
        var sifting = Sifting(order[index], up, down, position, reach: reach)
        sifting.run()
        spent += sifting.spent
        guard sifting.isBetter else { continue }
        order[index] = sifting.order
        number(order[index])
        isBetter = true
      }
      if !isBetter { return }
    }
  }

  private mutating func number(_ layer: [Int]) {
    for (index, vertex) in layer.enumerated() { position[vertex] = index }
  }

  private mutating func recount() {
    for layer in order { number(layer) }
    crossings = order.indices.dropLast().reduce(0) { sum, index in
      sum + Crossings.between(order[index], width: order[index + 1].count, down, position)
    }
    spent += 4 * down.far.count
  }
}
