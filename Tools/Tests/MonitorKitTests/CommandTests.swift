import ArgumentParser
import Testing

@testable import EasyReactCommand
@testable import MonitorKit

@Suite struct `The command line of easyreact monitor` {
  private func monitor(_ arguments: String...) throws -> MonitorCommand {
    try #require(try EasyReactCommand.parseAsRoot(["monitor"] + arguments) as? MonitorCommand)
  }

  @Test func `needs no options`() throws {
    let command = try monitor()
    #expect(command.interval == nil && command.length == nil)
    #expect(command.record == nil && command.replay == nil && command.folder == nil)
    #expect(!command.json && !command.dot && !command.mermaid)
  }

  @Test func `takes all that go together`() throws {
    let command = try monitor(
      "--interval", "250ms", "--for", "10s", "--record", "a.csv", "--json",
      "--alarm", "cpuBusy=50:40", "--alarm", "diskRead=1e6", "--proc", "/host/proc")
    #expect(command.interval == .milliseconds(250))
    #expect(command.length == .seconds(10))
    #expect(command.alarms.map(\.quantity) == [.cpuBusy, .diskRead])
  }

  @Test(arguments: [
    (["--interval", "0s"], "must be more than zero, not '0s'"),
    (["--interval", "-1s"], "must be more than zero, not '-1s'"),
    (["--interval", "5"], "a number needs a unit: 5ms, 5s, 5m or 5h"),
    (["--interval", "soon"], "expected a duration such as 500ms, 10s, 5m or 1h, not 'soon'"),
    (["--interval", "1ms"], "--interval must be at least 10ms"),
    (["--for", "1d"], "knows the units ms, s, m and h, not 'd'"),
    (["--for", "500ms"], "--for is shorter than one --interval"),
    (["--for", "1m", "--interval", "2m"], "--for is shorter than one --interval"),
    (["--record", "a", "--replay", "b"], "--record and --replay do not go together"),
    (["--interval", "1s", "--replay", "b"], "--interval and --replay do not go together"),
    (["--proc", "/p", "--replay", "b"], "--proc and --replay do not go together"),
    (["--replay", ""], "--replay needs the name of a file"),
    (["--record", ""], "--record needs the name of a file"),
    (["--dot", "--mermaid"], "--dot and --mermaid do not go together"),
    (["--dot", "--json"], "--json and --dot do not go together"),
    (["--mermaid", "--replay", "x"], "--replay and --mermaid do not go together"),
    (["--alarm", "gpu=1"], "there is no 'gpu'; expected one of cpuBusy"),
    (["--alarm", "cpuBusy=1:2"], "the alarm must go off at or below the level where it goes on"),
    (["--share", "nats://"], "--share: Expected a server such as nats://127.0.0.1:4222"),
    (["--share", "/tmp/x", "--name", "a b"], "'a b' cannot be the name of a machine"),
    (["--name", "a"], "--name is of use with --share only"),
    (["--share", "/tmp/x", "--replay", "b"], "--share and --replay do not go together"),
    (["--dot", "--share", "/tmp/x"], "--share and --dot do not go together"),
    (["--colour"], "Unknown option '--colour'"),
    (["--for"], "Missing value for '--for"),
    (["extra"], "Unexpected argument 'extra'"),
  ])
  func `says what is wrong`(arguments: [String], reason: String) {
    do {
      _ = try EasyReactCommand.parseAsRoot(["monitor"] + arguments)
      Issue.record("no error")
    } catch {
      let shown = EasyReactCommand.fullMessage(for: error)
      #expect(shown.contains(reason))
      #expect(EasyReactCommand.exitCode(for: error) == .validationFailure)
    }
  }

  @Test func `has help that teaches`() {
    let help = EasyReactCommand.helpMessage(for: MonitorCommand.self)
    for word in ["WHAT IS SHOWN", "THE GRAPH", "EXAMPLES", "--record", "busiest core", "cycle"] {
      #expect(help.contains(word))
    }
    for quantity in Quantity.allCases { #expect(help.contains(quantity.rawValue)) }
  }

  @Test func `gives alarms the limits that were set last`() throws {
    let command = try monitor("--alarm", "cpuBusy=50:40", "--alarm", "cpuBusy=30:20")
    #expect(command.limits == [.cpuBusy: AlarmLimits(raise: 30, clear: 20)])
  }
}

@Suite struct `The command line of easyreact fleet` {
  @Test func `takes an address, or a demonstration`() throws {
    let command = try #require(
      try EasyReactCommand.parseAsRoot([
        "fleet", "nats://a:4222", "--for", "5s", "--interval", "500ms", "--json", "--inspect",
        "--forget", "10m",
      ]) as? FleetCommand)
    #expect(command.address == "nats://a:4222" && command.length == .seconds(5))
    #expect(command.interval == .milliseconds(500) && command.json && command.inspect == 0)
    #expect(command.forget == .seconds(600))
    let demo = try EasyReactCommand.parseAsRoot(["fleet", "--demo"]) as? FleetCommand
    #expect(demo?.demo == true && demo?.address == nil)
  }

  @Test(arguments: [
    ([], "Where do the machines share?"),
    (["nats://a", "--demo"], "An address and --demo do not go together"),
    (["http://a"], "Expected a server such as nats://127.0.0.1:4222"),
    (["--demo", "--credentials", "a"], "--demo has no server, and so no login"),
    (["/tmp/a", "--credentials", "a"], "A folder has no login"),
    (["--demo", "--for", "500ms"], "--for is shorter than one --interval"),
    (["--demo", "--interval", "1ms"], "--interval must be at least 10ms"),
    (["--demo", "--forget", "2s"], "--forget must be at least 3s"),
  ])
  func `says what is wrong`(arguments: [String], reason: String) {
    do {
      _ = try EasyReactCommand.parseAsRoot(["fleet"] + arguments)
      Issue.record("no error")
    } catch {
      #expect(EasyReactCommand.fullMessage(for: error).contains(reason))
      #expect(EasyReactCommand.exitCode(for: error) == .validationFailure)
    }
  }
}
