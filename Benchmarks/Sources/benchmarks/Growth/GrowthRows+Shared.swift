import EasyReact
import EasyReactShared
import EasyReactTesting
import Foundation

// Shared nodes. All stores work on this thread, in virtual time.

func sharedRows() -> [GrowthRow] {
  [
    GrowthRow("n writes to a key of a MemoryStore that keeps n, watched") { size in
      let clock = VirtualScheduler(), store = MemoryStore(history: size, on: clock)
      let write = { store.put(Data([1]), at: "key") { _ in } }
      for _ in 0..<size { write() }
      let watching = store.watch("key", after: 1) { _ in }
      clock.run()
      return Grown(work: size, keep: watching) {
        for _ in 0..<size { write() }
        clock.run()
      }
    },
    GrowthRow("n watchers of the newest of a key that keeps n") { size in
      let clock = VirtualScheduler(), store = MemoryStore(history: size, on: clock)
      for _ in 0..<size { store.put(Data([1]), at: "key") { _ in } }
      clock.run()
      return Grown(work: size, keep: store) {
        let watchings = (0..<size).map { _ in store.watch("key", after: UInt64(size)) { _ in } }
        withExtendedLifetime(watchings) {}
      }
    },
    GrowthRow("n writes to a key of a FileStore that keeps n, watched") { size in
      let clock = VirtualScheduler(), folder = Folder()
      let store = FileStore(folder.path, history: size, on: clock)
      let write = { store.put(Data([1]), at: "key") { _ in } }
      for _ in 0..<size { write() }
      let watching = store.watch("key", after: 1) { _ in }
      clock.advance(by: .zero)
      return Grown(work: size, keep: (watching, folder)) {
        for _ in 0..<size { write() }
        clock.advance(by: .zero)
      }
    },
    GrowthRow("n sets of a shared node in each of three handles, to rest") { size in
      let sharing = Sharing(3, limit: 16 * size)
      return Grown(work: 3 * 16 * size, keep: sharing) {
        for value in 0..<16 * size { for node in sharing.nodes { node.set(value) } }
        sharing.rest()
      }
    },
    GrowthRow("n updates of a shared node that wait, then n entries of others") { size in
      let sharing = Sharing(2, limit: size)
      for _ in 0..<size { sharing.nodes[0].update(default: 0) { $0 += 1 } }
      for value in 0..<size {
        sharing.nodes[1].set(value)
        sharing.clocks[1].run()
      }
      return Grown(work: size, keep: sharing) { sharing.rest() }
    },
    GrowthRow("n updates of a shared node, joined as more than few wait") { size in
      let sharing = Sharing(1, limit: 10)
      return Grown(work: size, keep: sharing) {
        for _ in 0..<size { sharing.nodes[0].update(default: 0) { $0 += 1 } }
      }
    },
    GrowthRow("n updates of a shared node before its store is there") { size in
      let store = MemoryStore(limit: size, on: VirtualScheduler())
      let node = store.node("key", of: Int.self)
      return Grown(work: size, keep: (store, node)) {
        for _ in 0..<size { node.update(default: 0) { $0 += 1 } }
      }
    },
    GrowthRow(
      "kept by a watcher of a MemoryStore for which n entries waited",
      .bytes(limit: 4) { size in
        let clock = VirtualScheduler(), store = MemoryStore(history: 1, on: clock)
        let watching = store.watch("key", after: nil) { _ in }
        clock.run()
        return Grown(work: size, keep: (store, watching)) {
          for _ in 0..<size { store.put(Data([1]), at: "key") { _ in } }
          clock.run()
        }
      }),
    GrowthRow(
      "kept by a shared node of which n sets waited",
      .bytes(limit: 4) { size in
        let clock = VirtualScheduler(), store = MemoryStore(history: 1, limit: size, on: clock)
        let node = store.node("key", of: Int.self)
        clock.run()
        return Grown(work: size, keep: (store, node)) {
          for value in 0..<size { node.set(value) }
          clock.run()
        }
      }),
    GrowthRow(
      "kept by a FileStore of which n writes waited",
      .bytes(limit: 4) { size in
        let clock = VirtualScheduler(), folder = Folder()
        let store = FileStore(folder.path, history: 1, on: clock)
        clock.advance(by: .zero)
        return Grown(work: size, keep: (store, folder)) {
          for _ in 0..<size { store.put(Data([1]), at: "key") { _ in } }
          clock.advance(by: .zero)
        }
      }),
  ]
}

/// Handles of one store, each with a clock of its own, and their nodes of one key, which hold a value.
private struct Sharing: Sendable {
  let clocks: [VirtualScheduler]
  let nodes: [SharedNode<Int>]
  private let stores: [MemoryStore]

  init(_ count: Int, limit: Int) {
    let clocks = (0..<count).map { _ in VirtualScheduler() }
    let first = MemoryStore(limit: limit, on: clocks[0])
    self.clocks = clocks
    stores = [first] + clocks.dropFirst().map { MemoryStore(sharing: first, on: $0) }
    nodes = stores.map { $0.node("key", of: Int.self) }
    nodes[0].set(0)
    rest()
  }

  /// In turns, a millisecond each, until nobody has anything to do.
  func rest() {
    while clocks.contains(where: { $0.pendingCount > 0 }) {
      for clock in clocks { clock.advance(by: .milliseconds(1)) }
    }
  }
}

/// A folder that is gone with its last user.
private final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "growth-" + UUID().uuidString
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
