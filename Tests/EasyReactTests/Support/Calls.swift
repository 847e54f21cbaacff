import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization

// What asynchronous calls of the tests do.

/// Answers after as many virtual seconds as a test says, and notes what becomes of each call.
final class Service: Sendable {
  let clock: VirtualScheduler
  let journal = Journal<String>()
  private let refusals: Mutex<[Int: Int]>

  /// - Parameter refusals: How often it refuses to answer a question before it does.
  init(_ clock: VirtualScheduler, refusing refusals: [Int: Int] = [:]) {
    self.clock = clock
    self.refusals = Mutex(refusals)
  }

  func answer(_ question: Int, after seconds: Int) async -> Int {
    journal.note("begin \(question)")
    do {
      try await clock.sleep(for: .seconds(seconds))
      journal.note("end \(question)")
    } catch {
      journal.note("cancel \(question)")
    }
    return question
  }

  /// The same of one that notices no cancellation.
  func stubbornAnswer(_ question: Int, after seconds: Int) async -> Int {
    journal.note("begin \(question)")
    await withCheckedContinuation { continuation in
      clock.schedule(after: .seconds(seconds)) { continuation.resume() }
    }
    journal.note(Task.isCancelled ? "end \(question), cancelled" : "end \(question)")
    return question
  }

  func tryToAnswer(_ question: Int, after seconds: Int) async throws -> Int {
    journal.note("begin \(question)")
    do { try await clock.sleep(for: .seconds(seconds)) } catch {
      journal.note("cancel \(question)")
      throw error
    }
    let isRefused = refusals.withLock { refusals in
      let left = refusals[question] ?? 0
      refusals[question] = left - 1
      return left > 0
    }
    journal.note(isRefused ? "refuse \(question)" : "end \(question)")
    if isRefused { throw Refusal(reason: "\(question)") }
    return question
  }
}

/// Lets tasks pass when a test opens it.
final class Gate: Sendable {
  fileprivate struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, waker: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  /// Waits, cancelled or not.
  func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, watchers) = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return (state.isOpen, state.takeWatchers())
      }
      if isOpen { continuation.resume() }
      for watcher in watchers { watcher.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until so many tasks wait here.
  func isReached(by count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let watchers = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for watcher in watchers { watcher.resume() }
    }
  }
}

extension Gate.State {
  fileprivate mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
    let count = waiting.count
    defer { watchers.removeAll { $0.count <= count } }
    return watchers.filter { $0.count <= count }.map(\.waker)
  }
}

/// What a node told; a task can wait for it.
final class Answers<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var watchers: [(count: Int, waker: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var values: [Value] { state.withLock { $0.values } }

  func hear(_ value: Value) {
    let wakers = state.withLock { state in
      state.values.append(value)
      let count = state.values.count
      defer { state.watchers.removeAll { $0.count <= count } }
      return state.watchers.filter { $0.count <= count }.map(\.waker)
    }
    for waker in wakers { waker.resume() }
  }

  /// Waits until so many values were told in all.
  func first(_ count: Int) async -> [Value] {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.values.count < count { state.watchers.append((count, continuation)) }
        return state.values.count >= count
      }
      if isThere { continuation.resume() }
    }
    return Array(values.prefix(count))
  }

  /// Waits until such a value was told.
  func all(upTo isLast: (Value) -> Bool) async -> [Value] {
    var told: [Value] = []
    repeat { told = await first(told.count + 1) } while !isLast(told[told.count - 1])
    return told
  }
}

/// Lets this task be suspended, and go on elsewhere. The library counts it, as a hop.
func hop() async {
  await withCheckedContinuation { continuation in
    QueueScheduler.global().schedule { continuation.resume() }
  }
}
