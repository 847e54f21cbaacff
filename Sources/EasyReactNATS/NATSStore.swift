#if NATS
import Dispatch
import EasyReact
import EasyReactShared
import Foundation
import Synchronization

/// A store in NATS: a key-value bucket of JetStream, for processes of any number of machines.
///
///     let store = NATSStore(NATSOptions(servers: ["nats://127.0.0.1:4222"]))
///     let price = store.node("price", of: Int.self)
///
/// It returns at once, even if there is no server: ``connection`` says so, and when one comes the store goes on. What is set meanwhile
/// waits in the nodes. After a loss of connection, or of the cluster's leader, it goes on after the last revision that it told: no
/// gap, and no repetition, as long as the bucket's history reaches back.
///
/// One subscription serves all nodes of a store, and the newest entry of every key of the bucket is in memory: what belongs to other
/// programs lies in other buckets. Nodes are told on the client library's threads.
///
/// It belongs to the trait `NATS`, and needs libnats.
public final class NATSStore: SharedStore {
  fileprivate struct State {
    var entries: [String: StoreEntry] = [:]
    var watchers = Watchers()
    var isCurrent = false
  }
  /// What the session's callbacks reach, which do not keep the store.
  fileprivate final class Shelf: Sendable {
    let state = Mutex(State())
    let connection = MutableNode<StoreConnection>(.connecting).named("connection")
  }
  private let shelf = Shelf()
  private let session: NATSSession
  private let consumer: NATSConsumer
  public let nodes: SharedNodes
  public let scheduler: any NodeScheduler
  public var connection: Node<StoreConnection> { shelf.connection }

  /// - Parameter options: Where, and how. A bucket's name that NATS does not allow, or a history that is not 1 to 64, stops with a message.
  public init(_ options: NATSOptions = NATSOptions()) {
    let canBeBucket =
      !options.bucket.isEmpty
      && options.bucket.utf8.allSatisfy {
        $0 == 45 || $0 == 95 || 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0
      }
    if !canBeBucket {
      fatalError(
        "NATSStore: “\(options.bucket)” cannot be a bucket. Use letters, digits, - and _ of ASCII.")
    }
    if !(1...64 ~= options.history) {
      fatalError(
        "NATSStore: a history of \(options.history). A bucket keeps 1 to 64 entries of a key.")
    }
    if !(1...5 ~= options.replicas) {
      fatalError("NATSStore: \(options.replicas) replicas. A bucket has 1 to 5.")
    }
    nodes = SharedNodes(limit: options.limit)
    scheduler = QueueScheduler(DispatchQueue(label: "NATSStore"))
    let shelf = shelf
    session = NATSSession(options, on: scheduler) { shelf.heard($0) }
    consumer = NATSConsumer(of: session.stream.prefix + ">", after: nil, on: scheduler) {
      shelf.heard($0)
    }
    session.add(consumer)
  }

  deinit {
    consumer.end()
    session.close()
  }

  // MARK: Asking

  public func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void
  ) {
    let stream = session.stream
    session.request(stream.api("STREAM.MSG.GET"), stream.newest(of: key)) { [session] reply in
      guard case .message(let data) = reply else {
        return completion(.failure(session.unanswered))
      }
      do throws(JetStream.Failure) {
        completion(
          .success(stream.entry(try JetStream.decode(data, JetStream.Stored.self).message)))
      } catch { completion(error.code == 404 ? .success(nil) : .failure(session.unanswered)) }
    }
  }

  public func write(
    _ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    if let problem = SharedProblem(badKey: write.key) {
      return later(.refused(problem), completion)
    }
    // The limit is of the message with its headers and subject.
    let limit = session.link.messageLimit - 256 - write.key.utf8.count
    if write.bytes.count > limit {
      return later(.refused(.tooLarge(write.bytes.count, limit: limit, key: write.key)), completion)
    }
    var headers: [(String, String)] = []
    if let expected = write.expected {
      headers.append(("Nats-Expected-Last-Subject-Sequence", String(expected)))
    }
    if write.isDeletion { headers.append(("KV-Operation", "DEL")) }
    session.request(session.stream.prefix + write.key, write.bytes, headers: headers) {
      [session] reply in
      switch reply {
      case .message(let data): completion(session.answer(data, to: write))
      case .nobody, .unsent: completion(.unsent(session.unanswered))
      case .none: completion(.unknown(session.unanswered))
      }
    }
  }

  private func later(_ answer: StoreAnswer, _ completion: @escaping @Sendable (StoreAnswer) -> Void)
  {
    scheduler.schedule { completion(answer) }
  }

  public func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable {
    if let revision { return watchAlone(key, after: revision, handler) }
    let shelf = shelf
    let watcher = Watcher(
      key, on: scheduler,
      forget: { watcher in _ = shelf.state.withLock { $0.watchers.remove(watcher) } },
      handler)
    let due = shelf.state.withLock { state in
      if let entry = state.entries[key] { state.watchers.append(.entry(entry), to: watcher) }
      if state.isCurrent { state.watchers.append(.current, to: watcher) }
      state.watchers.add(watcher)
      return state.watchers.takeDue()
    }
    for watcher in due { watcher.tellLater() }
    return Watching { watcher.cancel() }
  }

  /// With a consumer of its own, for what lies before the newest entry.
  private func watchAlone(
    _ key: String, after revision: UInt64, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable {
    let consumer = NATSConsumer(
      of: session.stream.prefix + key, after: revision, on: scheduler, handler)
    session.add(consumer)
    return Watching { consumer.end() }
  }
}

extension NATSSession {
  fileprivate var unanswered: SharedProblem {
    link.problem(.unreachable, "the NATS server does not answer", "It is tried again by itself.")
  }

  func answer(_ data: Data, to write: StoreWrite) -> StoreAnswer {
    if let revision = JetStream.acknowledged(data) { return .stored(revision: revision) }
    do throws(JetStream.Failure) {
      return .stored(revision: try JetStream.decode(data, JetStream.Acknowledgement.self).seq)
    } catch {
      let problem = link.problem(
        .refused,
        "JetStream refuses a write of key “\(write.key)”: \(error.description) (\(error.number))",
        "See the limits of the bucket “\(options.bucket)”.")
      switch error.number {
      // The second: another write of the key is under way. Later servers say so, and nobody knows yet whether it will be done.
      case 10071, 10164: return .conflict
      case 10054:
        return .refused(.tooLarge(write.bytes.count, limit: link.messageLimit, key: write.key))
      default: return error.code >= 500 || error.code == 0 ? .unknown(problem) : .refused(problem)
      }
    }
  }
}

extension NATSStore.Shelf {
  fileprivate func heard(_ connection: StoreConnection) {
    if self.connection.value != connection { self.connection.value = connection }
  }

  /// Told here, on the client library's thread, without another hop.
  fileprivate func heard(_ event: StoreEvent) {
    let first = state.withLock { state in
      switch event {
      case .entry(let entry):
        state.entries[entry.key] = entry
        return state.watchers.of(entry.key).filter { $0.enqueue(event) }
      case .current: state.isCurrent = true
      case .reset: (state.entries, state.isCurrent) = ([:], false)
      }
      var first: [Watcher] = []
      state.watchers.forEach { if $0.enqueue(event) { first.append($0) } }
      return first
    }
    for watcher in first { watcher.tell() }
  }
}
#endif
