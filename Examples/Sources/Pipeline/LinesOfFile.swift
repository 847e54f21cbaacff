import Foundation

/// The lines of a file, each read when it is asked for.
final class LinesOfFile: Sequence, IteratorProtocol {
  private let file: UnsafeMutablePointer<FILE>

  /// Nil if the file cannot be opened; `errno` says why.
  init?(_ path: String) {
    guard let file = fopen(path, "r") else { return nil }
    self.file = file
  }
  deinit { fclose(file) }

  func next() -> String? {
    var line: UnsafeMutablePointer<CChar>?, capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, file) >= 0, let line else { return nil }
    return String(cString: line).trimmingCharacters(in: .newlines)
  }
}
