/// What the layout knows of a graph: boxes of a given size, and which of them are joined.
///
///     let graph = LayoutGraph(
///       nodes: [.init(id: "1", width: 80), .init(id: "2", width: 80)],
///       edges: [.init(from: 0, to: 1)])
///     let drawing = Drawing(of: graph)
struct LayoutGraph: Hashable, Sendable {
  struct Node: Hashable, Sendable {
    /// The same for the same node in the next drawing, whose place is kept then.
    var id: String
    var width: Double
    var height: Double = Spacing.nodeHeight
  }

  /// An edge by the indices of its ends. It joins two different nodes, in each direction at most once.
  struct Edge: Hashable, Sendable {
    var from: Int
    var to: Int
    /// It closed a cycle when it was linked; it is drawn backwards.
    var isBackEdge = false
  }

  var nodes: [Node]
  var edges: [Edge]
}

/// Lengths of a drawing, in points of the page.
enum Spacing {
  static let nodeHeight = 34.0
  /// Between two nodes of a layer.
  static let betweenNodes = 14.0
  /// Above and below an edge that passes a layer.
  static let besideBend = 8.0
  /// Between two layers: the room in which edges change their height.
  static let betweenLayers = 64.0
  /// Between parts that no edge joins.
  static let betweenComponents = 26.0
  /// Widths of layers are multiples of it, so a longer label seldom moves what lies to its right.
  static let widthStep = 20.0
}
