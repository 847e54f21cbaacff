import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import EasyReactShared

/// A `FileStore` in virtual time, whose folder is not as it should be.
@Suite(.watched) struct FileStoreTests {
  private let folder = Folder(), clock = VirtualScheduler()

  /// A folder in a file's place: nobody can open that to write, whatever he is allowed.
  private func obstruct(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
  }

  @Test func `20.6, 20.7 a folder that can be read but not locked is disconnected until it can`()
    throws
  {
    try obstruct("lock")
    let store = FileStore(folder.path, on: clock)
    let connections = Recorder(store.connection), node = store.node("price", of: Int.self)
    node.value = 4
    clock.advance(by: .seconds(60))
    #expect(connections.values.map(\.isConnected) == [false, true, false])
    #expect(node.status.current.isKnown && node.status.current.waitingCount == 1)
    #expect(node.status.current.problem?.code == .unreachable)
    try remove("lock")
    clock.advance(by: .seconds(1))
    #expect(connections.values.map(\.isConnected) == [false, true, false, true])
    #expect(node.status.current.isSettled && node.status.current.problem == nil)
  }

  @Test func `20.6, 20.7 what cannot be written is tried again after pauses of up to a second`()
    throws
  {
    try obstruct("log.new")
    let store = FileStore(folder.path, on: clock)
    let connections = Recorder(store.connection), node = store.node("price", of: Int.self)
    node.value = 4
    clock.advance(by: .seconds(60))
    #expect(100...200 ~= connections.values.count)
    #expect(node.status.current.waitingCount == 1)
    try remove("log.new")
    clock.advance(by: .seconds(2))
    #expect(store.connection.current == .connected && node.status.current.isSettled)
  }

  @Test func `20.7 who comes while nothing can be written is told what there is, and that once`()
    throws
  {
    try obstruct("lock")
    let store = FileStore(folder.path, on: clock), told = MutableNode<[StoreEvent]>([])
    store.put(Data([1]), at: "key") { _ in }
    clock.advance(by: .seconds(1))
    let watching = store.watch("key", after: nil) { event in told.update { $0.append(event) } }
    clock.advance(by: .seconds(1))
    #expect(told.current == [.current])
    let found = Mutex<Result<StoreEntry?, SharedProblem>?>(nil)
    store.get("key") { result in found.withLock { $0 = result } }
    clock.advance(by: .zero)
    #expect(found.withLock { $0 } == .success(nil))
    try remove("lock")
    clock.advance(by: .seconds(2))
    #expect(told.current == [.current] && store.connection.current == .connected)
    watching.cancel()
  }

  @Test func `20.6, 20.7 a log that cannot be looked at is not an empty one`() throws {
    let store = FileStore(folder.path, on: clock), price = store.node("price", of: Int.self)
    price.value = 4
    clock.advance(by: .seconds(1))
    #expect(price.status.current.isSettled && store.connection.current == .connected)
    let log = folder.path + "/log"
    try FileManager.default.moveItem(atPath: log, toPath: log + ".aside")
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "log")  // a loop
    let late = FileStore(folder.path, on: clock).node("price", of: Int.self)
    clock.advance(by: .seconds(1))
    #expect(price.value == 4 && !store.connection.current.isConnected)
    #expect(!late.status.current.isKnown)
    try remove("log")
    try FileManager.default.moveItem(atPath: log + ".aside", toPath: log)
    clock.advance(by: .seconds(1))
    #expect(price.value == 4 && store.connection.current == .connected)
    #expect(late.value == 4 && late.status.current.isSettled)
  }

  /// A drive that fails, as far as a test can tell, and what was asked of it.
  private final class Drive: Sendable {
    let fails = Atomic(false)
    let flushCount = Atomic(0)
    func flush(_: Int32) -> Bool {
      flushCount.wrappingAdd(1, ordering: .relaxed)
      return !fails.load(ordering: .relaxed)
    }
  }

  private func fileNumber() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path + "/log")[.systemFileNumber]
      as? Int
  }

  @Test func `20.6 what the drive did not take is not acknowledged before it is written anew`()
    throws
  {
    let drive = Drive(), store = FileStore(folder.path, durability: .machine, on: clock)
    store.changeLog { $0.flush = { drive.flush($0) } }
    let node = store.node("price", of: Int.self)
    node.value = 1
    clock.advance(by: .seconds(1))
    #expect(node.status.current.isSettled)
    let told = MutableNode<[StoreEvent]>([])
    let watching = store.watch("price", after: nil) { event in told.update { $0.append(event) } }
    clock.advance(by: .seconds(1))
    let before = told.current.count, log = try fileNumber()
    drive.fails.store(true, ordering: .relaxed)
    node.value = 2
    clock.advance(by: .seconds(60))
    #expect(!node.status.current.isSettled && !store.connection.current.isConnected)
    #expect(node.status.current.problem?.description.contains("cannot be synced") == true)
    #expect(told.current.count == before)
    drive.fails.store(false, ordering: .relaxed)
    clock.advance(by: .seconds(2))
    #expect(node.status.current.isSettled && node.status.current.problem == nil)
    #expect(told.current.count == before + 1 && store.connection.current == .connected)
    #expect(try fileNumber() != log)
    // Once, and there for the others.
    let other = FileStore(folder.path, on: clock).node("price", of: Int.self)
    clock.advance(by: .seconds(1))
    #expect(other.value == 2 && other.status.current.revision == 2)
    watching.cancel()
  }

  @Test func `20.6 a log that takes its name is synced with the folders above, once`() throws {
    let drive = Drive(), depth = URL(fileURLWithPath: folder.path).pathComponents.count
    let store = FileStore(folder.path + "/a/b", durability: .machine, on: clock)
    store.changeLog { $0.flush = { drive.flush($0) } }
    func flushCount(of value: UInt8) -> Int {
      store.put(Data([value]), at: "key") { _ in }
      clock.advance(by: .seconds(1))
      return drive.flushCount.exchange(0, ordering: .relaxed)
    }
    #expect(flushCount(of: 1) == 2 + depth + 2)  // the new log, the entry, and each folder
    #expect(flushCount(of: 2) == 1)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/a/b/log"))
  }

  @Test func `13, 20.8 a scheduler that does not wait stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FileStore("/tmp/never-made", on: .immediate).node("price", of: Int.self)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("FileStore(on: .immediate)") && message.contains("Pass"))
  }
}
