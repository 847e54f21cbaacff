/// Which nodes led to one node, at each moment.
struct Shape {
  private let target: UInt64
  /// Those from which edges of any time lead to the target.
  private var once: Set<UInt64> = []
  private var into: [UInt64: [EdgeRecord]] = [:]
  /// Of edges to the target and to those nodes: what becomes of others changes nothing here.
  private var out: [UInt64: [EdgeRecord]] = [:], cuts: [EdgeRecord] = []
  /// The sequences of events that changed the shape; between two of them, in an epoch, it is the same.
  private var changes: [UInt64] = []
  /// Of the epoch that was asked about last. For all of them it would be as much as nodes times changes.
  private var leading: (epoch: Int, nodes: Set<UInt64>)?
  /// From where edges of a time between two changes led here, each at some moment of it.
  private var leadingWithin: [Span: Set<UInt64>] = [:]
  private struct Span: Hashable { let start: Int, end: Int }

  init(_ edges: [EdgeRecord], to target: UInt64) {
    self.target = target
    for edge in edges { if let down = edge.downstream { into[down, default: []].append(edge) } }
    once = reached(back: true, from: target) { _ in true }
    let meant = edges.filter { leadsOnceToTarget(from: $0) }
    out = Dictionary(grouping: meant) { $0.upstream }
    cuts = meant.filter { $0.cut != nil }
    changes = Set(meant.flatMap { [$0.born?.sequence, $0.cut?.sequence].compactMap { $0 } })
      .sorted()
  }

  func edges(from node: UInt64) -> [EdgeRecord] { out[node] ?? [] }

  func epoch(of sequence: UInt64) -> Int { changes.upperBound(sequence) }

  /// Over one edge at least.
  /// - Complexity: O(1) in the epoch of the last call, else O(nodes and edges).
  mutating func leads(from node: UInt64, at sequence: UInt64) -> Bool {
    if !once.contains(node) { return false }
    let epoch = epoch(of: sequence)
    if leading?.epoch != epoch {
      leading = (epoch, reached(back: true, from: target) { $0.lived(at: sequence) })
    }
    return leading!.nodes.contains(node)
  }

  mutating func leadsOrIs(_ node: UInt64, at sequence: UInt64) -> Bool {
    node == target || leads(from: node, at: sequence)
  }

  /// With edges that are cut by now.
  func leadsOnceToTarget(from edge: EdgeRecord) -> Bool {
    edge.downstream.map { $0 == target || once.contains($0) } ?? false
  }

  /// By node: the first cut edge of each way that led from it to the target.
  /// - Complexity: O(nodes and edges) for each node, or for each node above a cut, whichever are fewer.
  func cutsOnWay(from nodes: Set<UInt64>, at sequence: UInt64) -> [UInt64: [EdgeRecord]] {
    let nodes = nodes.intersection(once)
    let cuts = Dictionary(grouping: cuts.filter { $0.cut!.sequence <= sequence }) { $0.upstream }
    var found: [UInt64: [EdgeRecord]] = [:]
    func reachedOrIs(back: Bool, _ start: UInt64) -> Set<UInt64> {
      reached(back: back, from: start) { $0.lived(at: sequence) }.union([start])
    }
    if nodes.count <= cuts.count {
      for node in nodes { found[node] = reachedOrIs(back: false, node).flatMap { cuts[$0] ?? [] } }
    } else {
      for (up, edges) in cuts {
        for node in reachedOrIs(back: true, up) where nodes.contains(node) {
          found[node, default: []] += edges
        }
      }
    }
    return found
  }

  /// Was it cut between the two, and led on to the target over edges of that time?
  mutating func wasCut(_ edge: EdgeRecord, since start: UInt64, before end: UInt64) -> Bool {
    guard let cut = edge.cut?.sequence, start < cut, cut < end, let down = edge.downstream else {
      return false
    }
    if down == target { return true }
    let span = Span(start: changes.upperBound(start), end: changes.lowerBound(end))
    if leadingWithin[span] == nil {
      leadingWithin[span] = reached(back: true, from: target) {
        ($0.cut?.sequence ?? .max) > start && ($0.born?.sequence ?? 0) < end
      }
    }
    return leadingWithin[span]!.contains(down)
  }

  private func reached(
    back: Bool, from start: UInt64, _ isThere: (EdgeRecord) -> Bool
  ) -> Set<UInt64> {
    var found: Set<UInt64> = []
    var waiting = [start]
    while let node = waiting.popLast() {
      for edge in (back ? into : out)[node] ?? [] where isThere(edge) {
        let next = back ? edge.upstream : edge.downstream!
        if found.insert(next).inserted { waiting.append(next) }
      }
    }
    return found
  }
}

extension [UInt64] {
  /// The index of the first that is not less.
  func lowerBound(_ number: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of the first that is greater.
  func upperBound(_ number: UInt64) -> Int { number == .max ? count : lowerBound(number + 1) }
}
