@testable import EasyReactInspector

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Graphs as programs make them: most edges lead to a node that was made soon after; some lead back.
enum RandomGraphs {
  static func graph(
    nodes count: Int, edges: Int, backEdges: Int = 0, reach: Int? = nil, seed: UInt64
  ) -> LayoutGraph {
    var random = SeededGenerator(seed: seed)
    let reach = reach ?? max(5, count / 20)
    let nodes = (0..<count).map {
      LayoutGraph.Node(id: "\($0)", width: Double(Int.random(in: 40...220, using: &random)))
    }
    var pairs: Set<[Int]> = []
    var made: [LayoutGraph.Edge] = []
    func add(_ from: Int, _ to: Int, isBackEdge: Bool) {
      guard from != to, pairs.insert([from, to]).inserted else { return }
      made.append(LayoutGraph.Edge(from: from, to: to, isBackEdge: isBackEdge))
    }
    guard count > 1 else { return LayoutGraph(nodes: nodes, edges: []) }
    for _ in 0..<edges {
      let from = Int.random(in: 0..<count - 1, using: &random)
      let to = min(count - 1, from + Int.random(in: 1...reach, using: &random))
      add(from, to, isBackEdge: false)
    }
    for _ in 0..<backEdges {
      let to = Int.random(in: 0..<count - 1, using: &random)
      add(Int.random(in: to + 1..<count, using: &random), to, isBackEdge: true)
    }
    return LayoutGraph(nodes: nodes, edges: made)
  }
}
