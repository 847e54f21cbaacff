import Foundation
import Synchronization

@testable import MonitorKit

/// The files beside the tests.
enum Fixture {
  static func path(_ name: String) -> String {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(folder)/Fixtures/\(name)"
  }

  static func text(_ name: String) throws -> String {
    try SystemFile.text(at: path(name))
  }
}

/// An output that keeps what is written, and fails when told to.
final class MemoryOutput: TextOutput {
  private struct State {
    var text = ""
    var writes = 0
    var failure: (code: Int32, after: Int)?
  }

  private let state = Mutex(State())

  var text: String { state.withLock { $0.text } }
  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Lets every write after the next `count` fail with `code`.
  func fail(_ code: Int32, after count: Int) {
    state.withLock { $0.failure = (code, $0.writes + count) }
  }

  func write(_ text: String) throws(SystemError) {
    let failure = state.withLock { state -> Int32? in
      state.writes += 1
      if let failure = state.failure, state.writes > failure.after { return failure.code }
      state.text += text
      return nil
    }
    if let failure { throw SystemError(code: failure) }
  }
}

/// The error that `body` throws, as the user would read it.
func message(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "no error"
  } catch {
    return "\(error)"
  }
}

extension Sample {
  /// A sample at a second, with what a test cares about.
  static func at(_ seconds: Double, _ fill: (inout Sample) -> Void = { _ in }) -> Sample {
    var sample = Sample(
      time: .microseconds(Int64(seconds * 1_000_000)), unixMilliseconds: 1_700_000_000_000)
    fill(&sample)
    return sample
  }
}

extension CoreTimes {
  init(_ device: String, busy: UInt64, idle: UInt64) {
    self.init(device: device)
    user = busy
    self.idle = idle
  }
}

/// A path where nothing is yet.
func temporaryPath() -> String {
  FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).csv").path()
}

/// SplitMix64: random numbers that are the same in each run.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
