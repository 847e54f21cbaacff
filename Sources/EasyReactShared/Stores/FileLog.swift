import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a `FileStore`: entries one after the other, only ever appended; and what is known of it.
///
/// It begins with `EASYREACT LOG 1\n` and eight bytes that no other log has. Each entry: its length and its checksum (four bytes
/// each, the lowest first), the revision (eight), one byte that is one for a deletion, the length of the key (two), the key, and
/// the bytes. Whoever appends has the lock of the folder. A program that is killed while it appends leaves an entry whose checksum is
/// wrong, or whose end is missing, at the end of the file: readers stop before it, and the next one who appends cuts it off.
///
/// When most of the file is out of date a new one is written beside it and takes its name.
struct FileLog {
  let folder: String
  let history: Int
  let durability: FileStore.Durability
  private(set) var entries: EntryHistory = [:]
  private(set) var revision: UInt64 = 0
  private var file: Int32 = -1
  private var lock: Int32 = -1
  private var identity: UInt64 = 0
  /// Up to here it has been read.
  private var offset = 0
  /// All that it has, has been read.
  private(set) var isCurrent = false
  /// Counts the logs: a revision of an earlier one says nothing about this one.
  private(set) var generation = 0
  /// A sync failed: what was appended last may not be on the drive, and is not read before it is (`repair`).
  private var isDoubtful = false
  /// The drive has the name of the file, too.
  private var isNameSynced = false
  /// A test passes a drive that fails.
  var flush: @Sendable (Int32) -> Bool = systemFlush
  var pread: @Sendable (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int = systemRead
  private static let magic = Data("EASYREACT LOG 1\n".utf8)
  private static let headerSize = 24
  /// Smaller files are not rewritten.
  var leastSizeToRewrite = 4 << 20

  init(folder: String, history: Int, durability: FileStore.Durability = .process) {
    (self.folder, self.history, self.durability) = (folder, history, durability)
  }

  /// Closes its files. It is a value, so whoever has it says when.
  mutating func close() {
    have(-1)
    haveLock(-1)
  }

  /// The file is this one from now on; less than zero: none.
  private mutating func have(_ new: Int32) {
    if file >= 0 { _ = systemClose(file) }
    (file, isNameSynced) = (new, false)
  }

  private mutating func haveLock(_ new: Int32) {
    if lock >= 0 { _ = systemClose(lock) }
    lock = new
  }

  private var path: String { folder + "/log" }
  private var lockPath: String { folder + "/lock" }

  /// Is it the file that has the name? Nil: there is none of that name.
  private func hasName(_ path: String, _ descriptor: Int32) throws(SharedProblem) -> Bool? {
    var named = stat(), opened = stat()
    guard stat(path, &named) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("“\(path)” cannot be looked at")  // and may be anything
    }
    return fstat(descriptor, &opened) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  // MARK: The lock

  /// Nil: another one has it.
  mutating func locked<Result>(
    _ body: (inout FileLog) throws(SharedProblem) -> Result
  ) throws(SharedProblem) -> Result? {
    guard try takeLock() else { return nil }
    defer { _ = flock(lock, LOCK_UN) }
    return try body(&self)
  }

  /// False: another one has it.
  private mutating func takeLock() throws(SharedProblem) -> Bool {
    while true {
      if lock < 0 { try openLock() }
      let isTaken = flock(lock, LOCK_EX | LOCK_NB) == 0
      if !isTaken, errno != EWOULDBLOCK, errno != EINTR { throw failure("it cannot be locked") }
      if (try? hasName(lockPath, lock)) == true { return isTaken }
      // The folder was removed meanwhile: whoever made it anew has another lock.
      haveLock(-1)
    }
  }

  private mutating func openLock() throws(SharedProblem) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch { throw failure("it cannot be made: \(error)") }
    haveLock(open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o644))
    if lock < 0 { throw failure("its lock cannot be opened") }
  }

  private func failure(_ what: String) -> SharedProblem {
    let reason = String(cString: strerror(errno))
    return SharedProblem(
      .unreachable, "the folder of a FileStore: \(what) (\(reason))", at: folder,
      remedy: "See that it is a folder on a local disk with room, where this program may write.")
  }

  // MARK: Reading

  /// What reading found. `current`: that is all, for the first time, or again after `reset` or an error.
  enum News { case entry(StoreEntry), reset, current }

  /// Reads what others have appended.
  /// - Parameter news: What was found, even if it throws: it is not found again.
  mutating func read(_ news: inout [News]) throws(SharedProblem) {
    do throws(SharedProblem) { try readOn(&news) } catch {
      isCurrent = false
      throw error
    }
    if !isCurrent, !isDoubtful { news.append(.current) }
    isCurrent = !isDoubtful  // else it has not been read
  }

  private mutating func readOn(_ news: inout [News]) throws(SharedProblem) {
    try reopen(&news)
    if file < 0 || isDoubtful { return }
    while true {
      let size = try size()
      if size < offset + 8 { return }
      var head = ByteReader(try readBytes(at: offset, 8))
      // Of an entry whose end is missing, nothing else is read: it may be a large one, and is looked at again and again.
      guard let length = head.short(4), let next = Int(exactly: length + 8), next <= size - offset
      else { return }
      let bytes = try readBytes(at: offset, min(size - offset, max(next, 8 << 20)))
      if take(bytes, &news) == 0 { return }
    }
  }

  /// The file that has the name at present, which may be another one than before.
  private mutating func reopen(_ news: inout [News]) throws(SharedProblem) {
    guard let isPresent = try hasName(path, file) else {
      have(-1)
      return lose(&news)
    }
    if isPresent { return }
    let new = open(path, O_RDWR | O_APPEND | O_CLOEXEC)
    if new < 0 { throw failure("its log cannot be opened") }
    have(new)
    do throws(SharedProblem) { try readHeader(&news) } catch {
      have(-1)
      throw error
    }
  }

  private mutating func readHeader(_ news: inout [News]) throws(SharedProblem) {
    var reader = ByteReader(try readBytes(at: 0, Self.headerSize))
    guard reader.bytes(16) == Self.magic, let identity = reader.fixed() else {
      throw SharedProblem(
        .wrongKind, "the file “log” there is none of a FileStore of this version", at: folder,
        remedy: "Choose another folder, or bring all programs to one version of EasyReact.")
    }
    if self.identity != identity { lose(&news) }
    // Whoever wrote it anew has synced it, but perhaps not its name.
    if isDoubtful { try sync() }
    (self.identity, offset) = (identity, Self.headerSize)
  }

  /// The log is gone, or is another one.
  private mutating func lose(_ news: inout [News]) {
    if identity == 0 { return }
    (entries, revision, identity, isDoubtful, isCurrent) = ([:], 0, 0, false, false)
    generation += 1
    news.append(.reset)
  }

  private func size() throws(SharedProblem) -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("its log cannot be read") }
    return Int(status.st_size)
  }

  private func readBytes(at offset: Int, _ count: Int) throws(SharedProblem) -> Data {
    var bytes = Data(count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress! + done, count - done, off_t(offset + done))
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw failure("its log cannot be read") }
      if got == 0 { break }
      done += got
    }
    return bytes.prefix(done)
  }

  /// Takes whole entries; returns how many bytes these are.
  private mutating func take(_ bytes: Data, _ news: inout [News]) -> Int {
    var reader = ByteReader(bytes)
    var used = 0
    while let length = reader.short(4), let checksum = reader.short(4),
      let body = Int(exactly: length).flatMap({ reader.bytes($0) }),
      Checksum.of(body) == UInt32(checksum), let entry = StoreEntry(logged: body)
    {
      used += 8 + body.count
      if entry.revision > revision { note(entry, &news) }
    }
    offset += used
    return used
  }

  private mutating func note(_ entry: StoreEntry, _ news: inout [News]) {
    revision = entry.revision
    entries.keep(entry, atMost: history)
    news.append(.entry(entry))
  }

  // MARK: Writing, under the lock

  /// Appends an entry; everything before it has been repaired, and read.
  mutating func append(
    _ write: StoreWrite, _ news: inout [News]
  ) throws(SharedProblem) -> StoreAnswer {
    if file < 0 { try begin() }
    try cutOff()
    let entry = StoreEntry(write, revision: revision + 1)
    let bytes = entry.logged
    do { try put(bytes, into: file) } catch {
      _ = ftruncate(file, off_t(offset))  // the disk is full: no half of an entry
      throw error
    }
    if durability == .machine {
      do { try sync() } catch { return .unknown(error) }
    }
    offset += bytes.count
    note(entry, &news)
    // The entry is there, whatever becomes of the rest.
    if offset > leastSizeToRewrite { try? rewriteIfWorthIt() }
    return .stored(revision: entry.revision)
  }

  /// What somebody who was killed while appending has left.
  private func cutOff() throws(SharedProblem) {
    if try size() > offset, ftruncate(file, off_t(offset)) != 0 {
      throw failure("its log cannot be cut")
    }
  }

  /// A new log, with an identity of its own.
  private mutating func begin() throws(SharedProblem) {
    let new = UInt64.random(in: 1...UInt64.max)
    try replace(with: Self.header(new))
    (identity, offset) = (new, Self.headerSize)
  }

  private static func header(_ identity: UInt64) -> Data {
    var bytes = magic
    bytes.append(fixed: identity)
    return bytes
  }

  private mutating func rewriteIfWorthIt() throws(SharedProblem) {
    // If it is not, or there is no room for it, not before it has doubled.
    leastSizeToRewrite = max(leastSizeToRewrite, 2 * offset)
    let kept = entries.values.joined().sorted { $0.revision < $1.revision }
    let size = kept.reduce(Self.headerSize) { $0 + $1.loggedCount }
    if offset <= 4 * size { return }
    var bytes = Self.header(identity)
    for entry in kept { bytes.append(entry.logged) }
    try replace(with: bytes)
    offset = size
    leastSizeToRewrite = max(4 << 20, 2 * size)
  }

  /// A new file takes the name in one step: whoever reads meanwhile has the old one whole.
  private mutating func replace(with bytes: Data) throws(SharedProblem) {
    let beside = path + ".new"
    let new = open(beside, O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    if new < 0 { throw failure("a new log cannot be made") }
    do throws(SharedProblem) {
      try put(bytes, into: new)
      guard flush(new), rename(beside, path) == 0 else {
        throw failure("a new log cannot be put in place")
      }
    } catch {
      _ = systemClose(new)
      _ = unlink(beside)  // it may have taken the last room that there was
      throw error
    }
    have(new)
  }

  // MARK: Syncing, under the lock

  /// Waits until the drive has the file, and finds it by its name. If that fails, nobody knows what it has.
  private mutating func sync() throws(SharedProblem) {
    isDoubtful = true
    if !flush(file) { throw failure("its log cannot be synced") }
    if !isNameSynced, !syncFolders() { throw failure("it cannot be synced") }
    (isDoubtful, isNameSynced) = (false, true)
  }

  /// After a sync that failed: writes the whole file anew. A second sync of the same one may claim what the drive does not have,
  /// for the system may have forgotten by then what it could not write.
  mutating func repair() throws(SharedProblem) {
    guard isDoubtful, try hasName(path, file) == true else { return }
    try replace(with: readBytes(at: 0, size()))
    try sync()
  }

  /// A file's name lies in its folder, that one's name in the one above, and so on. Whoever made them need not have synced them.
  private func syncFolders() -> Bool {
    let names = URL(fileURLWithPath: folder).resolvingSymlinksInPath().pathComponents.dropFirst()
    return (0...names.count).allSatisfy {
      syncFolder("/" + names.prefix($0).joined(separator: "/"))
    }
  }

  /// True also for one that this program has not made, since it may be unable to read it, and for a file system that cannot sync folders.
  private func syncFolder(_ path: String) -> Bool {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0 { return errno == EACCES || errno == EPERM }
    defer { _ = systemClose(folder) }
    return flush(folder) || errno == EINVAL
  }

  private func put(_ bytes: Data, into descriptor: Int32) throws(SharedProblem) {
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBytes {
        systemWrite(descriptor, $0.baseAddress! + done, bytes.count - done)
      }
      if put < 0, errno == EINTR { continue }
      if put < 0 { throw failure("its log cannot be written") }
      done += put
    }
  }
}
