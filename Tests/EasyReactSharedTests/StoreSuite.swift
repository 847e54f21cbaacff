import EasyReact
import EasyReactShared
import EasyReactTesting
import Foundation
import Synchronization
import Testing

#if NATS
import EasyReactNATS
#endif

/// A store of each kind, and handles of it as other processes would have them.
///
/// That of NATS is there with the trait, where `EASYREACT_NATS` has the address of a server: `Scripts/test.sh nats` starts one.
enum StoreKind: String, Sendable, CaseIterable {
  case memory, file, nats

  static var available: [StoreKind] { natsAddress == nil ? [.memory, .file] : allCases }
  static var natsAddress: String? {
    #if NATS
    ProcessInfo.processInfo.environment["EASYREACT_NATS"]
    #else
    nil
    #endif
  }

  func make() -> Handles {
    let folder = Folder(), memory = MemoryStore(), bucket = "t" + UUID().uuidString
    return Handles {
      switch self {
      case .memory: MemoryStore(sharing: memory)
      case .file: FileStore(folder.path)
      case .nats: natsStore(bucket)
      }
    }
  }
}

func natsStore(_ bucket: String) -> any SharedStore {
  #if NATS
  var options = NATSOptions(servers: [StoreKind.natsAddress!])
  options.bucket = bucket
  options.storage = .memory
  return NATSStore(options)
  #else
  fatalError("not without the trait")
  #endif
}

struct Handles: Sendable {
  private let make: @Sendable () -> any SharedStore
  init(_ make: @escaping @Sendable () -> any SharedStore) { self.make = make }
  func next() -> any SharedStore { make() }
}

extension SharedStore {
  func answer(_ write: StoreWrite) async -> StoreAnswer {
    await withCheckedContinuation { done in self.write(write) { done.resume(returning: $0) } }
  }
  func entry(_ key: String) async -> StoreEntry? {
    await withCheckedContinuation { done in get(key) { done.resume(returning: try? $0.get()) } }
  }
}

/// What every store must do: contract 20.8.
@Suite(.watched) struct StoreSuite {
  @Test(arguments: StoreKind.available)
  func `20.0 put, get, compare-and-set, delete; one order of revisions`(_ kind: StoreKind)
    async throws
  {
    let store = kind.make().next()
    try await reach(store.connection) { $0.isConnected }
    #expect(await store.entry("a") == nil)
    guard case .stored(let first) = await store.answer(StoreWrite(key: "a", bytes: Data([1])))
    else {
      Issue.record("not stored")
      return
    }
    guard
      case .stored(let second) = await store.answer(
        StoreWrite(key: "b", bytes: Data([2]), expected: 0))
    else {
      Issue.record("not stored")
      return
    }
    #expect(0 < first && first < second)
    #expect(await store.answer(StoreWrite(key: "a", bytes: Data([3]), expected: 0)) == .conflict)
    #expect(
      await store.answer(StoreWrite(key: "a", bytes: Data([3]), expected: second)) == .conflict)
    #expect(await store.entry("a") == StoreEntry(key: "a", revision: first, bytes: Data([1])))
    guard
      case .stored(let third) = await store.answer(
        StoreWrite(key: "a", bytes: Data([9]), isDeletion: true, expected: first))
    else {
      Issue.record("not deleted")
      return
    }
    #expect(
      await store.entry("a")
        == StoreEntry(key: "a", revision: third, bytes: Data([9]), isDeletion: true))
    #expect(third > second)
  }

  @Test(arguments: StoreKind.available)
  func `20.0 a watch tells what there is, and each change, from a revision on`(_ kind: StoreKind)
    async throws
  {
    let handles = kind.make()
    let one = handles.next()
    try await reach(one.connection) { $0.isConnected }
    var revisions: [UInt64] = []
    for number in UInt8(1)...4 {
      if case .stored(let revision) = await one.answer(StoreWrite(key: "a", bytes: Data([number])))
      {
        revisions.append(revision)
      }
    }
    // Made now: one that is told of the four as they come may begin with an earlier one.
    let other = handles.next()
    try await reach(other.connection) { $0.isConnected }
    #expect(await other.entry("a")?.revision == revisions[3])
    let told = MutableNode<[StoreEvent]>([]), late = MutableNode<[StoreEvent]>([])
    let watching = other.watch("a", after: nil) { event in told.update { $0.append(event) } }
    let watchingFromSecond = other.watch("a", after: revisions[1]) { event in
      late.update { $0.append(event) }
    }
    try await reach(told) { $0.contains(.current) }
    try await reach(late) { $0.contains(.current) }
    _ = await one.answer(StoreWrite(key: "b", bytes: Data([7])))
    _ = await one.answer(StoreWrite(key: "a", bytes: Data([5])))
    func bytes(_ events: [StoreEvent]) -> [UInt8] {
      events.compactMap { if case .entry(let entry) = $0 { entry.bytes.first } else { nil } }
    }
    try await reach(told) { $0.count == 3 }
    try await reach(late) { $0.count == 4 }
    #expect(bytes(told.current) == [4, 5])
    #expect(bytes(late.current) == [3, 4, 5])
    watching.cancel()
    watchingFromSecond.cancel()
  }

  @Test(arguments: StoreKind.available)
  func `20.0 a watch that is released ends`(_ kind: StoreKind) async throws {
    let store = kind.make().next()
    try await reach(store.connection) { $0.isConnected }
    guard case .stored(let first) = await store.answer(StoreWrite(key: "a", bytes: Data([1])))
    else {
      Issue.record("not stored")
      return
    }
    for revision in [nil, first] {
      let told = MutableNode<[StoreEvent]>([]), late = MutableNode<[StoreEvent]>([])
      var watching: (any Cancelable)? = store.watch("a", after: revision) { event in
        told.update { $0.append(event) }
      }
      try await reach(told) { $0.contains(.current) }
      let before = told.current
      withExtendedLifetime(watching) {}
      watching = nil
      // Who came later is told later.
      let watchingLate = store.watch("a", after: nil) { event in late.update { $0.append(event) } }
      try await reach(late) { $0.contains(.current) }
      _ = await store.answer(StoreWrite(key: "a", bytes: Data([2])))
      try await reach(late) { $0.count == 3 }
      #expect(told.current == before)
      watchingLate.cancel()
    }
  }

  /// What frees bytes may be the program's, and asks the store.
  @Test(arguments: StoreKind.available)
  func `20.0 bytes that were written are let go under no lock`(_ kind: StoreKind) async throws {
    let store = kind.make().next(), freed = MutableNode(0)
    try await reach(store.connection) { $0.isConnected }
    for _ in 0..<70 {  // more than are kept
      let bytes = Data(
        bytesNoCopy: malloc(100)!, count: 100,
        deallocator: .custom { place, _ in
          free(place)
          store.get("a") { _ in }
          freed.update { $0 += 1 }
        })
      _ = await store.answer(StoreWrite(key: "a", bytes: bytes))
    }
    try await reach(freed) { $0 >= 6 }
  }

  @Test(arguments: StoreKind.available)
  func `20.1, 20.2 what is set here is told here at once, and elsewhere when the store has it`(
    _ kind: StoreKind
  ) async throws {
    let handles = kind.make()
    let one = handles.next(), other = handles.next()
    let here = one.node("price", of: Int.self), there = other.node("price", of: Int.self)
    let told = Recorder(here), toldThere = Recorder(there)
    // While the store's thread is inside the node, that thread tells (contract 7.3).
    try await reach(here.status) { $0.isKnown }
    #expect(await settle())
    here.value = 4
    _ = await settle()
    #expect(told.values == [4])
    try await reach(there) { $0 == 4 }
    try await reach(here.status) { $0.isSettled }
    there.value = 5
    try await reach(here) { $0 == 5 }
    here.clean()
    let emptied = there.status
    try await reach(emptied) { [there] _ in there.isEmpty }
    #expect(told.values == [4, 5])
    #expect(toldThere.values == [4, 5])
  }

  @Test(arguments: StoreKind.available)
  func `20.3 a counter of many threads and handles is exact`(_ kind: StoreKind) async throws {
    let handles = kind.make()
    let stores = (0..<3).map { _ in handles.next() }
    let counters = stores.map { $0.node("hits", of: Int.self) }
    let each = 50
    await withTaskGroup { group in
      for counter in counters {
        for _ in 0..<2 {
          group.addTask { for _ in 0..<each { counter.update(default: 0) { $0 += 1 } } }
        }
      }
    }
    for counter in counters {
      try await reach(counter) { $0 == 6 * each }
      try await reach(counter.status) { $0.isSettled }
    }
    #expect(counters.allSatisfy { $0.value == 6 * each })
  }

  @Test(arguments: StoreKind.available)
  func `20.4 every value is told, in one order`(_ kind: StoreKind) async throws {
    let handles = kind.make()
    let stores = (0..<4).map { _ in handles.next() }
    let nodes = stores.map { $0.node("log", of: Int.self, telling: .every) }
    let told = nodes.map { Recorder($0) }
    for node in nodes { try await reach(node.status) { $0.isKnown } }
    // Three that set, and one that listens, and so tells the store's order.
    await withTaskGroup { group in
      for (index, node) in nodes.prefix(3).enumerated() {
        group.addTask { for number in 1...40 { node.value = index * 1_000 + number } }
      }
    }
    for node in nodes.prefix(3) { try await reach(node.status) { $0.isSettled } }
    // The last write of all ends it, by the one that has heard all the others: who hears that of another one has heard them, too.
    nodes[0].value = -1
    try await reach(nodes[3]) { $0 == -1 }
    nodes[3].value = -2
    for node in nodes { try await reach(node) { $0 == -2 } }
    let order = told[3].values
    #expect(order.count == 122 && Set(order).count == 122)
    for (index, recorder) in told.prefix(3).enumerated() {
      func isTheirs(_ value: Int) -> Bool { max(0, value) / 1_000 != index }
      #expect(recorder.values.filter(isTheirs) == order.filter(isTheirs))
    }
    #expect(nodes.allSatisfy { $0.status.current.missedCount == 0 })
  }

  @Test(arguments: StoreKind.available)
  func `20.5, 20.6 handles that set at once end equal, with what the store has`(_ kind: StoreKind)
    async throws
  {
    let handles = kind.make()
    let stores = (0..<3).map { _ in handles.next() }
    let nodes = stores.map { $0.node("last", of: Int.self) }
    await withTaskGroup { group in
      for (index, node) in nodes.enumerated() {
        group.addTask { for number in 1...100 { node.value = index * 1_000 + number } }
      }
    }
    for node in nodes { try await reach(node.status) { $0.isSettled } }
    let newest = try #require(await stores[0].entry("last"))
    for node in nodes { try await reach(node.status) { $0.revision == newest.revision } }
    #expect(Set(nodes.map(\.value)).count == 1)
  }

  @Test(arguments: StoreKind.available)
  func `20.2, 20.6 threads that set, update, clean, listen and let go on any handle end equal`(
    _ kind: StoreKind
  ) async throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    print("seed \(seed)")
    let handles = kind.make()
    let stores = (0..<3).map { _ in handles.next() }
    await withTaskGroup { group in
      for thread in 0..<6 {
        group.addTask {
          await onThread {
            var dice = Dice(seed: seed &+ UInt64(thread))
            for step in 0..<150 {
              // Nodes come and go; what was set on one that nobody holds reaches the store all the same.
              let node = stores[thread % 3].node("key\(dice.below(3))", of: Int.self)
              switch dice.below(8) {
              case 0..<3: node.value = thread * 1_000 + step
              case 3..<5: node.update { $0 += 1 }
              case 5: node.update(default: 0) { $0 += 1 }
              case 6: node.clean()
              default: withExtendedLifetime(node.map { $0 + 1 }.listen { _ in }) {}
              }
            }
          }
        }
      }
    }
    for key in 0..<3 {
      let nodes = stores.map { $0.node("key\(key)", of: Int.self) }
      for node in nodes { try await reach(node.status) { $0.isSettled } }
      let newest = try #require(await stores[0].entry("key\(key)"))
      for node in nodes { try await reach(node.status) { $0.revision == newest.revision } }
      #expect(Set(nodes.map(\.value)).count == 1)
      #expect(nodes.allSatisfy { $0.isEmpty == newest.isDeletion })
    }
  }

  @Test(arguments: StoreKind.available)
  func `20.7 too large a value is refused, with what, where and the remedy, and taken back`(
    _ kind: StoreKind
  ) async throws {
    let store = kind.make().next()
    let node = store.node("photo", of: Data.self)
    node.value = Data([1])
    try await reach(node.status) { $0.isSettled }
    node.value = Data(count: 20 << 20)
    try await reach(node.status) { $0.problem?.code == .tooLarge && $0.isSettled }
    #expect(node.value == Data([1]))
    let description = node.status.current.problem!.description
    #expect(
      description.contains("20971") && description.contains("“photo”")
        && description.contains("Share less"))
  }

  @Test(arguments: StoreKind.available)
  func `20.7 bytes that do not decode leave the value as it is`(_ kind: StoreKind) async throws {
    let store = kind.make().next()
    let node = store.node("price", of: Int.self)
    node.value = 4
    try await reach(node.status) { $0.isSettled }
    _ = await store.answer(StoreWrite(key: "price", bytes: Data("4711".utf8)))
    try await reach(node.status) { $0.problem?.code == .undecodable }
    #expect(node.value == 4)
    #expect(node.status.current.problem!.description.contains("no shared node has written"))
    node.update { $0 += 1 }  // of what cannot be read nothing can be made
    #expect(node.value == 4)
    node.value = 6
    try await reach(node.status) { $0.isSettled && $0.problem == nil }
    node.update { $0 += 1 }  // later, if a thread of the store is inside the node
    try await reach(node) { $0 == 7 }
  }
}
