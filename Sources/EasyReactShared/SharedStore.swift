import EasyReact
import Foundation

/// Where values that several processes share lie: a map from keys to bytes, in which every write has a revision.
///
///     let store: some SharedStore = MemoryStore()
///     let price = store.node("price", of: Int.self)         // all that most programs need
///
/// A store of your own fulfils this, and the suite of tests in `Tests/EasyReactSharedTests/StoreSuite.swift`:
///
/// - A write gets a revision that is greater than that of every write before it, over all keys: one total order. A deletion is
///   a write too.
/// - A write that *expects* a revision is done if that is still the newest of its key (zero: there was none), else it is a conflict.
/// - A watcher is told entries of its key in the order of their revisions, none twice. Of several it may be told only the last;
///   the last one it is always told, even after a loss of connection, which is the store's to mend.
///
/// No transaction spans several keys. Everything may be called from any thread, and calls back on any, if it can help it not
/// before the call has returned; no lock is held meanwhile. ``MemoryStore``, ``FileStore``, and `NATSStore` of EasyReactNATS.
public protocol SharedStore: AnyObject, Sendable {
  /// The nodes of this store: `SharedNodes(limit: 1_000)`, made with it.
  var nodes: SharedNodes { get }

  /// Where what is to be done later is done: writes, and what is tried again. Serial.
  var scheduler: any NodeScheduler { get }

  /// Can it be reached?
  var connection: Node<StoreConnection> { get }

  /// Finds the newest entry of a key; nil: there has been none. A deletion is an entry.
  func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void)

  /// Puts or deletes.
  /// - Parameter completion: Called once.
  func write(_ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void)

  /// Tells what becomes of a key, until it is cancelled or released: what there is, then ``StoreEvent/current``, then each
  /// change.
  /// - Parameter revision: Nil: begins with the newest entry. Else with all entries after this revision that the store still has.
  func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable
}

extension SharedStore {
  /// Puts bytes, whatever is there.
  public func put(
    _ bytes: Data, at key: String, _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    write(StoreWrite(key: key, bytes: bytes), completion)
  }

  /// Puts bytes if the newest revision of the key is still `revision`; zero: if there was never one.
  public func compareAndSet(
    _ bytes: Data, at key: String, expecting revision: UInt64,
    _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    write(StoreWrite(key: key, bytes: bytes, expected: revision), completion)
  }

  /// Deletes a key.
  public func delete(_ key: String, _ completion: @escaping @Sendable (StoreAnswer) -> Void) {
    write(StoreWrite(key: key, bytes: Data(), isDeletion: true), completion)
  }
}

/// What a store holds under a key.
public struct StoreEntry: Hashable, Sendable {
  public var key: String
  /// Its place in the order of all writes of the store; one or more.
  public var revision: UInt64
  /// What was written; a deletion may carry bytes too.
  public var bytes: Data
  public var isDeletion: Bool

  public init(key: String, revision: UInt64, bytes: Data, isDeletion: Bool = false) {
    (self.key, self.revision, self.bytes, self.isDeletion) = (key, revision, bytes, isDeletion)
  }

  /// What a store of this module keeps of a write, with bytes of its own: it lets them go under its lock, and freeing those
  /// that were passed may run code of the program's (`Data.Deallocator.custom`), which may ask the store.
  init(_ write: StoreWrite, revision: UInt64) {
    self.init(
      key: write.key, revision: revision, bytes: write.bytes.withUnsafeBytes { Data($0) },
      isDeletion: write.isDeletion)
  }
}

/// What is to be written.
public struct StoreWrite: Hashable, Sendable {
  public var key: String
  public var bytes: Data
  /// The key holds nothing afterwards. The bytes are kept with the deletion.
  public var isDeletion: Bool
  /// The revision of the key that it replaces; zero: none. Nil: whatever there is.
  public var expected: UInt64?

  public init(key: String, bytes: Data, isDeletion: Bool = false, expected: UInt64? = nil) {
    (self.key, self.bytes, self.isDeletion, self.expected) = (key, bytes, isDeletion, expected)
  }
}

/// What became of a write.
public enum StoreAnswer: Hashable, Sendable {
  /// It is done, and has this revision.
  case stored(revision: UInt64)
  /// The newest revision of the key is another one. Nothing was done.
  case conflict
  /// Nobody knows: the answer was lost, the effect perhaps not.
  case unknown(SharedProblem)
  /// Nothing was done, and it may be tried again: there is no connection.
  case unsent(SharedProblem)
  /// Nothing was done, and trying again would not help.
  case refused(SharedProblem)
}

/// What a watcher is told.
public enum StoreEvent: Hashable, Sendable {
  /// An entry, of a greater revision than those before it.
  case entry(StoreEntry)
  /// What there was has been told. Once, and again after ``reset``.
  case current
  /// The store has lost what it held, like one in the memory of a server that was restarted: revisions begin anew.
  case reset
}
