import CEasyReact
import CTestSupport
import Dispatch
import Foundation
import Testing

/// A test that hangs must say where, and must not hang CI.
@Suite(.watched) struct WatchdogTests {
  /// Two threads that wait for each other.
  private static func deadlock() {
    let first = DispatchSemaphore(value: 0), second = DispatchSemaphore(value: 0)
    Thread { waitForTheSecond(first, second) }.start()
    waitForTheFirst(first, second)
  }

  @inline(never) private static func waitForTheSecond(
    _ first: DispatchSemaphore, _ second: DispatchSemaphore
  ) {
    second.wait()
    first.signal()
  }

  @inline(never) private static func waitForTheFirst(
    _ first: DispatchSemaphore, _ second: DispatchSemaphore
  ) {
    first.wait()
    second.signal()
  }

  @Test func `a body that stalls ends the process with the stacks of all threads`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let watch = Watch("the deadlock has not ended", seconds: 0.5)
      WatchdogTests.deadlock()
      watch.end()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("the deadlock has not ended within 0.5 s"))
    #expect(text.contains("waitForTheFirst"), "\(text)")
    #expect(text.contains("waitForTheSecond"), "\(text)")
  }

  @Test func `a body that ends is left alone`() async {
    await #expect(processExitsWith: .success) {
      let watch = Watch("nothing", seconds: 30)
      watch.end()
      precondition(watch.isGone.wait(timeout: .now() + 60) == .success)
    }
  }

  @Test func `a process that does nothing at all ends with its stacks`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv("EASYREACT_IDLE_SECONDS", "1", 1)
      testsupport_watch_process()
      WatchdogTests.deadlock()
    }
    try Self.expect(result, "the tests have done nothing for too long", "waitForTheSecond")
  }

  @Test func `a process that naps for ever ends with its stacks`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv("EASYREACT_IDLE_SECONDS", "1", 1)
      testsupport_watch_process()
      WatchdogTests.napForEver()
    }
    try Self.expect(result, "the tests have done nothing for too long", "napForEver")
  }

  @Test func `a process that does something for ever ends with its stacks`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv("EASYREACT_LIFE_SECONDS", "1", 1)
      testsupport_watch_process()
      WatchdogTests.turnForEver()
    }
    try Self.expect(
      result, "the tests have not ended within EASYREACT_LIFE_SECONDS", "turnForEver")
  }

  private static func expect(
    _ result: ExitTest.Result?, _ reason: String, _ function: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      text.contains(reason) && text.contains(function), "\(text)", sourceLocation: sourceLocation)
  }

  @inline(never) private static func napForEver() {
    while testsupport_sanitizer() >= 0 { easyreact_nap(1_000) }
  }

  @inline(never) private static func turnForEver() {
    while testsupport_sanitizer() >= 0 { testsupport_let_others_run() }
  }
}
