import DequeModule
import Dispatch
import EasyReact
import Foundation
import Synchronization

/// A store in the memory of this process: for programs that do not share yet, and for tests.
///
///     let store = MemoryStore()
///     let price = store.node("price", of: Int.self)
///
/// Another *handle* has the same values and nodes of its own, as another process would:
///
///     let other = MemoryStore(sharing: store)
///     other.node("price", of: Int.self) !== price
///
/// Its connection never breaks. It keeps the newest entries of each key, 64 unless told otherwise.
/// - Complexity: O(1) a write, a copy of its bytes, and the watchers of its key.
public final class MemoryStore: SharedStore {
  /// What the handles share.
  private final class Shelf: Sendable {
    struct State {
      var entries: EntryHistory = [:]
      var revision: UInt64 = 0
      var watchers = Watchers()
    }
    let state = Mutex(State())
    let history: Int
    let valueLimit: Int

    init(_ history: Int, _ valueLimit: Int) {
      (self.history, self.valueLimit) = (history, valueLimit)
    }

    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
      let (result, due) = state.withLock { state in (body(&state), state.watchers.takeDue()) }
      for watcher in due { watcher.tellLater() }
      return result
    }
  }
  private let shelf: Shelf
  public let nodes: SharedNodes
  public let scheduler: any NodeScheduler
  public let connection: Node<StoreConnection> = Node(.connected).named("connection")

  /// - Parameters:
  ///   - history: How many entries of a key are kept. One or more; anything else stops with a message.
  ///   - valueLimit: How many bytes a value has at most, what is kept with it included.
  ///   - limit: How many sets of one node may wait.
  ///   - scheduler: Where it works; nil: on a queue of its own. A test passes its `VirtualScheduler`.
  public init(
    history: Int = 64, valueLimit: Int = 1 << 20, limit: Int = 1_000,
    on scheduler: (any NodeScheduler)? = nil
  ) {
    if history < 1 {
      fatalError("MemoryStore(history: \(history)): it is not positive. Pass one or more.")
    }
    shelf = Shelf(history, valueLimit)
    nodes = SharedNodes(limit: limit)
    self.scheduler = scheduler ?? .queue(DispatchQueue(label: "MemoryStore"))
  }

  /// Another handle: the same values, nodes of its own.
  public init(sharing other: MemoryStore, on scheduler: (any NodeScheduler)? = nil) {
    shelf = other.shelf
    nodes = SharedNodes(limit: other.nodes.limit)
    self.scheduler = scheduler ?? .queue(DispatchQueue(label: "MemoryStore"))
  }

  /// A handle whose nodes are told apart by a number that the test chose.
  package init(sharing other: MemoryStore, on scheduler: any NodeScheduler, nodes: SharedNodes) {
    (shelf, self.scheduler, self.nodes) = (other.shelf, scheduler, nodes)
  }

  public func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void
  ) {
    let entry = shelf.state.withLock { $0.entries[key]?.last }
    scheduler.schedule { completion(.success(entry)) }
  }

  public func write(
    _ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let answer = answer(to: write)
    scheduler.schedule { completion(answer) }
  }

  private func answer(to write: StoreWrite) -> StoreAnswer {
    if let problem = SharedProblem(badKey: write.key) { return .refused(problem) }
    if write.bytes.count > shelf.valueLimit {
      return .refused(.tooLarge(write.bytes.count, limit: shelf.valueLimit, key: write.key))
    }
    return shelf.change { state in
      let newest = state.entries[write.key]?.last?.revision ?? 0
      if let expected = write.expected, expected != newest { return .conflict }
      state.revision += 1
      let entry = StoreEntry(write, revision: state.revision)
      state.entries.keep(entry, atMost: shelf.history)
      state.watchers.append(entry)
      return .stored(revision: entry.revision)
    }
  }

  public func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable {
    let watcher = Watcher(
      key, on: scheduler,
      forget: { [shelf] watcher in _ = shelf.state.withLock { $0.watchers.remove(watcher) } },
      handler)
    shelf.change { state in
      for entry in state.entries.entries(of: key, after: revision) {
        state.watchers.append(.entry(entry), to: watcher)
      }
      state.watchers.append(.current, to: watcher)
      state.watchers.add(watcher)
    }
    return Watching { watcher.cancel() }
  }
}
