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

  @Test(arguments: [false, true])
  func `20.6, 20.7 a folder that could not be read is tried again, though nobody watches it`(
    _ isAsked: Bool
  ) throws {
    if !isAsked { try obstruct("log") }
    let store = FileStore(folder.path, on: clock), connections = Recorder(store.connection)
    clock.advance(by: .seconds(1))
    if isAsked {
      try obstruct("log")
      store.get("key") { _ in }
      clock.advance(by: .seconds(1))
    }
    #expect(!store.connection.current.isConnected)
    try remove("log")
    clock.advance(by: .seconds(1))
    let isConnected = connections.values.map(\.isConnected)
    #expect(isConnected == (isAsked ? [false, true, false, true] : [false, false, true]))
    #expect(clock.pendingCount == 0)
  }

  // MARK: Reading

  private func watch(_ store: FileStore, _ key: String) -> (
    MutableNode<[StoreEvent]>, any Cancelable
  ) {
    let told = MutableNode<[StoreEvent]>([])
    return (told, store.watch(key, after: nil) { event in told.update { $0.append(event) } })
  }

  private func put(_ store: FileStore, _ bytes: UInt8) {
    store.put(Data([bytes]), at: "key") { _ in }
    clock.advance(by: .seconds(1))
  }

  private func entry(_ revision: UInt64, _ bytes: UInt8) -> StoreEvent {
    .entry(StoreEntry(key: "key", revision: revision, bytes: Data([bytes])))
  }

  @Test func `20.2 what was read before the drive failed is told, and current is not told again`() {
    let drive = Drive(), here = FileStore(folder.path, on: clock)
    let there = FileStore(folder.path, on: clock)
    put(there, 1)
    here.changeLog { $0.pread = { drive.pread($0, $1, $2, $3) } }
    let (told, watching) = watch(here, "key")
    clock.advance(by: .seconds(1))
    #expect(told.current == [entry(1, 1), .current])
    // It gives the head of the first entry, then all that it has of it, and fails behind that.
    drive.plan.withLock { $0 = [8, 8 + 11 + 3 + 1, 0, -1] }
    there.put(Data([2]), at: "key") { _ in }
    put(there, 3)
    #expect(drive.plan.withLock { $0.isEmpty })
    #expect(told.current == [entry(1, 1), .current, entry(2, 2), entry(3, 3)])
    #expect(here.connection.current == .connected)
    watching.cancel()
  }

  /// What a program has left that was killed while it appended.
  @Test func `20.2 an entry whose end is missing is not read again at each look`() throws {
    let drive = Drive(), store = FileStore(folder.path, on: clock)
    put(store, 1)
    store.changeLog { $0.pread = { drive.pread($0, $1, $2, $3) } }
    let (told, watching) = watch(store, "key")
    clock.advance(by: .seconds(1))
    let log = FileHandle(forUpdatingAtPath: folder.path + "/log")!
    try log.seekToEnd()
    // A half of two megabytes.
    try log.write(contentsOf: Data([0, 0, 32, 0]) + Data(count: 1 << 20))
    drive.bytesRead.store(0, ordering: .relaxed)
    clock.advance(by: .seconds(1))
    #expect(1...1_000 ~= drive.bytesRead.load(ordering: .relaxed))
    put(FileStore(folder.path, on: clock), 2)
    #expect(told.current == [entry(1, 1), .current, entry(2, 2)])
    watching.cancel()
  }

  /// As a backup that is put back in one step: it is never empty.
  private func replaceLog(_ other: Folder) throws {
    try FileManager.default.removeItem(atPath: folder.path + "/log")
    try FileManager.default.moveItem(atPath: other.path + "/log", toPath: folder.path + "/log")
  }

  @Test(arguments: [false, true])
  func
    `20.2, 20.4 another log is told as a whole before current, also where the drive failed in it`(
      _ fails: Bool
    ) throws
  {
    let other = Folder(), drive = Drive(), store = FileStore(folder.path, on: clock)
    put(store, 1)
    let (told, watching) = watch(store, "key")
    put(FileStore(other.path, on: clock), 7)
    store.changeLog { $0.pread = { drive.pread($0, $1, $2, $3) } }
    if fails { drive.plan.withLock { $0 = [.max, -1] } }  // the header, and no more
    try replaceLog(other)
    clock.advance(by: .seconds(1))
    #expect(told.current == [entry(1, 1), .current, .reset, entry(1, 7), .current])
    watching.cancel()
  }

  @Test(arguments: [1, 2])
  func `20.3 an update is made on what another log has, whatever its revisions are`(_ sets: Int)
    throws
  {
    let other = Folder()
    let here = FileStore(folder.path, lookingEvery: .seconds(20), on: clock)
    let node = here.node("n", of: Int.self)
    clock.advance(by: .seconds(1))
    for value in 1...sets {
      node.value = value
      clock.advance(by: .seconds(1))
    }
    let there = FileStore(other.path, on: clock).node("n", of: Int.self)
    there.value = 100
    clock.advance(by: .seconds(1))
    try replaceLog(other)
    let told = Recorder(node)
    node.update { $0 += 1 }
    clock.advance(by: .seconds(5))
    #expect(node.value == 101 && node.status.current.isSettled)
    #expect(told.values == [sets, sets + 1, 101])
    #expect(node.status.current.revision == 2)
  }

  // MARK: Writing

  @Test func `7.2, 20.2 what waits for the lock is written in the order in which it was asked for`()
    throws
  {
    let store = FileStore(folder.path, on: clock)
    put(store, 0)
    let answers = Mutex<[StoreAnswer]>([])
    let lock = open(folder.path + "/lock", O_RDWR)  // as another process
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    for bytes in UInt8(1)...5 {
      store.put(Data([bytes]), at: "key") { answer in answers.withLock { $0.append(answer) } }
      clock.advance(by: .microseconds(bytes < 3 ? 400 : 300))
    }
    try #require(flock(lock, LOCK_UN) == 0)
    let (told, watching) = watch(store, "other")
    clock.advance(by: .seconds(1))
    #expect(answers.withLock { $0 } == (2...6).map { .stored(revision: $0) })
    #expect(told.current == [.current])
    watching.cancel()
    let order = Mutex<[StoreEvent]>([])
    let late = store.watch("key", after: 1) { event in order.withLock { $0.append(event) } }
    clock.advance(by: .seconds(1))
    #expect(order.withLock { $0 } == (1...5).map { entry(UInt64($0) + 1, $0) } + [.current])
    late.cancel()
  }

  @Test func `20.6 who has the lock for five seconds is said, to each that waits`() throws {
    let store = FileStore(folder.path, on: clock)
    put(store, 0)
    let lock = open(folder.path + "/lock", O_RDWR)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    let answers = Mutex<[StoreAnswer]>([])
    for _ in 0..<3 {
      store.put(Data(), at: "key") { answer in answers.withLock { $0.append(answer) } }
    }
    clock.advance(by: .seconds(6))
    #expect(answers.withLock { $0.count } == 3)
    for case .stored in answers.withLock({ $0 }) { Issue.record("stored") }
    try #require(flock(lock, LOCK_UN) == 0)
    put(store, 1)
    #expect(store.connection.current == .connected)
  }

  /// What held it up is this process itself.
  @Test func `20.6 a write that came to its turn late waits for the lock as long as any`() throws {
    let late = Late(clock), store = FileStore(folder.path, on: late)
    put(store, 0)
    let lock = open(folder.path + "/lock", O_RDWR)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    let answers = Mutex<[StoreAnswer]>([])
    late.delay.withLock { $0 = .seconds(6) }
    store.put(Data([1]), at: "key") { answer in answers.withLock { $0.append(answer) } }
    late.delay.withLock { $0 = .zero }
    clock.advance(by: .milliseconds(6_020))  // it has been tried
    #expect(answers.withLock { $0 } == [])
    try #require(flock(lock, LOCK_UN) == 0)
    clock.advance(by: .milliseconds(20))
    #expect(answers.withLock { $0 } == [.stored(revision: 2)])
    // And another lock begins anew.
    try #require(flock(lock, LOCK_EX) == 0)
    store.put(Data([2]), at: "key") { answer in answers.withLock { $0.append(answer) } }
    clock.advance(by: .milliseconds(4_900))
    #expect(answers.withLock { $0.count } == 1)
    clock.advance(by: .milliseconds(200))
    #expect(answers.withLock { $0.count } == 2)
  }

  /// A scheduler that has other things to do first.
  private final class Late: NodeScheduler {
    let clock: VirtualScheduler
    let delay = Mutex(Duration.zero)
    init(_ clock: VirtualScheduler) { self.clock = clock }
    var now: Duration { clock.now }
    func schedule(_ work: @escaping @Sendable () -> Void) {
      let delay = delay.withLock { $0 }
      if delay == .zero { clock.schedule(work) } else { _ = clock.schedule(after: delay, work) }
    }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
      clock.schedule(after: delay, work)
    }
  }

  // MARK: A drive that fails

  /// A drive that fails, as far as a test can tell, and what was asked of it.
  private final class Drive: Sendable {
    let fails = Atomic(false)
    let flushCount = Atomic(0)
    /// How many bytes the next reads give at most; zero: as if there were no more; less: they fail.
    let plan = Mutex<[Int]>([])
    let bytesRead = Atomic(0)
    func pread(
      _ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t
    ) -> Int {
      let limit = plan.withLock { $0.isEmpty ? count : $0.removeFirst() }
      if limit == 0 { return 0 }
      if limit > 0 {
        let got = systemRead(file, bytes, min(count, limit), offset)
        bytesRead.wrappingAdd(max(got, 0), ordering: .relaxed)
        return got
      }
      errno = EIO
      return -1
    }
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

  /// While nobody knows what the drive has, the log is not read, so nobody knows either what else it has.
  @Test func `20.4, 20.6 current is not said before what the drive did not take is written anew`()
    throws
  {
    let drive = Drive(), store = FileStore(folder.path, durability: .machine, on: clock)
    store.changeLog { $0.flush = { drive.flush($0) } }
    put(store, 1)
    drive.fails.store(true, ordering: .relaxed)
    put(store, 2)
    // Then it cannot be looked at, for a while.
    let log = folder.path + "/log"
    try FileManager.default.moveItem(atPath: log, toPath: log + ".aside")
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "log")  // a loop
    clock.advance(by: .seconds(1))
    let (told, watching) = watch(store, "key")
    clock.advance(by: .seconds(1))
    try remove("log")
    try FileManager.default.moveItem(atPath: log + ".aside", toPath: log)
    put(FileStore(folder.path, on: clock), 3)
    clock.advance(by: .seconds(2))
    #expect(told.current == [entry(1, 1)] && !store.connection.current.isConnected)
    drive.fails.store(false, ordering: .relaxed)
    clock.advance(by: .seconds(2))
    #expect(told.current == [entry(1, 1), entry(2, 2), entry(3, 3), .current])
    #expect(store.connection.current == .connected)
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
