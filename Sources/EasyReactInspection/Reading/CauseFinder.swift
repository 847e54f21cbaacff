import EasyReact

/// Finds what made each event happen, one event after the other in their order.
///
/// The engine says of a value from which node it came and under which number that node told it; until a node tells
/// the next value the two name one event. What has to wait is told of twice: where it stops to wait, and
/// where it goes on; the second has the first one as its cause.
struct CauseFinder {
  /// What a node told, by its number.
  private struct Told: Hashable {
    let node, wave: UInt64
  }
  /// What went over an edge.
  private struct Way: Hashable {
    let up, down, wave: UInt64
  }
  private struct Waiting {
    let sequence: UInt64
    /// The edge over which it was left with another thread; zero: it waits for something else.
    let leftOver: UInt64
  }
  /// Of one thread.
  private struct Thread {
    var turn: UInt64 = 0
    /// The listener that was called last, and the wave that it heard.
    var listener: (sequence: UInt64, wave: UInt64)?
  }

  private var told: [Told: UInt64] = [:]
  /// Two edges may lead from one node to the other, and one of them push what the other one passes on.
  private var pushed: [Way: (sequence: UInt64, edge: UInt64)] = [:]
  /// What waits: in the queue of the node below, and before that.
  private var queued: [Way: OldestFirst<UInt64>] = [:]
  private var waiting: [Way: OldestFirst<Waiting>] = [:]
  /// Sets that are left with another thread.
  private var left: [Told: UInt64] = [:]
  /// Their edges, by upstream: one node may be there twice.
  private var zips: [UInt64: [UInt64: Set<UInt64>]] = [:]
  /// By the number that they have from their making on.
  private var sets: [Told: UInt64] = [:]
  private var threads: [UInt64: Thread] = [:]
  /// Of joins: what has come since they ran.
  private var arrivals: [UInt64: [UInt64]] = [:]
  /// Of zips: values without partners, by the stop, for each upstream.
  private var partners: [UInt64: [UInt64: OldestFirst<UInt64>]] = [:]
  /// Where an edge was made.
  private var edges: [UInt64: UInt64] = [:]

  /// What became known with an event.
  struct Finding {
    var causes: [UInt64] = []
    /// The set that this event stores or lets wait: its wave is now known.
    var set: UInt64?
    /// Of something that was told before: a set that had been left with another thread, a run of a join.
    var isRepeated = false
  }

  mutating func find(_ event: TracedEvent) -> Finding {
    if threads[event.thread, default: Thread()].turn != event.turn {
      threads[event.thread] = Thread(turn: event.turn)
    }
    switch event.kind {
    case .set: return set(event)
    case .stored: return stored(event)
    case .queued: return queued(event)
    case .stopped: return stopped(event)
    case .arrived:
      let causes = source(event)
      arrivals[event.node, default: []].append(event.sequence)
      return Finding(causes: causes)
    case .pushed:
      pushed[Way(up: event.node, down: event.other, wave: event.wave)] = (
        event.sequence, event.edge
      )
      return Finding(causes: edges[event.edge].map { [$0] } ?? [])
    case .told:
      threads[event.thread]!.listener = (event.sequence, event.wave)
      let cause = told[Told(node: event.node, wave: event.wave)] ?? edges[event.edge]
      return Finding(causes: cause.map { [$0] } ?? [])
    case .edgeMade:
      edges[event.edge] = event.sequence
      if event.operation == "Zip" { noteZip(event.edge, from: event.node, to: event.other) }
      return Finding(causes: listener(of: event))
    case .edgeCut:
      edges[event.edge] = nil
      return Finding(causes: listener(of: event))
    case .nodeMade: return Finding(causes: listener(of: event))
    case .nodeGone:
      forget(event.node)
      return Finding()
    case .endlessSets: return Finding()
    }
  }

  /// An edge that lives, which no event need have named.
  mutating func know(_ edge: LiveEdge) {
    if edge.operation == "Zip", let down = edge.downstream {
      noteZip(edge.id, from: edge.upstream, to: down)
    }
  }

  private mutating func noteZip(_ edge: UInt64, from up: UInt64, to node: UInt64) {
    zips[node, default: [:]][up, default: []].insert(edge)
  }

  /// Events before this one are forgotten, and nothing can come of them any more that could be told.
  mutating func forget(before oldest: UInt64) {
    told = told.filter { $0.value >= oldest }
    pushed = pushed.filter { $0.value.sequence >= oldest }
    queued = queued.filter { ($0.value.last ?? 0) >= oldest }
    waiting = waiting.filter { ($0.value.last?.sequence ?? 0) >= oldest }
    left = left.filter { $0.value >= oldest }
    sets = sets.filter { $0.value >= oldest }
    edges = edges.filter { $0.value >= oldest }
    threads = threads.filter { ($0.value.listener?.sequence ?? 0) >= oldest }
  }

  /// Events were dropped before they were read: what waits for another upstream is no longer known.
  mutating func loseTrack() {
    arrivals = [:]
    partners = [:]
  }

  /// It is gone.
  mutating func forget(_ node: UInt64) {
    arrivals[node] = nil
    partners[node] = nil
    zips[node] = nil
  }

  // MARK: - Each kind

  /// The call of the listener that did it, if this is inside of one.
  private func listener(of event: TracedEvent) -> [UInt64] {
    if event.turn == 0 { return [] }
    return threads[event.thread]?.listener.map { [$0.sequence] } ?? []
  }

  private mutating func set(_ event: TracedEvent) -> Finding {
    let key = Told(node: event.node, wave: event.wave)
    if sets[key] != nil { return Finding(isRepeated: true) }
    sets[key] = event.sequence
    let listener = threads[event.thread]!.listener
    let isByListener = event.origin != 0 && listener?.wave == event.origin
    return Finding(causes: isByListener ? [listener!.sequence] : [])
  }

  /// The set that is being stored now, or begins to wait.
  private func openSet(_ event: TracedEvent) -> UInt64? {
    sets[Told(node: event.node, wave: event.origin)]
  }

  private mutating func stored(_ event: TracedEvent) -> Finding {
    var finding = Finding()
    if event.isSet {
      finding.set = openSet(event)
      let waited =
        takeQueued(event)
        ?? left.removeValue(forKey: Told(node: event.node, wave: event.origin))
      finding.causes = (waited ?? finding.set).map { [$0] } ?? []
    } else {
      finding.causes = came(event)
    }
    told[Told(node: event.node, wave: event.wave)] = event.sequence
    return finding
  }

  private mutating func queued(_ event: TracedEvent) -> Finding {
    var finding = Finding()
    if event.isSet {
      finding.set = openSet(event)
      finding.causes = finding.set.map { [$0] } ?? []
    } else {
      finding.causes = arrived(event)
    }
    queued[way(event), default: OldestFirst()].append(event.sequence)
    return finding
  }

  private mutating func stopped(_ event: TracedEvent) -> Finding {
    if event.isSilentRun {
      return runOfJoin(event.node).map { Finding(causes: $0) } ?? Finding(isRepeated: true)
    }
    if event.other == 0 { return stoppedAtNode(event) }
    // Over an edge, on the way into a join; or what the join has computed.
    let causes: [UInt64] =
      if event.edge != 0 {
        switch event.stop {
        case .cut: source(event)
        case .leftInMailbox: freshSource(event)
        default: sourceOfStop(event)
        }
      } else {
        event.isArrival ? source(event) : came(event)
      }
    switch event.stop {
    case .heldBackByTimer, .waitsOnScheduler, .waitsForCall, .leftInMailbox:
      wait(event)
    case .waitsForAnotherUpstream where zips[event.node] != nil:
      partners[event.node, default: [:]][event.other, default: OldestFirst()].append(event.sequence)
    default: break
    }
    return Finding(causes: causes)
  }

  private mutating func stoppedAtNode(_ event: TracedEvent) -> Finding {
    let key = Told(node: event.node, wave: event.wave)
    switch event.stop {
    case .leftInMailbox:
      left[key] = event.sequence
      return Finding(causes: sets[key].map { [$0] } ?? [])
    case .noConsumer, .filtered: return Finding(causes: sets[key].map { [$0] } ?? [])
    default:
      if let run = runOfJoin(event.node) { return Finding(causes: run) }
      return Finding(causes: told[key].map { [$0] } ?? [])
    }
  }

  // MARK: - Where a value came from

  /// What has come to a join since it ran; nil: nothing has.
  private mutating func runOfJoin(_ node: UInt64) -> [UInt64]? {
    arrivals.removeValue(forKey: node)
  }

  /// Out of the node's queue, or straight to it.
  private mutating func came(_ event: TracedEvent) -> [UInt64] {
    takeQueued(event).map { [$0] } ?? arrived(event)
  }

  /// By the run of a join; by a zip, with its partners; over an edge.
  private mutating func arrived(_ event: TracedEvent) -> [UInt64] {
    if event.isOfJoin { return runOfJoin(event.node) ?? [] }
    return source(event) + (event.kind == .stopped ? [] : takePartners(event))
  }

  private mutating func takePartners(_ event: TracedEvent) -> [UInt64] {
    guard let edges = zips[event.node], edges[event.other] != nil,
      let ups = partners[event.node].map({ Array($0.keys) })
    else { return [] }
    var taken: [UInt64] = []
    for up in ups {
      // One over each edge; the value that came now did not wait.
      let count = (edges[up]?.count ?? 1) - (up == event.other ? 1 : 0)
      taken += partners[event.node]![up]!.takeFirst(count)
    }
    return taken.sorted()
  }

  /// Over an edge: where it waited, or the upstream's event.
  private mutating func source(_ event: TracedEvent) -> [UInt64] {
    takeWaiting(event) { _ in true }.map { [$0] } ?? freshSource(event)
  }

  private func freshSource(_ event: TracedEvent) -> [UInt64] {
    let push = pushed[way(event)].flatMap {
      event.edge == 0 || event.edge == $0.edge ? $0.sequence : nil
    }
    // A push may come round a cycle, and the node then tells something under its number.
    let sources = [push, told[Told(node: event.other, wave: event.origin)]]
    return sources.compactMap { $0 }.max().map { [$0] } ?? []
  }

  /// What was left with another thread may stop there, at its operator; it came over the same edge. Another edge between
  /// the two nodes may have let something wait under the same number.
  private mutating func sourceOfStop(_ event: TracedEvent) -> [UInt64] {
    takeWaiting(event) { $0.leftOver == event.edge }.map { [$0] } ?? freshSource(event)
  }

  private mutating func wait(_ event: TracedEvent) {
    let way = way(event)
    // A set that came after a later one is told under its number: of the two the operator drops the first.
    if event.stop == .heldBackByTimer && event.keepsNewest {
      waiting[way]?.removeAll { $0.leftOver == 0 }
    }
    let edge = event.stop == .leftInMailbox ? event.edge : 0
    waiting[way, default: OldestFirst()].append(Waiting(sequence: event.sequence, leftOver: edge))
  }

  private func way(_ event: TracedEvent) -> Way {
    Way(up: event.other, down: event.node, wave: event.origin)
  }

  /// The oldest in the queue, which comes out of it by being stored, or refused there.
  private mutating func takeQueued(_ event: TracedEvent) -> UInt64? {
    let way = way(event)
    let taken = queued[way]?.takeFirst().first
    if queued[way]?.isEmpty == true { queued[way] = nil }
    return taken
  }

  /// The oldest that waits before the queue.
  private mutating func takeWaiting(
    _ event: TracedEvent, _ isIt: (Waiting) -> Bool
  ) -> UInt64? {
    let way = way(event)
    let taken = waiting[way]?.takeFirst(where: isIt)
    if waiting[way]?.isEmpty == true { waiting[way] = nil }
    return taken?.sequence
  }
}
