/// Draws frames over each other on a terminal, with the escape codes that all of them share.
///
/// No alternate screen: what was above stays, and the last frame stays when the program ends.
struct Screen {
  /// How many lines the last frame has, and for which shape it was drawn; `nil` before the first.
  private var last: (lines: Int, shape: ScreenShape)?

  /// The text that replaces the last frame by `lines`.
  mutating func frame(_ lines: [String], _ shape: ScreenShape) -> String {
    var text: String
    if let last, last.shape == shape {
      text = "\r" + Self.up(last.lines)
    } else if last != nil {
      // The old frame's lines may have been broken anew, so where it began is unknown: start
      // afresh.
      text = Self.clear
    } else {
      text = Self.hideCursor
    }
    last = (lines.count, shape)
    // Cleared before it is written: after a line as wide as the screen, clearing would take its
    // end.
    for line in lines { text += Self.clearLine + line + "\r\n" }
    return text + Self.clearBelow
  }

  /// The text that ends the drawing: the cursor comes back, below the last frame, where the
  /// terminal may have echoed a Ctrl-C.
  mutating func end() -> String {
    defer { last = nil }
    return last == nil ? "" : "\r" + Self.clearLine + Self.showCursor
  }

  private static let hideCursor = "\u{1B}[?25l"
  private static let showCursor = "\u{1B}[?25h"
  private static let clear = "\u{1B}[2J\u{1B}[H"
  private static let clearLine = "\u{1B}[K"
  private static let clearBelow = "\u{1B}[J"
  private static func up(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A" : "" }
}
