import CEasyReact
import Synchronization

typealias RingPointer = UnsafeMutablePointer<easyreact_ring>

/// What a recorder of the product `EasyReactInspection` keeps: a ring of events, and what is known of the nodes.
///
/// Written by all threads that are inside the graph, each event under the ring's own lock for a few dozen instructions
/// (`CEasyReact/EasyReactRecording.c`), and numbered there: so the events of all threads are in one order, in which
/// causes come before what they cause. At most one recording runs.
package final class Recording: @unchecked Sendable {
  // Unchecked: `ring` is constant, and what it points to has its own lock; the rest is atomic or a Mutex.
  let ring: RingPointer
  private let turns = Atomic<UInt64>(0)
  private let table = Mutex(Table())

  /// The nodes that were met, by id.
  private struct Table {
    var traces: [UInt64: NodeTrace] = [:]
    /// What they did, once the recording is over: another one may begin anew with the same nodes.
    var parts: [UInt64: NodeTrace.Part]?
    /// Those that are gone, and of which no event is kept, are swept when there are as many, and by whoever reads.
    var room = 1_024

    /// Returns what the caller lets go of when it holds no lock.
    mutating func sweep(_ isForgotten: (NodeTrace) -> Bool) -> [NodeTrace] {
      let swept = traces.values.filter(isForgotten)
      for trace in swept {
        traces[trace.id] = nil
        parts?[trace.id] = nil
      }
      traces.shrinkIfSparse()
      room = max(1_024, 2 * traces.count)
      return swept
    }
  }

  private struct Running {
    var recording: Recording?
    var count: UInt64 = 0
  }
  private static let running = Mutex(Running())
  /// The one that runs.
  package static var current: Recording? { running.withLock { $0.recording } }
  static var isAnyRunning: Bool { running.withLock { $0.recording != nil } }

  private init(number: UInt64, events: Int, bytes: Int, descriptionLength: Int, measuresTime: Bool)
  {
    guard
      let ring = easyreact_ring_make(
        number, UInt64(events), UInt64(bytes), UInt32(clamping: descriptionLength), measuresTime)
    else {
      fatalError("GraphRecorder(events: \(events)): there is no memory for so many; pass fewer.")
    }
    self.ring = ring
  }

  deinit {
    var event = easyreact_event()
    while easyreact_ring_take(ring, &event) { event.releaseTexts() }
    easyreact_ring_free(ring)
  }

  // MARK: - Start and stop

  /// Begins one in place of the one that runs.
  package static func start(
    events: Int, bytes: Int, descriptionLength: Int, measuresTime: Bool
  ) -> Recording {
    let (new, old, ended) = running.withLock { running in
      running.count += 1
      let old = running.recording
      let ended = old?.end() ?? []
      let new = Recording(
        number: running.count, events: events, bytes: bytes, descriptionLength: descriptionLength,
        measuresTime: measuresTime)
      running.recording = new
      return (new, old, ended)
    }
    for (trace, node) in ended { trace.noteLast(of: node) }
    _ = consume old
    GraphTracing.updateSwitch()
    return new
  }

  /// Writes nothing any more. What is kept stays.
  package func stop() {
    let ended = Recording.running.withLock { running -> [(NodeTrace, AnyNode)]? in
      guard running.recording === self else { return nil }
      running.recording = nil
      return end()
    }
    guard let ended else { return }
    GraphTracing.updateSwitch()
    for (trace, node) in ended { trace.noteLast(of: node) }
  }

  package var isRunning: Bool { Recording.running.withLock { $0.recording === self } }

  /// From here on the parts of the nodes change no more, so they are copied. Returns the nodes that live: what is to be known of
  /// them is noted, and they are let go of, where no lock is held.
  private func end() -> [(NodeTrace, AnyNode)] {
    easyreact_ring_stop(ring)
    let traces = traces
    let parts = traces.map { ($0.id, $0.part(in: ring)) }
    table.withLock { $0.parts = Dictionary(uniqueKeysWithValues: parts) }
    return traces.compactMap { trace in trace.node.map { (trace, $0) } }
  }

  // MARK: - What is known of the nodes

  func nextTurn() -> UInt64 { turns.wrappingAdd(1, ordering: .relaxed).newValue }

  func add(_ trace: NodeTrace) {
    let oldest = bounds.lowerBound
    let swept = table.withLock { table -> [NodeTrace] in
      table.traces[trace.id] = trace
      return table.traces.count <= table.room
        ? [] : table.sweep { isForgotten($0, before: oldest) }
    }
    _ = consume swept
  }

  /// A node that no event need have named. Nil: its handle is going.
  package func meet(_ node: AnyNode) -> NodeTrace? { node.storage.beginTrace(self) }

  package var traces: [NodeTrace] { table.withLock { Array($0.traces.values) } }

  /// The same without those that are gone, and of which no event is kept: they are forgotten.
  package func traces(since oldest: UInt64) -> [NodeTrace] {
    let (kept, swept) = table.withLock { table in
      let swept = table.sweep { isForgotten($0, before: oldest) }
      return (Array(table.traces.values), swept)
    }
    return withExtendedLifetime(swept) { kept }
  }

  /// It went while this one ran, and no event of it is kept.
  package func isForgotten(_ trace: NodeTrace, before oldest: UInt64) -> Bool {
    trace.isForgotten(in: ring.pointee.number, before: oldest)
  }

  /// What the node did in this recording: as long as that runs, what the trace says. Meanwhile no other one begins, which
  /// would begin anew with the node.
  package func part(of trace: NodeTrace) -> NodeTrace.Part {
    Recording.running.withLock { _ in
      if let parts = table.withLock({ $0.parts }) { return parts[trace.id] ?? NodeTrace.Part() }
      return trace.part(in: ring)
    }
  }

  // MARK: - Reading

  /// The sequence of the oldest event that is kept, and of the next one.
  package var bounds: Range<UInt64> {
    var (first, next): (UInt64, UInt64) = (0, 0)
    easyreact_ring_bounds(ring, &first, &next)
    return first..<next
  }

  /// The events from a sequence on that are there now, oldest first, copied a few at a time: writers wait for no more than
  /// that, and whoever reads does not run after them.
  package func forEachEvent(from start: UInt64 = 0, _ body: (TracedEvent) -> Void) {
    let room = 128
    let events = UnsafeMutablePointer<easyreact_event>.allocate(capacity: room)
    defer { events.deallocate() }
    var next = start
    let end = bounds.upperBound
    while next < end {
      let count = easyreact_ring_copy(ring, next, events, room, &next)
      if count == 0 { return }
      for index in 0..<count {
        if events[index].sequence < end { body(TracedEvent(events[index])) }
        events[index].releaseTexts()
      }
    }
  }
}
