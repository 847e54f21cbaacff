import Testing

@testable import MonitorKit

extension Report {
  /// A report with something of everything.
  static let example = Report(
    time: .seconds(12), unixMilliseconds: 1_700_000_000_123,
    health: Health(of: [
      Alarm(quantity: .cpuBusy, level: 97.4, isOn: true),
      Alarm(quantity: .memoryUsed, level: 12, isOn: false),
    ]),
    readings: Quantity.allCases.map { quantity in
      let level: Double? =
        switch quantity {
        case .cpuBusy: 98.26
        case .swapUsed: nil
        case .networkReceive: 1234.5
        default: 0.5
        }
      return Reading(
        quantity: quantity, now: level, average: level, peak: level.map { $0 * 2 },
        alarm: Alarm(quantity: quantity, level: level, isOn: quantity == .cpuBusy),
        limits: quantity.usualLimits)
    },
    cores: [
      CoreLoad(name: "cpu0", busyPercent: 96.5), CoreLoad(name: "cpu1", busyPercent: 100),
    ],
    busiestCore: CoreLoad(name: "cpu1", busyPercent: 100),
    interfaces: [
      InterfaceRate(
        name: "eth0", receiveBytesPerSecond: 1234.5, sendBytesPerSecond: 0, isUsed: true),
      InterfaceRate(
        name: "ifb0", receiveBytesPerSecond: 0, sendBytesPerSecond: 0, isUsed: false),
    ],
    disks: [
      DiskRate(name: "vda", readBytesPerSecond: 0, writeBytesPerSecond: 5e6, busyPercent: 7.25)
    ],
    busiestDisk: DiskRate(
      name: "vda", readBytesPerSecond: 0, writeBytesPerSecond: 5e6, busyPercent: 7.25),
    notes: ["diskstats: it \u{1B}[2J lies"])
}

@Suite struct `A report as a line` {
  @Test func `names what it shows, and the alarms at the end`() {
    #expect(
      Report.example.line
        == "     12.0 s  ALARM  cpu  98 %  busiest cpu1  0.5 %  load/core 0.50  memory 0.5 %  "
        + "stalls cpu 0.5 % memory 0.5 % io 0.5 %  net in  1.2 kB/s out     1 B/s  "
        + "disk read     1 B/s write     1 B/s  cpu busy 97 %")
  }

  @Test func `of nothing measured has dashes in columns as wide`() {
    var report = Report.example
    report.health = Health(of: [])
    for index in report.readings.indices { report.readings[index].now = nil }
    #expect(report.line.contains("good   cpu     -  busiest cpu1      -  load/core    -"))
    #expect(report.line.count == Report.example.line.count - "  cpu busy 97 %".count)
  }
}

@Suite struct `A report as JSON` {
  private let json = Report.example.json

  @Test func `begins with the time, the health and the first quantity`() {
    let start = #"""
      {"elapsedMilliseconds":12000,"unixMilliseconds":1700000000123,"health":"alarm",\#
      "alarms":["cpuBusy"],"cpuBusyPercent":98.26,"cpuBusyAveragePercent":98.26,\#
      "cpuBusyPeakPercent":196.52,"cpuBusyAlarm":true,"busiestCorePercent":0.5,
      """#
    #expect(json.hasPrefix(start))
  }

  @Test func `has keys with their unit, and null for what is missing`() {
    #expect(json.contains(#""swapUsedPercent":null,"swapUsedAveragePercent":null,"#))
    #expect(json.contains(#""loadPerCore":0.5,"loadPerCoreAverage":0.5,"loadPerCorePeak":1,"#))
    #expect(json.contains(#""networkReceiveBytesPerSecond":1234.5,"#))
  }

  @Test func `ends with the devices`() {
    let end = #"""
      "busiestCore":"cpu1","busiestDisk":"vda",\#
      "cores":{"cpu0":{"busyPercent":96.5},"cpu1":{"busyPercent":100}},\#
      "interfaces":{"eth0":{"receiveBytesPerSecond":1234.5,"sendBytesPerSecond":0},\#
      "ifb0":{"receiveBytesPerSecond":0,"sendBytesPerSecond":0}},\#
      "disks":{"vda":{"readBytesPerSecond":0,"writeBytesPerSecond":5000000,"busyPercent":7.25}}}
      """#
    #expect(json.hasSuffix(end))
  }
}

@Suite struct `A report as a screen` {
  private func text(_ shape: ScreenShape, _ report: Report = .example) -> [String] {
    report.screen(shape).map { $0.text(width: shape.columns, colours: false) }
  }

  @Test func `shows all of it where there is room`() {
    let lines = text(ScreenShape(columns: 100, rows: 40))
    #expect(
      lines[0] == "easyreact monitor  12.0 s" + String(repeating: " ", count: 64) + "Ctrl-C ends")
    #expect(lines[1] == "health   ALARM: cpu busy 97 %")
    #expect(lines[3] == "                            now     average        peak    alarm at")
    #expect(
      lines[4] == "cpu busy                   98 %        98 %       197 %        90 %   "
        + String(repeating: "█", count: 29) + "░")
    #expect(lines[5].hasPrefix("busiest core cpu1         0.5 %"))
    #expect(lines[8] == "swap used                     -           -           -        80 %")
    #expect(lines[18] == "cores    cpu0   97 % ██████████  cpu1  100 % ██████████  ")
    #expect(lines[19] == "network  eth0        receive   1.2 kB/s   send       0 B/s")
    #expect(
      lines[20] == "disk     vda         read         0 B/s   write   5.0 MB/s   busy  7.3 %")
    #expect(lines[21] == "note     diskstats: it ?[2J lies")
    #expect(lines.count == 22)
  }

  @Test(arguments: 1...130) func `is never wider or higher than the terminal`(size: Int) {
    let lines = text(ScreenShape(columns: size, rows: size))
    #expect(lines.allSatisfy { $0.count <= size })
    #expect(lines.count <= max(1, size - 1))
  }

  @Test func `says how much a low terminal hides`() {
    let lines = text(ScreenShape(columns: 80, rows: 10))
    #expect(lines.count == 9)
    #expect(lines.last == "(14 more lines in a taller window)")
  }

  @Test func `drops the bars first when the terminal is narrow`() {
    #expect(text(ScreenShape(columns: 68, rows: 40))[4].hasSuffix("90 %"))
    #expect(text(ScreenShape(columns: 62, rows: 40))[4].hasSuffix("197 %"))
    #expect(text(ScreenShape(columns: 32, rows: 40))[4] == "cpu busy                   98 %")
  }

  @Test func `marks that the health is cut where it does not fit`() {
    #expect(text(ScreenShape(columns: 28, rows: 40))[1] == "health   ALARM: cpu busy 97…")
    #expect(text(ScreenShape(columns: 29, rows: 40))[1] == "health   ALARM: cpu busy 97 %")
    let ascii = text(ScreenShape(columns: 28, rows: 40, hasBlocks: false))
    #expect(ascii[1] == "health   ALARM: cpu busy ...")
  }

  @Test func `has bars of ASCII where blocks cannot be shown`() {
    let line = text(ScreenShape(columns: 80, rows: 40, hasBlocks: false))[18]
    #expect(line.hasPrefix("cores    cpu0   97 % ##########"))
    #expect(bar(0.5, width: 4, blocks: false) == "##..")
    #expect(bar(.nan, width: 2, blocks: true) == "░░")
    #expect(bar(7, width: 2, blocks: true) == "██")
    #expect(bar(-7, width: 2, blocks: true) == "░░")
  }

  @Test func `colours what is too high, and nothing when there are no colours`() {
    let line = Report.example.screen(ScreenShape())[1]
    #expect(
      line.text(width: 80, colours: true)
        == "\u{1B}[2mhealth   \u{1B}[0m\u{1B}[1;31mALARM: cpu busy 97 %\u{1B}[0m")
    #expect(
      line.text(width: 11, colours: true)
        == "\u{1B}[2mhealth   \u{1B}[0m\u{1B}[1;31mAL\u{1B}[0m")
    #expect(line.text(width: 80, colours: false) == "health   ALARM: cpu busy 97 %")
  }
}

@Suite struct `Drawing in place` {
  private let shape = ScreenShape(columns: 20, rows: 10)

  @Test func `hides the cursor, goes up by what it drew, and gives the cursor back`() {
    var screen = Screen()
    #expect(screen.frame(["a", "b"], shape) == "\u{1B}[?25l\u{1B}[Ka\r\n\u{1B}[Kb\r\n\u{1B}[J")
    #expect(screen.frame(["c"], shape) == "\r\u{1B}[2A\u{1B}[Kc\r\n\u{1B}[J")
    #expect(screen.frame(["d"], shape) == "\r\u{1B}[1A\u{1B}[Kd\r\n\u{1B}[J")
    #expect(screen.end() == "\r\u{1B}[K\u{1B}[?25h")
    #expect(screen.end() == "")
  }

  @Test func `starts afresh when the terminal has changed its size`() {
    var screen = Screen()
    _ = screen.frame(["a", "b"], shape)
    let wider = ScreenShape(columns: 30, rows: 10)
    #expect(screen.frame(["a"], wider) == "\u{1B}[2J\u{1B}[H\u{1B}[Ka\r\n\u{1B}[J")
    #expect(screen.frame(["a"], wider).hasPrefix("\r\u{1B}[1A"))
  }

  @Test func `leaves a terminal alone that it never drew on`() {
    var screen = Screen()
    #expect(screen.end() == "")
  }
}

@Suite struct `The terminal` {
  private func terminal(_ variables: [String: String], isTerminal: Bool = true) -> Terminal {
    Terminal(isTerminal: isTerminal) { variables[$0] }
  }

  @Test func `has colours unless NO_COLOR is set`() {
    #expect(terminal(["TERM": "xterm"]).hasColours)
    #expect(terminal(["NO_COLOR": ""]).hasColours)
    #expect(!terminal(["NO_COLOR": "1"]).hasColours)
    #expect(terminal(["NO_COLOR": "1"]).isScreen)
  }

  @Test func `that is a pipe, or dumb, is no screen`() {
    #expect(!terminal([:], isTerminal: false).isScreen)
    #expect(!terminal([:], isTerminal: false).hasColours)
    #expect(!terminal(["TERM": "dumb"]).isScreen)
  }

  @Test func `has blocks with a UTF-8 locale`() {
    #expect(terminal(["LANG": "C.UTF-8"]).hasBlocks)
    #expect(terminal(["LANG": "C", "LC_ALL": "de_DE.utf8"]).hasBlocks)
    #expect(!terminal(["LANG": "C.UTF-8", "LC_ALL": "C"]).hasBlocks)
    #expect(!terminal([:]).hasBlocks)
  }
}

@Suite struct `A presenter` {
  private let output = MemoryOutput(), messages = MemoryOutput()

  @Test func `writes a line for each report, and each note once`() {
    let presenter = Presenter(.lines, output: output, messages: messages)
    presenter.show(.example)
    presenter.show(.example)
    presenter.end()
    #expect(output.lines == [Report.example.line, Report.example.line])
    #expect(messages.lines == ["easyreact monitor: diskstats: it ?[2J lies"])
  }

  @Test func `writes JSON`() {
    let presenter = Presenter(.json, output: output, messages: messages)
    presenter.show(.example)
    #expect(output.lines == [Report.example.json])
  }

  @Test func `is quiet once its output has failed`() {
    let presenter = Presenter(.lines, output: output, messages: messages)
    presenter.show(.example)
    output.fail(32, after: 0)
    presenter.show(.example)
    presenter.show(.example)
    #expect(output.lines.count == 1)
    #expect(presenter.failure == SystemError(code: 32))
  }
}
