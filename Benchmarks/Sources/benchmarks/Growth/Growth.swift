import CBenchmarks
import EasyReact

/// What one edge costs in a set that runs through a graph of `nodes` nodes, in shapes that grow.
enum GrowthShape: String, CaseIterable {
  case chain, fanOut = "fan-out", layered, mesh
  /// Not per edge: a set that reaches one listener, in a graph with `nodes` nodes that it does not
  /// reach.
  case unreached
  /// Not per edge: a set that reaches one listener, after `nodes` links were made and cut at its
  /// node.
  case age

  func make<K: Kit<Int>>(_ kit: K, nodes: Int) -> GrownGraph {
    switch self {
    case .chain: growingChain(kit, nodes)
    case .fanOut: growingFan(kit, nodes)
    case .layered: growingLayers(kit, nodes)
    case .mesh: growingMesh(kit, nodes)
    case .unreached: growingElsewhere(kit, nodes)
    case .age: aged(kit, nodes)
    }
  }
}

/// A graph, how many edges a set runs, and how to see that it ran.
struct GrownGraph {
  let edges: Int
  let keep: [Any]
  let set: (Int) -> Void
  let read: () -> Int
  let expected: (Int) -> Int
}

private func growingChain<K: Kit<Int>>(_ kit: K, _ nodes: Int) -> GrownGraph {
  let source = kit.source(0)
  var end = kit.cell(source)
  for _ in 0..<nodes { end = kit.map(end) { $0 &+ 1 } }
  let last = end
  return GrownGraph(
    edges: nodes, keep: [last, kit], set: { kit.set(source, $0) }, read: { kit.value(last) },
    expected: { $0 &+ nodes })
}

private func growingFan<K: Kit<Int>>(_ kit: K, _ nodes: Int) -> GrownGraph {
  let source = kit.source(0)
  let ends = (0..<nodes).map { _ in kit.map(kit.cell(source)) { $0 &+ 1 } }
  return GrownGraph(
    edges: nodes, keep: [ends, kit], set: { kit.set(source, $0) },
    read: { kit.value(ends[nodes - 1]) }, expected: { $0 &+ 1 })
}

/// √n rows of √n, each node the sum of two above it; all sources are set in a batch. A join of ours
/// is a combine and a map: two edges in and one between.
private func growingLayers<K: Kit<Int>>(_ kit: K, _ nodes: Int) -> GrownGraph {
  let width = max(2, Int(Double(nodes).squareRoot()))
  let sources = (0..<width).map { _ in kit.source(0) }
  var row = sources.map { kit.cell($0) }
  let layers = max(1, nodes / width)
  var all: [K.Cell] = []
  for _ in 0..<layers {
    let above = row
    row = (0..<width).map { kit.join(above[$0], above[($0 + 1) % width]) { max($0, $1) &+ 1 } }
    all += row
  }
  let end = row[0], stays = all
  return GrownGraph(
    edges: layers * width * 3, keep: [stays, kit],
    set: { value in
      kit.batch { for source in sources { kit.set(source, value) } }
    }, read: { kit.value(end) }, expected: { $0 &+ layers })
}

/// A square grid: each node follows its left and its upper neighbour; one corner is set.
private func growingMesh<K: Kit<Int>>(_ kit: K, _ nodes: Int) -> GrownGraph {
  let side = max(2, Int(Double(nodes).squareRoot()))
  let source = kit.source(0)
  var above: [K.Cell] = [], edges = 0
  var all: [K.Cell] = []
  for _ in 0..<side {
    var row: [K.Cell] = []
    for column in 0..<side {
      let neighbours = (row.last.map { [$0] } ?? []) + (above.isEmpty ? [] : [above[column]])
      switch neighbours.count {
      case 0: row.append(kit.map(kit.cell(source)) { $0 })
      case 1: row.append(kit.map(neighbours[0]) { $0 &+ 1 })
      default: row.append(kit.join(neighbours[0], neighbours[1]) { max($0, $1) &+ 1 })
      }
      edges += neighbours.count < 2 ? 1 : 3
    }
    all += row
    above = row
  }
  let end = above[side - 1], stays = all
  return GrownGraph(
    edges: edges, keep: [stays, kit], set: { kit.set(source, $0) }, read: { kit.value(end) },
    expected: { $0 &+ 2 * (side - 1) })
}

/// The others hang on a second source, which a combine joins to the first one's graph.
private func growingElsewhere<K: Kit<Int>>(_ kit: K, _ nodes: Int) -> GrownGraph {
  let source = kit.source(0), other = kit.source(0)
  let others = (0..<nodes).map { _ in kit.map(kit.cell(other)) { $0 &+ 1 } }
  let sum = kit.join(kit.cell(source), others[nodes - 1]) { $0 &+ $1 }
  return GrownGraph(
    edges: 1, keep: [others, kit], set: { kit.set(source, $0) }, read: { kit.value(sum) },
    expected: { $0 &+ 1 })
}

/// Ours only has links; the floor cannot cut.
private func aged<K: Kit<Int>>(_ kit: K, _ links: Int) -> GrownGraph {
  let source = MutableNode(0)
  let target = Node<Int>()
  for _ in 0..<links { target.wiring.link(to: source).cancel() }
  let end = source.map { $0 &+ 1 }
  return GrownGraph(
    edges: 1, keep: [target], set: { source.set($0) }, read: { end.value! },
    expected: { $0 &+ 1 })
}
