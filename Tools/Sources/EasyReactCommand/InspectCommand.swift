import ArgumentParser
import Dispatch
import EasyReactInspection
import EasyReactInspector
import Foundation
import MonitorKit

/// `easyreact inspect`: the page of a saved session.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Open a saved session in the browser, without its program.",
    discussion: """
      A session is what a program's recorder kept: its graph, and what happened in it.
      The page saves one (Export: session), or the program does:

        try GraphSession(program: "Shop", records: recorder.records)
          .save(to: "monday.json")

      The page is served on this machine alone, until Ctrl-C, at the address that is
      printed. Whoever knows the address, with its token, sees the session.

      EXAMPLES
        easyreact inspect monday.json
        easyreact inspect monday.json --port 7357
      """)

  @Argument(help: ArgumentHelp("The session.", valueName: "file.json"))
  var file: String

  @Option(help: "Where to serve it. (default: a free port)")
  var port: UInt16 = 0

  func run() throws {
    let session: GraphSession
    do { session = try GraphSession(contentsOf: file) } catch { throw ValidationError("\(error)") }
    let over = DispatchSemaphore(value: 0)
    let signals = Signals(end: { over.signal() })
    let inspector = try InspectorAddress.start { token throws(InspectorError) in
      try Inspector.show(session.records, title: session.program, port: port, token: token)
    }
    over.wait()
    inspector.stop()
    withExtendedLifetime(signals) {}
  }
}

/// Starting an inspector from the command line.
enum InspectorAddress {
  /// The page of this program's graphs; its address goes to the standard error.
  static func serve(_ port: UInt16, _ title: String) throws -> Inspector {
    try start { token throws(InspectorError) in
      try Inspector.start(port: port, token: token, title: title) { line in
        FileHandle.standardError.write(Data("\(line)\n".utf8))
      }
    }
  }

  /// With the token of the environment, if there is one: so that a page finds the program again after a restart.
  static func start(_ body: (String?) throws(InspectorError) -> Inspector) throws -> Inspector {
    do {
      return try body(ProcessInfo.processInfo.environment["EASYREACT_INSPECTOR_TOKEN"])
    } catch { throw ValidationError("\(error)") }
  }
}
