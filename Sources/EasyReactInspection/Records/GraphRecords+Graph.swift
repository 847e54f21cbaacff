extension GraphRecords {
  /// The same for one graph alone: for the nodes that are joined to this one, or once were. A recorder hears all graphs of
  /// the process.
  ///
  ///     let session = GraphSession(program: "Shop", records: recorder.records.graph(of: total.id))
  ///
  /// A set that a listener of another graph made counts as made from outside. For a node that is not among the records:
  /// nothing.
  /// - Complexity: O(nodes, edges and events).
  public func graph(of node: UInt64) -> GraphRecords {
    let members = joined(to: node)
    var graph = self
    graph.nodes = nodes.filter { members.contains($0.id) }
    graph.edges = edges.filter { members.contains($0.upstream) }
    graph.events = events.filter { members.contains($0.node) }
    let kept = Set(graph.events.map(\.sequence))
    for place in graph.events.indices {
      graph.events[place].causes.removeAll { !kept.contains($0) && isKept($0) }
    }
    return graph
  }

  /// Of several graphs that are not joined, each with what belongs to its nodes, in one walk.
  func parted(into count: Int, _ graph: (UInt64) -> Int?) -> [GraphRecords] {
    let empty = GraphRecords(dropped: dropped, began: began)
    var parts = Array(repeating: empty, count: count)
    for node in nodes { if let place = graph(node.id) { parts[place].nodes.append(node) } }
    for edge in edges { if let place = graph(edge.upstream) { parts[place].edges.append(edge) } }
    for event in events { if let place = graph(event.node) { parts[place].events.append(event) } }
    return parts
  }

  private func isKept(_ sequence: UInt64) -> Bool { event(sequence) != nil }

  private func joined(to node: UInt64) -> Set<UInt64> {
    var near: [UInt64: [UInt64]] = [:]
    for edge in edges {
      guard let down = edge.downstream else { continue }
      near[edge.upstream, default: []].append(down)
      near[down, default: []].append(edge.upstream)
    }
    var found: Set = [node], waiting = [node]
    while let next = waiting.popLast() {
      for other in near[next] ?? [] where found.insert(other).inserted { waiting.append(other) }
    }
    return found
  }
}
