import EasyReact

/// Turns what a recording has kept into records, and goes on where it stopped: so following a recording costs what is
/// new in it.
struct RecordReader {
  private let recording: Recording
  private let limit: Int
  private let measuresTime: Bool
  private var finder = CauseFinder()
  private var next: UInt64 = 1
  private(set) var events: [EventRecord] = []
  private var edges: [UInt64: EdgeRecord] = [:]
  private var born: [UInt64: Moment] = [:], gone: [UInt64: Moment] = [:]
  private var traces: [UInt64: NodeTrace] = [:]

  init(_ recording: Recording, limit: Int, measuresTime: Bool) {
    self.recording = recording
    self.limit = limit
    self.measuresTime = measuresTime
  }

  /// How many events are not kept any more.
  var dropped: UInt64 { oldest - 1 }
  /// The oldest event that was kept when it was last read.
  private var oldest: UInt64 = 1

  // MARK: - Events

  /// Reads what is new, and lets go of what the recording has dropped.
  /// - Parameter last: The graph as it was when the recording ended; nil: as it is now.
  mutating func advance(_ last: GraphLook? = nil) {
    var new: [TracedEvent] = []
    recording.forEachEvent(from: next) { new.append($0) }
    // What is dropped while this looks at it stays until the next time: a busy program would leave nothing to be shown.
    oldest = recording.bounds.lowerBound
    // A node may have come and gone, and its events been dropped, since the last time.
    for trace in recording.traces(since: oldest) {
      if traces.updateValue(trace, forKey: trace.id) == nil { isShapeNew = true }
    }
    // Edges of which no event was kept, so that what comes over them is known to.
    let isOverrun = next < oldest
    isShapeNew = isShapeNew || isOverrun || new.contains { $0.changesShape }
    let made = new.lazy.filter { [oldest] in $0.kind == .edgeMade && $0.sequence >= oldest }
    unborn = Set(made.map(\.edge)).filter { edges[$0] == nil }
    let living = isShapeNew ? see(last ?? GraphLook(recording)) : []
    if isOverrun { finder.loseTrack() }
    for event in new where event.sequence >= oldest {
      next = event.sequence + 1
      take(event)
    }
    forgetDropped(living: isOverrun ? living : nil)
  }

  private mutating func take(_ event: TracedEvent) {
    let finding = finder.find(event)
    if finding.isRepeated { return }
    if let set = finding.set { note(wave: event.wave, ofSet: set) }
    note(edgeOf: event)
    let moment = Moment(sequence: event.sequence, nanoseconds: nanoseconds(event))
    if event.kind == .nodeMade { born[event.node] = moment }
    if event.kind == .nodeGone { gone[event.node] = moment }
    events.append(record(event, finding.causes))
  }

  /// The longer the processor has counted, the better it is known how fast it counts, so later readings differ a little.
  private mutating func nanoseconds(_ event: TracedEvent) -> UInt64 {
    latest = max(latest, event.nanoseconds)
    return latest
  }
  private var latest: UInt64 = 0

  private mutating func note(wave: UInt64, ofSet sequence: UInt64) {
    let place = events.lowerBound(sequence)
    if place < events.count, events[place].sequence == sequence { events[place].wave = wave }
  }

  private mutating func record(_ event: TracedEvent, _ causes: [UInt64]) -> EventRecord {
    let isStored = event.kind == .stored
    return EventRecord(
      sequence: event.sequence, nanoseconds: nanoseconds(event), thread: event.thread,
      turn: event.turn, wave: event.wave, kind: EventRecord.Kind(event.kind), node: event.node,
      other: event.other == 0 ? nil : event.other, edge: edge(of: event), causes: causes,
      stop: event.kind == .stopped ? event.stop : nil,
      old: isStored ? value(event.old, of: event.node) : nil,
      new: isStored ? value(event.new, of: event.node) : nil,
      callSite: event.kind == .nodeMade
        ? nil : event.place.map { SourcePlace(file: $0.file, line: $0.line) },
      context: event.context)
  }

  private func value(_ value: TracedValue, of node: UInt64) -> ValueRecord {
    switch value {
    case .unknown: return .unknown
    case .empty: return .empty
    case _ where traces[node]?.hidesValues == true: return .private
    case .hidden: return .private
    case .text(let text, let isEvent): return ValueRecord(isEvent ? .event : .value, text: text)
    case .bytes(let first, let second, let isEvent):
      let text = traces[node]?.describe(first, second).cut(at: limit)
      return ValueRecord(isEvent ? .event : .value, text: text ?? "?")
    }
  }

  // MARK: - Edges

  private mutating func note(edgeOf event: TracedEvent) {
    if event.edge == 0 { return }
    let isOfDown = event.kind == .stopped && event.other != 0
    let up = isOfDown ? event.other : event.node
    let down = isOfDown ? event.node : event.other
    var edge =
      edges[event.edge]
      ?? EdgeRecord(
        id: event.edge, operation: event.operation, upstream: up,
        downstream: down == 0 ? nil : down,
        isDeferred: event.isDeferred)
    edge.isBackEdge = event.isBackEdge
    let moment = Moment(sequence: event.sequence, nanoseconds: nanoseconds(event))
    if event.kind == .edgeMade {
      edge.born = moment
      edge.place = event.place.map { SourcePlace(file: $0.file, line: $0.line) }
      if unborn.remove(edge.id) != nil, edges[edge.id] != nil { between.add(edge) }
    }
    let isCutNow = event.kind == .edgeCut && edge.cut == nil
    if isCutNow { edge.cut = moment }
    keep(edge)
    // Events are read in order, so no later one came over an edge that is cut.
    if isCutNow { between.noteCut(edge) { edges[$0]?.cut == nil } }
  }

  /// The edge that a value came over: the engine knows where it came from.
  private func edge(of event: TracedEvent) -> UInt64? {
    if event.edge != 0 { return event.edge }
    if event.other == 0 { return nil }
    return between.last(from: event.other, to: event.node) {
      edges[$0]?.lived(at: event.sequence) ?? false
    }
  }

  private var between = EdgesBetween()

  private mutating func keep(_ edge: EdgeRecord) {
    let isNew = edges.updateValue(edge, forKey: edge.id) == nil
    if isNew, !unborn.contains(edge.id) { between.add(edge) }
  }

  /// Edges that are there, but not yet where the reader is in the events.
  private var unborn: Set<UInt64> = []

  /// Those that were cut before the oldest event: all at once, for many may lie between two nodes. Also those whose cut was dropped
  /// before it was read: of a node that is forgotten, and what does not live, if that is known.
  private mutating func dropEdges(of forgotten: Set<UInt64>, living: Set<UInt64>?) {
    func isDropped(_ edge: EdgeRecord) -> Bool {
      if let cut = edge.cut { return cut.sequence < oldest }
      if let living, !living.contains(edge.id), edge.born?.sequence ?? 0 < oldest { return true }
      return forgotten.contains(edge.upstream) || edge.downstream.map(forgotten.contains) ?? false
    }
    let dropped = edges.values.filter(isDropped)
    for edge in dropped { edges[edge.id] = nil }
    between.forget(dropped) { edges[$0].map { $0.cut == nil } ?? false }
    edges.shrinkIfSparse()
  }

  // MARK: - The graph as it is

  /// Has the shape changed since it was looked at?
  private var isShapeNew = true
  private var listeners: [UInt64: Int] = [:]

  /// Returns the edges that are there.
  private mutating func see(_ look: GraphLook) -> Set<UInt64> {
    isShapeNew = false
    for trace in look.traces { traces[trace.id] = trace }
    listeners = look.listeners
    let known = owners
    owners = [:]
    for edge in look.edges { meet(edge, known) }
    for edge in look.edges { note(edge) }
    return Set(look.edges.map(\.id))
  }

  private struct OwnerKey: Hashable {
    let address: UInt, type: ObjectIdentifier
    init(_ owner: LiveOwner) { (address, type) = (owner.address, ObjectIdentifier(owner.type)) }
  }
  /// Those that have a listener: the address of any other one may be that of a new one.
  private var owners: [OwnerKey: OwnerRecord] = [:]

  /// An owner has the number of the first of its listeners, which is the same for whoever reads.
  private mutating func meet(_ edge: LiveEdge, _ known: [OwnerKey: OwnerRecord]) {
    guard let owner = edge.owner else { return }
    let key = OwnerKey(owner)
    let number = min(owners[key]?.id ?? .max, edge.id)
    owners[key] = known[key] ?? OwnerRecord(id: number, type: "\(owner.type)")
  }

  private mutating func note(_ edge: LiveEdge) {
    finder.know(edge)
    var record =
      edges[edge.id]
      ?? EdgeRecord(
        id: edge.id, operation: edge.operation, upstream: edge.upstream,
        downstream: edge.downstream, isDeferred: edge.isDeferred)
    if let name = edge.name { record.operation = name }
    record.isBackEdge = edge.isBackEdge
    if edge.downstream == nil { record.isPlaced = edge.isPlaced }
    record.owner = edge.owner.flatMap { owners[OwnerKey($0)] }
    keep(record)
  }

  // MARK: - Letting go

  private mutating func forgetDropped(living: Set<UInt64>?) {
    let forgotten = Set(
      traces.values.filter { recording.isForgotten($0, before: oldest) }.map(\.id))
    for node in forgotten {
      (traces[node], born[node], gone[node], listeners[node]) = (nil, nil, nil, nil)
      finder.forget(node)
    }
    traces.shrinkIfSparse()
    born.shrinkIfSparse()
    gone.shrinkIfSparse()
    listeners.shrinkIfSparse()
    let count = events.lowerBound(oldest)
    if count == 0 && forgotten.isEmpty { return }
    events.removeFirst(count)
    finder.forget(before: oldest)
    dropEdges(of: forgotten, living: living)
  }

  // MARK: - Records

  /// Everything; or, of events, those after one.
  func records(after sequence: UInt64, began: Double) -> GraphRecords {
    // `.max` for whoever wants nodes and edges alone.
    let first = sequence == 0 ? 0 : events.upperBound(sequence)
    return GraphRecords(
      nodes: nodes, edges: edges.values.sorted { $0.id < $1.id }, events: shown(events[first...]),
      dropped: dropped, began: began, descriptionLength: limit)
  }

  /// Without the values of nodes that were marked since the events were read.
  private func shown(_ events: ArraySlice<EventRecord>) -> [EventRecord] {
    let hiding = Set(traces.values.lazy.filter(\.hidesValues).map(\.id))
    if hiding.isEmpty { return Array(events) }
    return events.map { event in
      if !hiding.contains(event.node) { return event }
      var event = event
      (event.old, event.new) = (event.old?.hidden, event.new?.hidden)
      return event
    }
  }

  func node(_ id: UInt64) -> AnyNode? { traces[id]?.node }
  var livingNodes: [AnyNode] { traces.values.sorted { $0.id < $1.id }.compactMap(\.node) }

  private var nodes: [NodeRecord] {
    var operations: [UInt64: String] = [:]
    for edge in edges.values.sorted(by: { $0.id < $1.id }) {
      if let down = edge.downstream, operations[down] == nil { operations[down] = edge.operation }
    }
    return traces.values.sorted { $0.id < $1.id }.map { record($0, operations[$0.id] ?? "Source") }
  }

  private func record(_ trace: NodeTrace, _ operation: String) -> NodeRecord {
    let node = trace.node
    let part = recording.part(of: trace)
    return NodeRecord(
      id: trace.id, name: node.map(\.name) ?? trace.last.name, operation: operation,
      type: "\(trace.valueType)", isMutable: node?.isMutable ?? trace.last.isMutable,
      isPrivate: trace.hidesValues,
      place: SourcePlace(file: trace.place.file, line: trace.place.line),
      born: born[trace.id], gone: gone[trace.id], value: value(part.last, trace, node),
      listeners: listeners[trace.id] ?? 0, counts: counts(part))
  }

  private func value(_ last: TracedValue, _ trace: NodeTrace, _ node: AnyNode?) -> ValueRecord {
    if case .unknown = last, let node {
      if node.isEmpty { return .empty }
      if trace.hidesValues { return .private }
      return node.storedText(limit).map { ValueRecord(.value, text: $0) } ?? .empty
    }
    return value(last, of: trace.id)
  }

  var counts: [UInt64: NodeCounts] { traces.mapValues { counts(recording.part(of: $0)) } }

  private func counts(_ part: NodeTrace.Part) -> NodeCounts {
    var counts = NodeCounts()
    counts.stored = part.stored
    counts.told = part.told
    counts.storedEqual = part.storedEqual
    counts.ranInVain = part.ranInVain
    if measuresTime { counts.ownNanoseconds = part.ownNanoseconds }
    return counts
  }
}

extension TracedEvent {
  fileprivate var changesShape: Bool {
    switch kind {
    case .nodeMade, .nodeGone, .edgeMade, .edgeCut: true
    default: false
    }
  }
}

extension EventRecord.Kind {
  init(_ kind: TracedEvent.Kind) {
    self =
      switch kind {
      case .nodeMade: .nodeMade
      case .nodeGone: .nodeGone
      case .edgeMade: .edgeMade
      case .edgeCut: .edgeCut
      case .set: .set
      case .pushed: .pushed
      case .stored: .stored
      case .told: .told
      case .arrived: .arrived
      case .stopped: .stopped
      case .queued: .queued
      case .endlessSets: .endlessSets
      }
  }
}

extension ValueRecord {
  /// For a private node: whether it is known, and is empty, may be seen.
  fileprivate var hidden: ValueRecord { text == nil ? self : .private }
}
