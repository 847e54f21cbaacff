import Synchronization

/// Writes samples to a file, a row each, as they are taken.
///
/// A row is handed to the system as soon as it is complete, so an interrupted run leaves whole
/// rows.
public final class RecordingWriter: Sendable {
  /// Why a recording cannot go on.
  public struct Problem: Error, Equatable, CustomStringConvertible {
    public var file: String
    public var reason: SystemError
    public var description: String { "\(file): cannot be written (\(reason))" }
  }

  private let path: String
  private let file: Int32
  /// `nil` until the first sample has decided the columns.
  private let layout = Mutex<RecordingLayout?>(nil)

  /// Opens the file at `path`, replacing what it held.
  public init(path: String) throws(Problem) {
    self.path = path
    do {
      file = try SystemFile.create(at: path)
    } catch {
      throw Problem(file: path, reason: error)
    }
  }

  deinit { SystemFile.close(file) }

  /// Adds a row for `sample`, after the heading if it is the first.
  public func write(_ sample: Sample) throws(Problem) {
    let text = layout.withLock { layout in
      if let layout { return CSV.line(layout.cells(for: sample)) }
      let first = RecordingLayout(first: sample)
      layout = first
      return CSV.line(first.columns) + CSV.line(first.cells(for: sample))
    }
    do {
      try SystemFile.write(text, to: file)
    } catch {
      throw Problem(file: path, reason: error)
    }
  }
}
