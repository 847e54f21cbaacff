/// When something happened in a recording.
///
///     let record = recorder.records.edges[0]
///     record.born            // nil: before the recording began, or forgotten since
///     record.cut?.sequence   // 812
public struct Moment: Codable, Hashable, Sendable, Comparable {
  /// Of the event: greater than those of all events that it could know of, on any thread.
  public let sequence: UInt64
  /// Since the recording began.
  public let nanoseconds: UInt64

  public init(sequence: UInt64, nanoseconds: UInt64) {
    self.sequence = sequence
    self.nanoseconds = nanoseconds
  }

  /// Since the recording began.
  public var time: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

  public static func < (a: Moment, b: Moment) -> Bool { a.sequence < b.sequence }
}

/// A line of source: `Module/File.swift:12`.
public struct SourcePlace: Codable, Hashable, Sendable, CustomStringConvertible {
  /// As `#fileID` has it.
  public let file: String
  public let line: Int

  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  public var description: String { "\(file):\(line)" }
}
