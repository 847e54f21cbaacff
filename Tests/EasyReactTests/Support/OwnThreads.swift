import Dispatch
import Foundation
import Synchronization
import Testing

// Swift Testing begins all tests at once, and runs their bodies on the two or so threads of the cooperative pool, which on Linux
// are Dispatch's own. A body that waits for another thread would keep one of them: others would starve, among them what the
// library itself gives to Dispatch; and a test would count as begun long before its body runs.

/// A few threads for the bodies of tests. A test has one to itself from beginning to end, also while it awaits something, so
/// no more tests than that are under way.
final class OwnThreads: Sendable {
  static let shared = OwnThreads(max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  private struct State {
    var free: [OwnThread]
    var waiting: [CheckedContinuation<OwnThread, Never>] = []
  }
  private let state: Mutex<State>

  private init(_ count: Int) { state = Mutex(State(free: (0..<count).map { _ in OwnThread() })) }

  /// Runs `body`, and what it calls that is not bound to an actor, on a thread of its own.
  func run(_ body: @Sendable () async throws -> Void) async throws {
    let thread = await take()
    defer { giveBack(thread) }
    try await withTaskExecutorPreference(thread, operation: body)
  }

  private func take() async -> OwnThread {
    await withCheckedContinuation { continuation in
      let thread = state.withLock { state in
        if let thread = state.free.popLast() { return thread as OwnThread? }
        state.waiting.append(continuation)
        return nil
      }
      if let thread { continuation.resume(returning: thread) }
    }
  }

  private func giveBack(_ thread: OwnThread) {
    let next = state.withLock { state -> CheckedContinuation<OwnThread, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free.append(thread)
      return nil
    }
    next?.resume(returning: thread)
  }
}

/// A thread that runs jobs in order, for as long as the process lives.
private final class OwnThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { [self] in
      while true {
        count.wait()
        jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    thread.name = "tests"
    thread.stackSize = 8 << 20
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }
}
