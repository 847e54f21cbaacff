import EasyReact

/// Finds where the ways from sets to one node ended.
///
/// Forward from a set everything that it caused is known. What it caused, and what caused nothing further, is an end; it
/// concerns the node if a way led on from there to the node at that moment. Besides an edge may have passed nothing on
/// and said nothing, as default edges do with emptiness.
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
    for set in sets { answer.answers.append(self.answer(to: set)) }
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

  // MARK: - One set

  private mutating func answer(to set: EventRecord) -> WhyNot.Answer {
    let caused = caused(by: set)
    let source = records.label(of: set.node)
    if caused.contains(where: { $0.kind == .stored && $0.node == target }) {
      return WhyNot.Answer(set: set, source: source, outcome: .arrived)
    }
    var ends: [WhyNot.End] = []
    for event in caused { ends += self.ends(at: event) }
    if !ends.isEmpty {
      return WhyNot.Answer(set: set, source: source, outcome: .stopped, ends: unique(ends))
    }
    let cuts = cuts(for: set, caused)
    return WhyNot.Answer(
      set: set, source: source, outcome: cuts.isEmpty ? .noWay : .noWayAnyMore, ends: cuts)
  }

  /// With the set itself, in order. What listeners set is not followed: those sets have answers of their own.
  private func caused(by set: EventRecord) -> [EventRecord] {
    var found: Set<UInt64> = [set.sequence]
    var waiting = [set.sequence]
    while let sequence = waiting.popLast() {
      for effect in effects[sequence] ?? [] where !found.contains(effect) {
        guard let event = records.event(effect), event.kind != .set else { continue }
        found.insert(effect)
        if event.kind != .told { waiting.append(effect) }
      }
    }
    return found.sorted().compactMap { records.event($0) }
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
    let edge = event.edge.flatMap { records.edge($0) }
    // Of a listener: nothing goes on from there.
    if edge?.isListener == true { return nil }
    // Cut before the value came to it, but within the turn, it is met all the same, behind edges whose followers may have changed
    // the ways since.
    let came = event.causes.last ?? event.sequence
    let moment = (edge?.cut?.sequence ?? .max) < came ? came : event.sequence
    let isHere = event.node == target || shape.leads(from: event.node, at: moment)
    if !isHere { return nil }
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
  /// timer, or for another thread, may find the edge behind cut.
  private mutating func cuts(for set: EventRecord, _ caused: [EventRecord]) -> [WhyNot.End] {
    var edges = shape.cutsOnWay(from: set.node, at: set.sequence)
    for event in late(caused) where event.kind == .stored {
      edges += shape.edges(from: event.node).filter {
        shape.wasCut($0, since: set.sequence, before: event.sequence)
      }
    }
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

/// Which nodes led to one node, at each moment.
struct Shape {
  private let target: UInt64
  private var out: [UInt64: [EdgeRecord]] = [:], into: [UInt64: [EdgeRecord]] = [:]
  /// The sequences of events that changed the shape; between two of them it is the same.
  private let changes: [UInt64]
  private var leading: [Int: Set<UInt64>] = [:]
  private var once: Set<UInt64>?
  /// Those of which there is something to be said, and what was found of them.
  private var cuts: [EdgeRecord]?
  private var cutsOnWay: [Origin: [EdgeRecord]] = [:]
  private struct Origin: Hashable { let node: UInt64, epoch: Int }
  /// From where edges of a time between two changes led here, each at some moment of it.
  private var leadingWithin: [Span: Set<UInt64>] = [:]
  private struct Span: Hashable { let start: Int, end: Int }

  init(_ edges: [EdgeRecord], to target: UInt64) {
    self.target = target
    for edge in edges {
      guard let down = edge.downstream else { continue }
      out[edge.upstream, default: []].append(edge)
      into[down, default: []].append(edge)
    }
    changes = Set(edges.flatMap { [$0.born?.sequence, $0.cut?.sequence].compactMap { $0 } })
      .sorted()
  }

  func edges(from node: UInt64) -> [EdgeRecord] { out[node] ?? [] }

  /// Over one edge at least.
  mutating func leads(from node: UInt64, at sequence: UInt64) -> Bool {
    let epoch = changes.upperBound(sequence)
    if leading[epoch] == nil {
      leading[epoch] = reached(back: true, from: target) { $0.lived(at: sequence) }
    }
    return leading[epoch]!.contains(node)
  }

  mutating func leadsOrIs(_ node: UInt64, at sequence: UInt64) -> Bool {
    node == target || leads(from: node, at: sequence)
  }

  /// With edges that are cut by now.
  mutating func leadsOnceToTarget(from edge: EdgeRecord) -> Bool {
    if once == nil { once = reached(back: true, from: target) { _ in true } }
    return edge.downstream == target || edge.downstream.map { once!.contains($0) } ?? false
  }

  /// The first cut edge of each way that led from a node to the target.
  mutating func cutsOnWay(from node: UInt64, at sequence: UInt64) -> [EdgeRecord] {
    let origin = Origin(node: node, epoch: changes.upperBound(sequence))
    if let found = cutsOnWay[origin] { return found }
    let meant = cutsThatMatter().filter { $0.cut!.sequence <= sequence }
    if meant.isEmpty { return [] }
    var reachedNow = reached(back: false, from: node) { $0.lived(at: sequence) }
    reachedNow.insert(node)
    let found = meant.filter { reachedNow.contains($0.upstream) }
    cutsOnWay[origin] = found
    return found
  }

  private mutating func cutsThatMatter() -> [EdgeRecord] {
    if let cuts { return cuts }
    let all = out.values.joined().filter { $0.cut != nil }
    let found = all.filter { leadsOnceToTarget(from: $0) }
    cuts = found
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
