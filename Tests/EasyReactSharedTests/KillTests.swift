import Dispatch
import EasyReact
import EasyReactShared
import Foundation
import Testing

/// Processes that are killed, and hear each other, over a `FileStore`. The process is Tests/SharedPeer.
@Suite(.watched, .notUnderSanitizers("the other process is what is looked at, and has none"))
struct KillTests {
  /// One process; killed with the test.
  final class Peer: @unchecked Sendable {
    // Unchecked: used by one test, one call after the other.
    private let process = Process()
    private let output = Pipe()
    private var rest = ""

    init(_ store: String, _ name: String, peers: Int, sets: Int, batch: Int) throws {
      process.executableURL = Self.program
      process.arguments = [store, name, "\(peers)", "\(sets)", "0", "\(batch)"]
      process.standardOutput = output
      try process.run()
    }
    deinit { kill() }

    /// Beside the tests' own program, or above its bundle.
    private static var program: URL? {
      let tests = URL(fileURLWithPath: CommandLine.arguments[0]), main = Bundle.main.bundleURL
      return [tests.deletingLastPathComponent(), main, main.deletingLastPathComponent()]
        .map { $0.appendingPathComponent("SharedPeer") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The next line that it prints; nil: it has ended.
    func line() -> String? {
      while true {
        if let end = rest.firstIndex(of: "\n") {
          defer { rest.removeSubrange(...end) }
          return String(rest[..<end])
        }
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return nil }
        rest += String(decoding: data, as: UTF8.self)
      }
    }

    /// Reads on until a line begins so; the number behind that.
    func number(after word: String) -> Int? {
      while let line = line() {
        if line.hasPrefix(word + " ") { return Int(line.dropFirst(word.count + 1)) }
      }
      return nil
    }

    func kill() {
      if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
  }

  @Test
  func
    `20.6, 20.8 of a process that is killed at any moment nothing acknowledged is lost, and nothing is there twice`()
    async throws
  {
    let seed = UInt64.random(in: 1...UInt64.max)
    print("seed \(seed)")
    let folder = Folder(), batch = 7
    let counts = await withCheckedContinuation { done in
      Thread {
        var dice = Dice(seed: seed), stored = 0, alive = 0
        for round in 1...12 {
          guard
            let peer = try? Peer(
              folder.path, "p\(round)", peers: round, sets: 1_000_000, batch: batch)
          else { break }
          alive += 1
          var last = 0
          for _ in 0..<(1 + dice.below(40)) { last = peer.number(after: "stored") ?? -1 }
          // In the middle of whatever it is at.
          for _ in 0..<dice.below(20_000) { _ = dice.below(2) }
          peer.kill()
          // What it printed and was not read yet was acknowledged too.
          while let number = peer.number(after: "stored") { last = number }
          stored += last
        }
        done.resume(returning: (stored, alive))
      }.start()
    }
    #expect(counts.1 == 12 && counts.0 > 12 * batch)
    let store = FileStore(folder.path)
    let total = store.node("total", of: Int.self), last = store.node("last", of: String.self)
    try await reach(total.status) { $0.isKnown }
    try await reach(last.status) { $0.isKnown }
    #expect(counts.0...(counts.0 + 12 * batch) ~= total.value ?? 0)
    #expect(last.value?.hasPrefix("p12:") == true && last.status.current.problem == nil)
  }

  @Test func `20.8 processes of one machine hear each other over a folder`() async throws {
    let folder = Folder()
    let peer = try Peer(folder.path, "one", peers: 2, sets: 3, batch: 1)
    let store = FileStore(folder.path)
    let last = store.node("last", of: String.self)
    let ready = store.node("ready", of: [String].self), done = store.node("done", of: [String].self)
    ready.update(default: []) { $0.append("test") }
    try await reach(last) { $0 == "one:3" }
    last.value = "test:1"
    done.update(default: []) { $0.append("test") }
    let value = await withCheckedContinuation { found in
      Thread {
        var value = "", isOver = false
        while !isOver, let line = peer.line() {
          isOver = line.hasPrefix("value ")
          if isOver { value = line }
        }
        found.resume(returning: value)
      }.start()
    }
    #expect(value == "value test:1")
  }
}
