import EasyReactInspection

/// Whom each node lives for: the owners whose listeners hear it, or hear what follows from it. So consumers own providers;
/// a sync keeps nothing, and passes no owner on.
///
/// O(nodes and edges).
struct Owners {
  /// This many are told apart; more are "several owners".
  static let most = 3

  private var owners: [UInt64: Set<OwnerRecord>] = [:]
  /// How many owners there are of each type.
  private let counts: [String: Int]

  /// - Parameter edges: Those that are there, listeners too.
  init(_ edges: some Collection<EdgeRecord>) {
    let owned = edges.filter { $0.owner != nil }
    counts = Dictionary(grouping: Set(owned.map { $0.owner! }), by: \.type).mapValues(\.count)
    let upstream = Dictionary(
      grouping: edges.filter { $0.downstream != nil && $0.operation != "Sync" }
    ) { $0.downstream! }.mapValues { $0.map(\.upstream) }
    var waiting: [UInt64] = []
    for edge in owned where add([edge.owner!], to: edge.upstream) { waiting.append(edge.upstream) }
    while let node = waiting.popLast() {
      let own = owners[node]!
      for near in upstream[node] ?? [] where add(own, to: near) { waiting.append(near) }
    }
  }

  /// Was there any new one? What has more than enough takes no more, so this ends soon.
  private mutating func add(_ new: Set<OwnerRecord>, to node: UInt64) -> Bool {
    let own = owners[node] ?? []
    if own.count > Self.most { return false }
    let all = own.union(new)
    owners[node] = all
    return all.count > own.count
  }

  /// `Panel`; `Panel #2` if there are several of that type.
  func label(_ owner: OwnerRecord) -> String {
    counts[owner.type] ?? 1 == 1 ? owner.type : "\(owner.type) #\(owner.id)"
  }

  /// Those that a node lives for, as a group is named; empty: none, as far as is known.
  func label(of node: UInt64) -> String {
    let own = owners[node] ?? []
    if own.count > Self.most { return "several owners" }
    return own.sorted { ($0.type, $0.id) < ($1.type, $1.id) }.map(label).joined(separator: ", ")
  }
}
