import EasyReact

/// What the rules ask of a node, living or saved.
struct LintNode {
  let id: UInt64
  let label: String
  let place: SourcePlace
  var isMutable = false, isPrivate = false, isEmpty = false, isEventNode = false,
    isTerminated = false
  var hasListener = false
  /// Listeners whose owners are gone. Only a living graph knows.
  var orphans = 0
  /// The names of transforms with one end. Only a living graph knows.
  var looseTransforms: [String] = []
}

/// An edge between two nodes, or to a listener, that is there.
struct LintEdge {
  let operation: String
  let upstream: UInt64
  /// Nil: a listener.
  let downstream: UInt64?
  let isBackEdge: Bool
}

/// A graph as it is while it is looked at, or was when it was saved.
struct LintGraph {
  private let nodes: [LintNode]
  private let byId: [UInt64: LintNode]
  private let edges: [LintEdge]
  private var ins: [UInt64: [LintEdge]] = [:], outs: [UInt64: [LintEdge]] = [:]
  private let records: GraphRecords?
  /// Those that tell events, of their own or of a node upstream, which nothing on the way keeps.
  private var telling: Set<UInt64> = []
  /// Those whose listener, or what followed them, is gone.
  private var left: Set<UInt64> = []

  init(_ nodes: [LintNode], _ edges: [LintEdge], _ records: GraphRecords?) {
    self.nodes = nodes
    self.edges = edges
    self.records = records
    byId = Dictionary(nodes.map { ($0.id, $0) }) { first, _ in first }
    for edge in edges {
      outs[edge.upstream, default: []].append(edge)
      if let down = edge.downstream { ins[down, default: []].append(edge) }
    }
    for edge in records?.edges ?? [] where edge.cut != nil { left.insert(edge.upstream) }
    findTelling()
  }

  var findings: [LintFinding] {
    var findings: [LintFinding] = []
    for node in nodes { findings += look(at: node) }
    return findings + linkedTwice + duplicates + deepChains + (records.map { counted($0) } ?? [])
  }

  /// The edges and listeners that lead away from it.
  func followers(of id: UInt64) -> [LintEdge] { outs[id] ?? [] }

  func isMember(_ id: UInt64) -> Bool { byId[id] != nil }

  private func label(_ id: UInt64) -> String { byId[id]?.label ?? "node \(id)" }

  private func finding(
    _ rule: LintRule, _ ids: [UInt64], _ reason: String, _ remedy: String
  ) -> LintFinding {
    LintFinding(rule: rule, nodes: ids, labels: ids.map(label), reason: reason, remedy: remedy)
  }

  // MARK: - One node

  private func look(at node: LintNode) -> [LintFinding] {
    [
      unheard(node), terminated(node), waiting(node), wideFan(node), orphans(node),
      shownPrivate(node),
    ].compactMap { $0 } + looseTransforms(node)
  }

  private func unheard(_ node: LintNode) -> LintFinding? {
    if outs[node.id] != nil || node.hasListener { return nil }
    if ins[node.id] == nil {
      if !node.isMutable || wasHeard(node) { return nil }
      return finding(
        .sourceWithoutConsumer, [node.id], "nobody listens to it, and nothing follows it",
        "Derive what needs it, or let it go")
    }
    return finding(
      .neverHeard, [node.id], "nobody listens to it, and nothing follows it",
      "Listen to it, or compute it where it is read")
  }

  /// Once, by somebody who is gone: a task that awaited a value.
  private func wasHeard(_ node: LintNode) -> Bool {
    guard let records, let record = records.node(node.id) else { return false }
    return record.counts.told > 0 || left.contains(node.id)
  }

  private func terminated(_ node: LintNode) -> LintFinding? {
    if !node.isTerminated { return nil }
    return finding(
      .terminated, [node.id],
      "it has lost an upstream that it computes from, and tells nothing any more",
      "Make the join anew, with the nodes that it is to follow now")
  }

  private static let joins: Set<String> = [
    "Combine", "Latest", "Derived", "FlattenCombine", "WithLatest",
  ]

  private func waiting(_ node: LintNode) -> LintFinding? {
    for edge in ins[node.id] ?? [] where LintGraph.joins.contains(edge.operation) {
      guard let up = byId[edge.upstream], up.isEmpty else { continue }
      // What makes a `withLatest` run may be an event; what it reads is a "Latest" edge.
      if edge.operation != "WithLatest", telling.contains(up.id) {
        return finding(
          .eventsAreNotKept, [node.id, up.id],
          "it reads the latest values, and \(label(up.id)) tells events, of which none is kept: it waits for ever",
          "Take events with withLatest(from:), zip or merge, or keep them with held()")
      }
      if ins[up.id] == nil, !up.isMutable, !up.isEventNode {
        return finding(
          .waitsForEver, [node.id, up.id],
          "it waits for \(label(up.id)), which is empty, follows nothing and cannot be set",
          "Link that node to what gives it values, or make it mutable")
      }
    }
    return nil
  }

  /// Once for all, from the event nodes down.
  private mutating func findTelling() {
    let keeping: Set<String> = [
      "Held", "Scan", "Count", "StartWith", "Load", "Link", "Sync", "Transform", "Derived",
    ]
    var waiting = nodes.filter(\.isEventNode).map(\.id)
    telling = Set(waiting)
    while let id = waiting.popLast() {
      for edge in outs[id] ?? [] where !keeping.contains(edge.operation) {
        if let down = edge.downstream, telling.insert(down).inserted { waiting.append(down) }
      }
    }
  }

  static let widest = 1_000, deepest = 1_000

  private func wideFan(_ node: LintNode) -> LintFinding? {
    let count = outs[node.id]?.count ?? 0
    if count <= LintGraph.widest { return nil }
    return finding(
      .wideFan, [node.id], "\(count) edges and listeners follow it, and each set runs them all",
      "Let each follow a part: a switch by key, or a lens")
  }

  private func orphans(_ node: LintNode) -> LintFinding? {
    if node.orphans == 0 { return nil }
    return finding(
      .ownerIsGone, [node.id],
      "\(node.orphans) of its listeners have lost their owner: they are never called, and end with its next event",
      "If the listener should still be heard, keep its owner; else let the owner adopt ListeningOwner"
    )
  }

  private func shownPrivate(_ node: LintNode) -> LintFinding? {
    if !node.isPrivate { return nil }
    let same: Set<String> = [
      "Link", "Fork", "Filter", "Ignore", "Select", "DistinctUntilChanged", "Skip", "Take",
      "Deliver", "Delay",
      "Debounce", "Sync", "Merge", "Combine", "Zip", "Held", "StartWith", "ThrottleFirst",
      "ThrottleLatest",
    ]
    let shown = (outs[node.id] ?? []).filter { same.contains($0.operation) }.compactMap(
      \.downstream
    )
    .filter { byId[$0].map { !$0.isPrivate } ?? false }
    if shown.isEmpty { return nil }
    return finding(
      .privateValueShown, [node.id] + shown,
      "its values are private, and go on unchanged to nodes that are not",
      "Mark those private too")
  }

  private func looseTransforms(_ node: LintNode) -> [LintFinding] {
    node.looseTransforms.map {
      finding(
        .looseTransform, [node.id],
        "the transform \($0) has one end, so nothing passes through it",
        "Set its other end, or let it go")
    }
  }

  // MARK: - Several nodes

  private var linkedTwice: [LintFinding] {
    struct Ends: Hashable { let up, down: UInt64 }
    var counts: [Ends: Int] = [:]
    for edge in edges where edge.operation == "Link" || edge.operation == "Sync" {
      if let down = edge.downstream { counts[Ends(up: edge.upstream, down: down), default: 0] += 1 }
    }
    return counts.filter { $0.value > 1 }.keys.sorted { ($0.up, $0.down) < ($1.up, $1.down) }.map {
      finding(
        .linkedTwice, [$0.up, $0.down],
        "\(counts[$0]!) links lead from the one to the other, so each value is told as often",
        "Keep what link(to:) returns, and cancel it before linking again")
    }
  }

  /// What holds the same however often it is made, for it has no closure.
  private static let plain: Set<String> = [
    "Fork", "DistinctUntilChanged", "Held", "Pairwise", "Enumerated", "Count",
  ]

  private var duplicates: [LintFinding] {
    struct Origin: Hashable { let up: UInt64, operation: String, place: SourcePlace }
    var groups: [Origin: [UInt64]] = [:]
    for (id, edges) in ins where edges.count == 1 && LintGraph.plain.contains(edges[0].operation) {
      guard let node = byId[id] else { continue }
      let origin = Origin(
        up: edges[0].upstream, operation: edges[0].operation, place: node.place)
      groups[origin, default: []].append(id)
    }
    return groups.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }.map {
      finding(
        .duplicates, $0, "\($0.count) nodes that hold the same were made at one line",
        "Make it once and share it")
    }
  }

  /// By edges that lead forward, from the sources down.
  private var deepChains: [LintFinding] {
    var depth: [UInt64: Int] = [:], left: [UInt64: Int] = [:]
    let forward = edges.filter { $0.downstream != nil && !$0.isBackEdge }
    for edge in forward { left[edge.downstream!, default: 0] += 1 }
    var waiting = nodes.map(\.id).filter { left[$0] == nil }
    var deepest: (id: UInt64, depth: Int) = (0, 0)
    while let id = waiting.popLast() {
      let next = (depth[id] ?? 1) + 1
      if next - 1 > deepest.depth { deepest = (id, next - 1) }
      for edge in outs[id] ?? [] where !edge.isBackEdge {
        guard let down = edge.downstream else { continue }
        depth[down] = max(depth[down] ?? 1, next)
        left[down]! -= 1
        if left[down] == 0 { waiting.append(down) }
      }
    }
    if deepest.depth <= LintGraph.deepest { return [] }
    return [
      finding(
        .deepChain, [deepest.id], "\(deepest.depth) nodes lie one behind the other up to it",
        "Compute several steps in one node, or fold the chain with scan")
    ]
  }
}
