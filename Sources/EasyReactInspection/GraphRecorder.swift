import EasyReact
import Synchronization

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
/// one before. Not started it costs nothing. It keeps no node alive; descriptions of values are made as late as that
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
  ///   - events: How many events are kept: some 150 bytes each.
  ///   - bytes: How many bytes of descriptions are kept besides, of values that are not trivial and of contexts.
  ///   - descriptionLength: Where descriptions are cut, in characters.
  ///   - measuresTime: Measure the own time of every node.
  public init(
    events: Int = 65_536, bytes: Int = 8 << 20, descriptionLength: Int = 200,
    measuresTime: Bool = false
  ) {
    precondition(
      events > 0 && bytes >= 0 && descriptionLength > 0,
      "GraphRecorder: events and descriptionLength are at least 1, and bytes at least 0")
    capacity = events
    byteCapacity = bytes
    self.descriptionLength = descriptionLength
    self.measuresTime = measuresTime
  }

  /// The recorder that runs; nil: none.
  public static var current: GraphRecorder? { nil }

  /// Records from now on: from nothing. A turn that is under way on some thread is recorded from the next one on.
  public func start() {}

  /// Records no more. What is kept can be asked for until the next `start()`.
  public func stop() {}

  public var isRunning: Bool { false }

  /// How many events are not kept any more.
  public var dropped: UInt64 { 0 }

  /// Everything that is kept.
  /// - Complexity: O(events, nodes and edges). Descriptions of trivial values are made here, on this thread.
  public var records: GraphRecords { GraphRecords() }

  /// The same with the events after `sequence` alone: for whoever follows the recording. `causes` may lie before.
  public func records(after sequence: UInt64) -> GraphRecords { GraphRecords() }

  /// What each node that is known did since the recording began, by id.
  public var counts: [UInt64: NodeCounts] { [:] }
}
