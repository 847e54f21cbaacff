import CEasyReact
import CTestSupport
import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
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
  startThread(stackSize: stackSize, body) { done.signal() }
  wait(for: done, sourceLocation: sourceLocation)
}

/// Runs `body` on a thread of its own, lets go of it, and of what it alone keeps, and calls `whenOver` then. The thread would be inside
/// the graph once more, after its end was told, where it let go of the last reference to a node.
func startThread(
  name: String? = nil, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void,
  whenOver: @escaping @Sendable () -> Void
) {
  let kept = Mutex(Optional(body))
  @Sendable @inline(never) func runOnce() { kept.withLock { $0.take() }?() }
  let thread = Thread {
    runOnce()
    whenOver()
  }
  thread.name = name
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
}

/// Runs `meanwhile` on this thread while another is inside a listener of `node`, which it has set to
/// `value`; returns when that one is through, with all that was left with it.
func whileInside<Value: Sendable & Equatable>(
  _ node: MutableNode<Value>, settingTo value: Value,
  after before: @escaping @Sendable () -> Void = {}, _ meanwhile: () -> Void
) {
  let listenings = CancelableBag()
  whileInside { stop in
    listenings.add(node.listen { if $0 == value { stop() } })
    return {
      before()
      node.value = value
    }
  } meanwhile: {
    meanwhile()
  }
  listenings.cancel()
}

/// The same while the other thread is inside the closure of an `update`.
func whileUpdating<Value: Sendable>(
  _ node: MutableNode<Value>, by change: @escaping @Sendable (inout Value) -> Void,
  _ meanwhile: () -> Void
) {
  whileInside { stop in
    {
      node.update {
        stop()
        change(&$0)
      }
    }
  } meanwhile: {
    meanwhile()
  }
}

/// - Parameter prepare: Returns what the other thread does, which calls `stop` where it is to wait.
func whileInside(
  _ prepare: (_ stop: @escaping @Sendable () -> Void) -> @Sendable () -> Void,
  meanwhile: () -> Void
) {
  let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0)
  let body = prepare {
    isInside.signal()
    wait(for: mayGoOn)
  }
  startThread(body) { isOver.signal() }
  wait(for: isInside)
  meanwhile()
  for _ in 0..<100 { mayGoOn.signal() }  // it may be there again
  wait(for: isOver)
  #expect(waitForBackgroundWork())
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
