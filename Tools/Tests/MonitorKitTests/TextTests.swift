import Testing

@testable import MonitorKit

@Suite struct `Durations as text` {
  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("1s", .seconds(1)), ("1.5s", .milliseconds(1500)),
    ("2m", .seconds(120)), ("1h", .seconds(3600)), (".5s", .milliseconds(500)),
    ("0.25ms", .microseconds(250)), ("10000h", .seconds(36_000_000)),
  ])
  func `are read with their unit`(text: String, duration: Duration) throws {
    #expect(try Duration(text: text) == duration)
  }

  @Test(arguments: [
    ("10", "a number needs a unit: 10ms, 10s, 10m or 10h"),
    ("0s", "must be more than zero, not '0s'"),
    ("0.0ms", "must be more than zero, not '0.0ms'"),
    ("-1s", "must be more than zero, not '-1s'"),
    ("--json", "expected a duration such as 500ms, 10s, 5m or 1h, not '--json'"),
    ("", "expected a duration such as 500ms, 10s, 5m or 1h, not ''"),
    ("soon", "expected a duration such as 500ms, 10s, 5m or 1h, not 'soon'"),
    ("1.2.3s", "expected a duration such as 500ms, 10s, 5m or 1h, not '1.2.3s'"),
    ("s", "expected a duration such as 500ms, 10s, 5m or 1h, not 's'"),
    ("5 s", "knows the units ms, s, m and h, not ' s'"),
    ("5d", "knows the units ms, s, m and h, not 'd'"),
    ("5S", "knows the units ms, s, m and h, not 'S'"),
    ("٣s", "expected a duration such as 500ms, 10s, 5m or 1h, not '٣s'"),
    ("99999999h", "must lie between 1 microsecond and 10,000 hours, not '99999999h'"),
    ("0.0001ms", "must lie between 1 microsecond and 10,000 hours, not '0.0001ms'"),
  ])
  func `that are none are refused with the reason`(text: String, reason: String) {
    #expect(message { _ = try Duration(text: text) } == reason)
  }

  @Test(arguments: [
    (0, "0.0 s"), (1_250_000, "1.2 s"), (59_999_999, "59.9 s"), (60_000_000, "1:00 min"),
    (184_000_000, "3:04 min"), (7_384_000_000, "2:03:04 h"),
  ])
  func `are written as a person says them`(microseconds: Int64, text: String) {
    #expect(Duration.microseconds(microseconds).spoken == text)
  }
}

@Suite struct `Numbers as text` {
  @Test(arguments: [
    (0.0, 1, "0.0"), (1.25, 1, "1.3"), (-1.5, 0, "-2"), (-0.04, 1, "0.0"), (9.999, 2, "10.00"),
    (123_456.789, 3, "123456.789"), (.infinity, 1, "-"), (.nan, 1, "-"), (1e300, 1, "-"),
  ])
  func `have a fixed number of decimals`(value: Double, digits: Int, text: String) {
    #expect(value.fixed(digits) == text)
  }

  @Test(arguments: [(1.5, "1.5"), (100, "100"), (0.1239, "0.124"), (-0.0001, "0"), (10, "10")])
  func `have no trailing zeros in JSON`(value: Double, text: String) {
    #expect(value.atMost(3) == text)
  }

  @Test(arguments: [
    (0.0, "0 B/s"), (999.4, "999 B/s"), (999.6, "1.0 kB/s"), (1234, "1.2 kB/s"),
    (99_949, "99.9 kB/s"), (99_960, "100 kB/s"), (999_600, "1.0 MB/s"), (34.5e6, "34.5 MB/s"),
    (1e9, "1.0 GB/s"), (5e18, "5000 PB/s"),
  ])
  func `are bytes a second with the unit that fits`(value: Double, text: String) {
    #expect(value.asBytesPerSecond == text)
  }

  @Test func `devices are listed as people count`() {
    let names = ["cpu10", "cpu2", "eth0", "cpu1", "vda", "cpu", "vd", "eth0.100", "eth0.20"]
    #expect(
      names.sorted(by: comesBefore)
        == ["cpu", "cpu1", "cpu2", "cpu10", "eth0", "eth0.20", "eth0.100", "vd", "vda"])
  }
}

@Suite struct `JSON text` {
  @Test func `keeps the order of its keys`() {
    let value = JSONText.object([
      ("b", .number(1.5)), ("a", .list([.bool(true), .null])), ("é\"\\", .string("1\n\t\u{1}2")),
    ])
    #expect(value.text == #"{"b":1.5,"a":[true,null],"é\"\\":"1\n\t\u00012"}"#)
  }

  @Test func `has null for what it cannot write`() {
    #expect(JSONText.number(Double.nan).text == "null")
    #expect(JSONText.number(Double?.none).text == "null")
    #expect(JSONText.number(UInt64.max).text == "18446744073709551615")
  }
}

@Suite struct `Alarm settings as text` {
  @Test func `name a quantity and two levels`() throws {
    let setting = try AlarmSetting(text: "cpuBusy=80:70")
    #expect(setting.quantity == .cpuBusy)
    #expect(setting.limits == AlarmLimits(raise: 80, clear: 70))
  }

  @Test func `keep the usual gap if the second level is left out`() throws {
    let setting = try AlarmSetting(text: "diskRead=50e6")
    #expect(setting.limits == AlarmLimits(raise: 50e6, clear: 40e6))
  }

  @Test(arguments: [
    ("cpuBusy", "expected NAME=ON:OFF, such as cpuBusy=80:70, not 'cpuBusy'"),
    ("cpuBusy=", "expected a level above 0, or two such as 80:70, not ''"),
    ("cpuBusy=high", "expected a level above 0, or two such as 80:70, not 'high'"),
    ("cpuBusy=80:70:60", "expected a level above 0, or two such as 80:70, not '80:70:60'"),
    ("cpuBusy=nan", "expected a level above 0, or two such as 80:70, not 'nan'"),
    ("cpuBusy=80:", "expected a level above 0 after the colon, not ''"),
    (
      "cpuBusy=70:80",
      "the alarm must go off at or below the level where it goes on; "
        + "'70:80' has them the other way round"
    ),
  ])
  func `that are none are refused with the reason`(text: String, reason: String) {
    #expect(message { _ = try AlarmSetting(text: text) } == reason)
  }

  @Test func `of an unknown quantity are answered with those there are`() {
    let shown = message { _ = try AlarmSetting(text: "gpu=1") }
    #expect(shown.hasPrefix("there is no 'gpu'; expected one of cpuBusy, busiestCore, "))
  }
}
