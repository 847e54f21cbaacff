import DequeModule
import Dispatch
import EasyReact
import Foundation
import Synchronization

/// A store in a folder, for several processes of one machine; what it has survives restarts, and `kill -9` at any instant.
///
///     let store = FileStore("/var/lib/shop")
///     let price = store.node("price", of: Int.self)        // as in every process that has this folder
///
/// Processes hear each other within a few dozen milliseconds: each looks at the file every 20 ms while it watches something.
/// What is acknowledged survives the end of any process; with ``Durability/machine`` also that of the machine. The folder lies
/// on a local disk: network file systems do not keep the promises about locks that it builds on. All that it has is in the
/// memory of each process that has it open. While the folder cannot be read, or cannot be written, ``connection`` says so, and it is
/// tried again, a write after pauses of up to a second.
/// - Complexity: O(1) a write, and now and then, when the log is written anew, O(n) in the bytes that it has.
public final class FileStore: SharedStore {
  /// When is a write acknowledged?
  public enum Durability: Hashable, Sendable {
    /// The system has it: it survives the end of this process, however that ends.
    case process
    /// The disk has it: it survives the loss of power. Slower, by what the disk takes.
    case machine
  }

  fileprivate struct State: ~Copyable {
    var log: FileLog
    var watchers = Watchers()
    /// In the order in which they were asked for. Whoever appends to none sees that the first is tried.
    var writes = Queue<Write>()
    var isPolling = false
    /// Since when another process has had the lock whenever a write was tried; nil: it was not so at the last try, or none waits.
    var lockedOut: Duration?
    /// Why the log could not be read when that was last tried.
    var unread: SharedProblem?
    var setback: Setback?
    deinit {
      var log = log
      log.close()
    }
  }
  /// A write that waits for those before it, and for another process that has the lock.
  fileprivate struct Write: Sendable {
    var write: StoreWrite
    /// The log that was known when it was asked for.
    var generation: Int
    var start: Duration
    var completion: @Sendable (StoreAnswer) -> Void
  }
  /// A write has failed. That reading goes well says nothing about the next one.
  fileprivate struct Setback {
    var problem: SharedProblem
    var pause: Duration
    /// Before that none is tried.
    var end: Duration
  }
  private let state: Mutex<State>
  private let valueLimit: Int
  private let interval: Duration
  public let nodes: SharedNodes
  public let scheduler: any NodeScheduler
  private let mutableConnection = MutableNode<StoreConnection>(.connecting).named("connection")
  public var connection: Node<StoreConnection> { mutableConnection }

  /// It looks at the folder soon, on its scheduler, so that ``connection`` says what is there. Nothing is written before something is
  /// asked of it; then the folder is made.
  ///
  /// - Parameters:
  ///   - folder: Its path.
  ///   - durability: When a write is acknowledged.
  ///   - history: How many entries of a key it keeps when its log is written anew. One or more; anything else stops with a message.
  ///   - valueLimit: How many bytes a value has at most.
  ///   - limit: How many sets of one node may wait.
  ///   - interval: How often it looks at what others wrote. Greater than zero; anything else stops with a message.
  ///   - scheduler: Where it works; nil: on a queue of its own. One that does not wait, such as `.immediate`, stops with a message.
  public init(
    _ folder: String, durability: Durability = .process, history: Int = 64,
    valueLimit: Int = 16 << 20,
    limit: Int = 1_000, lookingEvery interval: Duration = .milliseconds(20),
    on scheduler: (any NodeScheduler)? = nil
  ) {
    if history < 1 {
      fatalError("FileStore(history: \(history)): it is not positive. Pass one or more.")
    }
    if interval <= .zero {
      fatalError("FileStore(lookingEvery: \(interval)): it is not positive. Pass more than zero.")
    }
    if scheduler is ImmediateScheduler {
      fatalError(
        "FileStore(on: .immediate): it looks at its file again and again, and this scheduler does not wait in between. "
          + "Pass one on which time passes, or none.")
    }
    let log = FileLog(folder: folder, history: history, durability: durability)
    state = Mutex(State(log: log))
    (self.valueLimit, self.interval) = (valueLimit, interval)
    nodes = SharedNodes(limit: limit)
    self.scheduler = scheduler ?? .queue(DispatchQueue(label: "FileStore"))
    self.scheduler.schedule { [weak self] in self?.look() }
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, due) = state.withLock { state in (body(&state), state.watchers.takeDue()) }
    for watcher in due { watcher.tellLater() }
    return result
  }

  /// For tests, whose drives fail.
  func changeLog(_ body: (inout FileLog) -> Void) { state.withLock { body(&$0.log) } }

  // MARK: Reading

  /// Reads what others have written, and looks whether something can be written.
  private func look() {
    let now = scheduler.now
    let problem = change { state in
      do throws(SharedProblem) {
        try state.read()
        return try state.hindrance(at: now)
      } catch { return error }
    }
    tellConnection(problem)
  }

  private var isConnected: Bool { mutableConnection.value?.isConnected ?? false }

  private func tellConnection(_ problem: SharedProblem?) {
    let connection: StoreConnection =
      switch problem {
      case nil: .connected
      case let problem? where problem.code == .wrongKind: .refused(problem)
      case let problem?: .disconnected(problem)
      }
    if mutableConnection.value != connection { mutableConnection.value = connection }
    if problem != nil { beginPolling() }  // until it is over
  }

  private func poll() {
    scheduler.schedule(after: interval) { [weak self] in
      guard let self else { return }
      look()
      let goesOn = state.withLock { state in
        state.isPolling = !state.watchers.isEmpty || !isConnected
        return state.isPolling
      }
      if goesOn { poll() }
    }
  }

  private func beginPolling() {
    let isFirst = state.withLock { state in
      defer { state.isPolling = true }
      return !state.isPolling
    }
    if isFirst { poll() }
  }

  public func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void
  ) {
    scheduler.schedule { [self] in
      look()
      let result = state.withLock { state in
        if let problem = state.unread { return Result<StoreEntry?, _>.failure(problem) }
        return .success(state.log.entries[key]?.last)
      }
      completion(result)
    }
  }

  public func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable {
    let watcher = Watcher(
      key, on: scheduler,
      forget: { [weak self] watcher in
        _ = self?.state.withLock { $0.watchers.remove(watcher) }
      },
      handler)
    scheduler.schedule { [self] in
      look()
      change { state in
        // A folder that cannot be read is not an empty one.
        state.add(watcher, after: revision)
      }
      beginPolling()
    }
    return Watching { watcher.cancel() }
  }

  // MARK: Writing

  public func write(
    _ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let now = scheduler.now
    let isFirst = state.withLock { state in
      state.writes.append(
        Write(
          write: write, generation: state.log.generation, start: now, completion: completion))
      return state.writes.count == 1
    }
    if isFirst { scheduler.schedule { self.writeFirst() } }
  }

  /// Tries again while another process has the lock, which is a matter of microseconds unless that process is stopped.
  private func writeFirst() {
    guard let first = state.withLock({ $0.writes.first }) else { return }
    guard let answer = answer(to: first) ?? tooLate(first) else {
      scheduler.schedule(after: .milliseconds(1)) { self.writeFirst() }
      return
    }
    let isLast = state.withLock { state in
      _ = state.writes.removeFirst()
      if state.writes.isEmpty { state.lockedOut = nil }
      return state.writes.isEmpty
    }
    if !isLast { scheduler.schedule { self.writeFirst() } }
    first.completion(answer)
  }

  /// It waits for what holds up this process as well, its own queue for one, which says nothing of the lock.
  private func tooLate(_ first: Write) -> StoreAnswer? {
    let now = scheduler.now
    let since = state.withLock { max($0.lockedOut ?? now, first.start) }
    if now - since <= .seconds(5) { return nil }
    return .unsent(
      SharedProblem(
        .unreachable, "another process has had the lock of a FileStore for five seconds",
        at: "key “\(first.write.key)”",
        remedy: "It was stopped in the middle of a write: let it go on, or end it."))
  }

  /// Nil: another process has the lock.
  private func answer(to first: Write) -> StoreAnswer? {
    let write = first.write
    if let problem = SharedProblem(badKey: write.key) { return .refused(problem) }
    if write.bytes.count > valueLimit {
      return .refused(.tooLarge(write.bytes.count, limit: valueLimit, key: write.key))
    }
    let now = scheduler.now
    let result = change { state in
      let answer = state.answer(to: write, of: first.generation)
      state.note(answer, at: now)
      state.lockedOut = answer == nil ? state.lockedOut ?? now : nil
      return answer
    }
    switch result {
    case .unsent(let problem)?, .unknown(let problem)?: tellConnection(problem)
    default: break
    }
    return result
  }
}

extension FileStore.State {
  /// Reads what others have written, and tells the watchers.
  fileprivate mutating func read() throws(SharedProblem) {
    var news: [FileLog.News] = []
    defer { tell(news) }
    do throws(SharedProblem) { try log.read(&news) } catch {
      unread = error
      throw error
    }
    unread = nil
  }

  /// Why no write is to be tried at present; nil: one may be.
  fileprivate mutating func hindrance(at now: Duration) throws(SharedProblem) -> SharedProblem? {
    guard let setback else { return nil }
    if now < setback.end { return setback.problem }
    // It takes no write to see that it would fail if the folder cannot be locked.
    do throws(SharedProblem) {
      _ = try log.locked { log throws(SharedProblem) in try log.repair() }
    } catch {
      note(.unsent(error), at: now)
      throw error
    }
    return nil
  }

  fileprivate mutating func note(_ answer: StoreAnswer?, at now: Duration) {
    switch answer {
    case .stored?: setback = nil
    case .unsent(let problem)?, .unknown(let problem)?:
      if let setback, now < setback.end { return }  // one of those that were tried together
      let pause = min((setback?.pause ?? .milliseconds(10)) * 2, .seconds(1))
      setback = .init(problem: problem, pause: pause, end: now + pause)
    case .conflict?, .refused?, nil: break
    }
  }

  /// - Parameter generation: The log whose revision the write expects.
  fileprivate mutating func answer(to write: StoreWrite, of generation: Int) -> StoreAnswer? {
    var news: [FileLog.News] = []
    defer { tell(news) }
    do throws(SharedProblem) {
      return try log.locked { log throws(SharedProblem) in
        try log.repair()
        try log.read(&news)
        let newest = log.entries[write.key]?.last?.revision ?? 0
        if let expected = write.expected, generation != log.generation || expected != newest {
          return .conflict
        }
        return try log.append(write, &news)
      }
    } catch { return .unsent(error) }
  }

  fileprivate mutating func tell(_ news: [FileLog.News]) {
    for piece in news {
      switch piece {
      case .entry(let entry): watchers.append(entry)
      case .reset: watchers.appendToAll(.reset)
      case .current: watchers.appendToAll(.current)
      }
    }
  }

  fileprivate mutating func add(_ watcher: Watcher, after revision: UInt64?) {
    for entry in log.entries.entries(of: watcher.key, after: revision) {
      watchers.append(.entry(entry), to: watcher)
    }
    if log.isCurrent { watchers.append(.current, to: watcher) }
    watchers.add(watcher)
  }
}
