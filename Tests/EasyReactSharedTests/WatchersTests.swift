import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import EasyReactShared

/// What those are told who watch a key, of stores of this package.
@Suite(.watched) struct WatchersTests {
  private final class Told: Sendable {
    let events = Mutex<[StoreEvent]>([])
    let watching = Mutex<(any Cancelable)?>(nil)
    func cancel() { watching.withLock { $0 }?.cancel() }
  }

  @Test func `20.0 a watch that is cancelled by its own handler tells it nothing more`() {
    let clock = VirtualScheduler(), store = MemoryStore(on: clock), told = Told()
    for number in UInt8(1)...5 { store.put(Data([number]), at: "key") { _ in } }
    let watching = store.watch("key", after: 0) { event in
      told.events.withLock { $0.append(event) }
      told.cancel()
    }
    told.watching.withLock { $0 = watching }
    clock.run()
    let first = StoreEntry(key: "key", revision: 1, bytes: Data([1]))
    #expect(told.events.withLock { $0 } == [.entry(first)])
  }

  @Test func `20.0 current is told once, and again after a reset, however often a store says it`() {
    let told = Told()
    let watcher = Watcher("key", on: .immediate, forget: { _ in }) { event in
      told.events.withLock { $0.append(event) }
    }
    for event in [StoreEvent.current, .current, .reset, .current, .current] {
      if watcher.enqueue(event) { watcher.tell() }
    }
    #expect(told.events.withLock { $0 } == [.current, .reset, .current])
  }

  /// A scheduler of the program's, whose end asks the store.
  private final class Asking: NodeScheduler {
    let clock: VirtualScheduler, store: MemoryStore, isGone: MutableNode<Bool>
    init(_ clock: VirtualScheduler, _ store: MemoryStore, _ isGone: MutableNode<Bool>) {
      (self.clock, self.store, self.isGone) = (clock, store, isGone)
    }
    var now: Duration { clock.now }
    func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
      clock.schedule(after: delay, work)
    }
    deinit {
      store.get("key") { _ in }
      isGone.value = true
    }
  }

  @Test func `20.0 who has been cancelled is let go under no lock`() {
    let clock = VirtualScheduler(), store = MemoryStore(on: clock), isGone = MutableNode(false)
    let first = store.watch("key", after: nil) { _ in }
    let last = store.watch("key", after: nil) { _ in }
    do {
      let other = MemoryStore(sharing: store, on: Asking(clock, store, isGone))
      let watching = other.watch("key", after: nil) { _ in }
      clock.run()
      watching.cancel()
    }
    #expect(isGone.value == false)
    first.cancel()  // half of them are now
    #expect(isGone.value == true)
    withExtendedLifetime(last) {}
  }
}

extension StoreSuite {
  @Test(arguments: StoreKind.available)
  func `20.0 a watch from zero on tells all that there is, one behind all revisions nothing`(
    _ kind: StoreKind
  ) async throws {
    let store = kind.make().next()
    try await reach(store.connection) { $0.isConnected }
    for number in UInt8(1)...3 {
      _ = await store.answer(StoreWrite(key: "a", bytes: Data([number])))
    }
    let all = MutableNode<[StoreEvent]>([]), none = MutableNode<[StoreEvent]>([])
    let watchings = [
      store.watch("a", after: 0) { event in all.update { $0.append(event) } },
      store.watch("a", after: .max) { event in none.update { $0.append(event) } },
    ]
    func bytes(_ told: [StoreEvent]) -> [UInt8] {
      told.compactMap { if case .entry(let entry) = $0 { entry.bytes.first } else { nil } }
    }
    try await reach(all) { $0.contains(.current) }
    try await reach(none) { $0.contains(.current) }
    #expect(bytes(all.current) == [1, 2, 3] && none.current == [.current])
    _ = await store.answer(StoreWrite(key: "a", bytes: Data([4])))
    try await reach(all) { $0.count == 5 }
    #expect(bytes(all.current) == [1, 2, 3, 4])
    for watching in watchings { watching.cancel() }
  }
}
