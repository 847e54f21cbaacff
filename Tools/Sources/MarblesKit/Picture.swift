import EasyReactTesting

/// A diagram as SVG: 600 units wide, for light and dark, without fonts or scripts from elsewhere.
///
/// The same diagram gives the same bytes, so that a committed picture can be compared with a fresh
/// one.
public struct Picture {
  private let diagram: Diagram
  private let width = 600.0
  private let margin = 16.0
  private var body: [String] = []
  /// Where the next thing is drawn.
  private var y = 0.0

  public static func svg(of diagram: Diagram) -> String {
    var picture = Picture(diagram)
    picture.draw()
    return picture.text
  }

  private init(_ diagram: Diagram) { self.diagram = diagram }

  // MARK: Measures

  /// A letter of the monospaced font of `size` is this wide in every usual font, or less.
  private func letter(_ size: Double) -> Double { size * 0.61 }

  private var rows: [Diagram.Row] { diagram.inputs + diagram.outputs }

  /// Names stand to the left of the lines.
  private var left: Double {
    let longest = rows.map(\.name.count).max() ?? 0
    return margin + Double(longest) * letter(14) + (longest == 0 ? 4 : 14)
  }

  private var stepWidth: Double {
    min(84, (width - margin - 14 - left - radius - 4) / Double(max(1, diagram.length)))
  }

  private let radius = 14.0

  private func x(_ step: Int) -> Double { left + radius + 4 + Double(step) * stepWidth }

  /// Marks of one instant stand below each other.
  private func height(_ row: Diagram.Row) -> Double {
    let most = row.marbles.steps.map(\.count).max() ?? 0
    return 44 + Double(max(0, most - 1)) * (2 * radius + 3)
  }

  // MARK: Drawing

  private mutating func draw() {
    drawHead()
    let top = y
    var lines: [(row: Diagram.Row, y: Double)] = []
    for row in diagram.inputs {
      lines.append((row, y + 22))
      y += height(row)
    }
    let box = y + 6
    y = box + Double(diagram.code.count) * 21 + 15 + 8
    for row in diagram.outputs {
      lines.append((row, y + 22))
      y += height(row)
    }
    drawGrid(from: top, to: y - 4)
    drawCode(at: box)
    for line in lines { drawRow(line.row, at: line.y) }
    if diagram.isTimed { drawSeconds() }
    y += 8
  }

  private mutating func drawHead() {
    y = 32
    add(
      "<text class=\"name\" x=\"\(margin.short)\" y=\"\(y.short)\">\(escaped(diagram.name))</text>")
    for line in balanced(diagram.sentence, to: 76) {
      y += 21
      add("<text class=\"sentence\" x=\"\(margin.short)\" y=\"\(y.short)\">\(escaped(line))</text>")
    }
    y += 14
  }

  /// A hairline a step, so that what happens at one time is seen to.
  private mutating func drawGrid(from top: Double, to bottom: Double) {
    let lines = (0..<diagram.length).map { "M\(x($0).short) \(top.short)V\(bottom.short)" }
    add("<path class=\"grid\" d=\"\(lines.joined())\"/>")
  }

  private mutating func drawCode(at top: Double) {
    let height = Double(diagram.code.count) * 21 + 15
    add(
      "<rect class=\"box\" x=\"\(margin.short)\" y=\"\(top.short)\" width=\"\((width - 2 * margin).short)\" height=\"\(height.short)\" rx=\"8\"/>"
    )
    let longest = diagram.code.map(\.count).max() ?? 0
    let size = min(15, (width - 2 * margin - 20) / letter(1) / Double(max(1, longest)))
    for (index, line) in diagram.code.enumerated() {
      let place = "x=\"300\" y=\"\((top + 24 + Double(index) * 21).short)\""
      add(
        "<text class=\"code\" \(place) style=\"font-size:\(size.short)px\">\(escaped(line))</text>")
    }
  }

  private mutating func drawRow(_ row: Diagram.Row, at y: Double) {
    let marks = row.marbles.steps
    let end = marks.firstIndex { $0.contains(.cancelled) }
    let right = width - margin
    let middle = end.map { x($0) } ?? right
    add("<path class=\"line\" d=\"M\(left.short) \(y.short)H\(middle.short)\"/>")
    if end == nil {
      add(
        "<path class=\"arrow\" d=\"M\((right - 7).short) \((y - 4.5).short)L\(right.short) \(y.short)L\((right - 7).short) \((y + 4.5).short)\"/>"
      )
    }
    if !row.name.isEmpty {
      add(
        "<text class=\"label\" x=\"\((left - 10).short)\" y=\"\((y + 5).short)\">\(escaped(row.name))</text>"
      )
    }
    for (step, instant) in marks.enumerated() { drawInstant(instant, step: step, at: y) }
  }

  private mutating func drawInstant(_ marks: [Marbles.Mark], step: Int, at y: Double) {
    let distance = 2 * radius + 3
    if marks.count > 1 {
      let bottom = y + Double(marks.count - 1) * distance
      add("<path class=\"line\" d=\"M\(x(step).short) \(y.short)V\(bottom.short)\"/>")
    }
    for (index, mark) in marks.enumerated() {
      drawMark(mark, x: x(step), y: y + Double(index) * distance)
    }
  }

  private mutating func drawMark(_ mark: Marbles.Mark, x: Double, y: Double) {
    switch mark {
    case .value(let value): drawValue(value, x: x, y: y)
    case .emptied:
      add("<circle class=\"empty\" cx=\"\(x.short)\" cy=\"\(y.short)\" r=\"8\"/>")
      add("<path class=\"mark\" d=\"M\((x - 8).short) \((y + 8).short)l16 -16\"/>")
    case .cancelled:
      add("<path class=\"mark\" d=\"M\((x - 7).short) \((y - 7).short)l14 14m0 -14l-14 14\"/>")
    }
  }

  /// A circle, or a longer shape for a longer text.
  private mutating func drawValue(_ value: String, x: Double, y: Double) {
    let size = value.count <= 2 ? 15.0 : 13.0
    let half = max(radius, Double(value.count) * letter(size) / 2 + 5)
    add(
      "<rect class=\"v \(look(of: value))\" x=\"\((x - half).short)\" y=\"\((y - radius).short)\" width=\"\((2 * half).short)\" height=\"28\" rx=\"14\"/>"
    )
    add(
      "<text class=\"value\" x=\"\(x.short)\" y=\"\((y + size * 0.35).short)\" style=\"font-size:\(size.short)px\">\(escaped(value))</text>"
    )
  }

  private mutating func drawSeconds() {
    y += 10
    for step in stride(
      from: 0, to: diagram.length, by: diagram.length > 12 || stepWidth < 38 ? 2 : 1)
    {
      add("<text class=\"second\" x=\"\(x(step).short)\" y=\"\(y.short)\">\(step) s</text>")
    }
    y += 4
  }

  // MARK: Text

  private mutating func add(_ element: String) { body.append(element) }

  /// One of seven colours, the same for the same value in every line; failures are red.
  private func look(of value: String) -> String {
    if value.hasPrefix("✗") { return "failure" }
    let letters = value.unicodeScalars.reduce(0) { ($0 &* 31 &+ Int($1.value)) % 1_000_003 }
    return "v\(letters % 7)"
  }

  /// As few lines as possible, of about the same length.
  private func balanced(_ text: String, to count: Int) -> [String] {
    let lines = wrapped(text, to: count)
    var best = lines
    for shorter in stride(from: count - 1, to: 20, by: -1) {
      let lines = wrapped(text, to: shorter)
      if lines.count > best.count { break }
      best = lines
    }
    return best
  }

  private func wrapped(_ text: String, to count: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= count {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }

  private var text: String {
    let size = "\(width.short) \(y.short)"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(width.short)" height="\(y.short)" role="img">
      <title>\(escaped(diagram.name))</title>
      <desc>\(escaped(diagram.text))</desc>
      <style>
      \(Picture.style)
      </style>
      <rect class="card" x="0.5" y="0.5" width="\((width - 1).short)" height="\((y - 1).short)" rx="10"/>
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  private static let style = """
    text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
    .name{font-size:18px;font-weight:700}
    .sentence{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif;font-size:13.5px;fill:#59636e}
    .label{font-size:14px;text-anchor:end}
    .code,.value,.second{text-anchor:middle}
    .value{fill:#1f2328}
    .second{font-size:12px;fill:#59636e}
    .card{fill:#fff;stroke:#d1d9e0}
    .box{fill:#f6f8fa;stroke:#818b98}
    .grid{stroke:#e4e8ec;fill:none}
    .line,.arrow,.mark{stroke:#59636e;stroke-width:1.8;fill:none}
    .mark{stroke:#cf222e;stroke-width:2.4}
    .empty{fill:#fff;stroke:#cf222e;stroke-width:2.4}
    .v{stroke:#1f2328;stroke-width:1.3}
    .v0{fill:#a5d6ff}.v1{fill:#ffd8a8}.v2{fill:#b2f2bb}.v3{fill:#ffc9de}.v4{fill:#d0bfff}.v5{fill:#ffec99}.v6{fill:#99e9f2}.failure{fill:#ff8a80}
    @media (prefers-color-scheme:dark){
    text{fill:#f0f6fc}.sentence,.second{fill:#9198a1}.value{fill:#1f2328}
    .card{fill:#0d1117;stroke:#3d444d}.box{fill:#151b23;stroke:#656c76}.grid{stroke:#21262d}
    .line,.arrow{stroke:#9198a1}.mark,.empty{stroke:#ff7b72}.empty{fill:#0d1117}.v{stroke:#0d1117}
    }
    """
}

extension Double {
  /// With one digit after the point, if it is needed: the same text everywhere.
  fileprivate var short: String {
    let tenths = Int((self * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
  }
}
