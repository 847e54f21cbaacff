import EasyReact
import Synchronization

/// Who watches which key of a store. Not `Sendable`: the store's lock guards it.
///
/// What a watcher is told is appended under that lock, in order, and told when it has been given back: the scheduler may
/// be one that works at once.
package struct Watchers {
  package init() {}
  /// Of one key, in order. One that has been cancelled is told nothing, and stays until half of all are: so n that are
  /// cancelled one by one cost O(n) in any order.
  private struct Group {
    var watchers: [Watcher] = []
    var cancelled = 0
  }
  private var byKey: [String: Group] = [:]
  private var due: [Watcher] = []
  package var isEmpty: Bool { byKey.isEmpty }

  /// Nothing happens if it has been cancelled already.
  package mutating func add(_ watcher: Watcher) {
    if watcher.isCancelled { return }
    byKey[watcher.key, default: Group()].watchers.append(watcher)
  }

  /// Once, for one that has been cancelled.
  /// - Returns: Those that the caller lets go when it has no lock any more: their end may be that of a scheduler of the program's.
  package mutating func remove(_ watcher: Watcher) -> [Watcher] {
    let key = watcher.key
    byKey[key]?.cancelled += 1
    guard let group = byKey[key], group.cancelled * 2 >= group.watchers.count else { return [] }
    let left = group.watchers.filter { !$0.isCancelled }
    byKey[key] = left.isEmpty ? nil : Group(watchers: left)
    byKey.shrinkIfSparse()
    return group.watchers
  }

  package mutating func append(_ event: StoreEvent, to watcher: Watcher) {
    if watcher.enqueue(event) { due.append(watcher) }
  }

  mutating func append(_ entry: StoreEntry) {
    for watcher in of(entry.key) { append(.entry(entry), to: watcher) }
  }

  mutating func appendToAll(_ event: StoreEvent) {
    for group in byKey.values { for watcher in group.watchers { append(event, to: watcher) } }
  }

  /// Those for whom something was appended: the caller calls `tellLater` when it has no lock any more.
  package mutating func takeDue() -> [Watcher] {
    defer { due = [] }
    return due
  }

  package func of(_ key: String) -> [Watcher] { byKey[key]?.watchers ?? [] }

  /// Of every watcher.
  package func forEach(_ body: (Watcher) -> Void) {
    for group in byKey.values { for watcher in group.watchers { body(watcher) } }
  }
}

/// What a store's `watch` returns: whoever has it is told until he cancels it, or lets it go. The store has what it ends.
package final class Watching: Cancelable {
  private let end: @Sendable () -> Void
  /// - Parameter end: May be called several times.
  package init(_ end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
  package func cancel() { end() }
}

/// One who watches a key: what he is still to be told waits in order. Nothing is told after `cancel()`, and ``StoreEvent/current``
/// once, and again after ``StoreEvent/reset``, however often a store says it.
package final class Watcher: Cancelable {
  private struct State {
    var events = Queue<StoreEvent>()
    var isTelling = false
    var isCurrent = false
    var handler: (@Sendable (StoreEvent) -> Void)?
  }
  package let key: String
  private let scheduler: any NodeScheduler
  private let state: Mutex<State>
  private let forget: @Sendable (Watcher) -> Void

  package init(
    _ key: String, on scheduler: any NodeScheduler, forget: @escaping @Sendable (Watcher) -> Void,
    _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) {
    (self.key, self.scheduler, self.forget) = (key, scheduler, forget)
    state = Mutex(State(handler: handler))
  }

  /// True: the caller calls `tell`, or `tellLater`, when it has no lock any more.
  package func enqueue(_ event: StoreEvent) -> Bool {
    state.withLock { state in
      if state.handler == nil || state.isCurrent && event == .current { return false }
      switch event {
      case .entry: break
      case .current: state.isCurrent = true
      case .reset: state.isCurrent = false
      }
      state.events.append(event)
      defer { state.isTelling = true }
      return !state.isTelling
    }
  }

  package func tellLater() { scheduler.schedule { self.tell() } }

  package func tell() {
    while let (event, handler) = next() { handler(event) }
  }

  private func next() -> (StoreEvent, @Sendable (StoreEvent) -> Void)? {
    state.withLock { state in
      guard let handler = state.handler, let event = state.events.popFirst() else {
        state.isTelling = false
        return nil
      }
      return (event, handler)
    }
  }

  var isCancelled: Bool { state.withLock { $0.handler == nil } }

  package func cancel() {
    let handler = state.withLock { $0.handler.take() }
    if handler != nil { forget(self) }
  }
}
