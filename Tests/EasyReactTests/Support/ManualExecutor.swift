import Synchronization

/// Runs the jobs of its tasks when a test says so, on the thread of the test: a task that has no job left
/// is waiting, or over.
///
///     let executor = ManualExecutor()
///     let task = Task(executorPreference: executor) { await iterator.next() }
///     executor.run()                  // it waits
///     node.value = 2
///     executor.run()                  // it has 2
final class ManualExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Until none is left.
  func run() { while runOne() {} }

  /// False: there was none.
  @discardableResult
  func runOne() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// A task of this executor, which has run as far as it can.
  func task<Success: Sendable>(
    _ body: sending @escaping () async -> Success
  ) -> Task<Success, Never> {
    let task = Task(executorPreference: self, operation: body)
    run()
    return task
  }
}
