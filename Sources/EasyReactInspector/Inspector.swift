#if Inspector
import EasyReactInspection
import FlyingSocks
import Foundation
import Synchronization

/// A page of the running graphs, on this machine alone.
///
///     let inspector = try Inspector.start()     // prints: Inspector: http://127.0.0.1:49152/3f9c…/
///     …
///     inspector.stop()
///
/// The page shows what a recorder keeps: the graph with its values, the waves, why a value came and why one did not,
/// lint; it follows the program. Only those who know the address, which has a random token, and ask from this machine are
/// answered. Nothing is written to disk. The program pays for its recorder; while a page is open also for at most a
/// tenth of a core, and what cannot be shown within that is counted, and the page says so.
///
/// It serves until ``stop()``, whether or not anybody keeps it. Any thread may use any member.
public final class Inspector: Sendable {
  /// What to open in a browser.
  public let address: String
  /// What the page shows.
  public let recorder: GraphRecorder?
  private let task: Task<Void, Never>

  /// Serves the page of the running graphs.
  ///
  /// - Parameters:
  ///   - port: 0: any that is free.
  ///   - recorder: What it shows; nil: the one that runs, else a new one, which is started.
  ///   - allowsChanges: Lets the page set and clean mutable nodes.
  ///   - token: Of at least 16 letters and digits; nil: random. With one port and token a page finds the program again.
  ///   - announce: Gets the line with the address; nil: it is printed at once, also into a pipe.
  /// - Throws: ``InspectorError`` when the port is taken, or the token is of no use.
  @discardableResult
  public static func start(
    port: UInt16 = 0, recorder: GraphRecorder? = nil, allowsChanges: Bool = false,
    token: String? = nil,
    title: String = ProcessInfo.processInfo.processName, announce: ((String) -> Void)? = nil
  ) throws(InspectorError) -> Inspector {
    let used = recorder ?? GraphRecorder.current ?? GraphRecorder()
    let inspector = try Inspector(
      RunningProgram(title: title, recorder: used), recorder: used, port, token, allowsChanges)
    if !used.isRunning { used.start() }
    inspector.announce(announce)
    return inspector
  }

  /// Serves the page of records that were saved.
  /// - Throws: ``InspectorError`` when the port is taken, or the token is of no use.
  @discardableResult
  public static func show(
    _ records: GraphRecords, title: String, port: UInt16 = 0, token: String? = nil,
    announce: ((String) -> Void)? = nil
  ) throws(InspectorError) -> Inspector {
    let inspector = try Inspector(
      SavedProgram(title: title, records: records), recorder: nil, port, token, false)
    inspector.announce(announce)
    return inspector
  }

  private init(
    _ source: any PageSource, recorder: GraphRecorder?, _ port: UInt16, _ token: String?,
    _ allowsChanges: Bool
  ) throws(InspectorError) {
    let token = try Self.checked(token)
    let server: LoopbackServer
    do { server = try LoopbackServer(port: port) } catch {
      throw InspectorError(
        "127.0.0.1:\(port) cannot be served (\(error)). Choose another port, or 0 for any.")
    }
    self.recorder = recorder
    address = "http://127.0.0.1:\(server.port)/\(token)/"
    let gate = Gate(token: token, port: server.port)
    let answers = PageAnswers(source, allowsChanges: allowsChanges)
    // Whatever the program does comes first, where the system knows of that.
    task = Task.detached(priority: .utility) {
      await server.run { request in
        do {
          let path = try gate.admit(request)
          if request.method == .get, path == "api/events" { return .events(answers) }
          return try answers.answer(request, path: path)
        } catch let refusal as Refusal {
          return .refusal(refusal)
        } catch {
          // A session that cannot be made a test says why.
          return .refusal(.unusable("\(error)"))
        }
      }
    }
  }

  private static func checked(_ token: String?) throws(InspectorError) -> String {
    guard let token else { return Gate.randomToken() }
    guard token.count >= 16, token.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      throw InspectorError(
        "The token has at least 16 characters, letters and digits of ASCII; leave it out for a random one."
      )
    }
    return token
  }

  private func announce(_ announce: ((String) -> Void)?) {
    let line = "Inspector: \(address)"
    if let announce { return announce(line) }
    print(line)
    fflush(nil)
  }

  /// Ends the page's server and gives the port back. The recorder goes on.
  public func stop() { task.cancel() }
}

/// Why the page cannot be served.
public struct InspectorError: Error, CustomStringConvertible, Sendable {
  /// What, and the remedy.
  public let description: String
  init(_ description: String) { self.description = description }
}

extension Reply {
  /// Frames as they come, no more of them than a screen shows, and only as long as making them takes no more than a
  /// tenth of the time.
  fileprivate static func events(_ answers: PageAnswers) -> Reply {
    Reply(
      type: "text/event-stream",
      content: .events { write in
        try await write(try event("hello", answers.hello))
        var feed = Feed(answers.source)
        var quiet = 0
        while true {
          let began = ProcessorTime.now
          let next = try feed.next().map { try event("frame", $0) }
          let cost = ProcessorTime.now - began
          if let next {
            try await write(next)
            quiet = 0
          } else {
            quiet += 1
            // So that a reader that has gone is noticed.
            if quiet % 50 == 0 { try await write(Data(": quiet\n\n".utf8)) }
          }
          try await Task.sleep(
            for: max(quiet > 10 ? .milliseconds(200) : .milliseconds(50), cost * 9))
        }
      })
  }

  /// Of this thread: what others do on a busy machine is not counted.
  private enum ProcessorTime {
    static var now: Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }

  private static func event(_ name: String, _ value: some Encodable) throws -> Data {
    Data("event: \(name)\ndata: ".utf8) + (try JSON.encoder.encode(value)) + Data("\n\n".utf8)
  }
}
#endif
