import EasyReactInspection

/// The graph as the page draws it: `api/graph`.
struct Picture: Encodable, Sendable {
  struct Node: Encodable, Sendable {
    /// The node's id, or `g:` and the group's key.
    var id: String
    /// Ends of long words are cut to fit; the card has the whole.
    var label: String
    var operation: String?
    var type: String?
    var place: String?
    var group: String?
    var isMutable = false
    var isPrivate = false
    var listeners = 0
    /// Of a folded group.
    var members: [String]?
    /// Edges to and from what is not shown.
    var hidden: Int
    var x: Double, y: Double, w: Double, h: Double
  }
  struct Edge: Encodable, Sendable {
    var from: String
    var to: String
    /// Of all the edges that the line stands for.
    var ids: [UInt64]
    /// `x` and `y` in turn.
    var points: [Double]
    var isReversed: Bool
    var isBackEdge: Bool
    var isSync: Bool
    var isDeferred: Bool
    var operations: [String]
  }
  struct Group: Encodable, Sendable { var key: String, count: Int, isFolded: Bool }

  var width: Double
  var height: Double
  var crossings: Int
  var nodes: [Node]
  var edges: [Edge]
  var groups: [Group]
  var nodeCount: Int
  var shownCount: Int

  init(_ view: GraphView, _ drawing: Drawing) {
    let ids = view.boxes.map(\.id)
    width = drawing.width
    height = drawing.height
    crossings = drawing.crossings
    nodes = view.boxes.indices.map { index in
      Node(view.boxes[index], drawing.boxes[index], hidden: view.hiddenEdges[index], in: view)
    }
    edges = view.lines.enumerated().map { index, line in
      Edge(
        from: ids[line.from], to: ids[line.to], ids: line.edges.map(\.id),
        points: drawing.lines[index].flatMap { [$0.x.inTenths, $0.y.inTenths] },
        isReversed: drawing.isReversed[index], isBackEdge: line.isBackEdge, isSync: line.isSync,
        isDeferred: line.isDeferred,
        operations: Set(line.edges.map(\.operation)).sorted())
    }
    groups = view.groups.map { Group(key: $0.key, count: $0.count, isFolded: $0.isFolded) }
    nodeCount = view.nodeCount
    shownCount = view.shownCount
  }
}

extension Picture.Node {
  fileprivate init(_ box: GraphView.Box, _ place: Drawing.Box, hidden: Int, in view: GraphView) {
    id = box.id
    label = box.label
    self.hidden = hidden
    (x, y, w, h) = (place.x.inTenths, place.y.inTenths, place.width, place.height)
    switch box {
    case .node(let node):
      operation = node.operation
      type = node.type
      self.place = "\(node.place)"
      group = view.group(of: node)
      isMutable = node.isMutable
      isPrivate = node.isPrivate
      listeners = node.listeners
    case .group(let key, let nodes):
      group = key
      members = nodes.map { "\($0.id)" }
      listeners = nodes.reduce(0) { $0 + $1.listeners }
    }
  }
}

extension GraphView.Box {
  var id: String {
    switch self {
    case .node(let node): "\(node.id)"
    case .group(let key, _): "g:\(key)"
    }
  }

  var label: String {
    switch self {
    case .node(let node):
      node.name ?? "\(node.operation) \(node.place.shortFile):\(node.place.line)"
    case .group(let key, _): key.split(separator: "/").last.map(String.init) ?? key
    }
  }

  /// Of the box: wide enough for the label, but what does not fit is cut. The value has the room that is there: it
  /// changes, and boxes do not.
  var width: Double { min(200, max(92, Double(label.count) * 6.7 + 26)) }
}

extension SourcePlace {
  /// `Cart` of `Shop/Cart.swift`.
  var shortFile: String {
    let name = file.split(separator: "/").last ?? ""
    return String(name.hasSuffix(".swift") ? name.dropLast(6) : name)
  }
}

extension GraphView {
  var layoutGraph: LayoutGraph {
    LayoutGraph(
      nodes: boxes.map { LayoutGraph.Node(id: $0.id, width: $0.width) },
      edges: lines.map { LayoutGraph.Edge(from: $0.from, to: $0.to, isBackEdge: $0.isBackEdge) })
  }
}

extension Double {
  fileprivate var inTenths: Double { (self * 10).rounded() / 10 }
}
