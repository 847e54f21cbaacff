import EasyReactInspection

/// The part of a recorded graph that is drawn: its nodes, some of them folded into groups, and the edges between them.
///
/// O(nodes and edges).
struct GraphView {
  /// How many boxes are drawn at most: more cannot be read, and a browser becomes slow.
  static let mostBoxes = 1_200
  /// From this many nodes on, groups are folded unless somebody unfolds them.
  static let foldsFrom = 250

  enum Box {
    case node(NodeRecord)
    case group(key: String, members: [NodeRecord])
  }

  struct Line {
    var from: Int
    var to: Int
    /// In both directions, by a sync.
    var isSync: Bool
    var edges: [EdgeRecord]
    var isBackEdge: Bool { !isSync && edges.allSatisfy(\.isBackEdge) }
    var isDeferred: Bool { edges.contains(where: \.isDeferred) }
  }

  struct Group: Hashable { var key: String, count: Int, isFolded: Bool }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []
  /// All there are among the nodes that may be shown, by key.
  private(set) var groups: [Group] = []
  /// How many nodes live, and how many of them are shown, by themselves or in a group.
  private(set) var nodeCount = 0
  private(set) var shownCount = 0
  /// Of each box: how many edges lead from and to nodes that are not shown.
  private(set) var hiddenEdges: [Int] = []

  private let records: GraphRecords
  private let options: ViewOptions
  private var grouping = ViewOptions.Grouping.none
  /// Groups that a node has from its neighbours: where groups are what hangs together, and for those without a name.
  private var found: [UInt64: String] = [:]
  private var owners = Owners([])

  init(_ records: GraphRecords, _ options: ViewOptions) {
    self.records = records
    self.options = options
    let living = records.nodes.filter(isThere)
    let edges = records.edges.filter { $0.downstream != nil && isThere($0) }
    nodeCount = living.count
    let inFocus = focused(living, edges)
    grouping = Self.grouping(options.grouping, of: living)
    if grouping == .part { found = Self.parts(living, edges) }
    if grouping == .name { found = Self.groupsOfUnnamed(living, edges) }
    if grouping == .owner { owners = Owners(records.edges.filter(isThere)) }
    let boxOf = makeBoxes(living.filter { inFocus.contains($0.id) })
    makeLines(edges, boxOf)
  }

  private func isThere(_ node: NodeRecord) -> Bool {
    guard let moment = options.moment else { return node.gone == nil }
    return (node.born?.sequence ?? 0) <= moment && moment < (node.gone?.sequence ?? .max)
  }

  private func isThere(_ edge: EdgeRecord) -> Bool {
    guard let moment = options.moment else { return edge.cut == nil }
    return edge.lived(at: moment)
  }

  // MARK: - Focus

  private func focused(_ nodes: [NodeRecord], _ edges: [EdgeRecord]) -> Set<UInt64> {
    let all = Set(nodes.map(\.id))
    guard let focus = options.focus, all.contains(focus) else { return all }
    let down = Dictionary(grouping: edges) { $0.upstream }.mapValues { $0.map(\.downstream!) }
    let up = Dictionary(grouping: edges) { $0.downstream! }.mapValues { $0.map(\.upstream) }
    let depth = options.depth ?? .max
    if let target = options.target, all.contains(target) {
      let one = Self.reached(from: focus, down, .max).intersection(
        Self.reached(from: target, up, .max))
      let other = Self.reached(from: focus, up, .max).intersection(
        Self.reached(from: target, down, .max))
      return one.union(other).union([focus, target])
    }
    return switch options.direction {
    case .up: Self.reached(from: focus, up, depth)
    case .down: Self.reached(from: focus, down, depth)
    case .both: Self.reached(from: focus, up, depth).union(Self.reached(from: focus, down, depth))
    }
  }

  private static func reached(
    from start: UInt64, _ next: [UInt64: [UInt64]], _ depth: Int
  ) -> Set<UInt64> {
    var seen: Set = [start]
    var edge = [start], distance = 0
    while !edge.isEmpty, distance < depth {
      edge = edge.flatMap { next[$0] ?? [] }.filter { seen.insert($0).inserted }
      distance += 1
    }
    return seen
  }

  // MARK: - Groups

  /// The box of each node that is shown.
  private mutating func makeBoxes(_ nodes: [NodeRecord]) -> [UInt64: Int] {
    let byGroup = Dictionary(grouping: nodes, by: group)
    let usuallyFolded =
      switch options.folding {
      case .all: true
      case .none: false
      case .auto: nodes.count > Self.foldsFrom
      }
    groups = byGroup.map { key, members in
      let isFolded =
        members.count > 1 && !key.isEmpty && usuallyFolded != options.toggled.contains(key)
      return Group(key: key, count: members.count, isFolded: isFolded)
    }.sorted { $0.key < $1.key }
    var boxOf: [UInt64: Int] = [:]
    let folded = Set(groups.lazy.filter(\.isFolded).map(\.key))
    for group in groups where group.isFolded && boxes.count < Self.mostBoxes {
      let members = byGroup[group.key]!
      for member in members { boxOf[member.id] = boxes.count }
      boxes.append(.group(key: group.key, members: members))
      shownCount += members.count
    }
    for node in nodes where !folded.contains(group(of: node)) {
      if boxes.count >= Self.mostBoxes { break }
      boxOf[node.id] = boxes.count
      boxes.append(.node(node))
      shownCount += 1
    }
    if grouping == .none { groups = [] }
    return boxOf
  }

  private static func grouping(
    _ wanted: ViewOptions.Grouping, of nodes: [NodeRecord]
  ) -> ViewOptions.Grouping {
    guard wanted == .auto else { return wanted }
    let files = Dictionary(grouping: nodes, by: \.place.file)
    let isOneFile = files.values.contains { 10 * $0.count > 9 * nodes.count }
    return isOneFile && nodes.count > foldsFrom ? .name : .file
  }

  /// The group that a node belongs to; empty: none.
  func group(of node: NodeRecord) -> String {
    switch grouping {
    case .auto, .none: ""
    case .file: node.place.file
    case .line: "\(node.place)"
    case .type: node.type
    case .kind: node.operation
    case .part: found[node.id] ?? ""
    case .owner: owners.label(of: node.id)
    case .name: node.name.map(Self.group(ofName:)) ?? found[node.id] ?? ""
    }
  }

  /// `sensor 7` of `sensor 7/raw` and of `sensor 7: mean`; `sensor` of `sensor 7`.
  private static func group(ofName name: String) -> String {
    if let sign = name.firstIndex(where: { "/,.:[(#".contains($0) }) {
      return String(name[..<sign]).trimmedAtEnd
    }
    var name = name
    while name.last?.isNumber == true { name.removeLast() }
    return name.trimmedAtEnd
  }

  /// A node without a name belongs to the group of all its neighbours that have one, if that is one group.
  private static func groupsOfUnnamed(_ nodes: [NodeRecord], _ edges: [EdgeRecord]) -> [UInt64:
    String]
  {
    var named: [UInt64: String] = [:], groups: [UInt64: Set<String>] = [:]
    for node in nodes { named[node.id] = node.name.map(group(ofName:)) }
    for edge in edges {
      for (own, far) in [(edge.upstream, edge.downstream!), (edge.downstream!, edge.upstream)] {
        if named[own] == nil, let group = named[far] { groups[own, default: []].insert(group) }
      }
    }
    return groups.compactMapValues { $0.count == 1 ? $0.first : nil }
  }

  /// Nodes that edges join, whichever way they lead: named after the first of them.
  private static func parts(_ nodes: [NodeRecord], _ edges: [EdgeRecord]) -> [UInt64: String] {
    let ends = edges.flatMap { [($0.upstream, $0.downstream!), ($0.downstream!, $0.upstream)] }
    let near = Dictionary(grouping: ends) { $0.0 }.mapValues { $0.map(\.1) }
    var parts: [UInt64: String] = [:]
    for node in nodes where parts[node.id] == nil {
      let members = reached(from: node.id, near, .max)
      for member in members { parts[member] = members.count > 1 ? "with \(node.label)" : "" }
    }
    return parts
  }

  // MARK: - Edges

  private mutating func makeLines(_ edges: [EdgeRecord], _ boxOf: [UInt64: Int]) {
    struct Ends: Hashable { var from: Int, to: Int }
    var places: [Ends: Int] = [:]
    hiddenEdges = boxes.map { _ in 0 }
    for edge in edges {
      let (from, to) = (boxOf[edge.upstream], boxOf[edge.downstream!])
      guard let from, let to else {
        if let shown = from ?? to { hiddenEdges[shown] += 1 }
        continue
      }
      if from == to { continue }
      let isSync = edge.operation == "Sync"
      if let place = places[Ends(from: from, to: to)] {
        lines[place].edges.append(edge)
      } else if isSync, let place = places[Ends(from: to, to: from)],
        lines[place].edges[0].operation == "Sync"
      {
        lines[place].edges.append(edge)
        lines[place].isSync = true
      } else {
        places[Ends(from: from, to: to)] = lines.count
        lines.append(Line(from: from, to: to, isSync: false, edges: [edge]))
      }
    }
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
