/// What is wrong with a file of counters: missing, not readable, or not as expected.
public struct ProcProblem: Error, Equatable, CustomStringConvertible {
  /// The file below the counters' folder, such as `net/dev`.
  public var file: String
  /// The line that is wrong, from 1; `nil` if the file as a whole is.
  public var line: Int?
  /// What is wrong, as a phrase.
  public var reason: String

  public init(file: String, line: Int? = nil, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  public var description: String {
    let place = line.map { "\(file), line \($0)" } ?? file
    return "\(place): \(reason)"
  }
}

/// `text` for a message: in quotes, without control characters, and not too long.
func quoted(_ text: some StringProtocol) -> String {
  let start = printable(text.prefix(40))
  return text.count > 40 ? "'\(start)...'" : "'\(start)'"
}

/// `text` with each control character as a question mark, so that no name can steer a terminal.
func printable(_ text: some StringProtocol) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
}
