/// The graph with a bend in each layer that an edge passes, so that every piece of an edge leads from one
/// layer to the next (Sugiyama, Tagawa, Toda, 1981).
///
/// Vertices are the nodes, under their own indices, then the bends of the first edge, and so on.
struct BentGraph {
  let nodeCount: Int
  private(set) var layer: [Int]
  /// The vertices of an edge in the order in which it is drawn, ends included.
  private(set) var chains: [[Int]] = []
  private(set) var up: Adjacency
  private(set) var down: Adjacency
  let layerCount: Int
  /// The parts that no edge joins, each a list of vertices; those without an edge are left out.
  private(set) var components: [[Int]] = []

  init(_ graph: LayoutGraph, _ layering: Layering) {
    nodeCount = graph.nodes.count
    layer = layering.layer
    var pieces: [(from: Int, to: Int)] = []
    for index in graph.edges.indices {
      let (from, to) = layering.ends(index, of: graph)
      var chain = [from]
      for between in layer[from] + 1..<layer[to] {
        chain.append(layer.count)
        layer.append(between)
      }
      chain.append(to)
      chains.append(chain)
      for (one, next) in zip(chain, chain.dropFirst()) { pieces.append((one, next)) }
    }
    down = Adjacency(layer.count, pieces)
    up = Adjacency(layer.count, pieces.map { ($0.to, $0.from) })
    layerCount = (layer.max() ?? -1) + 1
    components = findComponents(leavingOut: Set(layering.isolated))
  }

  func isBend(_ vertex: Int) -> Bool { vertex >= nodeCount }

  private func findComponents(leavingOut isolated: Set<Int>) -> [[Int]] {
    var isSeen = Array(repeating: false, count: layer.count)
    var found: [[Int]] = []
    for start in 0..<nodeCount where !isSeen[start] && !isolated.contains(start) {
      var members = [start], taken = 0
      isSeen[start] = true
      while taken < members.count {
        let vertex = members[taken]
        taken += 1
        for far in up.far[up.slots(vertex)] + down.far[down.slots(vertex)] where !isSeen[far] {
          isSeen[far] = true
          members.append(far)
        }
      }
      found.append(members)
    }
    return found
  }
}
