import Dispatch
import Synchronization

// The timers of operators. An operator that waits for quiet sets its deadline anew with each value,
// so setting it anew must cost nothing, and a deadline that is over must keep nothing.

/// The one timer of an operator, which is set again and again.
protocol Alarm: Sendable {
  /// The deadline in place of the one before; nil: none. The alarm goes off with the number of the
  /// deadline. A number that is not above the last one comes late and changes nothing.
  func set(_ number: Int, after delay: Duration?)
  /// Nothing is kept any more.
  func cancel()
}

func makeAlarm(_ scheduler: any NodeScheduler, _ ring: @escaping @Sendable (Int) -> Void)
  -> any Alarm
{
  switch scheduler {
  case let scheduler as QueueScheduler: QueueTimer(scheduler.queue, ring)
  case is MainScheduler: QueueTimer(.main, ring)
  default: SchedulerAlarm(scheduler, ring)
  }
}

/// For any scheduler: each deadline is scheduled work of its own, in the order in which they are set.
private final class SchedulerAlarm: Alarm {
  private struct State {
    var number = 0
    var work: (any Cancelable)?
  }
  private let state = Mutex(State())
  private let scheduler: any NodeScheduler
  private let ring: @Sendable (Int) -> Void

  init(_ scheduler: any NodeScheduler, _ ring: @escaping @Sendable (Int) -> Void) {
    self.scheduler = scheduler
    self.ring = ring
  }

  func set(_ number: Int, after delay: Duration?) {
    let (old, isNewest) = state.withLock { state -> ((any Cancelable)?, Bool) in
      if number <= state.number { return (nil, false) }
      defer { state.work = nil }
      state.number = number
      return (state.work, true)
    }
    let work =
      isNewest
      ? delay.map { scheduler.schedule(after: $0) { [ring] in ring(number) } } : nil
    // After it: a clock's scheduler that sleeps for the old deadline goes on to sleep for the new one. It would have to end its
    // sleep if nothing waits, and the system keeps a sleep that was cancelled until its time.
    old?.cancel()
    guard let work else { return }
    // It may have run already, or been followed by another.
    let isPresent = state.withLock { state in
      if state.number == number { state.work = work }
      return state.number == number
    }
    if !isPresent { work.cancel() }
  }

  func cancel() { set(.max, after: nil) }
}

/// A timer of a dispatch queue. Moving its deadline on, or taking it away, is a store: the system's
/// timer goes off at the first deadline, and is set anew for the rest.
///
/// The system's timer is a source, for a cancelled source is freed; the block of an `asyncAfter` is
/// kept until its time, even that of a work item that was cancelled. The source keeps this object,
/// so it lives until it is cancelled.
final class QueueTimer: Alarm, Cancelable, @unchecked Sendable {
  // Unchecked: `place` lies under the lock of `Timers`; the rest is constant, atomic or a Mutex.
  private struct State {
    /// Of the newest deadline.
    var number = 0
    var source: (any DispatchSourceTimer)?
    /// When the source goes off; nil: it does not.
    var goesOff: UInt64?
    var precedence = Precedence.usual
    /// Nil: cancelled.
    var ring: (@Sendable (Int) -> Void)?
  }
  /// What it does when it goes off late: see `takeDue`.
  private enum Precedence {
    /// It gives way to what is due before it.
    case usual
    /// It is giving way; or was, and has been moved on meanwhile. So it goes first.
    case givesWay, hasGivenWay
  }
  private let state: Mutex<State>
  private let queue: DispatchQueue
  /// Cancelled when it has rung.
  private let isOnce: Bool
  /// Written under the lock; `Timers` looks at it.
  private let due = Atomic(QueueTimer.never)
  /// In the heap of `Timers`.
  var place: Int?

  init(
    _ queue: DispatchQueue, isOnce: Bool = false, _ ring: @escaping @Sendable (Int) -> Void
  ) {
    self.queue = queue
    self.isOnce = isOnce
    state = Mutex(State(ring: ring))
  }

  func set(_ number: Int, after delay: Duration?) {
    let due = delay.map { Self.moment(after: $0) } ?? Self.never
    state.withLock { state in
      if number <= state.number || state.ring == nil { return }
      state.number = number
      self.due.store(due, ordering: .releasing)
      if due < state.goesOff ?? Self.never { start(&state, due) }
    }
  }

  func cancel() {
    let (source, ring) = state.withLock { state in
      defer { (state.source, state.ring, state.goesOff) = (nil, nil, nil) }
      due.store(Self.never, ordering: .releasing)
      timers.remove(self)
      return (state.source, state.ring)
    }
    source?.cancel()
    _ = consume ring  // what it holds is released after the lock
  }
}

extension QueueTimer {
  private static let never = UInt64.max

  private static func moment(after delay: Duration) -> UInt64 {
    // Dispatch's own times end at 63 bits.
    let (seconds, attoseconds) = delay.asDelay.components
    return now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }

  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  func isDue(at now: UInt64) -> Bool { due.load(ordering: .acquiring) <= now }

  func isDue(on other: DispatchQueue, before moment: UInt64) -> Bool {
    // On Linux two looks at the main queue, or at a global one, give two objects.
    (queue === other || queue.label == other.label) && due.load(ordering: .acquiring) < moment
  }

  /// Under the lock.
  private func start(_ state: inout State, _ moment: UInt64) {
    let source = state.source ?? makeSource()
    source.schedule(deadline: DispatchTime(uptimeNanoseconds: moment))
    if state.source == nil { source.activate() }
    state.source = source
    state.goesOff = moment
    timers.put(self, moment)
  }

  private func makeSource() -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [self] in goOff() }
    return source
  }

  private func goOff() {
    guard let (number, ring) = state.withLock({ takeDue(&$0) }) else { return }
    ring(number)
    if isOnce { cancel() }
    pendingWork.end()
  }

  /// Under the lock. Nil: it went off too early, or for nothing.
  ///
  /// What a busy queue does late, it does for the moment at which the source went off. A deadline that was set to after that moment
  /// has its turn after what else is due before it, although its time may have come, too. It does not give way the next time if it
  /// was moved on while it gave way: on a queue that is always late there would be no end to that.
  private func takeDue(_ state: inout State) -> (number: Int, ring: @Sendable (Int) -> Void)? {
    let moment = state.goesOff ?? 0
    state.goesOff = nil
    let due = due.load(ordering: .relaxed), isDue = due <= Self.now
    guard let ring = state.ring, isDue,
      due <= moment || state.precedence != .usual || !timers.isAnyDue(on: queue, before: due)
    else {
      state.precedence =
        isDue ? .givesWay : state.precedence == .givesWay ? .hasGivenWay : .usual
      if due == Self.never { timers.remove(self) } else { start(&state, due) }
      return nil
    }
    state.precedence = .usual
    pendingWork.begin()
    self.due.store(Self.never, ordering: .releasing)
    timers.remove(self)
    return (state.number, ring)
  }
}

// MARK: - All of them

/// The timers that will go off, in a binary heap by when: for `isQuiet`.
final class Timers: Sendable {
  private struct Entry {
    let goesOff: UInt64
    let timer: QueueTimer
  }
  private let heap = Mutex<[Entry]>([])

  /// Adds one, or moves it.
  func put(_ timer: QueueTimer, _ goesOff: UInt64) {
    heap.withLock { heap in
      let entry = Entry(goesOff: goesOff, timer: timer)
      if let place = timer.place {
        heap[place] = entry
        Self.sink(place, &heap)
      } else {
        heap.append(entry)
        timer.place = heap.count - 1
      }
      Self.rise(timer.place!, &heap)
    }
  }

  /// It is not waited for any more. Once is enough.
  func remove(_ timer: QueueTimer) {
    heap.withLock { heap in
      guard let place = timer.place else { return }
      timer.place = nil
      let last = heap.removeLast()
      heap.shrinkIfSparse()
      if place == heap.count { return }
      heap[place] = last
      last.timer.place = place
      Self.sink(place, &heap)
      Self.rise(last.timer.place!, &heap)
    }
  }

  var isEmpty: Bool { heap.withLock { $0.isEmpty } }

  func isAnyDue() -> Bool {
    let now = QueueTimer.now
    return heap.withLock { Self.isAny(in: $0, by: now) { $0.isDue(at: now) } }
  }

  /// Looks at some only: true if it cannot tell.
  func isAnyDue(on queue: DispatchQueue, before moment: UInt64) -> Bool {
    var looks = 0
    return heap.withLock { heap in
      Self.isAny(in: heap, by: moment - 1) { timer in
        looks += 1
        return looks > 64 || timer.isDue(on: queue, before: moment)
      }
    }
  }

  /// Looks at those only that have gone off by then, or should have: one may be due later.
  private static func isAny(
    in heap: [Entry], by moment: UInt64, where isMeant: (QueueTimer) -> Bool
  ) -> Bool {
    var todo = [0]
    while let place = todo.popLast() {
      guard place < heap.count, heap[place].goesOff <= moment else { continue }
      if isMeant(heap[place].timer) { return true }
      todo += [2 * place + 1, 2 * place + 2]
    }
    return false
  }

  private static func rise(_ start: Int, _ heap: inout [Entry]) {
    var place = start
    while place > 0, heap[place].goesOff < heap[(place - 1) / 2].goesOff {
      exchange(place, (place - 1) / 2, &heap)
      place = (place - 1) / 2
    }
  }

  private static func sink(_ start: Int, _ heap: inout [Entry]) {
    var place = start
    while true {
      let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
      guard let least = children.min(by: { heap[$0].goesOff < heap[$1].goesOff }),
        heap[least].goesOff < heap[place].goesOff
      else { return }
      exchange(place, least, &heap)
      place = least
    }
  }

  private static func exchange(_ a: Int, _ b: Int, _ heap: inout [Entry]) {
    heap.swapAt(a, b)
    heap[a].timer.place = a
    heap[b].timer.place = b
  }
}

let timers = Timers()
