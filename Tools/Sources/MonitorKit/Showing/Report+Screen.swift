/// What a terminal can show.
struct ScreenShape: Equatable, Sendable {
  var columns = 80
  var rows = 24
  /// Whether bars can be drawn with block characters, or only with ASCII.
  var hasBlocks = true
}

extension Report {
  /// The sample as the lines of a screen, at most one less than it has rows.
  ///
  /// On a narrow screen the bars go first, then peaks and averages; on a low one the lines at the
  /// end, and the last line says how many.
  func screen(_ shape: ScreenShape) -> [StyledLine] {
    var lines = [titleLine(Self.program, time, shape), healthLine(shape), StyledLine()]
    lines += table(shape)
    lines += [StyledLine()]
    lines += coreLines(shape)
    lines += interfaces.filter(\.isUsed).map(\.line)
    lines += disks.map(\.line)
    lines += notes.map { StyledLine("note     ", .dim).adding($0, .yellow) }
    return lines.fitted(to: shape)
  }

  /// Alarms that do not fit are not cut silently.
  private func healthLine(_ shape: ScreenShape) -> StyledLine {
    let heading = "health   ", mark = shape.hasBlocks ? "…" : "..."
    let room = shape.columns - heading.count
    let text =
      health.text.count > room
      ? health.text.prefix(max(0, room - mark.count)) + mark : health.text
    return StyledLine(heading, .dim).adding(text, health.isGood ? .green : .alarm)
  }

  // MARK: - Quantities

  private func table(_ shape: ScreenShape) -> [StyledLine] {
    let columns = TableColumns(width: shape.columns)
    return [columns.heading]
      + readings.map {
        columns.line(for: $0, device: device(of: $0.quantity), blocks: shape.hasBlocks)
      }
  }

  // MARK: - Cores

  /// All cores, as many on a line as fit.
  private func coreLines(_ shape: ScreenShape) -> [StyledLine] {
    let nameWidth = cores.map(\.name.count).max() ?? 0
    let barWidth = 10
    let cellWidth = nameWidth + 1 + 5 + 1 + barWidth + 3
    let perLine = max(1, (shape.columns - 9) / cellWidth)
    return stride(from: 0, to: cores.count, by: perLine).map { start in
      var line = StyledLine((start == 0 ? "cores" : "").left(9), .dim)
      for core in cores[start..<min(start + perLine, cores.count)] {
        let style: StyledLine.Style = core.name == busiestCore?.name ? .bold : .plain
        line.add(core.name.left(nameWidth + 1), style)
        line.add(Quantity.cpuBusy.text(core.busyPercent).right(6) + " ")
        line.add(bar(core.busyPercent / 100, width: barWidth, blocks: shape.hasBlocks), .green)
        line.add("  ")
      }
      return line
    }
  }
}

// MARK: - What every screen has

/// The name of the program, how long it has been running, and how to end it.
func titleLine(_ name: String, _ elapsed: Duration, _ shape: ScreenShape) -> StyledLine {
  let hint = "Ctrl-C ends", time = "  " + elapsed.spoken
  let gap = shape.columns - name.count - time.count - hint.count
  return StyledLine(name, .bold).adding(time)
    .adding(gap > 1 ? String(repeating: " ", count: gap) + hint : "", .dim)
}

extension [StyledLine] {
  /// At most one line less than the screen has rows; the last one says what is left out.
  func fitted(to shape: ScreenShape) -> [StyledLine] {
    let room = Swift.max(1, shape.rows - 1)
    guard count > room else { return self }
    return prefix(room - 1)
      + [StyledLine("(\(count - room + 1) more lines in a taller window)", .dim)]
  }
}

// MARK: - Devices

extension InterfaceRate {
  fileprivate var line: StyledLine {
    StyledLine("network  ", .dim).adding(name.left(12))
      .adding("receive " + receiveBytesPerSecond.asBytesPerSecond.right(10))
      .adding("   send  " + sendBytesPerSecond.asBytesPerSecond.right(10))
  }
}

extension DiskRate {
  fileprivate var line: StyledLine {
    StyledLine("disk     ", .dim).adding(name.left(12))
      .adding("read    " + readBytesPerSecond.asBytesPerSecond.right(10))
      .adding("   write " + writeBytesPerSecond.asBytesPerSecond.right(10))
      .adding("   busy " + Quantity.diskBusy.text(busyPercent).right(6))
  }
}
