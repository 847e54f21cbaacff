import ArgumentParser
import EasyReactInspector
import Foundation
import MonitorKit

/// `easyreact fleet`: many machines in one screen, computed by one graph of shared nodes.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Show what all machines do that share it, in one screen.",
    discussion: """
      Each machine runs easyreact monitor --share ADDRESS; its report is a shared
      node, whose value lies in a NATS server. This shows all of them: the busiest,
      the alarms of all, and those that have gone quiet. A machine has gone quiet
      when its report did not change for three of its intervals, and three seconds
      at least, by this program's clock. One that ends by Ctrl-C leaves the list;
      one that was killed, or is cut off, stays in it as quiet, and after --forget it
      is only counted, until it reports again.

      On a terminal the screen is redrawn in place; into a pipe goes a line a second.
      Without a server it waits for one, and says so; Ctrl-C ends it.

      TRY IT ON ONE MACHINE
        nats-server -js -sd /tmp/fleet-server &
        easyreact monitor --share nats://127.0.0.1:4222 --name one > /dev/null &
        easyreact monitor --share nats://127.0.0.1:4222 --name two > /dev/null &
        easyreact fleet nats://127.0.0.1:4222

      WITHOUT A SERVER
        easyreact fleet --demo            four machines that are made up
        easyreact fleet /tmp/fleet        a folder: programs of this machine
      """)

  @Argument(
    help: ArgumentHelp(
      "Where they share: nats://HOST:PORT, tls://HOST:PORT, several with commas; or a folder."))
  var address: String?

  @Flag(help: "Show four machines in this process, without a server.")
  var demo = false

  @OptionGroup var login: FleetLogin

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Time between two lines. (default: 1s)", valueName: "duration"),
    transform: duration)
  var interval: Duration?

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("How long to go on. (default: until Ctrl-C)", valueName: "duration"),
    transform: duration)
  var length: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "List a machine that is quiet so long, then only count it. (default: 10m)",
      valueName: "duration"),
    transform: duration)
  var forget: Duration?

  @Option(
    defaultAsFlag: 0,
    help: ArgumentHelp(
      "Serve a page of the graph on this machine; its address goes to the standard error. (default port: a free one)",
      valueName: "port"))
  var inspect: UInt16?

  @Flag(help: "Print a JSON object a line.")
  var json = false

  func validate() throws {
    switch (address, demo) {
    case (nil, false):
      throw ValidationError(
        "Where do the machines share? Give an address such as nats://127.0.0.1:4222, or --demo.")
    case (_?, true):
      throw ValidationError("An address and --demo do not go together: one fleet at a time.")
    case (let address?, false):
      do { _ = try login.address(address).kind() } catch { throw ValidationError("\(error)") }
    case (nil, true):
      if login.credentials ?? login.authorities != nil {
        throw ValidationError("--demo has no server, and so no login.")
      }
    }
    if let interval, interval < MonitorCommand.shortestInterval {
      throw ValidationError("--interval must be at least 10ms.")
    }
    if let forget, forget < .seconds(3) {
      throw ValidationError("--forget must be at least 3s: before that no machine is quiet.")
    }
    if let length, length < interval ?? MonitorCommand.usualInterval {
      throw ValidationError("--for is shorter than one --interval, so nothing could be shown.")
    }
  }

  func run() throws {
    // Before the graph, so that its making is recorded too.
    let inspector = try inspect.map { try InspectorAddress.serve($0, "easyreact fleet") }
    defer { inspector?.stop() }
    let settings = FleetProgram.Settings(
      interval: interval ?? MonitorCommand.usualInterval, length: length,
      patience: forget ?? FleetGraph.usualPatience)
    let program = FleetProgram(settings, json: json)
    if let address { try program.run(login.address(address)) } else { try program.demo() }
  }
}

/// How a program makes itself known to the server of a fleet.
struct FleetLogin: ParsableArguments {
  @Option(
    help: ArgumentHelp("Log in to the server with these credentials.", valueName: "file.creds"))
  var credentials: String?

  @Option(
    help: ArgumentHelp(
      "Trust a tls:// server whose certificate these have signed.", valueName: "file.pem"))
  var authorities: String?

  func address(_ place: String) -> FleetAddress {
    FleetAddress(place, credentials: credentials, authorities: authorities)
  }
}
