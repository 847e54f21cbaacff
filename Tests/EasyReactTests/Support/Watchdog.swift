import CTestSupport
import Dispatch
import Foundation
import Testing

/// Runs the body of each test on a thread of its own, so that it may wait for others, and ends the
/// process when it stalls, after printing every thread's stack: a hang in CI is then a failure that
/// says where. The time counts from the body's beginning.
///
///     @Suite(.watched) struct Races { … }
///
/// Every suite of this target has it; `Scripts/check-waits.sh` looks.
///
/// Besides, every test process that does nothing at all for ten minutes ends itself in the same way
/// (`CTestSupport/Stacks.c`).
struct Watched: TestTrait, SuiteTrait, TestScoping {
  let seconds: Double
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await OwnThreads.shared.run {
      let watch = Watch("“\(test.displayName ?? test.name)” has not ended", seconds: seconds)
      defer { watch.end() }
      try await function()
    }
  }
}

/// A thread of its own that waits for `end()`, and stops the process when that does not come.
final class Watch: Sendable {
  private let isOver = DispatchSemaphore(value: 0)
  /// Signalled when the watch has gone home.
  let isGone = DispatchSemaphore(value: 0)

  init(_ what: String, seconds: Double) {
    let isOver = isOver, isGone = isGone
    let thread = Thread {
      if isOver.wait(timeout: .now() + seconds) == .success {
        isGone.signal()
        return
      }
      testsupport_stop_with_stacks("\(what) within \(seconds) s")
    }
    thread.name = "watchdog"
    thread.start()
  }

  func end() { isOver.signal() }
}
