import Synchronization

/// A clock that a test moves. Who sleeps is seen, so a test need not hope that somebody does.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private typealias Waker = CheckedContinuation<Void, any Error>
  private struct State {
    var now = Instant()
    var number = 0
    var sleepers: [Int: (until: Instant, waker: Waker)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(until: Duration, waker: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// Until when somebody sleeps, the earliest first.
  var sleepers: [Duration] { state.withLock { $0.sleepers.values.map(\.until.offset).sorted() } }

  /// How many sleeps were begun.
  var sleeps: Int { state.withLock { $0.number } }
  /// How many of them were cancelled.
  var cancelledSleeps: Int { state.withLock { $0.cancelled.count } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waker in
        let (result, watchers) = begin(number, deadline, waker)
        if let result { waker.resume(with: result) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let waker = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)?.waker
      }
      waker?.resume(throwing: CancellationError())
    }
  }

  private func begin(_ number: Int, _ deadline: Instant, _ waker: Waker) -> (
    Result<Void, any Error>?, [CheckedContinuation<Void, Never>]
  ) {
    state.withLock { state in
      if state.cancelled.contains(number) { return (.failure(CancellationError()), []) }
      if deadline <= state.now { return (.success(()), []) }
      state.sleepers[number] = (deadline, waker)
      defer { state.watchers.removeAll { $0.until == deadline.offset } }
      return (nil, state.watchers.filter { $0.until == deadline.offset }.map(\.waker))
    }
  }

  /// Wakes who sleeps until then, though the time has not come, or with an error.
  func wake(until time: Duration, throwing error: (any Error)? = nil) {
    let woken = state.withLock { state in
      let woken = state.sleepers.filter { $0.value.until.offset == time }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values.map(\.waker)
    }
    for waker in woken { waker.resume(with: error.map { .failure($0) } ?? .success(())) }
  }

  /// Moves the time on, and wakes who has slept enough.
  func advance(to time: Duration) {
    let woken = state.withLock { state in
      state.now = Instant(offset: time)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.until < $1.until }.map(\.waker)
    }
    for waker in woken { waker.resume() }
  }

  /// Waits until somebody sleeps until then.
  func isSlept(until time: Duration) async {
    await withCheckedContinuation { waker in
      let isThere = state.withLock { state in
        let isThere = state.sleepers.values.contains { $0.until.offset == time }
        if !isThere { state.watchers.append((time, waker)) }
        return isThere
      }
      if isThere { waker.resume() }
    }
  }
}
