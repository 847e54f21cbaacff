import EasyReact
import Synchronization

/// A scheduler whose time moves only when a test moves it.
///
///     let clock = VirtualScheduler()
///     let typed = MutableNode<String>()
///     let shown = Recorder(typed.debounce(.milliseconds(300), on: clock))
///     typed.value = "s"; typed.value = "sw"
///     clock.advance(by: .milliseconds(299))      // shown.values == []
///     clock.advance(by: .milliseconds(1))        // shown.values == ["sw"]
///
/// Everything due runs on the thread that moves the time, in order of time, then of scheduling,
/// work scheduled meanwhile included. Scheduling is allowed from any thread; time is moved by one
/// thread at a time. Schedulers are independent, so tests may run in parallel.
public final class VirtualScheduler: Scheduler {
  private struct Work {
    let due: Duration
    let number: UInt64
  }
  private struct State {
    var now: Duration = .zero
    var number: UInt64 = 0
    /// Binary heap by time, then by scheduling; what was cancelled stays in it until its time.
    var heap: [Work] = []
    /// By number: what is to be done yet.
    var bodies: [UInt64: @Sendable () -> Void] = [:]
    var isRunning = false
  }
  private let state = Mutex(State())
  private let bound: Int

  /// - Parameter bound: How many pieces of work one `advance` or `run` may do before it stops with
  ///   a message: the guard against work that schedules itself for ever.
  public init(bound: Int = 10_000_000) {
    if bound <= 0 {
      fatalError("VirtualScheduler(bound: \(bound)): the bound is not positive. Pass one or more.")
    }
    self.bound = bound
  }

  /// The virtual time since the scheduler was made.
  public var now: Duration { state.withLock { $0.now } }

  /// How much work waits.
  public var pendingCount: Int { state.withLock { $0.bodies.count } }

  public func schedule(_ work: @escaping @Sendable () -> Void) {
    _ = add(after: .zero, work)
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    let number = add(after: max(.zero, delay), work)
    return ClosureCancelable { [weak self] in self?.cancel(number) }
  }

  /// Moves the time on by `duration`, and does everything due on the way.
  public func advance(by duration: Duration) {
    if duration < .zero {
      fatalError("VirtualScheduler.advance(by: \(duration)): time does not go back.")
    }
    runAll(until: now + duration)
  }

  /// Moves the time on to `time`, and does everything due on the way.
  public func advance(to time: Duration) {
    let now = now
    if time < now {
      fatalError(
        "VirtualScheduler.advance(to: \(time)): it is \(now) already, time does not go back.")
    }
    runAll(until: time)
  }

  /// Does everything that is scheduled, in order, until nothing is; time moves to the last piece of
  /// work.
  public func run() { runAll(until: nil) }

  // MARK: Private

  private func add(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.number += 1
      state.bodies[state.number] = body
      push(Work(due: state.now + delay, number: state.number), &state.heap)
      return state.number
    }
  }

  private func cancel(_ number: UInt64) {
    // The closure is destroyed outside of the lock.
    let dropped = state.withLock { $0.bodies.removeValue(forKey: number) }
    _ = consume dropped
  }

  private func runAll(until end: Duration?) {
    state.withLock { state in
      if state.isRunning {
        fatalError(
          "VirtualScheduler: time is being moved already; do not advance from scheduled work.")
      }
      state.isRunning = true
    }
    var count = 0
    while let work = next(until: end) {
      work()
      count += 1
      if count == bound, isDue(by: end) {
        fatalError(
          "VirtualScheduler: \(bound) pieces of work ran by \(now) and more is scheduled; "
            + "something schedules itself for ever, or raise init(bound:).")
      }
    }
    state.withLock { state in
      if let end { state.now = max(state.now, end) }
      state.isRunning = false
    }
  }

  /// The next piece of work that is due; time moves to it.
  private func next(until end: Duration?) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let first = firstDue(by: end, &state) else { return nil }
      _ = pop(&state.heap)
      state.now = max(state.now, first.due)
      return state.bodies.removeValue(forKey: first.number)
    }
  }

  private func isDue(by end: Duration?) -> Bool {
    state.withLock { firstDue(by: end, &$0) != nil }
  }

  /// Drops what was cancelled from the top of the heap.
  private func firstDue(by end: Duration?, _ state: inout State) -> Work? {
    while let first = state.heap.first {
      if state.bodies[first.number] == nil {
        _ = pop(&state.heap)
        continue
      }
      return end.map { first.due <= $0 } ?? true ? first : nil
    }
    return nil
  }

  private func precedes(_ a: Work, _ b: Work) -> Bool {
    a.due != b.due ? a.due < b.due : a.number < b.number
  }

  private func push(_ work: Work, _ heap: inout [Work]) {
    heap.append(work)
    var index = heap.count - 1
    while index > 0, precedes(heap[index], heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func pop(_ heap: inout [Work]) -> Work {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var index = 0
    while true {
      var child = 2 * index + 1
      if child >= heap.count { break }
      if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
      if !precedes(heap[child], heap[index]) { break }
      heap.swapAt(child, index)
      index = child
    }
    return first
  }
}
