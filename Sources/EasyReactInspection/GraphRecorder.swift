import EasyReact
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps what happens in all graphs of the process, in a ring of stated size, and answers questions about it.
///
///     let recorder = GraphRecorder()
///     recorder.start()
///     price.set(4, context: "import")
///     print(recorder.why(total))          // total = 12 …
///     print(recorder.whyNot(shipping))    // filtered: …
///     recorder.stop()
///
/// When the ring is full the oldest events are dropped, and counted. One recorder runs at a time: starting one stops the
/// one before. Not started, it costs nothing. It keeps no node alive; descriptions of values are made as late as that
/// allows. Any thread may use any member.
public final class GraphRecorder: Sendable {
  /// How many events are kept at most.
  public let capacity: Int
  /// How many bytes of descriptions are kept at most.
  public let byteCapacity: Int
  /// Descriptions are cut at this many characters.
  public let descriptionLength: Int
  /// Is ``NodeCounts/ownNanoseconds`` measured?
  public let measuresTime: Bool

  /// - Parameters:
  ///   - events: How many events are kept: some 150 bytes each. `start()` stops with a message if there is no memory for so many.
  ///   - bytes: How many bytes of descriptions are kept besides, of values that are not trivial and of contexts.
  ///   - descriptionLength: Where descriptions are cut, in characters.
  ///   - measuresTime: Measure the own time of every node.
  public init(
    events: Int = 65_536, bytes: Int = 8 << 20, descriptionLength: Int = 200,
    measuresTime: Bool = false
  ) {
    if events < 1 || bytes < 0 || descriptionLength < 1 {
      fatalError(
        "GraphRecorder(events: \(events), bytes: \(bytes), descriptionLength: \(descriptionLength)): pass at least 1, 0 and 1."
      )
    }
    capacity = events
    byteCapacity = bytes
    self.descriptionLength = descriptionLength
    self.measuresTime = measuresTime
  }

  private struct State {
    var recording: Recording?
    /// The graph as it was when that ended; nil: it runs, or somebody else has ended it.
    var last: GraphLook?
    /// Nil also while somebody reads.
    var reader: RecordReader?
    var began = 0.0
  }
  private let state = Mutex(State())

  deinit { state.withLock { $0.recording }?.stop() }

  // MARK: - Running

  private struct Current { weak var recorder: GraphRecorder? }
  private static let running = Mutex(Current())

  /// The recorder that runs; nil: none.
  public static var current: GraphRecorder? {
    running.withLock { $0.recorder }.flatMap { $0.isRunning ? $0 : nil }
  }

  /// Records from now on, beginning with nothing. If a turn is under way on some thread, recording there begins with the next one.
  public func start() {
    GraphRecorder.current?.stop()
    let recording = Recording.start(
      events: capacity, bytes: byteCapacity, descriptionLength: descriptionLength,
      measuresTime: measuresTime)
    let reader = RecordReader(recording, limit: descriptionLength, measuresTime: measuresTime)
    let old = state.withLock { state in
      defer {
        state = State(recording: recording, reader: reader, began: secondsSince1970())
      }
      return state
    }
    // Of several that are started at once the one that runs.
    GraphRecorder.running.withLock { if recording.isRunning { $0.recorder = self } }
    _ = consume old
  }

  /// Records no more. What is kept can be asked for until the next `start()`: the graph as it is now, whatever becomes of it.
  /// - Complexity: O(nodes and edges).
  public func stop() {
    guard let recording = state.withLock({ $0.recording }), recording.isRunning else { return }
    let look = GraphLook(recording)
    state.withLock { if $0.recording === recording, $0.last == nil { $0.last = look } }
    recording.stop()
  }

  public var isRunning: Bool { state.withLock { $0.recording }?.isRunning ?? false }

  // MARK: - What is kept

  /// How many events are not kept any more.
  public var dropped: UInt64 {
    state.withLock { $0.recording }.map { $0.bounds.lowerBound - 1 } ?? 0
  }

  /// Everything that is kept.
  /// - Complexity: O(events, nodes and edges), and what is new is read at some microseconds per event. Descriptions of
  ///   trivial values are made here, on this thread.
  public var records: GraphRecords { records(after: 0) }

  /// The same with the events after `sequence` alone: for whoever follows the recording. `causes` may lie before it. A
  /// set that has to wait may be told under another number: from when it is stored, that number is its `wave`.
  public func records(after sequence: UInt64) -> GraphRecords {
    read { reader, began in reader.records(after: sequence, began: began) } ?? GraphRecords()
  }

  /// What each known node did since the recording began, by id.
  public var counts: [UInt64: NodeCounts] { read { reader, _ in reader.counts } ?? [:] }

  /// Reading runs descriptions, which are the user's code, so it holds no lock. Whoever comes while another one reads, even
  /// from such a description, reads all anew.
  /// The node of an id that the recording has met; nil: it is gone.
  package func node(_ id: UInt64) -> AnyNode? { read { reader, _ in reader.node(id) } ?? nil }

  /// The nodes that the recording has met, and that live, by id.
  var livingNodes: [AnyNode] { read { reader, _ in reader.livingNodes } ?? [] }

  private func read<Result>(_ body: (RecordReader, _ began: Double) -> Result) -> Result? {
    var present = state.withLock { state in
      defer { state.reader = nil }
      return state
    }
    guard let recording = present.recording else { return nil }
    // Taken: what is held twice would be copied, as a whole, by the first event.
    var reader =
      present.reader.take()
      ?? RecordReader(recording, limit: descriptionLength, measuresTime: measuresTime)
    reader.advance(present.last)
    let result = body(reader, present.began)
    let old = state.withLock { state in
      if state.recording !== recording { return reader as RecordReader? }
      defer { state.reader = reader }
      return state.reader
    }
    _ = consume old
    return result
  }
}

/// The wall clock's, for people.
private func secondsSince1970() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
