import CBenchmarks
import Glibc
import Synchronization

/// One graph that is built and can be run: what is timed, and what must be true afterwards.
struct Trial {
  /// What must live as long as the trial: listenings, nodes.
  let keep: [Any]
  /// Does this many operations. Timed.
  let run: (Int) -> Void
  /// Throws unless the operations that were just run had the right result. Not timed.
  let check: (Int) throws -> Void

  init(
    keep: [Any] = [], run: @escaping (Int) -> Void, check: @escaping (Int) throws -> Void
  ) {
    self.keep = keep
    self.run = run
    self.check = check
  }

  /// A trial whose listeners feed a sink. What the sink heard while the graph was built is
  /// forgotten.
  /// - Parameters:
  ///   - calls: How often the listeners run in that many operations.
  ///   - sum: The sum of all that they hear.
  init(
    _ sink: Sink, keep: [Any] = [], calls: @escaping (Int) -> Int, sum: @escaping (Int) -> Int,
    run: @escaping (Int) -> Void
  ) {
    _ = sink.take()
    self.init(keep: keep, run: run) { count in
      let heard = sink.take()
      try expect(heard.calls, calls(count), "listener calls")
      try expect(heard.sum, sum(count), "sum of the values heard")
    }
  }
}

/// What listeners add up; behind a pointer, so that hearing costs an addition and no check for
/// exclusive access.
final class Sink: @unchecked Sendable {
  // Unchecked: one thread at a time hears; the rows with several threads have listeners that the
  // library serialises.
  private let state: UnsafeMutablePointer<(calls: Int, sum: Int)>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: (0, 0))
  }
  deinit { state.deallocate() }

  func add(_ value: Int) {
    state.pointee.calls &+= 1
    state.pointee.sum &+= value
  }

  var calls: Int { state.pointee.calls }
  var sum: Int { state.pointee.sum }

  func take() -> (calls: Int, sum: Int) {
    defer { state.pointee = (0, 0) }
    return state.pointee
  }
}

/// The same for several threads. Past a bound the library tells what waits on a queue of its own,
/// after the sets have returned: a round ends when all of it is heard.
final class AtomicSink: Sendable {
  private let calls = Atomic(0)
  private let sum = Atomic(0)

  func add(_ value: Int) {
    sum.wrappingAdd(value, ordering: .relaxed)
    calls.wrappingAdd(1, ordering: .releasing)
  }
  func take() -> Int { takeAll().calls }
  func takeAll() -> (calls: Int, sum: Int) {
    (calls.exchange(0, ordering: .acquiring), sum.exchange(0, ordering: .acquiring))
  }

  /// Gives up after ten seconds; the check then tells what is missing.
  func wait(for count: Int) {
    let start = benchmarks_now()
    while calls.load(ordering: .acquiring) < count, benchmarks_now() - start < 10_000_000_000 {
      sched_yield()
    }
  }
}

/// A wrong answer.
struct Wrong: Error, CustomStringConvertible {
  let description: String
}

func expect<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) throws {
  if actual != expected {
    throw Wrong(description: "\(what): \(actual), expected \(expected)")
  }
}

/// 0 + 1 + … + (count − 1).
func triangle(_ count: Int) -> Int { count * (count - 1) / 2 }
