import Foundation
import Testing

/// The program as users run it: a process with its pipes, signals and exit codes.
@Suite(.enabled(if: Program.exists), .serialized) struct `The program` {
  /// Counters that stand still, and are there on every system.
  private let counters = Fixture.path("this-machine")

  @Test func `ends with code 0 when it is interrupted, after whole lines`() throws {
    let program = try Program("monitor", "--proc", counters, "--interval", "10ms", "--json")
    let first = program.readLine()
    program.process.interrupt()
    let rest = program.end()
    #expect(first.hasPrefix(#"{"elapsedMilliseconds":0,"#))
    #expect(rest.isEmpty || rest.hasSuffix("}\n"))
    #expect(program.code == 0)
  }

  @Test func `ends quietly when its reader has gone`() throws {
    let program = try Program("monitor", "--proc", counters, "--interval", "10ms")
    _ = program.readLine()
    try program.output.fileHandleForReading.close()
    #expect(program.errors() == "")
    #expect(program.code == 0)
  }

  @Test func `shows what a recording holds, twice the same`() throws {
    let path = Fixture.path("recorded.csv")
    let outputs = try (0..<2).map { _ in try Program("monitor", "--replay", path).end() }
    #expect(try outputs == [Fixture.text("recorded.txt"), Fixture.text("recorded.txt")])
  }

  @Test func `records what can be replayed`() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let live = try Program(
      "monitor", "--proc", counters, "--json", "--interval", "10ms", "--for", "50ms", "--record",
      path
    ).end()
    #expect(try Program("monitor", "--json", "--replay", path).end() == live)
    #expect(!live.isEmpty)
  }

  @Test(arguments: [
    (["monitor", "--replay", "/nowhere.csv"], "Error: /nowhere.csv: cannot be read", 1),
    (["monitor", "--proc", "/nowhere"], "Error: /nowhere/stat: cannot be read", 1),
    (["monitor", "--record", "/nowhere/x.csv"], "Error: /nowhere/x.csv: cannot be written", 1),
    (["monitor", "--bogus"], "Error: Unknown option '--bogus'", 64),
    (["monitor", "--for", "never"], "Error: The value 'never' is invalid", 64),
  ])
  func `says what is wrong, with a code of its own`(
    arguments: [String], message: String, code: Int32
  ) throws {
    let program = try Program(arguments)
    #expect(program.end() == "")
    #expect(program.errors().hasPrefix(message))
    #expect(program.code == code)
  }

  @Test(arguments: [("--dot", "digraph"), ("--mermaid", "flowchart")])
  func `prints the graph and ends`(option: String, start: String) throws {
    let program = try Program("monitor", option)
    #expect(program.end().hasPrefix(start))
    #expect(program.code == 0)
  }
}

/// A run of the built program, which lies beside the tests.
private struct Program {
  let process = Process()
  let output = Pipe()
  private let messages = Pipe()

  init(_ arguments: String...) throws { try self.init(arguments) }

  init(_ arguments: [String]) throws {
    process.executableURL = Self.executable
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = messages
    try process.run()
  }

  /// The next line of the output.
  func readLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// The rest of the output, once the program has ended.
  func end() -> String { text(output) }

  /// All that went to the error output, once the program has ended.
  func errors() -> String { text(messages) }

  var code: Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func text(_ pipe: Pipe) -> String {
    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  static var exists: Bool { FileManager.default.isExecutableFile(atPath: executable.path()) }

  /// `easyreact` in the folder into which the tests were built.
  private static let executable = Bundle.main.bundleURL.appending(path: "easyreact")
}
