/// Graphs for the inspector's layout, by shape, size and seed. The layout itself is `Layout`, a link to the inspector's
/// sources: they are internal there, and need nothing but the standard library.
enum LayoutShape: String, CaseIterable {
  /// Most edges lead to a node that was made soon after; some lead back.
  case near
  /// Edges from any node to any later one.
  case wide
  case tree
  /// Each node follows one to three of those made lately.
  case join
  /// As many layers as nodes in each, edges from one to the next.
  case layered
  case grid
  case diamonds
  /// Those that have many edges get more.
  case hubs
  /// Near, and syncs, of which one of two edges leads back.
  case rings
  /// Chains of transforms that fork, join, and end in a report.
  case program

  func graph(_ count: Int, seed: UInt64) -> LayoutGraph {
    var maker = GraphMaker(seed: seed &* 7_919 &+ UInt64(count))
    switch self {
    case .near: maker.near(count)
    case .wide:
      for _ in 0..<count * 12 / 10 {
        let from = maker.any(0...count - 2)
        maker.link(from, maker.any(from + 1...count - 1))
      }
    case .tree: for node in 1..<count { maker.link(maker.any(0...node - 1), node) }
    case .join:
      for node in max(3, count / 10)..<count {
        for _ in 0..<maker.any(1...3) {
          maker.link(maker.any(max(0, node - max(6, count / 8))...node - 1), node)
        }
      }
    case .layered: maker.layered(count)
    case .grid: maker.grid(count)
    case .diamonds: maker.diamonds(count)
    case .hubs: maker.hubs(count)
    case .rings: maker.rings(count)
    case .program: maker.program(count)
    }
    return maker.graph(count)
  }
}

/// Links, each pair once.
private struct GraphMaker {
  private var random: SplitMix
  private var edges: [LayoutGraph.Edge] = []
  private var pairs: Set<[Int]> = []

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func any(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func link(_ from: Int, _ to: Int, isBackEdge: Bool = false) {
    guard from != to, pairs.insert([from, to]).inserted else { return }
    edges.append(.init(from: from, to: to, isBackEdge: isBackEdge))
  }

  mutating func graph(_ count: Int) -> LayoutGraph {
    LayoutGraph(
      nodes: (0..<count).map { .init(id: "\($0)", width: Double(any(40...220))) }, edges: edges)
  }

  mutating func near(_ count: Int) {
    for _ in 0..<count * 13 / 10 {
      let from = any(0...count - 2)
      link(from, min(count - 1, from + any(1...max(5, count / 20))))
    }
    for _ in 0..<count * 6 / 100 {
      let to = any(0...count - 2)
      link(any(to + 1...count - 1), to, isBackEdge: true)
    }
  }

  mutating func layered(_ count: Int) {
    let width = max(3, Int(Double(count).squareRoot()))
    for node in width..<count {
      for _ in 0..<any(1...2) { link((node / width - 1) * width + any(0...width - 1), node) }
    }
  }

  mutating func grid(_ count: Int) {
    let width = max(2, Int(Double(count).squareRoot()))
    for node in 0..<count {
      if (node + 1) % width != 0, node + 1 < count { link(node, node + 1) }
      if node + width < count { link(node, node + width) }
    }
  }

  mutating func diamonds(_ count: Int) {
    for top in stride(from: 0, to: count - 6, by: 6) {
      for middle in top + 1...top + 5 {
        link(top, middle)
        link(middle, top + 6)
      }
    }
  }

  mutating func hubs(_ count: Int) {
    var ends = [0]
    for node in 1..<count {
      for _ in 0..<any(1...2) {
        let end = ends[any(0...ends.count - 1)]
        if end == node { continue }
        link(end, node)
        ends += [end, node]
      }
    }
  }

  mutating func rings(_ count: Int) {
    for _ in 0..<count {
      let from = any(0...count - 2)
      link(from, min(count - 1, from + any(1...max(3, count / 30))))
    }
    for _ in 0..<count / 8 {
      let from = any(0...count - 2)
      link(min(count - 1, from + any(1...6)), from, isBackEdge: true)
    }
  }

  mutating func program(_ count: Int) {
    var ends = Array(0..<max(2, count / 25))
    for node in ends.count..<count - 1 {
      let chain = any(0...ends.count - 1), kind = any(0...9), other = any(0...ends.count - 1)
      link(ends[chain], node)
      switch kind {
      case 0...5: ends[chain] = node
      case 6...7:
        link(ends[other], node)
        ends[chain] = node
      case 8: ends.append(node)
      default: if ends.count > 6 { ends.remove(at: chain) }
      }
    }
    for end in ends.prefix(8) { link(end, count - 1) }
  }
}

/// What the layout costs as graphs grow: its searches have budgets, so no shape may be dearer than linear by much. In a
/// grid nearly all time goes into shortening its edges, where each exchange costs a part of the graph.
func layoutRows() -> [GrowthRow] {
  LayoutShape.allCases.map { shape in
    GrowthRow("drawing of n nodes, \(shape.rawValue)", limit: shape == .grid ? 2 : 1.5) { size in
      let graph = shape.graph(size, seed: 1)
      return Grown(work: size) { _ = Drawing(of: graph) }
    }
  } + [
    GrowthRow("drawing in which n rows are replaced") { size in
      let (before, after) = (rows("a", size), rows("b", size))
      let drawing = Drawing(of: before)
      return Grown(work: size) { _ = Drawing(of: after, keeping: drawing) }
    }
  ]
}

/// Each row follows the one before and a source of its own.
private func rows(_ name: String, _ count: Int) -> LayoutGraph {
  LayoutGraph(
    nodes: (0..<2 * count).map { .init(id: "\(name)\($0)", width: 100) },
    edges: (1..<count).flatMap { [.init(from: $0 - 1, to: $0), .init(from: count + $0, to: $0)] })
}
