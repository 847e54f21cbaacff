import CEasyReact
import Synchronization

// What the engine tells a recording. As with the tracer (EngineTracing.swift) none of it is inlined into the engine.

extension TurnPointer {
  /// Where this turn is recorded.
  @inline(__always) var ring: RingPointer? {
    pointee.ring?.assumingMemoryBound(to: easyreact_ring.self)
  }

  /// The recording is kept by the turn until it ends, whenever it is stopped.
  func beginRecording() {
    guard let recording = Recording.current else { return }
    pointee.recording = Unmanaged.passRetained(recording as AnyObject)
    pointee.ring = UnsafeMutableRawPointer(recording.ring)
    pointee.turnNumber = recording.nextTurn()
    pointee.threadNumber = UInt32(truncatingIfNeeded: easyreact_thread_number())
    easyreact_ring_mark(recording.ring)  // what passed since the turn before is nobody's own time
  }

  func endRecording() {
    let recording = pointee.recording
    (pointee.recording, pointee.ring, pointee.turnNumber) = (nil, nil, 0)
    recording?.release()
  }

  fileprivate func event(
    _ kind: TracedEvent.Kind, _ node: UInt64, wave: UInt64, origin: UInt64 = 0,
    from other: UInt64 = 0
  ) -> easyreact_event {
    var event = easyreact_event()
    event.kind = kind.rawValue
    event.node = node
    event.wave = wave
    event.origin = origin
    event.other = other
    event.turn = pointee.turnNumber
    event.thread = pointee.threadNumber
    return event
  }
}

extension Recording {
  /// Of what happens in any turn, or in none: one that began before this recording has no number in it.
  fileprivate func event(
    _ kind: TracedEvent.Kind, _ node: UInt64, in turn: TurnPointer
  ) -> easyreact_event {
    if turn.ring == ring { return turn.event(kind, node, wave: 0) }
    var event = easyreact_event()
    event.kind = kind.rawValue
    event.node = node
    event.thread = UInt32(truncatingIfNeeded: easyreact_thread_number())
    return event
  }
}

extension RingPointer {
  @inline(__always)
  fileprivate func write(_ event: inout easyreact_event, _ trace: TraceRecord? = nil) {
    easyreact_record(self, trace, &event)
  }
}

extension easyreact_event {
  fileprivate mutating func set(_ location: SourceLocation?) {
    guard let location else { return }
    file = location.start
    line = location.line
  }

  fileprivate mutating func set(_ edge: EdgePointer) {
    self.edge = edge.number()
    operation = edge.pointee.kindCode
    if edge.pointee.has(.isBackEdge) { flags |= TracedFlags.backEdge }
  }
}

/// Edges have no numbers until one is asked for.
private let edgeNumbers = Atomic<UInt32>(1)

extension EdgePointer {
  func number() -> UInt32 {
    let present = pointee.number.load(ordering: .relaxed)
    if present != 0 { return present }
    let new = edgeNumbers.wrappingAdd(1, ordering: .relaxed).oldValue
    let (isMine, original) = pointee.number.compareExchange(
      expected: 0, desired: new, ordering: .relaxed)
    return isMine ? new : original
  }
}

// MARK: - The node's trace

extension NodePointer {
  /// Begun where this recording meets the node for the first time; nil: its handle is going, and nothing is known.
  @inline(__always)
  fileprivate func trace(_ ring: RingPointer, _ turn: TurnPointer) -> TraceRecord? {
    if let record = traceRecord(), easyreact_is_traced_in(ring, record) { return record }
    return firstTrace(turn)
  }

  @inline(never) private func firstTrace(_ turn: TurnPointer) -> TraceRecord? {
    guard let recording = turn.pointee.recording else { return nil }
    return beginTrace(unsafeDowncast(recording.takeUnretainedValue(), to: Recording.self))?.record
  }

  /// Kept by the node's storage.
  @inline(__always) func traceRecord() -> TraceRecord? {
    pointee.sideTable.load(ordering: .acquiring)?
      ._withUnsafeGuaranteedRef { $0.traceRecord.load(ordering: .acquiring) }?
      .assumingMemoryBound(to: easyreact_node_trace.self)
  }

  func traceIfAny() -> NodeTrace? {
    pointee.sideTableIfAny()?.trace.load(ordering: .acquiring)
      .map { unsafeDowncast($0.takeUnretainedValue(), to: NodeTrace.self) }
  }

  @inline(never) @discardableResult
  func beginTrace(_ recording: Recording) -> NodeTrace? {
    guard let trace = traceIfAny() ?? makeTrace() else { return nil }
    var left: UnsafeMutableRawPointer?
    if easyreact_begin_trace(recording.ring, trace.record, &left) { recording.add(trace) }
    if let left { Unmanaged<TracedText>.fromOpaque(left).release() }
    return trace
  }

  private func makeTrace() -> NodeTrace? {
    guard let node = node() else { return nil }
    let made = Unmanaged.passRetained(NodeTrace(node) as AnyObject)
    let (isMine, original) = sideTable().trace.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if !isMine { made.release() }
    let trace = unsafeDowncast(
      (isMine ? made : original!).takeUnretainedValue(), to: NodeTrace.self)
    sideTable().traceRecord.store(UnsafeMutableRawPointer(trace.record), ordering: .releasing)
    // It is marked in both places, so one of the two sees the other.
    if isPrivate { easyreact_set_private(trace.record, true) }
    return trace
  }

  /// Any thread.
  var isPrivate: Bool { attachmentsIfAny()?.state.withLock { $0.isPrivate } ?? false }
}

// MARK: - Values

extension NodePointer {
  /// What is stored, or the event that is told: for its holder, while the node is busy.
  fileprivate func read(
    _ trace: TraceRecord, isEvent: Bool, _ ring: RingPointer, into event: inout easyreact_event
  ) {
    let mark = isEvent ? UInt8(easyreact_form_event) : 0
    if !isEvent, !pointee.hasValue.load(ordering: .relaxed) {
      event.new_form = UInt8(easyreact_form_empty)
    } else if easyreact_is_private(trace) {
      event.new_form = UInt8(easyreact_form_private) | mark
    } else if manner(trace, isEvent) == TraceManner.bytes.rawValue {
      event.new_form = UInt8(easyreact_form_bytes) | mark
      let place = UnsafeRawPointer(self) + Int(trace.pointee.offset)
      easyreact_copy_value(&event.new_value, place, trace.pointee.size)
    } else if let described = node()?.described(isEvent: isEvent, ring.limit) {
      event.new_form = UInt8(easyreact_form_text) | mark
      event.set(described)
    }
  }

  @inline(__always) private func manner(_ trace: TraceRecord, _ isEvent: Bool) -> UInt8 {
    let manner = easyreact_manner(trace)
    if manner != TraceManner.undecided.rawValue { return manner }
    let decided = node()?.traceManner(isEvent: isEvent) ?? .text
    easyreact_set_manner(trace, decided.rawValue)
    return decided.rawValue
  }

  /// The value that the node holds before this recording has heard of a store: any thread, and the user's code.
  fileprivate func noteValue(_ ring: RingPointer, _ turn: TurnPointer) {
    guard let trace = trace(ring, turn) else { return }
    if !easyreact_mark_known(ring, &trace.pointee.knows_value) { return }
    var event = easyreact_event()
    if !pointee.hasValue.load(ordering: .acquiring) {
      event.new_form = UInt8(easyreact_form_empty)
    } else if easyreact_is_private(trace) {
      event.new_form = UInt8(easyreact_form_private)
    } else if let node = node() {
      if manner(trace, false) == TraceManner.bytes.rawValue {
        event.new_form = UInt8(easyreact_form_bytes)
        withUnsafeMutableBytes(of: &event.new_value) { node.copyStored(to: $0.baseAddress!) }
      } else if let described = node.described(isEvent: false, ring.limit) {
        event.new_form = UInt8(easyreact_form_text)
        event.set(described)
      }
    }
    let isTaken = easyreact_note_value(ring, trace, event.new_form, event.new_value)
    if !isTaken { event.releaseTexts() }
  }

  /// What lies downstream may store a value next: what it holds now is noted first.
  @inline(never)
  fileprivate func noteDownstream(_ ring: RingPointer, _ turn: TurnPointer) {
    for node in node()?.downstreamNodes ?? [] { node.storage.noteValue(ring, turn) }
  }
}

extension RingPointer {
  fileprivate var limit: Int { Int(pointee.description_length) }
}

extension easyreact_event {
  fileprivate mutating func set(_ described: Described) {
    let text = TracedText(described.text)
    new_value.words = (UInt64(UInt(bitPattern: text.retained)), described.hash)
    bytes &+= UInt32(clamping: described.text.utf8.count + 32)
  }

  fileprivate mutating func set(_ context: ContextBox?, _ ring: RingPointer) {
    guard let context else { return }
    let text = TracedText(Described(context.value, limit: ring.limit).text)
    bytes &+= UInt32(clamping: text.text.utf8.count + 32)
    self.context = text.retained
  }
}

// MARK: - What happens

extension NodePointer {
  /// Outside of any turn, or in one.
  func recordMade() {
    guard let recording = Recording.current, let trace = beginTrace(recording) else { return }
    var event = recording.event(.nodeMade, pointee.id, in: currentTurn())
    event.set(pointee.location)
    recording.ring.write(&event, trace.record)
  }

  /// As above, also in a turn that began before the recording: what is made in it may go in it.
  func recordGone(in turn: TurnPointer) {
    guard let recording = Recording.current else { return }
    var event = recording.event(.nodeGone, pointee.id, in: turn)
    recording.ring.write(&event)
    traceIfAny()?.noteGone(last, at: event.sequence, in: recording.ring.pointee.number)
  }

  var last: NodeTrace.Last {
    NodeTrace.Last(name: name, isMutable: pointee.has(.isMutable) || anyLens != nil)
  }

  /// Before it is stored, or waits. `number`: of one that waited.
  func recordSet(
    _ context: ContextBox?, number: UInt64, by wave: UInt64, at site: SourceLocation?,
    _ ring: RingPointer, _ turn: TurnPointer
  ) {
    noteValue(ring, turn)
    var event = turn.event(.set, pointee.id, wave: number, origin: wave)
    event.set(site)
    event.set(context, ring)
    ring.write(&event)
  }

  func recordStored(
    origin: UInt64, rules: DeliveryRules, from sender: NodePointer?, _ ring: RingPointer,
    _ turn: TurnPointer
  ) {
    let wave = turn.pointee.wave.number
    var event = turn.event(
      .stored, pointee.id, wave: wave, origin: origin, from: sender.map { $0.pointee.id } ?? 0)
    event.flags = TracedFlags.of(rules)
    guard let trace = trace(ring, turn) else { return ring.write(&event) }
    _ = easyreact_mark_known(ring, &trace.pointee.knows_value)
    read(trace, isEvent: turn.pointee.wave.flags.has(.event), ring, into: &event)
    ring.write(&event, trace)
    if easyreact_mark_known(ring, &trace.pointee.knows_downstream) { noteDownstream(ring, turn) }
  }

  func record(
    _ kind: TracedEvent.Kind, wave: UInt64, rules: DeliveryRules = [], from sender: NodePointer?,
    _ ring: RingPointer, _ turn: TurnPointer
  ) {
    var event = turn.event(
      kind, pointee.id, wave: wave, origin: wave, from: sender.map { $0.pointee.id } ?? 0)
    event.flags = TracedFlags.of(rules)
    ring.write(&event)
  }

  func recordStop(
    _ reason: GraphEvent.Stop, wave: UInt64, from other: UInt64 = 0, flags: UInt8 = 0,
    _ ring: RingPointer, _ turn: TurnPointer
  ) {
    var event = turn.event(.stopped, pointee.id, wave: wave, origin: wave, from: other)
    event.set(reason)
    event.flags |= flags
    ring.write(&event, trace(ring, turn))
  }

  func recordSilentRun(wave: UInt64, _ ring: RingPointer, _ turn: TurnPointer) {
    var event = turn.event(.stopped, pointee.id, wave: wave, origin: wave)
    event.stop = unsafeBitCast(GraphEvent.Stop.filtered, to: UInt8.self)
    event.flags = TracedFlags.silentRun
    ring.write(&event)
  }
}

extension easyreact_event {
  fileprivate mutating func set(_ reason: GraphEvent.Stop) {
    stop = unsafeBitCast(reason, to: UInt8.self)
    switch reason {
    case .filtered, .equal, .waitsForAnotherUpstream, .eventsAreNotKept: flags |= TracedFlags.inVain
    default: break
    }
  }
}

extension EdgePointer {
  /// `edgeMade`, `edgeCut`, `pushed`, `told`, `stopped`.
  func record(
    _ kind: TracedEvent.Kind, wave: UInt64, at location: SourceLocation? = nil,
    stop: GraphEvent.Stop? = nil, _ ring: RingPointer, _ turn: TurnPointer
  ) {
    let up = pointee.up.unsafelyUnwrapped
    let down = pointee.down
    // What is stopped, and what arrives, is told of the node that it did not reach, or reaches.
    let isOfDown = stop != nil && down != nil
    let node = isOfDown ? down.unsafelyUnwrapped : up
    let other = isOfDown ? up.pointee.id : down.map { $0.pointee.id } ?? 0
    var event = turn.event(kind, node.pointee.id, wave: wave, origin: wave, from: other)
    event.set(self)
    event.set(location)
    if let stop { event.set(stop) }
    let trace = kind == .told || stop != nil ? node.trace(ring, turn) : nil
    // A node that is being made has its first value later.
    if kind == .edgeMade, let trace = up.trace(ring, turn) {
      easyreact_forget_known(&trace.pointee.knows_downstream)
    }
    if kind == .pushed { down?.noteValue(ring, turn) }
    ring.write(&event, trace)
  }
}

func recordEndlessSets(_ node: UInt64, wave: UInt64, _ ring: RingPointer, _ turn: TurnPointer) {
  var event = turn.event(.endlessSets, node, wave: wave)
  ring.write(&event)
}
