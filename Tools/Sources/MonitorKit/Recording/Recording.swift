/// The samples of a file that `--record` wrote.
public struct Recording: Sendable, Equatable {
  public let samples: [Sample]

  /// Why a file cannot be replayed: where in it the mistake is, and what was expected there.
  public struct Problem: Error, Equatable, CustomStringConvertible {
    public var file: String
    /// From 1, as editors count; `nil` if the file as a whole is at fault.
    public var line: Int?
    /// The column's number from 1, and its name where it has one.
    public var column: String?
    public var reason: String

    public var description: String {
      let place = [file, line.map { "line \($0)" }, column.map { "column \($0)" }]
      return place.compactMap { $0 }.joined(separator: ", ") + ": " + reason
    }
  }

  /// Reads all of the file at `path`, so that a mistake is found before anything is shown.
  public init(path: String) throws(Problem) {
    let bytes: [UInt8]
    do {
      bytes = try SystemFile.bytes(at: path)
    } catch {
      throw Problem(file: path, reason: "cannot be read (\(error))")
    }
    try self.init(bytes: bytes, file: path)
  }

  /// Reads a recording from `bytes`; `file` is its name in messages.
  public init(bytes: [UInt8], file: String) throws(Problem) {
    let rows: [CSV.Row]
    do {
      rows = try CSV.rows(of: bytes)
    } catch {
      throw Problem(file: file, line: error.line, reason: error.reason)
    }
    guard let heading = rows.first else {
      throw Problem(
        file: file, reason: "the file is empty; expected a recording made with --record")
    }
    let layout = try Self.layout(of: heading, file: file)
    guard rows.count > 1 else {
      throw Problem(file: file, reason: "expected samples after the heading, found none")
    }
    var samples: [Sample] = []
    for row in rows.dropFirst() {
      let sample = try Self.sample(in: row, layout, file: file)
      if let last = samples.last, sample.time <= last.time {
        throw Problem(
          file: file, line: row.line, column: name(of: 0, in: layout.columns),
          reason: "expected more than \(last.time.wholeMicroseconds), the time of the sample "
            + "before, and found \(sample.time.wholeMicroseconds)")
      }
      samples.append(sample)
    }
    self.samples = samples
  }

  private static func layout(
    of heading: CSV.Row, file: String
  ) throws(Problem) -> RecordingLayout {
    do {
      return try RecordingLayout(heading: heading.cells)
    } catch {
      throw Problem(
        file: file, line: heading.line, column: String(error.column + 1), reason: error.reason)
    }
  }

  private static func sample(
    in row: CSV.Row, _ layout: RecordingLayout, file: String
  ) throws(Problem) -> Sample {
    do {
      return try layout.sample(from: row.cells)
    } catch {
      throw Problem(
        file: file, line: row.line, column: name(of: error.column, in: layout.columns),
        reason: error.reason)
    }
  }
}

/// `14 (core.cpu0.userTicks)`: how a message names a column.
private func name(of column: Int, in columns: [String]) -> String {
  column < columns.count ? "\(column + 1) (\(printable(columns[column])))" : "\(column + 1)"
}
