/// The columns of the screen's table that a terminal has room for, and its lines.
struct TableColumns {
  private let showsAverage: Bool
  private let showsPeak: Bool
  private let showsLimit: Bool
  private let barWidth: Int

  private static let nameWidth = 19
  private static let columnWidth = 12

  init(width: Int) {
    var room = width - Self.nameWidth - Self.columnWidth
    func take(_ columns: Int) -> Bool {
      guard room >= columns else { return false }
      room -= columns
      return true
    }
    showsAverage = take(Self.columnWidth)
    showsPeak = take(Self.columnWidth)
    showsLimit = take(Self.columnWidth)
    barWidth = room >= 10 ? min(room - 3, 40) : 0
  }

  var heading: StyledLine {
    var text = "".left(Self.nameWidth) + "now".right(Self.columnWidth)
    if showsAverage { text += "average".right(Self.columnWidth) }
    if showsPeak { text += "peak".right(Self.columnWidth) }
    if showsLimit { text += "alarm at".right(Self.columnWidth) }
    return StyledLine(text, .dim)
  }

  /// The line of one quantity; `device` is what gave it its level.
  func line(for reading: Report.Reading, device: String?, blocks: Bool) -> StyledLine {
    func cell(_ level: Double?) -> String { reading.quantity.text(level).right(Self.columnWidth) }
    let style = reading.style
    let name = ([reading.quantity.title] + (device.map { [$0] } ?? [])).joined(separator: " ")
    var line = StyledLine(String(name.left(Self.nameWidth).prefix(Self.nameWidth)))
    line.add(cell(reading.now), style)
    if showsAverage { line.add(cell(reading.average)) }
    if showsPeak { line.add(cell(reading.peak)) }
    if showsLimit { line.add(cell(reading.limits.raise), .dim) }
    if barWidth > 0, let fraction = reading.fraction {
      line.add("   " + bar(fraction, width: barWidth, blocks: blocks), style)
    }
    return line
  }
}

extension Report.Reading {
  /// Red in alarm, yellow when above the level at which an alarm would end, green below.
  fileprivate var style: StyledLine.Style {
    if alarm.isOn { return .red }
    guard let now else { return .dim }
    return now >= limits.clear ? .yellow : .green
  }

  /// How much of the bar is filled: a share of 100 %, or of the peak where there is no natural
  /// whole.
  fileprivate var fraction: Double? {
    guard let now else { return nil }
    if quantity.unit == .percent { return now / 100 }
    guard let peak, peak > 0 else { return 0 }
    return now / peak
  }
}

/// A bar of `width` columns, filled up to `fraction` of it.
func bar(_ fraction: Double, width: Int, blocks: Bool) -> String {
  let share = fraction.isFinite ? min(1, max(0, fraction)) : 0
  let full = Int((share * Double(width)).rounded())
  let (on, off) = blocks ? ("█", "░") : ("#", ".")
  return String(repeating: on, count: full) + String(repeating: off, count: width - full)
}
