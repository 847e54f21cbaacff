// A fleet's report as a line, a screen and JSON, like `Report`'s.

extension FleetReport: Presentable {
  static var program: String { "easyreact fleet" }

  var notes: [String] { problem.map { ["no connection: \($0)"] } ?? [] }

  /// `3 machines, 1 quiet, 2 forgotten; busiest web2, cpu 97 %`
  var summary: String {
    var text = machines.count == 1 ? "1 machine" : "\(machines.count) machines"
    if !quiet.isEmpty { text += ", \(quiet.count) quiet" }
    if forgotten > 0 { text += ", \(forgotten) forgotten" }
    if let busiest {
      text += "; busiest \(busiest.name), cpu \(Quantity.cpuBusy.text(busiest.level(.cpuBusy)))"
    }
    return text
  }

  /// The fleet as one line, for a pipe or a log.
  ///
  ///     12.0 s  ALARM  3 machines, 1 quiet; busiest web2, cpu 97 %  web2: cpu busy 97 %  quiet: db1
  var line: String {
    var parts = [time.spoken.right(11), state.left(5), summary]
    parts += alarmsByMachine
    if !quiet.isEmpty { parts.append("quiet: " + quiet.joined(separator: " ")) }
    for machine in machines {
      if case .unreadable = machine.condition { parts.append("unreadable: \(machine.name)") }
    }
    return printable(parts.joined(separator: "  "))
  }

  /// `web2: cpu busy 97 %, load per core 3.10`
  private var alarmsByMachine: [String] {
    machines.compactMap { machine in
      let own = alarms.filter { $0.machine == machine.name }.map(\.alarm.text)
      return own.isEmpty ? nil : "\(machine.name): " + own.joined(separator: ", ")
    }
  }

  private var state: String { problem != nil ? "LOST" : alarms.isEmpty ? "good" : "ALARM" }

  // MARK: - Screen

  func screen(_ shape: ScreenShape) -> [StyledLine] {
    let title = titleLine(Self.program, time, shape)
    var lines = [title, StyledLine("fleet    ", .dim).adding(summary, .bold), StyledLine()]
    lines += machineLines(shape)
    if machines.isEmpty, forgotten == 0 {
      lines.append(StyledLine("no machine yet: easyreact monitor --share ADDRESS on each", .dim))
    }
    lines.append(StyledLine())
    lines += alarmsByMachine.map { StyledLine("alarm    ", .dim).adding($0, .alarm) }
    lines += notes.map { StyledLine("note     ", .dim).adding($0, .yellow) }
    return lines.fitted(to: shape)
  }

  private static let columns: [(title: String, quantity: Quantity)] = [
    ("cpu", .cpuBusy), ("load/core", .loadPerCore), ("memory", .memoryUsed),
    ("io stalls", .ioPressure), ("net in", .networkReceive), ("net out", .networkSend),
    ("disk write", .diskWrite),
  ]

  private func machineLines(_ shape: ScreenShape) -> [StyledLine] {
    let nameWidth = max(9, min(24, (machines.map(\.name.count).max() ?? 0) + 1))
    let room = max(1, (shape.columns - nameWidth) / 12)
    let columns = Self.columns.prefix(room)
    let heading = columns.reduce("".left(nameWidth)) { $0 + $1.title.right(12) }
    let barWidth = shape.columns - nameWidth - 12 * columns.count - 3
    return [StyledLine(heading, .dim)]
      + machines.map { machine in
        var line = StyledLine(String(machine.name.prefix(nameWidth - 1)).left(nameWidth), .bold)
        if let silence = machine.silence { return line.adding(silence, .yellow) }
        for (_, quantity) in columns {
          let isAlarm = machine.report?.alarms[quantity] != nil
          line.add(quantity.text(machine.level(quantity)).right(12), isAlarm ? .red : .plain)
        }
        guard barWidth >= 10, let busy = machine.level(.cpuBusy) else { return line }
        return line.adding(
          "   " + bar(busy / 100, width: min(barWidth, 40), blocks: shape.hasBlocks), .green)
      }
  }

  // MARK: - JSON

  var json: String {
    JSONText.object([
      ("elapsedMilliseconds", .number(Double(time.wholeMicroseconds) / 1000)),
      ("connected", .bool(problem == nil)),
      ("busiest", busiest.map { .string($0.name) } ?? .null),
      ("quiet", .list(quiet.map { .string($0) })),
      ("forgottenCount", .number(Double(forgotten))),
      (
        "alarms",
        .list(
          alarms.map {
            .object([
              ("machine", .string($0.machine)), ("quantity", .string($0.alarm.quantity.rawValue)),
            ])
          })
      ),
      ("machines", .object(machines.map { ($0.name, $0.json) })),
    ]).text
  }
}

extension FleetMachine {
  /// Why there is nothing to show of it now.
  fileprivate var silence: String? {
    switch condition {
    case .up: nil
    case .expected: "has not reported yet"
    case .quiet(let time):
      "quiet for \(time.spoken)"
        + (report == nil
          ? ""
          : ", at last cpu "
            + Quantity.cpuBusy.text(level(.cpuBusy)))
    case .unreadable(let problem): problem
    }
  }

  fileprivate var json: JSONText {
    let state: (word: String, time: Duration?) =
      switch condition {
      case .expected: ("expected", nil)
      case .up: ("up", nil)
      case .quiet(let time): ("quiet", time)
      case .unreadable: ("unreadable", nil)
      }
    return .object(
      [
        ("state", .string(state.word)),
        ("quietMilliseconds", .number(state.time.map { Double($0.wholeMicroseconds) / 1000 })),
      ] + Quantity.allCases.map { ($0.rawValue + $0.unit.keySuffix, .number(level($0))) })
  }
}
