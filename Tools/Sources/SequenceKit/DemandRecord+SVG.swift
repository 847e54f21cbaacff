extension DemandRecord {
  /// The events as a picture: a line down for each stage, the reader on the right; time goes down.
  ///
  /// A question goes to the left, from who asks to the stage that is asked: broken and orange if the element has to be
  /// computed, which the bar on the stage's line shows until the answer comes back. Green is a question that is answered
  /// at once, from memory. A box is a closure that ran.
  public var svg: String { Picture(self).svg }
}

private struct Picture {
  let record: DemandRecord
  let columns: [Double]
  let width: Double
  static let (left, top, step) = (24.0, 96.0, 26.0)
  static let (miss, hit, closure) = ("#c2410c", "#15803d", "#1d4ed8")

  init(_ record: DemandRecord) {
    self.record = record
    // A lane is as wide as its name and the closures' texts in it.
    var widths = record.lanes.map { Self.width($0) + 24 } + [170]
    for event in record.events {
      if case .ran(let call) = event.kind {
        widths[event.lane] = max(widths[event.lane], Self.width(call) + 36)
      }
    }
    var (x, columns) = (Self.left, [Double]())
    for width in widths.map({ max(110, $0) }) {
      columns.append(x + width / 2)
      x += width
    }
    self.columns = columns
    let title = Self.width(record.pipeline) * 1.3
    width = max(x, title, 520) + Self.left
  }

  /// The width of a text in the picture's font, of which every sign is as wide.
  static func width(_ text: String) -> Double { Double(text.count) * 7.3 }

  func y(_ row: Int) -> Double { Self.top + Self.step * (Double(row) + 0.8) }

  var height: Double { y(record.events.count) + 58 }

  var svg: String {
    let (width, height) = (Int(width.rounded(.up)), Int(height.rounded(.up)))
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="DejaVu Sans Mono, Menlo, monospace" font-size="12">
      """,
      "<title>\(escaped("Demand in \(record.pipeline)"))</title>",
      tag("rect", ["width": "100%", "height": "100%", "fill": "white"]),
      text(record.pipeline, Self.left, 30, size: 15, weight: "bold"),
    ]
    lines += bands + lifelines + bars
    lines += record.events.indices.flatMap(marks)
    return (lines + legend + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  // MARK: - The ground

  /// A band behind each reading.
  private var bands: [String] {
    var (lines, start, isGrey) = ([String](), 0, true)
    for (row, event) in record.events.enumerated() {
      if event.kind == .reading { start = row }
      guard event.kind == .answered else { continue }
      if isGrey {
        let height = y(row) - y(start) + Self.step
        lines.append(
          tag(
            "rect",
            ["y": y(start) - Self.step / 2, "width": "100%", "height": height, "fill": "#f3f4f6"]))
      }
      isGrey.toggle()
    }
    return lines
  }

  private var lifelines: [String] {
    zip(record.lanes + ["reader"], columns).flatMap { name, x in
      [
        text(name, x, 66, anchor: "middle", weight: "bold"),
        tag(
          "line", ["x1": x, "y1": 76, "x2": x, "y2": y(record.events.count), "stroke": "#9ca3af"]),
      ]
    }
  }

  /// A bar from the question to the answer of each element that had to be computed.
  private var bars: [String] {
    var (lines, open) = ([String](), [(lane: Int, row: Int)]())
    for (row, event) in record.events.enumerated() where event.lane < record.lanes.count {
      if event.kind == .missed { open.append((event.lane, row)) }
      if event.kind == .computed || event.kind == .ended, let begun = open.popLast() {
        lines.append(
          tag(
            "rect",
            [
              "x": columns[begun.lane] - 4, "y": y(begun.row), "width": 8,
              "height": y(row) - y(begun.row), "fill": "#fed7aa", "stroke": Self.miss,
            ]))
      }
    }
    return lines
  }

  // MARK: - Events

  private func marks(_ row: Int) -> [String] {
    let event = record.events[row]
    let (y, x) = (y(row), columns[event.lane])
    let value = event.value.map(String.init) ?? "none"
    switch event.kind {
    case .reading: return [text("read [\(event.position)]", x + 10, y + 4)]
    case .answered: return [text("= \(value)", x + 10, y + 4, weight: "bold")]
    case .missed:
      return arrow(from: asker(event), to: x, y, Self.miss, "[\(event.position)]?", dashed: true)
    case .computed: return arrow(from: x, to: asker(event), y, Self.miss, value)
    case .ended: return arrow(from: x, to: asker(event), y, Self.miss, "end")
    case .hit:
      return arrow(
        from: x, to: asker(event), y, Self.hit, "[\(event.position)] = \(value)", both: true)
    case .ran(let call): return box(call, x, y)
    }
  }

  /// Whose line the question comes from.
  private func asker(_ event: DemandRecord.Event) -> Double { columns[event.lane + 1] }

  private func arrow(
    from start: Double, to end: Double, _ y: Double, _ colour: String, _ label: String,
    dashed: Bool = false, both: Bool = false
  ) -> [String] {
    let direction = end > start ? 1.0 : -1.0
    let (tail, tip) = (start + 6 * direction, end - 6 * direction)
    func head(_ x: Double, _ direction: Double) -> String {
      let points = [(x, y), (x - 7 * direction, y - 4), (x - 7 * direction, y + 4)]
      let text = points.map { "\(number($0)),\(number($1))" }.joined(separator: " ")
      return tag("polygon", ["points": text, "fill": colour])
    }
    return [
      tag(
        "line",
        [
          "x1": tail, "y1": y, "x2": tip, "y2": y, "stroke": colour,
          "stroke-dasharray": dashed ? "4 3" : "none",
        ]),
      head(tip, direction),
      both ? head(tail, -direction) : "",
      text(label, (start + end) / 2, y - 4, anchor: "middle", colour: colour, size: 11),
    ].filter { !$0.isEmpty }
  }

  private func box(_ label: String, _ x: Double, _ y: Double) -> [String] {
    let width = Self.width(label) + 12
    return [
      tag(
        "rect",
        [
          "x": x - width / 2, "y": y - 10, "width": width, "height": 19, "rx": 5, "fill": "#dbeafe",
          "stroke": Self.closure,
        ]),
      text(label, x, y + 4, anchor: "middle", colour: Self.closure),
    ]
  }

  private var legend: [String] {
    let y = y(record.events.count) + 30
    let totals = record.totals
    let parts = [
      ("miss: computed now (\(totals.map(\.missed).reduce(0, +)))", Self.miss),
      ("hit: known (\(totals.map(\.hit).reduce(0, +)))", Self.hit),
      ("closure (\(totals.map(\.ran).reduce(0, +)))", Self.closure),
    ]
    var (x, lines) = (Self.left, [String]())
    for (label, colour) in parts {
      lines.append(tag("rect", ["x": x, "y": y - 9, "width": 10, "height": 10, "fill": colour]))
      lines.append(text(label, x + 16, y, colour: colour))
      x += Self.width(label) + 40
    }
    return lines
  }

  // MARK: - Words of SVG

  private func text(
    _ text: String, _ x: Double, _ y: Double, anchor: String = "start", colour: String = "#111827",
    size: Int = 12, weight: String = "normal"
  ) -> String {
    tag(
      "text",
      [
        "x": x, "y": y, "text-anchor": anchor, "fill": colour, "font-size": size,
        "font-weight": weight,
      ], text)
  }

  private func tag(
    _ name: String, _ attributes: KeyValuePairs<String, any CustomStringConvertible>,
    _ content: String? = nil
  ) -> String {
    let written = attributes.map { name, value in
      #" \#(name)="\#((value as? Double).map(number) ?? value.description)""#
    }
    let start = "<\(name)\(written.joined())"
    return content.map { "\(start)>\(escaped($0))</\(name)>" } ?? "\(start)/>"
  }

  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private func escaped(_ text: String) -> String {
    text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
  }
}
