import CEasyReact
import CTestSupport
import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// How long a test waits for another thread before it fails: a machine may be busy.
var patience: DispatchTime { .now() + 300 * Sanitizer.patience }

/// Waits until another thread signals; fails the test instead of waiting for ever.
func wait(
  for semaphore: DispatchSemaphore, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(semaphore.wait(timeout: patience) == .success, sourceLocation: sourceLocation)
}

/// The library's, for a process in which other tests run beside this one.
func settle() -> Bool { settle(within: .seconds(300 * Sanitizer.patience)) }
func settle() async -> Bool { await settle(within: .seconds(300 * Sanitizer.patience)) }

/// Runs `body` on a thread of its own and waits for its end.
/// - Parameter stackSize: In bytes.
func onThread(
  stackSize: Int = 512 << 10, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Void
) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  wait(for: done, sourceLocation: sourceLocation)
}

/// Runs `meanwhile` on this thread while another is inside a listener of `node`, which it has set to
/// `value`; returns when that one is through, with all that was left with it.
func whileInside<Value: Sendable & Equatable>(
  _ node: MutableNode<Value>, settingTo value: Value, _ meanwhile: () -> Void
) {
  let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0)
  let listening = node.listen {
    if $0 == value {
      isInside.signal()
      wait(for: mayGoOn)
    }
  }
  Thread {
    node.value = value
    isOver.signal()
  }.start()
  wait(for: isInside)
  meanwhile()
  for _ in 0..<100 { mayGoOn.signal() }  // it may hear the same value again
  wait(for: isOver)
  #expect(waitForBackgroundWork())
  listening.cancel()
}

/// Threads that pass it go on together: each waits until the last one has come.
final class StartingGate: Sendable {
  private let missing: Int
  private let come = Tally()
  private let opened = DispatchSemaphore(value: 0)

  init(for count: Int) { missing = count }

  func pass() {
    if come.add() < missing { return opened.wait() }
    for _ in 1..<missing { opened.signal() }
  }
}

/// Tells the calling thread from all others, also from those that have ended: unlike `pthread_self()`, whose numbers new threads
/// get again.
func threadNumber() -> UInt { UInt(easyreact_thread_number()) }

/// Makes it likely that others find this thread where it is.
func letOthersRun() { testsupport_let_others_run() }
