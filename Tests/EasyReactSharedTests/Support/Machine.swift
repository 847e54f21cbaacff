import EasyReact
import EasyReactShared
import EasyReactTesting
import Synchronization

/// One of several processes that share a store, as far as a test can tell.
struct Machine {
  let store: FaultyStore
  let node: SharedNode<Int>
  let told: Recorder<Int>

  init(_ store: FaultyStore, telling: SharedTelling = .newest, merge: Merge? = nil) {
    self.store = store
    node = store.node("key", of: Int.self, telling: telling, merge: merge)
    told = Recorder(node)
  }
  typealias Merge = @Sendable (Int?, Int?, Int?) -> Int?
}

/// A memory store in virtual time, and what looks at it from outside.
struct World {
  let clock = VirtualScheduler()
  let memory: MemoryStore

  init(history: Int = 64, valueLimit: Int = 1 << 20, limit: Int = 1_000) {
    memory = MemoryStore(history: history, valueLimit: valueLimit, limit: limit, on: clock)
  }

  func store(_ writer: UInt64 = 0, limit: Int = 1_000) -> FaultyStore {
    let nodes = writer == 0 ? SharedNodes(limit: limit) : SharedNodes(limit: limit, writer: writer)
    return FaultyStore(MemoryStore(sharing: memory, on: clock, nodes: nodes), clock)
  }

  func machine(
    _ writer: UInt64 = 0, telling: SharedTelling = .newest, limit: Int = 1_000,
    merge: Machine.Merge? = nil
  ) -> Machine {
    Machine(store(writer, limit: limit), telling: telling, merge: merge)
  }

  /// Until nothing is left to do, timers included.
  func settle() { clock.run() }

  func newest(_ key: String = "key") -> StoreEntry? {
    let found = Mutex<StoreEntry?>(nil)
    memory.get(key) { result in found.withLock { $0 = try? result.get() } }
    clock.advance(by: .zero)
    return found.withLock { $0 }
  }
}

/// A handle of a store that misbehaves on command, and does nothing by itself.
///
/// What it does to a call it says before the call: so a random program decides, and a failure repeats.
final class FaultyStore: SharedStore {
  enum Fault: Sendable, CaseIterable {
    case none
    /// Nothing is done, and nobody says so: the answer is unknown.
    case lost
    /// It is done, and the answer is unknown.
    case answerLost
    /// It is done late, and the answer is unknown before that.
    case doneLate
    /// It is done, and answered late.
    case answeredLate
    case unsent
    /// Nothing is done, and it is said to be a conflict: as if another write had been under way, and come to nothing.
    case busy
    /// It is done whatever is there, and answered late: the store is not exact, as three servers of version 2.9.10 with three replicas are.
    case inexact
  }
  struct State {
    var faults: [Fault] = []
    var delays: [Int] = []
    /// Entries that the watcher is not told yet, while it is cut off.
    var isCut = false
    var isDead = false
    var heldBack: [(StoreEvent, @Sendable (StoreEvent) -> Void)] = []
    var watchDelay = Duration.zero
    var skips = false
    /// Every write that the store acknowledged, by its revision.
    var acknowledged: [UInt64: StoreWrite] = [:]
    var writeCount = 0
  }
  let inner: any SharedStore
  let clock: VirtualScheduler
  let state = Mutex<StateBox>(StateBox())
  // Unchecked: lies in the Mutex. Its closures are not `Sendable`, for the clock runs them on the test's
  // one thread.
  struct StateBox: @unchecked Sendable { var state = State() }
  let mutableConnection = MutableNode<StoreConnection>(.connected)

  var nodes: SharedNodes { inner.nodes }
  var scheduler: any NodeScheduler { clock }
  var connection: Node<StoreConnection> { mutableConnection }

  init(_ inner: any SharedStore, _ clock: VirtualScheduler) {
    (self.inner, self.clock) = (inner, clock)
  }

  private let problem = SharedProblem(
    .unreachable, "the test says so", at: "FaultyStore", remedy: "None.")

  // MARK: Commands

  /// What happens to the next writes, and how many milliseconds what is late is late.
  func plan(_ faults: [Fault], delays: [Int] = []) {
    state.withLock {
      $0.state.faults += faults
      $0.state.delays += delays
    }
  }

  func forgetPlan() {
    state.withLock { ($0.state.faults, $0.state.delays) = ([], []) }
  }

  /// Nothing goes in or out.
  func disconnect() {
    state.withLock { $0.state.isCut = true }
    mutableConnection.value = .disconnected(problem)
  }

  func connect() {
    state.withLock { $0.state.isCut = false }
    tellHeldBack()
    mutableConnection.value = .connected
  }

  /// For good: what is on its way comes to nothing.
  func die() { state.withLock { $0.state.isDead = true } }

  var acknowledged: [UInt64: StoreWrite] { state.withLock { $0.state.acknowledged } }
  var writeCount: Int { state.withLock { $0.state.writeCount } }

  // MARK: The store

  func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void
  ) {
    if state.withLock({ $0.state.isDead }) { return }
    if state.withLock({ $0.state.isCut }) {
      return clock.schedule { [problem] in completion(.failure(problem)) }
    }
    inner.get(key, completion)
  }

  func write(_ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void) {
    let (fault, delay, isCut) = state.withLock { box in
      box.state.writeCount += 1
      let fault = box.state.faults.isEmpty ? Fault.none : box.state.faults.removeFirst()
      let delay = box.state.delays.isEmpty ? 10 : box.state.delays.removeFirst()
      return (fault, Duration.milliseconds(delay), box.state.isCut)
    }
    if state.withLock({ $0.state.isDead }) { return }
    if isCut { return clock.schedule { [problem] in completion(.unknown(problem)) } }
    switch fault {
    case .none: done(write, after: .zero, completion)
    case .inexact:
      var write = write
      write.expected = nil
      done(write, after: delay, completion)
    case .answeredLate: done(write, after: delay, completion)
    case .lost: clock.schedule(after: delay) { [problem] in completion(.unknown(problem)) }
    case .unsent: clock.schedule { [problem] in completion(.unsent(problem)) }
    case .busy: clock.schedule { completion(.conflict) }
    case .answerLost:
      inner.write(write) { _ in }
      clock.schedule(after: delay) { [problem] in completion(.unknown(problem)) }
    case .doneLate:
      clock.schedule { [problem] in completion(.unknown(problem)) }
      clock.schedule(after: delay) { [inner] in inner.write(write) { _ in } }
    }
  }

  private func done(
    _ write: StoreWrite, after delay: Duration,
    _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    inner.write(write) { answer in
      if case .stored(let revision) = answer {
        self.state.withLock { $0.state.acknowledged[revision] = write }
      }
      if delay == .zero { return completion(answer) }
      self.clock.schedule(after: delay) { completion(answer) }
    }
  }

  /// In order; while it is cut off, or slow, later.
  func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable {
    inner.watch(key, after: revision) { [weak self] event in
      guard let self else { return }
      let delay = state.withLock { box -> Duration? in
        box.state.heldBack.append((event, handler))
        return box.state.isCut ? nil : box.state.watchDelay
      }
      guard let delay else { return }
      if delay == .zero {
        tellHeldBack()
      } else {
        clock.schedule(after: delay) { self.tellHeldBack() }
      }
    }
  }

  /// What was held back; where it may be left out, only the last of several entries.
  private func tellHeldBack() {
    let held = state.withLock { box in
      if box.state.isCut { return [(StoreEvent, @Sendable (StoreEvent) -> Void)]() }
      defer { box.state.heldBack = [] }
      return box.state.heldBack
    }
    let skips = state.withLock { $0.state.skips }
    for (index, (event, handler)) in held.enumerated() {
      if skips, case .entry = event, index + 1 < held.count, case .entry = held[index + 1].0 {
        continue
      }
      handler(event)
    }
  }

  /// Entries come so late from now on.
  func slowDown(_ delay: Duration) { state.withLock { $0.state.watchDelay = delay } }
  /// Entries that others have overtaken may be left out.
  func skipEntries() { state.withLock { $0.state.skips = true } }
}
