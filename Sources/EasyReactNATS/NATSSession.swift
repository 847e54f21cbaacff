#if NATS
import Dispatch
import EasyReact
import EasyReactShared
import Foundation
import Synchronization

/// What a store asks of its bucket, over connections that come and go.
final class NATSSession: Sendable {
  enum Reply: Sendable {
    case message(Data)
    /// Nobody there takes such requests.
    case nobody
    /// No answer came: in time, or before the connection was lost.
    case none
    /// It was not sent.
    case unsent
  }
  private struct Request {
    var completion: @Sendable (Reply) -> Void
    var deadline: Duration
  }
  private struct State {
    var requests: [UInt64: Request] = [:]
    var count: UInt64 = 0
    var replies: NATSSubscription?
    /// Counts connections. What was begun on an earlier one goes no further.
    var generation: UInt64 = 0
    var isUp = false
    var isClosed = false
    var created: String?
    var consumers: [WeakConsumer] = []
    /// Beyond these, those that are gone are taken out.
    var mostConsumers = 8
    /// The bucket is being asked for once more, on a connection that is up.
    var isLooking = false
  }
  private struct WeakConsumer { weak var consumer: NATSConsumer? }

  let options: NATSOptions
  let stream: JetStream
  let scheduler: any NodeScheduler
  private let linkSlot = Mutex<NATSLink?>(nil)
  private let state = Mutex(State())
  private let inbox = NATSSession.inbox()
  private let handler: @Sendable (StoreConnection) -> Void

  var link: NATSLink { linkSlot.withLock { $0! } }
  var now: Duration { scheduler.now }

  static func inbox() -> String {
    "_INBOX." + String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  init(
    _ options: NATSOptions, on scheduler: any NodeScheduler,
    _ handler: @escaping @Sendable (StoreConnection) -> Void
  ) {
    (self.options, self.scheduler, self.handler) = (options, scheduler, handler)
    stream = JetStream(bucket: options.bucket)
    let link = NATSLink(options) { [weak self] in self?.heard($0) }
    linkSlot.withLock { $0 = link }
    connect(after: .zero)
    sweep()
  }

  func close() {
    let requests = state.withLock { state in
      state.isClosed = true
      state.replies = nil
      defer { state.requests = [:] }
      return state.requests.values
    }
    link.close()
    for request in requests { request.completion(.none) }
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: Connections

  /// The client library blocks meanwhile.
  private func connect(after pause: Duration) {
    scheduler.schedule(after: pause) { [weak self] in
      DispatchQueue.global().async { [weak self] in
        guard let self, !isClosed else { return }
        if !link.connect() { connect(after: .milliseconds(500)) }
      }
    }
  }

  private func heard(_ event: NATSLink.Event) {
    if isClosed { return }
    switch event {
    case .opened: opened()
    case .lost(let problem):
      goDown()
      handler(.disconnected(problem))
    case .refused(let problem):
      let wasOpen = state.withLock { $0.generation > 0 && $0.replies != nil }
      goDown()
      state.withLock { $0.replies = nil }
      handler(.refused(problem))
      // It was open, and the client library has given it up.
      if wasOpen { connect(after: .seconds(1)) }
    }
  }

  private func goDown() {
    let (requests, consumers) = state.withLock { state in
      (state.isUp, state.isLooking) = (false, false)
      state.generation += 1
      defer { state.requests = [:] }
      return (state.requests.values, state.consumers.compactMap(\.consumer))
    }
    for consumer in consumers { consumer.stop() }
    for request in requests { request.completion(.none) }
  }

  private func opened() {
    let generation = state.withLock { state in
      state.generation += 1
      return state.generation
    }
    let replies = link.subscribe("\(inbox).*") { [weak self] in self?.answered($0) }
    let old = state.withLock { state in
      defer { state.replies = replies }
      return state.replies
    }
    withExtendedLifetime(old) {}
    openBucket(generation)
  }

  private func isPresent(_ generation: UInt64) -> Bool {
    state.withLock { $0.generation == generation && !$0.isClosed }
  }

  // MARK: The bucket

  private func openBucket(_ generation: UInt64) {
    if !isPresent(generation) { return }
    request(stream.api("STREAM.INFO"), Data()) { [weak self] in self?.found($0, generation) }
  }

  private func found(_ reply: Reply, _ generation: UInt64) {
    if !isPresent(generation) { return }
    guard case .message(let data) = reply else { return again(generation, noJetStream) }
    do throws(JetStream.Failure) {
      let info = try JetStream.decode(data, JetStream.StreamInfo.self)
      guard stream.isBucket(info.config) else {
        return again(generation, wrongKind, isRefusal: true)
      }
      becameUp(info.created, generation)
    } catch  where error.code == 404 {
      if options.makesBucket {
        make(generation)
      } else {
        again(generation, noBucket, isRefusal: true)
      }
    } catch {
      again(generation, failed(error), isRefusal: error.code == 503 && error.number == 10039)
    }
  }

  private func make(_ generation: UInt64) {
    request(stream.api("STREAM.CREATE"), stream.makeStream(options)) { [weak self] reply in
      guard let self, isPresent(generation) else { return }
      guard case .message(let data) = reply else { return again(generation, noJetStream) }
      do throws(JetStream.Failure) {
        becameUp(try JetStream.decode(data, JetStream.StreamInfo.self).created, generation)
      } catch {
        // Another one may have made it meanwhile.
        again(generation, failed(error), isRefusal: error.code == 400 && error.number != 10058)
      }
    }
  }

  private func becameUp(_ created: String, _ generation: UInt64) {
    let (isOther, consumers) = state.withLock { state in
      let isOther = state.created != nil && state.created != created
      state.created = created
      (state.isUp, state.isLooking) = (true, false)
      return (isOther, state.consumers.compactMap(\.consumer))
    }
    if isOther { for consumer in consumers { consumer.forget() } }
    for consumer in consumers { consumer.start(self) }
    handler(.connected)
  }

  private func again(_ generation: UInt64, _ problem: SharedProblem, isRefusal: Bool = false) {
    handler(isRefusal ? .refused(problem) : .disconnected(problem))
    scheduler.schedule(after: isRefusal ? .seconds(1) : .milliseconds(250)) { [weak self] in
      self?.openBucket(generation)
    }
  }

  private var noJetStream: SharedProblem {
    link.problem(
      .unreachable, "the NATS server answers, JetStream does not",
      "Start it with -js; or wait until its cluster has a leader.")
  }
  private var noBucket: SharedProblem {
    link.problem(
      .wrongKind, "there is no bucket “\(options.bucket)”",
      "Make it, or let `makesBucket` be true in NATSOptions.")
  }
  private var wrongKind: SharedProblem {
    link.problem(
      .wrongKind, "the stream \(stream.stream) is no key-value bucket of a history of 1 to 64",
      "Choose another `bucket` in NATSOptions.")
  }
  private func failed(_ failure: JetStream.Failure) -> SharedProblem {
    link.problem(
      .refused,
      "JetStream says of bucket “\(options.bucket)”: \(failure.description) (\(failure.number))",
      "See the NATSOptions, and the server's limits.")
  }

  // MARK: Consumers

  func add(_ consumer: NATSConsumer) {
    let (isUp, present) = state.withLock { state in
      // Returned, so that none that others let go of meanwhile dies under the lock.
      var present: [NATSConsumer] = []
      state.consumers.append(WeakConsumer(consumer: consumer))
      if state.consumers.count > state.mostConsumers {
        present = state.consumers.compactMap(\.consumer)
        state.consumers = present.map { WeakConsumer(consumer: $0) }
        state.mostConsumers = 2 * present.count + 8
      }
      return (state.isUp, present)
    }
    _ = consume present
    if isUp { consumer.start(self) }
  }

  func entry(_ message: borrowing NATSLink.Message, _ revision: UInt64) -> StoreEntry {
    let operation = message.header("KV-Operation")
    return StoreEntry(
      key: String(cString: message.subject + stream.prefix.utf8.count), revision: revision,
      bytes: message.data, isDeletion: operation == "DEL" || operation == "PURGE")
  }

  // MARK: Requests

  /// - Parameter completion: Called once.
  func request(
    _ subject: String, _ data: Data, headers: [(String, String)] = [],
    _ completion: @escaping @Sendable (Reply) -> Void
  ) {
    let number = state.withLock { state in
      state.count += 1
      state.requests[state.count] = Request(
        completion: completion, deadline: now + options.answerTimeout)
      return state.count
    }
    if link.publish(data, to: subject, reply: "\(inbox).\(number)", headers: headers) { return }
    take(number)?.completion(.unsent)
  }

  private func take(_ number: UInt64) -> Request? {
    state.withLock { $0.requests.removeValue(forKey: number) }
  }

  private func answered(_ message: borrowing NATSLink.Message) {
    guard let dot = strrchr(message.subject, 46), let request = take(strtoull(dot + 1, nil, 10))
    else { return }
    let data = message.data
    if data.isEmpty, message.header("Status") == "503" { return request.completion(.nobody) }
    request.completion(.message(data))
  }

  /// Four times a second: what nobody answered, and whether the consumers live.
  private func sweep() {
    scheduler.schedule(after: .milliseconds(250)) { [weak self] in
      guard let self, !isClosed else { return }
      let now = now
      let (late, consumers) = state.withLock { state in
        let late = state.requests.filter { $0.value.deadline <= now }
        for number in late.keys { state.requests[number] = nil }
        return (
          late.values.map(\.completion), state.isUp ? state.consumers.compactMap(\.consumer) : []
        )
      }
      for completion in late { completion(.none) }
      if consumers.contains(where: { $0.isLate(at: now) }) { lookAgain() }
      sweep()
    }
  }

  /// The bucket may be gone, or another one: what it is now is asked, then its consumers begin anew.
  func lookAgain() {
    let generation = state.withLock { state -> UInt64? in
      guard state.isUp, !state.isLooking else { return nil }
      state.isLooking = true
      return state.generation
    }
    if let generation { openBucket(generation) }
  }
}
#endif
