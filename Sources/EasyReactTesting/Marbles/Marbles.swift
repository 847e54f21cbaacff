/// What happens at one node as time passes, written as a line of text: a *marble line*.
///
///     let line = try Marbles("1-2--[34]~-'five'")
///     line.steps[5]                   // [.value("3"), .value("4")]: at the same instant
///     print(line)                     // 1-2--[34]~-'five'
///
/// Each character is one step of time, the first one is time zero:
///
/// | | |
/// |---|---|
/// | `-` | a step in which nothing happens |
/// | `a` | a value, any character that has no other meaning |
/// | `'long value'` | a value of any length, one step; in it `\'` `\\` `\n` `\r` `\t` `\u{1F600}` |
/// | `[ab]` | several things at the same instant, in this order; one step |
/// | `~` | the node is emptied |
/// | `!` | cancelled: nothing comes after it |
/// | space | ignored: use spaces to put lines below each other |
///
/// `|`, `(` and `)` are not values unless quoted: in other libraries' marbles they mean completion
/// and groups. The grammar is near that of AsyncSequenceValidation in swift-async-algorithms.
public struct Marbles: Hashable, Sendable {
  /// One thing that happens.
  public enum Mark: Hashable, Sendable {
    /// A value, by the text that stands for it.
    case value(String)
    case emptied
    case cancelled
  }

  /// What happens in each step, in order; nothing where time only passes.
  public var steps: [[Mark]]

  public init(steps: [[Mark]] = []) { self.steps = steps }

  /// Reads a line. Two lines are equal when they have the same steps, however they were written.
  /// - Throws: A ``MarbleError`` that points at the column.
  public init(_ text: String) throws(MarbleError) { self = try parseMarbles(text).marbles }

  /// Without the steps at the end in which nothing happens.
  public var trimmed: Marbles {
    var steps = steps
    while steps.last?.isEmpty == true { steps.removeLast() }
    return Marbles(steps: steps)
  }
}

/// Why a text is not a marble line, and where.
///
///     do { _ = try Marbles("1-[23--") } catch { print(error) }
///     // the group is not closed: write ] after its last mark; column 3
///     //   1-[23--
///     //     ^
public struct MarbleError: Error, Equatable, Sendable, CustomStringConvertible {
  public let message: String
  /// The whole line.
  public let text: String
  /// From one, in characters as a person counts them.
  public let column: Int

  public var description: String {
    // Line breaks and tabs take a column here, like the other spaces.
    let shown = String(text.map { $0.isWhitespace ? " " : $0 })
    let before = displayWidth(of: String(shown.prefix(column - 1)))
    return "\(message); column \(column)\n  \(shown)\n  \(String(repeating: " ", count: before))^"
  }
}
