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
    event.thread = UInt32(truncatingIfNeeded: easyreact_thread_number())
    return event
  }
}

extension RingPointer {
  @inline(__always)
  fileprivate func write(_ event: inout easyreact_event, _ trace: NodeTrace? = nil) {
    var evicted = easyreact_evicted()
    easyreact_record(self, trace?.record, &event, &evicted)
    if evicted.count > 0 { evicted.release() }
  }
}

extension easyreact_event {
  fileprivate mutating func set(_ location: SourceLocation?) {
    guard let location else { return }
    file = location.start
    file_count = UInt16(clamping: location.count)
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
  fileprivate func trace(_ ring: RingPointer, _ turn: TurnPointer) -> NodeTrace? {
    if let trace = traceIfAny(), easyreact_is_traced_in(ring, trace.record) { return trace }
    guard let recording = turn.pointee.recording else { return nil }
    return beginTrace(unsafeDowncast(recording.takeUnretainedValue(), to: Recording.self))
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
    trace.isPrivate.store(isPrivate, ordering: .relaxed)  // it may have been marked meanwhile
    return trace
  }

  /// Any thread.
  var isPrivate: Bool { attachmentsIfAny()?.state.withLock { $0.isPrivate } ?? false }
}

// MARK: - Values

extension NodePointer {
  /// What is stored, or the event that is told: for its holder, while the node is busy.
  fileprivate func read(
    _ trace: NodeTrace, isEvent: Bool, _ ring: RingPointer, into event: inout easyreact_event
  ) {
    let mark = isEvent ? UInt8(easyreact_form_event) : 0
    if !isEvent, !pointee.hasValue.load(ordering: .relaxed) {
      event.new_form = UInt8(easyreact_form_empty)
    } else if trace.hidesValues {
      event.new_form = UInt8(easyreact_form_private) | mark
    } else if manner(trace, isEvent) == .bytes {
      event.new_form = UInt8(easyreact_form_bytes) | mark
      withUnsafeMutableBytes(of: &event.new_value) { words in
        words.baseAddress!.copyMemory(
          from: UnsafeRawPointer(self) + trace.offset, byteCount: trace.size)
      }
    } else if let described = node()?.described(isEvent: isEvent, ring.limit) {
      event.new_form = UInt8(easyreact_form_text) | mark
      event.set(described)
    }
  }

  private func manner(_ trace: NodeTrace, _ isEvent: Bool) -> TraceManner {
    let manner = trace.manner.load(ordering: .relaxed)
    if manner != .undecided { return manner }
    let decided = node()?.traceManner(isEvent: isEvent) ?? .text
    trace.manner.store(decided, ordering: .relaxed)
    return decided
  }

  /// The value that the node holds before this recording has heard of a store: any thread, and the user's code.
  fileprivate func noteValue(_ ring: RingPointer, _ turn: TurnPointer) {
    guard let trace = trace(ring, turn) else { return }
    let number = ring.pointee.number
    if trace.knowsValue.exchange(number, ordering: .relaxed) == number { return }
    var event = easyreact_event()
    if !pointee.hasValue.load(ordering: .acquiring) {
      event.new_form = UInt8(easyreact_form_empty)
    } else if trace.hidesValues {
      event.new_form = UInt8(easyreact_form_private)
    } else if let node = node() {
      if trace.manner.load(ordering: .relaxed) == .undecided {
        trace.manner.store(node.traceManner(isEvent: false), ordering: .relaxed)
      }
      if trace.manner.load(ordering: .relaxed) == .bytes {
        event.new_form = UInt8(easyreact_form_bytes)
        withUnsafeMutableBytes(of: &event.new_value) { node.copyStored(to: $0.baseAddress!) }
      } else if let described = node.described(isEvent: false, ring.limit) {
        event.new_form = UInt8(easyreact_form_text)
        event.set(described)
      }
    }
    let isTaken = easyreact_note_value(ring, trace.record, event.new_form, event.new_value)
    if !isTaken { event.releaseTexts() }
  }

  /// What lies downstream may store a value next: what it holds now is noted first.
  fileprivate func noteDownstream(_ trace: NodeTrace, _ ring: RingPointer, _ turn: TurnPointer) {
    let number = ring.pointee.number
    if trace.knowsDownstream.exchange(number, ordering: .relaxed) == number { return }
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
    var event = currentTurn().event(.nodeMade, pointee.id, wave: 0)
    event.set(pointee.location)
    recording.ring.write(&event, trace)
  }

  func recordGone(_ ring: RingPointer, _ turn: TurnPointer) {
    var event = turn.event(.nodeGone, pointee.id, wave: 0)
    ring.write(&event)
    traceIfAny()?.noteGone(name, at: event.sequence, in: ring.pointee.number)
  }

  /// Before it is stored, or waits. `number`: of one that waited.
  func recordSet(
    _ context: ContextBox?, number: UInt64, by wave: UInt64, _ ring: RingPointer,
    _ turn: TurnPointer
  ) {
    noteValue(ring, turn)
    var event = turn.event(.set, pointee.id, wave: number, origin: wave)
    event.set(turn.pointee.callSite)
    event.set(context, ring)
    ring.write(&event)
  }

  func recordStored(
    _ delivery: Delivery, from sender: NodePointer?, _ ring: RingPointer, _ turn: TurnPointer
  ) {
    let wave = turn.pointee.wave.number
    var event = turn.event(
      .stored, pointee.id, wave: wave, origin: delivery.wave.number,
      from: sender.map { $0.pointee.id } ?? 0)
    if delivery.isSet { event.flags |= TracedFlags.set }
    guard let trace = trace(ring, turn) else { return ring.write(&event) }
    trace.knowsValue.store(ring.pointee.number, ordering: .relaxed)
    read(trace, isEvent: turn.pointee.wave.flags.has(.event), ring, into: &event)
    ring.write(&event, trace)
    noteDownstream(trace, ring, turn)
  }

  func record(
    _ kind: TracedEvent.Kind, _ delivery: Delivery, from sender: NodePointer?, _ ring: RingPointer,
    _ turn: TurnPointer
  ) {
    var event = turn.event(
      kind, pointee.id, wave: delivery.wave.number, origin: delivery.wave.number,
      from: sender.map { $0.pointee.id } ?? 0)
    if delivery.isSet { event.flags |= TracedFlags.set }
    ring.write(&event)
  }

  func recordStop(
    _ reason: GraphEvent.Stop, wave: UInt64, from other: UInt64 = 0, _ ring: RingPointer,
    _ turn: TurnPointer
  ) {
    var event = turn.event(.stopped, pointee.id, wave: wave, origin: wave, from: other)
    event.set(reason)
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
    if kind == .edgeMade { up.trace(ring, turn)?.knowsDownstream.store(0, ordering: .relaxed) }
    if kind == .pushed { down?.noteValue(ring, turn) }
    ring.write(&event, trace)
  }
}

func recordEndlessSets(_ node: UInt64, wave: UInt64, _ ring: RingPointer, _ turn: TurnPointer) {
  var event = turn.event(.endlessSets, node, wave: wave)
  ring.write(&event)
}
