import HeapModule
import Synchronization

/// Any clock of Swift as a scheduler: the system's, or a test's.
///
///     let shown = typed.debounce(.milliseconds(300), on: .clock(ContinuousClock()))
///
/// Work runs on Swift's pool of threads, one piece at a time, in order of time, then of scheduling.
/// That holds for one scheduler; make one and use it for both if two operators must agree. Its time
/// is that of the clock since it was made; a delay that is not positive is due at once. A piece of
/// work is due when the clock says so: `sleep(until:)` of the clock wakes the scheduler. If a test moves
/// the clock, see that the scheduler sleeps before you move it, as with every such clock.
/// ``settled()`` waits for what was scheduled to run at once, and for timers that are due by
/// the clock's `now`.
public struct ClockScheduler<C: Clock>: NodeScheduler where C.Duration == Duration {
  private let timers: ClockTimers<C>

  public init(_ clock: C) { timers = ClockTimers(clock) }

  public var now: Duration { timers.now }

  public func schedule(_ work: @escaping @Sendable () -> Void) { timers.schedule(work) }

  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    let number = timers.schedule(work, after: delay)
    return ClosureCancelable { [weak timers] in timers?.cancel(number) }
  }
}

extension NodeScheduler {
  /// The scheduler of a clock: `node.delay(.seconds(1), on: .clock(clock))`.
  public static func clock<C: Clock>(_ clock: C) -> ClockScheduler<C>
  where Self == ClockScheduler<C>, C.Duration == Duration {
    ClockScheduler(clock)
  }
}

/// Timers that `isQuiet` asks after.
protocol DueTimers: AnyObject, Sendable {
  func isAnyDue() -> Bool
}

/// Those in which something waits.
private let waitingTimers = Mutex<[ObjectIdentifier: any DueTimers]>([:])

/// Is a timer of a clock due that has not gone off?
func isAnyClockDue() -> Bool {
  // A clock's `now` is somebody else's code.
  waitingTimers.withLock { Array($0.values) }.contains { $0.isAnyDue() }
}

/// The timers of one scheduler, in a binary heap, with a task that sleeps until the first; and the
/// work that is due, with one task that does it.
///
/// A task that sleeps goes on sleeping if an earlier timer comes, below that one's own task: for Swift keeps the job of a
/// cancelled sleep until its time, so n timers beside a later one would leave n of them.
private final class ClockTimers<C: Clock>: DueTimers where C.Duration == Duration {
  typealias Work = @Sendable () -> Void

  // In the scheduler's time: comparing the clock's own may be somebody else's code, during which no lock is held.
  private struct Entry: Comparable {
    let due: Duration
    let number: UInt64
    static func < (a: Entry, b: Entry) -> Bool { (a.due, a.number) < (b.due, b.number) }
  }

  private struct Sleeper {
    let number: UInt64
    let due: Duration
    var task: Task<Void, Never>?
  }

  private struct State {
    var ready = Queue<Work>()
    var isWorking = false
    var number: UInt64 = 0
    /// What was cancelled stays in it until it is the first, or more than half of it was.
    var heap = Heap<Entry>()
    var bodies: [UInt64: Work] = [:]
    /// Each sleeps until an earlier time than the one before it.
    var sleepers: [Sleeper] = []

    /// The first that was not cancelled.
    mutating func first() -> Entry? {
      while let first = heap.min, bodies[first.number] == nil { heap.removeMin() }
      return heap.min
    }

    mutating func cancel(_ number: UInt64) -> Work? {
      guard let body = bodies.removeValue(forKey: number) else { return nil }
      if heap.count > 2 * bodies.count + 64 {
        heap = Heap(heap.unordered.filter { bodies[$0.number] != nil })
      }
      shrink()
      return body
    }

    func place(of sleeper: Sleeper) -> Int? {
      sleepers.lastIndex { $0.number == sleeper.number }
    }

    /// `Heap` does not say how much room it has.
    mutating func shrink() {
      if bodies.shrinkIfSparse() { heap = Heap(heap.unordered.map { $0 }) }
    }
  }

  private let clock: C
  private let start: C.Instant
  private let state = Mutex(State())

  init(_ clock: C) {
    self.clock = clock
    start = clock.now
  }

  var now: Duration { start.duration(to: clock.now) }

  // MARK: Work

  func schedule(_ work: @escaping Work) {
    pendingWork.begin()
    let isFirst = state.withLock { state in
      state.ready.append(work)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFirst { Task.detached { await self.work() } }
  }

  private func work() async {
    while true {
      for _ in 0..<64 {
        guard let work = next() else { return }
        work()
        pendingWork.end()
      }
      await Task.yield()
    }
  }

  private func next() -> Work? {
    state.withLock { state in
      let work = state.ready.popFirst()
      if work == nil { state.isWorking = false }
      return work
    }
  }

  // MARK: Timers

  func schedule(_ work: @escaping Work, after delay: Duration) -> UInt64 {
    // As the clock has it, which may round.
    let due = start.duration(
      to: start.advanced(by: now + delay.asDelay))
    let number = state.withLock { state in
      state.number += 1
      state.bodies[state.number] = work
      state.heap.insert(Entry(due: due, number: state.number))
      return state.number
    }
    setSleeper()
    return number
  }

  func cancel(_ number: UInt64) {
    let work = state.withLock { $0.cancel(number) }
    if work != nil { setSleeper() }
  }

  func isAnyDue() -> Bool {
    guard let first = state.withLock({ $0.first() }) else { return false }
    return first.due <= now
  }

  // MARK: Sleeping

  private func setSleeper() { change(state.withLock { sleepersToChange(&$0) }) }

  /// Under the lock. A task sleeps until the first timer is due, or earlier; none if nothing waits.
  private func sleepersToChange(_ state: inout State) -> (ended: [Sleeper], new: Sleeper?) {
    guard let first = state.first() else { return (endAll(&state), nil) }
    if let next = state.sleepers.last, next.due <= first.due { return ([], nil) }
    state.number += 1
    let new = Sleeper(number: state.number, due: first.due)
    state.sleepers.append(new)
    noteWaiting(true)
    return ([], new)
  }

  /// Under the lock, for whoever schedules next notes that something waits, under the lock too.
  private func endAll(_ state: inout State) -> [Sleeper] {
    defer { state.sleepers = [] }
    noteWaiting(false)
    return state.sleepers
  }

  /// Under the lock: that one could not sleep. Those that sleep less go on; if there are none, the clock is not asked again before
  /// another timer is set.
  private func sleepersToEnd(_ place: Int, _ state: inout State) -> [Sleeper] {
    state.sleepers.remove(at: place)
    return place == state.sleepers.count ? endAll(&state) : []
  }

  private func change(_ sleepers: (ended: [Sleeper], new: Sleeper?)) {
    for sleeper in sleepers.ended { sleeper.task?.cancel() }
    guard let new = sleepers.new else { return }
    let task = Task.detached { await self.sleep(new) }
    let isPresent = state.withLock { state in
      guard let place = state.place(of: new) else { return false }
      state.sleepers[place].task = task
      return true
    }
    if !isPresent { task.cancel() }
  }

  private func noteWaiting(_ isWaiting: Bool) {
    waitingTimers.withLock {
      $0[ObjectIdentifier(self)] = isWaiting ? self : nil
      $0.shrinkIfSparse()
    }
  }

  private func sleep(_ sleeper: Sleeper) async {
    let isOver: Bool
    do {
      try await clock.sleep(until: start.advanced(by: sleeper.due), tolerance: nil)
      isOver = true
    } catch {
      // Cancelled; or a clock that does not keep time.
      isOver = false
    }
    let now = self.now
    let (sleepers, isFirst) = state.withLock { state -> (([Sleeper], Sleeper?), Bool) in
      // Else it was ended, or one that sleeps longer woke before it.
      guard let place = state.place(of: sleeper) else { return (([], nil), false) }
      if !isOver { return ((sleepersToEnd(place, &state), nil), false) }
      state.sleepers.removeSubrange(place...)  // those that sleep less have slept enough, too
      let isFirst = makeReady(&state, by: max(now, sleeper.due))
      return (sleepersToChange(&state), isFirst)
    }
    change(sleepers)
    if isFirst { Task.detached { await self.work() } }
  }

  /// Under the lock. True: nobody is doing the work yet.
  private func makeReady(_ state: inout State, by now: Duration) -> Bool {
    while let first = state.first(), first.due <= now {
      state.heap.removeMin()
      guard let work = state.bodies.removeValue(forKey: first.number) else { continue }
      pendingWork.begin()
      state.ready.append(work)
    }
    state.shrink()
    defer { state.isWorking = state.isWorking || !state.ready.isEmpty }
    return !state.isWorking && !state.ready.isEmpty
  }
}
