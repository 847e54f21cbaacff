import Synchronization

/// A graph at one moment, as a value: for pictures, files and tests.
public struct GraphSnapshot: Codable, Equatable, Sendable {
  public struct Node: Codable, Equatable, Sendable {
    public let id: UInt64
    public let name: String?
    /// The type of the values.
    public let type: String
    /// A description of the value; nil when the node is empty.
    public let value: String?
    public let isMutable: Bool
    public let file: String
    public let line: Int
    /// How many listeners the node has.
    public let listeners: Int
    /// From the node that the snapshot was taken of: negative upstream.
    public let depth: Int
  }
  public struct Edge: Codable, Equatable, Sendable {
    public let from: UInt64
    public let to: UInt64
    public let name: String
    /// It closed a cycle when it was linked.
    public let isBackEdge: Bool
  }
  /// In order of the walk.
  public let nodes: [Node]
  public let edges: [Edge]
}

extension AnyNode {
  /// Everything that this node is joined to, as a value. Values are described by
  /// `String(describing:)`, cut at 200 characters; those of private nodes are `private`.
  /// - Complexity: O(nodes and edges), and what it takes to describe the values. Other threads may change the graph meanwhile; each node is
  ///   seen at one moment.
  public final func snapshot() -> GraphSnapshot { snapshot(withValues: true) }

  /// A value may be large, and to describe it is the user's code: pictures, which do not show values, do without.
  final func snapshot(withValues: Bool) -> GraphSnapshot {
    var nodes: [GraphSnapshot.Node] = []
    var edges: [GraphSnapshot.Edge] = []
    for (node, depth) in reachable {
      nodes.append(node.picture(depth, value: withValues ? node.describedValue : nil))
      edges += node.edgePictures()
    }
    return GraphSnapshot(nodes: nodes, edges: edges)
  }

  private final func picture(_ depth: Int, value: String?) -> GraphSnapshot.Node {
    GraphSnapshot.Node(
      id: id, name: name, type: "\(valueType)", value: value.map { String($0.prefix(200)) },
      isMutable: isMutable,
      file: created.file, line: created.line, listeners: listenerCount, depth: depth)
  }

  private final func edgePictures() -> [GraphSnapshot.Edge] {
    // A transform's name lies under the transform's lock, so it is asked for when the node's is
    // given back.
    lookAtEdges(.outs) { edge, far in
      far.map {
        (
          to: $0.id,
          transform: edge.pointee.publicObject as? AnyNodeTransform,
          kind: edge.pointee.kind, isBackEdge: edge.pointee.has(.isBackEdge)
        )
      }
    }.compactMap { $0 }.map {
      GraphSnapshot.Edge(
        from: id, to: $0.to, name: $0.transform?.name ?? $0.kind.name, isBackEdge: $0.isBackEdge)
    }
  }
}

// MARK: - Leaks

/// A ring of nodes that keeps itself alive: nothing outside of it holds any of them.
public struct LeakedRing: Sendable, CustomStringConvertible {
  /// The nodes, in order round the ring.
  public let nodes: [String]
  public var description: String { "ring held by itself alone: " + nodes.joined(separator: " → ") }
}

/// Names the rings made by `link` that nothing outside holds: cut one of their edges to free them.
///
///     for leak in leakReport() { print(leak) }
///
/// A ring of syncs keeps nothing alive and is never among them. References that other threads take
/// while the report is made count as holding.
///
/// - Complexity: O(n) in the members of the rings and their edges.
public func leakReport() -> [LeakedRing] {
  findLeaks().map { LeakedRing(nodes: $0.map(\.whereabouts)) }
}
