import EasyReactTesting

/// What an operator did in a run: the lines that went in, the code, and the lines that came out.
public struct Diagram: Equatable, Sendable {
  public struct Row: Equatable, Sendable {
    /// Empty: the result of the code.
    public let name: String
    public let marbles: Marbles
  }
  /// Of the operator.
  public let name: String
  public let sentence: String
  public let code: [String]
  public let inputs: [Row]
  public let outputs: [Row]
  /// Does it matter how much time passes? A step is a second.
  public let isTimed: Bool

  /// How many steps the longest line has.
  public var length: Int { (inputs + outputs).map(\.marbles.steps.count).max() ?? 0 }
}

// MARK: - As text

extension Diagram {
  /// For a terminal:
  ///
  ///     debounce: A value passes when no newer one came for the interval.
  ///
  ///       a  12-3-----45---
  ///          a.debounce(.seconds(3), on: clock)
  ///       →  ------3------5
  public var text: String {
    let rows = inputs + outputs
    let lines = Marbles.inColumns(rows.map(\.marbles))
    let names = rows.map { $0.name.isEmpty ? "→" : $0.name }
    let width = names.map(\.count).max() ?? 0
    func line(_ name: String, _ content: String) -> String {
      "  " + name + String(repeating: " ", count: width - name.count) + "  " + content
    }
    let shown = zip(names, lines).map(line)
    let note = isTimed ? [line("", "a step is a second")] : []
    return
      (["\(name): \(sentence)", ""] + shown.prefix(inputs.count) + code.map { line("", $0) }
      + shown.dropFirst(inputs.count) + note).joined(separator: "\n") + "\n"
  }
}
