import EasyReact
import EasyReactInspection

/// Says where the ways from sets to one node ended, by looking anew for each set, each event and each edge: the readable twin of what
/// answers `whyNot`.
struct PlainStopSearch {
  struct Answer: Equatable {
    var outcome: WhyNot.Outcome
    /// Without their texts.
    var ends: [WhyNot.End] = []
  }

  let records: GraphRecords
  let target: UInt64
  private let effects: [UInt64: [EventRecord]]

  init(_ records: GraphRecords, _ target: UInt64) {
    (self.records, self.target) = (records, target)
    var effects: [UInt64: [EventRecord]] = [:]
    for event in records.events {
      for cause in event.causes { effects[cause, default: []].append(event) }
    }
    self.effects = effects
  }

  /// The labels of what would lead here.
  var sources: [String] {
    records.nodes.filter {
      $0.isMutable && $0.gone == nil && $0.id != target && leads(from: $0.id, at: .max - 1)
    }.map(\.label)
  }

  func answer(to set: EventRecord) -> Answer {
    let caused = caused(by: set)
    if caused.contains(where: { $0.kind == .stored && $0.node == target }) {
      return Answer(outcome: .arrived)
    }
    var ends: [WhyNot.End] = []
    for end in caused.flatMap(ends(at:)) {
      ends.removeAll {
        $0.edge == end.edge && $0.downstream == end.downstream && $0.reason == end.reason
          && $0.upstream == end.upstream
      }
      ends.append(end)
    }
    if !ends.isEmpty { return Answer(outcome: .stopped, ends: ends) }
    let cuts = records.edges.filter { isCutOnWay($0, of: set) || isCutMeanwhile($0, set, caused) }
    return Answer(
      outcome: cuts.isEmpty ? .noWay : .noWayAnyMore,
      ends: cuts.map { end(at: $0, .cutBefore($0.cut!)) })
  }

  private func caused(by set: EventRecord) -> [EventRecord] {
    var caused = [set.sequence: set]
    for event in records.events where event.kind != .set {
      let isCaused = event.causes.contains { caused[$0].map { $0.kind != .told } ?? false }
      if isCaused { caused[event.sequence] = event }
    }
    return caused.values.sorted { $0.sequence < $1.sequence }
  }

  // MARK: - Ways that ended

  private func ends(at event: EventRecord) -> [WhyNot.End] {
    switch event.kind {
    case .stored: silentEdges(behind: event)
    case .stopped where isEnd(event):
      [
        WhyNot.End(
          event: event.sequence, edge: event.edge, upstream: event.other, downstream: event.node,
          reason: .stopped(event.stop!), text: "")
      ]
    default: []
    }
  }

  private func isEnd(_ stopped: EventRecord) -> Bool {
    if effects[stopped.sequence] != nil || stopped.stop == .noConsumer { return false }
    let edge = stopped.edge.flatMap { records.edge($0) }
    if edge?.isListener == true { return false }
    // What was cut before the value came there is met all the same.
    let came = stopped.causes.last ?? stopped.sequence
    let wasCut = (edge?.cut?.sequence ?? .max) < came
    return leadsOrIs(stopped.node, at: wasCut ? came : stopped.sequence)
  }

  private func silentEdges(behind stored: EventRecord) -> [WhyNot.End] {
    let heard = (effects[stored.sequence] ?? []).filter { $0.kind != .told }.map(\.node)
    var left = Dictionary(heard.map { ($0, 1) }, uniquingKeysWith: +)
    return records.edges.compactMap { edge in
      guard edge.upstream == stored.node, edge.lived(at: stored.sequence),
        let down = edge.downstream, leadsOrIs(down, at: stored.sequence)
      else { return nil }
      left[down, default: 0] -= 1
      if left[down]! >= 0 { return nil }
      return end(at: edge, stored.new?.form == .empty ? .emptinessDoesNotPass : .notPassedOn)
    }
  }

  private func end(at edge: EdgeRecord, _ reason: WhyNot.Reason) -> WhyNot.End {
    WhyNot.End(
      edge: edge.id, upstream: edge.upstream, downstream: edge.downstream!, reason: reason, text: ""
    )
  }

  // MARK: - Ways that were cut

  private func isCutOnWay(_ edge: EdgeRecord, of set: EventRecord) -> Bool {
    guard let cut = edge.cut, cut.sequence <= set.sequence, let down = edge.downstream else {
      return false
    }
    let isReached =
      edge.upstream == set.node
      || below(set.node) { $0.lived(at: set.sequence) }.contains(edge.upstream)
    return isReached && (down == target || below(down) { _ in true }.contains(target))
  }

  /// Behind what had to wait.
  private func isCutMeanwhile(
    _ edge: EdgeRecord, _ set: EventRecord, _ caused: [EventRecord]
  ) -> Bool {
    guard let cut = edge.cut?.sequence, let down = edge.downstream else { return false }
    return late(caused).contains { event in
      guard event.kind == .stored, event.node == edge.upstream, set.sequence < cut,
        cut < event.sequence
      else { return false }
      let ways = below(down) {
        ($0.cut?.sequence ?? .max) > set.sequence && ($0.born?.sequence ?? 0) < event.sequence
      }
      return down == target || ways.contains(target)
    }
  }

  private func late(_ caused: [EventRecord]) -> [EventRecord] {
    let waits: [GraphEvent.Stop] = [
      .heldBackByTimer, .waitsOnScheduler, .waitsForCall, .leftInMailbox, .waitsForAnotherUpstream,
    ]
    var late: [UInt64: EventRecord] = [:]
    for event in caused {
      let isLate = event.causes.contains {
        late[$0] != nil || records.event($0)?.stop.map(waits.contains) == true
      }
      if isLate { late[event.sequence] = event }
    }
    return Array(late.values)
  }

  // MARK: - Ways

  private func leadsOrIs(_ node: UInt64, at sequence: UInt64) -> Bool {
    node == target || leads(from: node, at: sequence)
  }

  private func leads(from node: UInt64, at sequence: UInt64) -> Bool {
    below(node) { $0.lived(at: sequence) }.contains(target)
  }

  private func below(_ node: UInt64, _ isThere: (EdgeRecord) -> Bool) -> Set<UInt64> {
    let edges = records.edges.filter { $0.downstream != nil && isThere($0) }
    var found: Set<UInt64> = [], count = -1
    while found.count > count {
      count = found.count
      for edge in edges where edge.upstream == node || found.contains(edge.upstream) {
        found.insert(edge.downstream!)
      }
    }
    return found
  }
}
