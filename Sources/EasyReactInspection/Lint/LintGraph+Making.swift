import EasyReact

extension LintGraph {
  /// The living graph that these nodes are joined to. A derivation that asks follows none of them.
  init(of nodes: [AnyNode], _ records: GraphRecords?) {
    var edges: [LintEdge] = [], seen: [LintNode] = []
    var operations: [UInt64: String] = [:]
    for node in nodes {
      for edge in node.liveEdges {
        edges.append(LintEdge(edge))
        if let down = edge.downstream, operations[down] == nil { operations[down] = edge.operation }
      }
    }
    untracked {
      for node in nodes { seen.append(LintNode(node, operations[node.id] ?? "Source")) }
    }
    self.init(seen, edges, records)
  }

  /// The graphs that lived when the records were read.
  init(of records: GraphRecords) {
    let living = records.nodes.filter { $0.gone == nil }
    let ids = Set(living.map(\.id))
    let edges = records.edges.filter { edge in
      edge.cut == nil && ids.contains(edge.upstream) && edge.downstream.map(ids.contains) ?? true
    }
    let facts = RecordedFacts(records)
    let nodes = living.map { LintNode($0, facts) }
    self.init(nodes, edges.map { LintEdge($0) }, records)
  }
}

extension LintEdge {
  fileprivate init(_ edge: LiveEdge) {
    self.init(
      operation: edge.operation, upstream: edge.upstream, downstream: edge.downstream,
      isBackEdge: edge.isBackEdge)
  }

  fileprivate init(_ edge: EdgeRecord) {
    self.init(
      operation: edge.operation, upstream: edge.upstream, downstream: edge.downstream,
      isBackEdge: edge.isBackEdge)
  }
}

extension LintNode {
  fileprivate init(_ node: AnyNode, _ operation: String) {
    let facts = node.facts
    let place = SourcePlace(file: node.created.file, line: node.created.line)
    self.init(id: node.id, label: node.name ?? "\(operation) at \(place)", place: place)
    (isMutable, isPrivate, isEmpty) = (node.isMutable, node.isPrivate, node.isEmpty)
    (isEventNode, isTerminated) = (node.isEventNode, node.isTerminated)
    (hasListener, orphans) = (node.hasListener, facts.orphans)
    let loose =
      node.downstreamTransforms.filter { $0.toNode == nil }
      + node.upstreamTransforms.filter { $0.fromNode == nil }
    looseTransforms = loose.map { "\($0.name)" }
  }

  fileprivate init(_ record: NodeRecord, _ facts: RecordedFacts) {
    self.init(id: record.id, label: record.label, place: record.place)
    (isMutable, isPrivate) = (record.isMutable, record.isPrivate)
    isEmpty = record.value.form == .empty
    isEventNode = facts.eventNodes.contains(record.id)
    isTerminated = facts.terminated.contains(record.id)
    hasListener = record.listeners > 0
  }
}

/// What only events tell of nodes.
private struct RecordedFacts {
  private(set) var eventNodes: Set<UInt64> = [], terminated: Set<UInt64> = []

  init(_ records: GraphRecords) {
    // Events that were set there: what follows tells events, too, and is found by the edges.
    for event in records.events
    where event.kind == .stored && event.new?.form == .event && event.other == nil {
      eventNodes.insert(event.node)
    }
    for edge in records.edges where edge.cut != nil && Self.ending.contains(edge.operation) {
      if let down = edge.downstream { terminated.insert(down) }
    }
  }

  /// With such an edge its join ends.
  private static let ending: Set<String> = [
    "Combine", "WithLatest", "Latest", "Sample", "Sampler", "FlattenCombine", "Zip",
  ]
}
