/// What the records say of nodes by their names, found once for all of them.
struct SessionNames {
  /// Of several nodes with one name, the first made of those of which it is known what they told, or else of all.
  private var first: [String: NodeRecord] = [:]
  private var several: Set<String> = [], hidden: Set<String> = []
  /// Nodes that something on the way to them makes late.
  private let late: Set<UInt64>

  init(_ records: GraphRecords) {
    late = Self.late(records.edges)
    for node in records.nodes {
      guard let name = node.name else { continue }
      let present = first[name]
      if present != nil { several.insert(name) }
      if present == nil || present!.isPrivate && !node.isPrivate { first[name] = node }
      if node.isPrivate { hidden.insert(name) }
    }
  }

  func type(of name: String) -> String? { first[name]?.type }

  /// Does something on the way to the node wait for a scheduler?
  func isLate(_ name: String) -> Bool { first[name].map { late.contains($0.id) } ?? false }

  func areSeveral(_ name: String) -> Bool { several.contains(name) }

  /// Is any of the nodes private?
  func isPrivate(_ name: String) -> Bool { hidden.contains(name) }

  private static func late(_ edges: [EdgeRecord]) -> Set<UInt64> {
    var below: [UInt64: [UInt64]] = [:], waiting: [UInt64] = []
    for edge in edges {
      guard let down = edge.downstream else { continue }
      below[edge.upstream, default: []].append(down)
      if edge.isDeferred { waiting.append(down) }
    }
    var late = Set(waiting)
    while let node = waiting.popLast() {
      for next in below[node] ?? [] where late.insert(next).inserted { waiting.append(next) }
    }
    return late
  }
}
