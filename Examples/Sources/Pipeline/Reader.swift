import EasyReact
import Foundation

/// Awaits what a node tells, and keeps what it makes of it.
actor Reader<Known: Sendable> {
  private(set) var known: Known
  /// How many rows of the file it knows of; empty until it listens.
  nonisolated let seen = MutableNode<Int>()

  init(_ known: Known) { self.known = known }

  func read(
    _ rows: NodeValues<Row>, pause: Duration = .zero, _ use: (inout Known, Row) -> Void
  ) async {
    for await row in rows {
      use(&known, row)
      seen.value = row.number
      if pause > .zero { try? await Task.sleep(for: pause) }
    }
  }
}

/// The lines of a file, each read when it is asked for; nil if it cannot be opened: `errno` says why.
func lines(of path: String) -> AnyIterator<String>? {
  guard let file = fopen(path, "r") else { return nil }
  return AnyIterator {
    var line: UnsafeMutablePointer<CChar>?, capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, file) >= 0, let line else { return nil }
    return String(cString: line).trimmingCharacters(in: .newlines)
  }
}
