import EasyReact

/// Finds where the ways from sets to one node ended.
///
/// Forward from a set everything that it caused is known. What it caused, and what caused nothing further, is an end; it
/// concerns the node if a way led on from there to the node at that moment. Besides an edge may have passed nothing on
/// and said nothing, as default edges do with emptiness.
///
/// Several sets may have caused one event, as those of a batch cause what a join stores; and what waited for a timer comes after
/// what later sets caused. So each event is asked once what ended there, in order of the moments at which it matters how the
/// graph was.
struct StopSearch {
  private let records: GraphRecords
  private let target: UInt64
  private var effects: [UInt64: [UInt64]] = [:]
  private var shape: Shape

  init(_ records: GraphRecords, _ target: UInt64) {
    self.records = records
    self.target = target
    shape = Shape(records.edges, to: target)
    for event in records.events {
      for cause in event.causes { effects[cause, default: []].append(event.sequence) }
    }
  }

  mutating func answer(since sequence: UInt64?) -> WhyNot {
    let sets = sets(since: sequence)
    var answer = WhyNot(
      node: target, label: records.label(of: target),
      since: sequence ?? sets.first.map { $0.sequence - 1 } ?? 0)
    answer.answers = answers(to: sets)
    answer.sources = sources()
    for edge in records.edges where edge.cut != nil && shape.leadsOnceToTarget(from: edge) {
      answer.cuts.append(words(ofCut: edge))
    }
    return answer
  }

  private func sets(since sequence: UInt64?) -> [EventRecord] {
    let sets = records.events.filter { $0.kind == .set }
    guard let sequence else {
      guard let last = sets.last else { return [] }
      return sets.filter { $0.turn == last.turn && $0.thread == last.thread }
    }
    return sets.filter { $0.sequence > sequence }
  }

  /// What can be set and leads here.
  private mutating func sources() -> [String] {
    var labels: [String] = []
    for node in records.nodes where node.isMutable && node.gone == nil && node.id != target {
      if shape.leads(from: node.id, at: .max - 1) { labels.append(node.label) }
    }
    return labels
  }

  private mutating func answers(to sets: [EventRecord]) -> [WhyNot.Answer] {
    guard let first = sets.first?.sequence else { return [] }
    let arrivals = records.events[records.events.lowerBound(first)...].compactMap {
      $0.kind == .stored && $0.node == target ? $0.sequence : nil
    }
    let arrived = self.sets(since: first, behind: arrivals)
    let ends = ends(behind: sets.filter { !arrived.contains($0.sequence) })
    let stopped = self.sets(since: first, behind: ends.keys)
    let others = sets.filter { !arrived.contains($0.sequence) && !stopped.contains($0.sequence) }
    let cuts = cuts(for: others)
    return sets.map { set in
      var answer = WhyNot.Answer(set: set, source: records.label(of: set.node), outcome: .noWay)
      if arrived.contains(set.sequence) {
        answer.outcome = .arrived
      } else if stopped.contains(set.sequence) {
        answer.outcome = .stopped
        answer.ends = unique(caused(by: [set]).flatMap { ends[$0] ?? [] })
      } else if let cuts = cuts[set.sequence] {
        answer.outcome = .noWayAnyMore
        answer.ends = cuts
      }
      return answer
    }
  }

  // MARK: - What sets caused

  /// With the sets themselves, in order. What listeners set is not followed: those sets have answers of their own.
  private func caused(by sets: [EventRecord]) -> [UInt64] {
    var waiting = sets.map(\.sequence), found = Set(waiting)
    while let sequence = waiting.popLast() {
      for effect in effects[sequence] ?? [] where !found.contains(effect) {
        guard let kind = kind(of: effect), kind != .set else { continue }
        found.insert(effect)
        if kind != .told { waiting.append(effect) }
      }
    }
    return found.sorted()
  }

  /// The sets from the first one on that caused one of these events.
  private func sets(since first: UInt64, behind events: some Sequence<UInt64>) -> Set<UInt64> {
    var found = Set(events), waiting = Array(found), sets: Set<UInt64> = []
    while let sequence = waiting.popLast() {
      for cause in records.event(sequence)?.causes ?? [] where cause >= first {
        switch kind(of: cause) {
        case .set: sets.insert(cause)
        case nil, .told: continue
        default: if found.insert(cause).inserted { waiting.append(cause) }
        }
      }
    }
    return sets
  }

  private func kind(of event: UInt64) -> EventRecord.Kind? {
    records.events.place(of: event).map { records.events[$0].kind }
  }

  // MARK: - Where ways ended

  /// What ended at each event that the sets caused.
  private mutating func ends(behind sets: [EventRecord]) -> [UInt64: [WhyNot.End]] {
    let events = caused(by: sets).compactMap { records.events.place(of: $0) }
    let moments = events.map { (moment: moment(of: records.events[$0]), place: $0) }
    var ends: [UInt64: [WhyNot.End]] = [:]
    for (_, place) in moments.sorted(by: { $0.moment < $1.moment }) {
      let found = self.ends(at: records.events[place])
      if !found.isEmpty { ends[records.events[place].sequence] = found }
    }
    return ends
  }

  /// When it matters, for what ended at the event, how the graph was.
  private func moment(of event: EventRecord) -> UInt64 {
    // Cut before the value came to it, but within the turn, it is met all the same, after edges whose followers may have changed
    // the ways since.
    guard event.kind == .stopped, let cut = event.edge.flatMap({ records.edge($0) })?.cut,
      let cause = event.causes.last, cut.sequence < cause
    else { return event.sequence }
    return cause
  }

  private mutating func ends(at event: EventRecord) -> [WhyNot.End] {
    switch event.kind {
    case .stopped: end(atStop: event).map { [$0] } ?? []
    case .stored: silentEdges(behind: event)
    default: []
    }
  }

  private mutating func end(atStop event: EventRecord) -> WhyNot.End? {
    guard let stop = event.stop, effects[event.sequence] == nil, stop != .noConsumer else {
      return nil
    }
    // For a listener: nothing goes on from there.
    if let edge = event.edge.flatMap({ records.edge($0) }), edge.isListener { return nil }
    if !shape.leadsOrIs(event.node, at: moment(of: event)) { return nil }
    let name = words(event.node, event.edge)
    return WhyNot.End(
      event: event.sequence, edge: event.edge, upstream: event.other, downstream: event.node,
      reason: .stopped(stop), text: "\(name): \(stop.reason)")
  }

  /// Edges that were there when the value was stored, and of which nothing was heard.
  private mutating func silentEdges(behind stored: EventRecord) -> [WhyNot.End] {
    var ends: [WhyNot.End] = []
    // Two nodes may be joined twice; then each edge has said something.
    var heard: [UInt64: Int] = [:]
    for event in (effects[stored.sequence] ?? []).compactMap({ records.event($0) }) {
      if event.kind != .told { heard[event.node, default: 0] += 1 }
    }
    for edge in shape.edges(from: stored.node) where edge.lived(at: stored.sequence) {
      guard let down = edge.downstream, shape.leadsOrIs(down, at: stored.sequence) else { continue }
      if let count = heard[down], count > 0 {
        heard[down] = count - 1
        continue
      }
      let isEmpty = stored.new?.form == .empty
      let text = isEmpty ? "it passes no emptiness" : "it told nothing"
      ends.append(
        WhyNot.End(
          edge: edge.id, upstream: edge.upstream, downstream: down,
          reason: isEmpty ? .emptinessDoesNotPass : .notPassedOn,
          text: "\(words(down, edge.id)): \(text)"))
    }
    return ends
  }

  /// Several values of one set may have ended at one place for one reason; the last one counts.
  private func unique(_ ends: [WhyNot.End]) -> [WhyNot.End] {
    var seen: Set<WhyNot.End> = []
    return ends.reversed().filter { end in
      var key = end
      key.event = nil
      return seen.insert(key).inserted
    }.reversed()
  }

  // MARK: - Ways that were

  /// Where a way led on before the set was made; or since then from where it came to, before it came there: what waits for a
  /// timer, or for another thread, may find the edge behind cut. Of each set that has any.
  private mutating func cuts(for sets: [EventRecord]) -> [UInt64: [WhyNot.End]] {
    var cuts: [UInt64: [WhyNot.End]] = [:]
    for sets in Dictionary(grouping: sets, by: { shape.epoch(of: $0.sequence) }).values {
      let onWay = shape.cutsOnWay(from: Set(sets.map(\.node)), at: sets[0].sequence)
      for set in sets {
        let found = (onWay[set.node] ?? []) + cutsMeanwhile(set)
        if !found.isEmpty { cuts[set.sequence] = ends(atCuts: found) }
      }
    }
    return cuts
  }

  private mutating func cutsMeanwhile(_ set: EventRecord) -> [EdgeRecord] {
    var edges: [EdgeRecord] = []
    let caused = caused(by: [set]).compactMap { records.event($0) }
    for event in late(caused) where event.kind == .stored {
      edges += shape.edges(from: event.node).filter {
        shape.wasCut($0, since: set.sequence, before: event.sequence)
      }
    }
    return edges
  }

  private func ends(atCuts edges: [EdgeRecord]) -> [WhyNot.End] {
    let found = Dictionary(edges.map { ($0.id, $0) }) { first, _ in first }
    return found.values.sorted { $0.id < $1.id }.map { edge in
      WhyNot.End(
        edge: edge.id, upstream: edge.upstream, downstream: edge.downstream!,
        reason: .cutBefore(edge.cut!), text: words(ofCut: edge))
    }
  }

  /// Those of a set's events that something had to wait for.
  private func late(_ caused: [EventRecord]) -> [EventRecord] {
    var late: Set<UInt64> = []
    return caused.filter { event in
      let isLate = event.causes.contains {
        late.contains($0) || records.event($0)?.stop?.isWait == true
      }
      if isLate { late.insert(event.sequence) }
      return isLate
    }
  }

  private func words(ofCut edge: EdgeRecord) -> String {
    let time = edge.cut.map { Double($0.nanoseconds / 1_000) / 1_000 } ?? 0
    return "\(edge.operation) from \(records.label(of: edge.upstream)) to "
      + "\(edge.downstream.map { records.label(of: $0) } ?? "a listener") was cut after \(time) ms"
  }

  private func words(_ node: UInt64, _ edge: UInt64?) -> String {
    let label = records.label(of: node)
    guard let operation = edge.flatMap({ records.operation(of: $0) }) else { return label }
    return label.hasPrefix("\(operation) at ") ? label : "\(label) (\(operation))"
  }
}

extension GraphEvent.Stop {
  /// It may go on later, in another turn.
  fileprivate var isWait: Bool {
    switch self {
    case .heldBackByTimer, .waitsOnScheduler, .waitsForCall, .leftInMailbox: true
    case .waitsForAnotherUpstream: true
    default: false
    }
  }
}
