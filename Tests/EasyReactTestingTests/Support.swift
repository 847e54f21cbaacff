import Dispatch
import Foundation
import Testing

/// Random numbers that are the same in every run (splitmix64).
struct SeededNumbers {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// Runs `body` on some threads at once, and waits for all of them; fails after a minute.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    let thread = Thread {
      body(number)
      done.signal()
    }
    thread.start()
  }
  for _ in 0..<count {
    #expect(done.wait(timeout: .now() + 600) == .success, "a thread did not end")
  }
}

/// The first line that tells why a process stopped.
func message(_ result: ExitTest.Result?) -> Substring {
  let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
  return text.split(separator: "\n").first { $0.contains("Fatal error: ") } ?? ""
}
