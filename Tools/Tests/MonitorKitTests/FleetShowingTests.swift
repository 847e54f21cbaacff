import EasyReact
import EasyReactShared
import EasyReactTesting
import Foundation
import Testing

@testable import MonitorKit

@Suite struct `What a fleet shows` {
  @Test func `of the demonstration lies beside the tests`() throws {
    let clock = VirtualScheduler()
    let output = MemoryOutput(), messages = MemoryOutput()
    let store = MemoryStore(on: clock)
    let demo = DemoFleet(store, on: clock)
    let ended = MutableNode(0)
    let showing = FleetShowing(
      store, .init(interval: .seconds(1), length: .seconds(42)),
      Presenter(.lines, output: output, messages: messages), isScreen: false, on: clock
    ) { ended.update { $0 += 1 } }
    clock.advance(by: .seconds(60))
    #expect(output.text == (try Fixture.text("fleet-demo.txt")))
    #expect(messages.text == "" && ended.value == 1)
    withExtendedLifetime((demo, showing)) {}
  }

  private let fleet = FleetReport(
    time: .seconds(12),
    machines: [
      .init(name: "db1", condition: .quiet(.seconds(8)), report: .example),
      .init(name: "new", condition: .expected),
      .init(name: "odd", condition: .unreadable("of another format")),
      .init(name: "web1", condition: .up, report: .example),
    ],
    busiest: .init(name: "web1", condition: .up, report: .example),
    alarms: [.init(machine: "web1", alarm: Alarm(quantity: .cpuBusy, level: 97, isOn: true))],
    quiet: ["db1"], problem: "the server \u{1B}[2J is gone")

  @Test func `on a screen fits its width and its height`() {
    let lines = fleet.screen(ScreenShape(columns: 80, rows: 24, hasBlocks: false))
      .map { $0.text(width: 80, colours: false) }
    #expect(
      lines == [
        "easyreact fleet  12.0 s" + String(repeating: " ", count: 46) + "Ctrl-C ends",
        "fleet    4 machines, 1 quiet; busiest web1, cpu 97 %",
        "",
        "                  cpu   load/core      memory   io stalls      net in",
        "db1      quiet for 8.0 s, at last cpu 97 %",
        "new      has not reported yet",
        "odd      of another format",
        "web1             97 %        0.50           -           -           -",
        "",
        "alarm    web1: cpu busy 97 %",
        "note     no connection: the server ?[2J is gone",
      ])
    for rows in 2...12 {
      #expect(fleet.screen(ScreenShape(columns: 20, rows: rows)).count <= rows - 1)
    }
  }

  @Test func `as JSON has the same keys for each machine`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(fleet.json.utf8)) as? [String: Any]
    let machines = try #require(parsed?["machines"] as? [String: [String: Any]])
    #expect(Set(machines.values.map { Set($0.keys) }).count == 1)
    #expect(machines["db1"]?["quietMilliseconds"] as? Int == 8000)
    #expect(machines["web1"]?["cpuBusyPercent"] as? Int == 97)
    #expect(parsed?["busiest"] as? String == "web1" && parsed?["connected"] as? Bool == false)
  }
}

extension MachineReport {
  fileprivate static let example = MachineReport(
    session: 1, started: 2, beat: 3, interval: .seconds(1),
    levels: [.cpuBusy: 97, .loadPerCore: 0.5], alarms: [.cpuBusy: 97])
}
