import ArgumentParser
import EasyReactInspector
import Foundation
import MonitorKit

/// `easyreact monitor`: what this machine is doing, computed by a graph.
struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Show what this machine is doing, live or from a recording.",
    discussion: discussion)

  // Unconditional, so that -1s is told to be a negative duration, not to be an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Time between two samples: 250ms, 1s, 5m, 1h; at least 10ms.", valueName: "duration"),
    transform: duration)
  var interval: Duration?

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("How long to go on. (default: until Ctrl-C)", valueName: "duration"),
    transform: duration)
  var length: Duration?

  @Option(
    help: ArgumentHelp(
      "Write the raw samples to this file too, replacing it.", valueName: "file.csv"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "Show a recording instead of this machine, as fast as it goes.", valueName: "file.csv"))
  var replay: String?

  @Option(
    name: .customLong("alarm"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "When an alarm goes on and off; may be repeated. See above.",
      valueName: "name=on:off"),
    transform: alarm)
  var alarms: [AlarmSetting] = []

  @Option(
    name: .customLong("proc"),
    help: ArgumentHelp("Where the counters are. (default: /proc)", valueName: "folder"))
  var folder: String?

  @Option(
    defaultAsFlag: 0,
    help: ArgumentHelp(
      "Serve a page of the graph on this machine; its address goes to the standard error. (default port: a free one)",
      valueName: "port"))
  var inspect: UInt16?

  @Option(
    help: ArgumentHelp(
      "Share what is measured, for easyreact fleet: nats://HOST:PORT, or a folder.",
      valueName: "address"))
  var share: String?

  @Option(
    help: ArgumentHelp("This machine's name in the fleet. (default: its host name)"))
  var name: String?

  @OptionGroup var login: FleetLogin

  @Flag(help: "Print a JSON object a sample, on one line, keys with their units.")
  var json = false

  @Flag(help: "Print the graph for Graphviz, then end.")
  var dot = false

  @Flag(help: "Print the graph for Mermaid, then end.")
  var mermaid = false

  /// A sample a second, unless the user says otherwise.
  static let usualInterval = Duration.seconds(1)
  /// The kernel counts processor time in hundredths of a second.
  static let shortestInterval = Duration.milliseconds(10)

  func validate() throws {
    if dot || mermaid { return try validatePicture() }
    if let replay {
      if record != nil { throw together("--record", "--replay", "a recording is one already") }
      if interval != nil {
        throw together("--interval", "--replay", "a recording has times of its own")
      }
      if folder != nil { throw together("--proc", "--replay", "a recording replaces the counters") }
      if share != nil { throw together("--share", "--replay", "a recording is of another time") }
      if replay.isEmpty { throw ValidationError("--replay needs the name of a file.") }
    }
    try validateSharing()
    if record?.isEmpty == true { throw ValidationError("--record needs the name of a file.") }
    if let interval, interval < Self.shortestInterval {
      throw ValidationError("--interval must be at least 10ms: the kernel's own clock ticks so.")
    }
    if replay == nil, let length, length < interval ?? Self.usualInterval {
      throw ValidationError(
        "--for is shorter than one --interval, so no rate could be shown; make it longer.")
    }
  }

  private func validateSharing() throws {
    guard let address = fleetAddress else {
      let others = [
        "--name": name, "--credentials": login.credentials, "--authorities": login.authorities,
      ]
      if let other = others.filter({ $0.value != nil }).keys.min() {
        throw ValidationError("\(other) is of use with --share only.")
      }
      return
    }
    do { _ = try address.kind() } catch { throw ValidationError("--share: \(error)") }
    if let problem = FleetNames.problem(with: machineName) {
      throw ValidationError("--name: \(problem).")
    }
  }

  private var fleetAddress: FleetAddress? { share.map(login.address) }

  private var machineName: String { name ?? FleetNames.thisMachine }

  private func validatePicture() throws {
    if dot, mermaid { throw together("--dot", "--mermaid", "each fills the output") }
    let picture = dot ? "--dot" : "--mermaid"
    let others = [
      "--json": json, "--record": record != nil, "--replay": replay != nil, "--for": length != nil,
      "--interval": interval != nil, "--proc": folder != nil, "--inspect": inspect != nil,
      "--share": share != nil,
    ]
    if let other = others.filter(\.value).keys.min() {
      throw together(other, picture, "the graph is printed without taking a sample")
    }
  }

  private func together(_ one: String, _ other: String, _ reason: String) -> ValidationError {
    ValidationError("\(one) and \(other) do not go together: \(reason).")
  }

  func run() throws {
    if dot || mermaid {
      let graph = MonitorGraph(limits: limits)
      return try MonitorProgram.printText(dot ? graph.dot : graph.mermaid)
    }
    // Before the graph, so that its making is recorded too.
    let inspector = try inspect.map { try InspectorAddress.serve($0, "easyreact monitor") }
    defer { inspector?.stop() }
    let program = MonitorProgram(limits: limits, json: json)
    if let replay {
      try program.replay(path: replay, length: length)
    } else {
      try program.live(
        folder: folder ?? "/proc", interval: interval ?? Self.usualInterval, length: length,
        record: record, share: fleetAddress.map { (machineName, $0) })
    }
  }

  /// The limits that the user has set. The last one counts.
  var limits: [Quantity: AlarmLimits] {
    Dictionary(alarms.map { ($0.quantity, $0.limits) }, uniquingKeysWith: { _, last in last })
  }
}

// MARK: - Option values

@Sendable func duration(_ text: String) throws -> Duration {
  do { return try Duration(text: text) } catch { throw ValidationError("\(error)") }
}

@Sendable private func alarm(_ text: String) throws -> AlarmSetting {
  do { return try AlarmSetting(text: text) } catch { throw ValidationError("\(error)") }
}
