/// Where text goes: the terminal, a pipe, or a test's memory.
public protocol TextOutput: Sendable {
  /// Writes all of `text`, or says why it cannot.
  func write(_ text: String) throws(SystemError)
}

/// An open file as an output: 1 for the standard output, 2 for messages.
public struct FileOutput: TextOutput {
  let file: Int32

  public init(file: Int32) { self.file = file }

  public func write(_ text: String) throws(SystemError) {
    try SystemFile.write(text, to: file)
  }
}
