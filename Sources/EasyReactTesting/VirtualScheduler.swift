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
/// Everything due runs on the thread that moves the time, in order of time, then of scheduling, work scheduled meanwhile
/// included. Scheduling is allowed from any thread; time is moved by one thread at a time. Schedulers are independent,
/// so tests may run in parallel.
public final class VirtualScheduler: Scheduler {
  private struct Work {
    let due: Duration
    let number: UInt64
    let body: @Sendable () -> Void
  }
  private struct State {
    var now: Duration = .zero
    var number: UInt64 = 0
    /// Binary heap by time, then by scheduling.
    var heap: [Work] = []
    var cancelled: Set<UInt64> = []
    var isRunning = false
  }
  private let state = Mutex(State())
  private let bound: Int

  /// - Parameter bound: How many pieces of work one `advance` or `run` may do before it stops with a message: the guard
  ///   against work that schedules itself for ever.
  public init(bound: Int = 10_000_000) { self.bound = bound }

  /// The virtual time since the scheduler was made.
  public var now: Duration { state.withLock { $0.now } }

  /// How much work waits.
  public var pendingCount: Int { state.withLock { $0.heap.count - $0.cancelled.count } }

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
    if duration < .zero { fatalError("VirtualScheduler.advance(by: \(duration)): time does not go back.") }
    runAll(until: now + duration)
  }

  /// Moves the time on to `time`, and does everything due on the way.
  public func advance(to time: Duration) {
    let now = now
    if time < now {
      fatalError("VirtualScheduler.advance(to: \(time)): it is \(now) already, time does not go back.")
    }
    runAll(until: time)
  }

  /// Does everything that is scheduled, in order, until nothing is; time moves to the last piece of work.
  public func run() { runAll(until: nil) }

  // MARK: Private

  private func add(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.number += 1
      push(Work(due: state.now + delay, number: state.number, body: body), &state.heap)
      return state.number
    }
  }

  private func cancel(_ number: UInt64) {
    // The work's closure is destroyed outside of the lock.
    let dropped = state.withLock { state -> Work? in
      guard let index = state.heap.firstIndex(where: { $0.number == number }) else { return nil }
      if index == state.heap.count - 1 { return state.heap.removeLast() }
      state.cancelled.insert(number)
      return nil
    }
    _ = consume dropped
  }

  private func runAll(until end: Duration?) {
    state.withLock { state in
      if state.isRunning {
        fatalError("VirtualScheduler: time is being moved already; do not advance from scheduled work.")
      }
      state.isRunning = true
    }
    var count = 0
    while let work = next(until: end) {
      work.body()
      count += 1
      if count == bound {
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

  private func next(until end: Duration?) -> Work? {
    while true {
      let (work, isCancelled) = state.withLock { state -> (Work?, Bool) in
        guard let first = state.heap.first, end.map({ first.due <= $0 }) ?? true else {
          return (nil, false)
        }
        let work = pop(&state.heap)
        if state.cancelled.remove(work.number) != nil { return (work, true) }
        state.now = max(state.now, work.due)
        return (work, false)
      }
      if !isCancelled { return work }
    }
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
