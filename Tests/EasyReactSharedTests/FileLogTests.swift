import EasyReact
import EasyReactTesting
import Foundation
import Testing

@testable import EasyReactShared

/// The file of a `FileStore`, cut and damaged as a program leaves it that is killed.
@Suite(.watched) struct FileLogTests {
  private func append(_ log: inout FileLog, _ key: String, _ bytes: Data) throws -> StoreEntry {
    let news = try log.locked { log throws(SharedProblem) in
      var news = try log.read()
      _ = try log.append(StoreWrite(key: key, bytes: bytes), &news)
      return news
    }
    guard case .entry(let entry)? = news?.last else { throw Nothing() }
    return entry
  }

  private struct Nothing: Error {}

  /// A log of five entries, its bytes, and where each entry ends.
  private func sample() throws -> (bytes: Data, ends: [Int]) {
    let folder = Folder()
    var log = FileLog(folder: folder.path, history: 64)
    defer { log.close() }
    var ends: [Int] = []
    for number in UInt8(0)..<5 {
      _ = try append(&log, "key\(number % 2)", Data(repeating: number, count: Int(number) * 7))
      ends.append(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")).count)
    }
    return (try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")), ends)
  }

  private func open(_ bytes: Data, _ folder: Folder) throws -> FileLog {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: folder.path + "/log"))
    return FileLog(folder: folder.path, history: 64)
  }

  @Test
  func `20.8 killed at any byte of a write, it has all entries before, and goes on behind them`()
    throws
  {
    let (bytes, ends) = try sample()
    for count in 24...bytes.count {
      let folder = Folder()
      var log = try open(bytes.prefix(count), folder)
      defer { log.close() }
      _ = try log.read()
      let whole = UInt64(ends.count { $0 <= count })
      #expect(log.revision == whole)
      #expect(try append(&log, "new", Data([1])).revision == whole + 1)
      var other = FileLog(folder: folder.path, history: 64)
      defer { other.close() }
      _ = try other.read()
      #expect(other.revision == whole + 1 && other.entries["new"]?.last?.bytes == Data([1]))
    }
  }

  @Test func `20.8 a damaged entry ends what is read, and is replaced`() throws {
    let (bytes, ends) = try sample()
    for place in ends[3]..<ends[4] {
      var damaged = bytes
      damaged[place] ^= 0x40
      let folder = Folder()
      var log = try open(damaged, folder)
      defer { log.close() }
      _ = try log.read()
      #expect(log.revision == 4)
      #expect(try append(&log, "new", Data([1])).revision == 5)
    }
  }

  @Test func `20.8 a log most of which is out of date is written anew, under its readers`() throws {
    let folder = Folder()
    var log = FileLog(folder: folder.path, history: 2),
      reader = FileLog(folder: folder.path, history: 2)
    defer {
      log.close()
      reader.close()
    }
    log.leastSizeToRewrite = 4_096
    _ = try append(&log, "kept", Data([9]))
    _ = try reader.read()
    for number in 0..<2_000 {
      _ = try append(&log, "key", Data("\(number)".utf8))
      if number % 150 == 0 { _ = try reader.read() }
    }
    _ = try reader.read()
    let size = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")).count
    #expect(size < 3 << 20 && reader.revision == 2_001)
    #expect(reader.entries["key"]?.map(\.bytes) == [Data("1998".utf8), Data("1999".utf8)])
    #expect(reader.entries["kept"]?.last?.bytes == Data([9]))
  }

  @Test func `20.6 a lock whose folder was removed and made anew still locks out the others`()
    throws
  {
    let folder = Folder()
    var one = FileLog(folder: folder.path, history: 2),
      other = FileLog(folder: folder.path, history: 2)
    defer {
      one.close()
      other.close()
    }
    _ = try append(&one, "key", Data([1]))
    try FileManager.default.removeItem(atPath: folder.path)
    let isInside = try other.locked { _ throws(SharedProblem) in
      try one.locked { _ in true } ?? false
    }
    #expect(isInside == false)
    #expect(try append(&other, "key", Data([2])).revision == 1)
    #expect(try append(&one, "key", Data([3])).revision == 2)
    _ = try other.read()
    #expect(other.entries["key"]?.map(\.bytes) == [Data([2]), Data([3])])
  }

  /// `/dev/full` is a disk without room.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `20.6 a log for which there was no room is left by nobody, nor tried with each write`()
    throws
  {
    let folder = Folder(), beside = folder.path + "/log.new"
    var log = FileLog(folder: folder.path, history: 1)
    defer { log.close() }
    log.leastSizeToRewrite = 4_096
    _ = try append(&log, "key", Data())
    try FileManager.default.createSymbolicLink(atPath: beside, withDestinationPath: "/dev/full")
    while try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")).count <= 4_096 {
      _ = try append(&log, "key", Data(count: 100))
    }
    #expect(throws: (any Error).self) {
      try FileManager.default.destinationOfSymbolicLink(atPath: beside)
    }
    #expect(log.leastSizeToRewrite > 8_192)
    #expect(try append(&log, "key", Data([9])).bytes == Data([9]))
  }

  @Test func `20.7 a folder whose log is another program's is refused, and left as it is`()
    async throws
  {
    let folder = Folder()
    var log = try open(Data("somebody else's, and long enough".utf8), folder)
    #expect(throws: SharedProblem.self) { try log.read() }
    log.close()
    let store = FileStore(folder.path)
    try await reach(store.connection) {
      if case .refused(let problem) = $0 { problem.code == .wrongKind } else { false }
    }
    let node = store.node("price", of: Int.self)
    node.value = 1
    #expect(node.value == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")).count == 32)
  }

  @Test func `20.8 a store whose only watch was cancelled at once looks at its file no more`() {
    let folder = Folder(), clock = VirtualScheduler(), store = FileStore(folder.path, on: clock)
    store.watch("a", after: nil) { _ in }.cancel()
    clock.advance(by: .seconds(1))
    #expect(clock.pendingCount == 0)
    withExtendedLifetime((folder, store)) {}
  }
}

extension FileLog {
  fileprivate mutating func read() throws(SharedProblem) -> [News] {
    var news: [News] = []
    try read(&news)
    return news
  }
}
