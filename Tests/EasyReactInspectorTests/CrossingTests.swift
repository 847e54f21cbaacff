import Testing

@testable import EasyReactInspector

/// Contract 19: the picture of a graph can be followed with the eye.
@Suite struct CrossingTests {
  /// What Graphviz 2.43 counts for the same graphs (`dot -v`, “mincross”): nodes, edges, edges that lead back, and the
  /// crossings of the seeds from 1 on. Graphviz finds cycles itself, so it draws other edges backwards.
  static let yardstick: [(nodes: Int, edges: Int, back: Int, crossings: [Int])] = [
    (30, 40, 2, [1, 2, 0]), (60, 80, 4, [3, 6, 3]), (100, 130, 6, [11, 7, 13]),
    (150, 200, 8, [40, 27, 36]), (300, 400, 10, [190]),
  ]

  @Test(arguments: yardstick)
  func `19 lines cross at most one and a half times as often as Graphviz's`(
    nodes: Int, edges: Int, back: Int, crossings: [Int]
  ) {
    var ours: [Int] = []
    for seed in crossings.indices {
      let graph = RandomGraphs.graph(
        nodes: nodes, edges: edges, backEdges: back, seed: UInt64(seed + 1))
      ours.append(Drawing(of: graph, effort: 1).crossings)
    }
    #expect(2 * ours.reduce(0, +) <= 3 * crossings.reduce(0, +), "\(ours) beside \(crossings)")
  }

  @Test func `19 crossings are counted as they are seen`() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let graph = RandomGraphs.graph(nodes: 40, edges: 60, backEdges: 2, seed: seed)
      let drawing = Drawing(of: graph)
      #expect(drawing.crossings == seenCrossings(drawing), "seed \(seed)")
    }
  }

  /// Two pieces of lines between the same two layers cross when their ends stand in other orders.
  private func seenCrossings(_ drawing: Drawing) -> Int {
    var pieces: [Int: [(Double, Double)]] = [:]
    for (index, line) in drawing.lines.enumerated() {
      let first = drawing.boxes.firstIndex {
        $0.x + $0.width / 2 == line[0].x && $0.y == line[0].y
      }!
      _ = index
      for (step, place) in stride(from: 0, to: line.count, by: 2).enumerated() {
        pieces[drawing.layers[first] + step, default: []].append((line[place].y, line[place + 1].y))
      }
    }
    return pieces.values.reduce(0) { sum, list in
      sum
        + list.indices.reduce(0) { sum, a in
          sum
            + list.indices.dropFirst(a + 1).count { b in
              (list[a].0 - list[b].0) * (list[a].1 - list[b].1) < 0
            }
        }
    }
  }
}
