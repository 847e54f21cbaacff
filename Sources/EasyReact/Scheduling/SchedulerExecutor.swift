import Synchronization

/// Runs tasks on a scheduler: each job is work for it.
final class SchedulerExecutor: TaskExecutor {
  private let scheduler: any NodeScheduler

  /// Nil if work runs at once: a job must not run inside what makes it ready.
  init?(_ scheduler: any NodeScheduler) {
    if scheduler is ImmediateScheduler { return nil }
    self.scheduler = scheduler
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    scheduler.schedule { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

// MARK: - Sleeping

extension NodeScheduler {
  /// Waits until `duration` has passed by this scheduler's time.
  ///
  ///     let slow = node.mapAsync(on: clock) { value in
  ///       try? await clock.sleep(for: .seconds(2))       // virtual seconds
  ///       return value
  ///     }
  ///
  /// The task is suspended meanwhile and goes on where it runs, which need not be the scheduler.
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    let sleep = Sleep()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if sleep.begin(continuation) {
          sleep.keep(schedule(after: duration) { sleep.end(.success(())) })
        }
      }
    } onCancel: {
      sleep.end(.failure(CancellationError()))
    }
  }
}

/// One sleeping task, which is woken once.
private final class Sleep: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Void, any Error>?
    var timer: (any Cancelable)?
    /// Before it began, too.
    var isOver = false
  }
  private let state = Mutex(State())

  /// False: it was cancelled before.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
    return !isOver
  }

  func keep(_ timer: any Cancelable) {
    let isOver = state.withLock { state in
      if !state.isOver { state.timer = timer }
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  func end(_ result: Result<Void, any Error>) {
    let (continuation, timer) = state.withLock { state in
      defer { (state.continuation, state.timer, state.isOver) = (nil, nil, true) }
      return (state.continuation, state.timer)
    }
    timer?.cancel()
    continuation?.resume(with: result)
  }
}
