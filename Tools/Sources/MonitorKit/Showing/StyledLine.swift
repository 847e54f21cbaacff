/// One line of a screen: pieces of text, each in a colour, cut to a width without cutting a colour.
struct StyledLine: Equatable {
  /// How a piece of text looks, as the terminal's escape code has it.
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case green = "32"
    case yellow = "33"
    case red = "31"
    case alarm = "1;31"
  }

  private(set) var pieces: [(text: String, style: Style)] = []

  init() {}

  init(_ text: String, _ style: Style = .plain) { add(text, style) }

  /// The number of columns that the line takes.
  var width: Int { pieces.reduce(0) { $0 + $1.text.count } }

  mutating func add(_ text: String, _ style: Style = .plain) {
    pieces.append((printable(text), style))
  }

  func adding(_ text: String, _ style: Style = .plain) -> StyledLine {
    var line = self
    line.add(text, style)
    return line
  }

  /// The line for a terminal `width` columns wide.
  func text(width: Int, colours: Bool) -> String {
    var room = width
    var result = ""
    for (text, style) in pieces where room > 0 {
      let shown = text.prefix(room)
      room -= shown.count
      let isPlain = !colours || style == .plain || shown.isEmpty
      result += isPlain ? String(shown) : "\u{1B}[\(style.rawValue)m\(shown)\u{1B}[0m"
    }
    return result
  }

  static func == (one: StyledLine, other: StyledLine) -> Bool {
    one.pieces.elementsEqual(other.pieces, by: ==)
  }
}
