#if NATS
import EasyReact
import EasyReactShared
import Foundation
import Synchronization

/// Tells the entries of a bucket in order, without gap or repetition, over any number of connections.
///
/// The server forgets a consumer, or stalls, when it or its cluster's leader goes; so this knows the last revision that it told, and
/// begins a new one after that: on a new connection, when a number is missing, and when the server's heartbeat is.
final class NATSConsumer: Sendable {
  private struct State {
    var subscription: NATSSubscription?
    /// Counts the consumers of the server's; what comes from an earlier one does not count.
    var number: UInt64 = 0
    /// The last number that the present one gave to a message.
    var delivered: UInt64 = 0
    /// Nil: nothing yet, and it begins with the newest entry of each key.
    var lastRevision: UInt64?
    var lastHeard: Duration = .zero
    var isRunning = false
    var isOver = false
  }
  private let state: Mutex<State>
  private let filter: String
  private let first: UInt64?
  /// What it tells is appended under the lock, so that its order is that in which it was found good; and told without.
  private let watcher: Watcher
  private let inbox = NATSSession.inbox()
  /// The server says each second that it lives.
  static let patience = Duration.milliseconds(3_500)

  /// - Parameter revision: Begins after it; nil: with the newest entry of each key.
  init(
    of filter: String, after revision: UInt64?, on scheduler: any NodeScheduler,
    _ told: @escaping @Sendable (StoreEvent) -> Void
  ) {
    (self.filter, first) = (filter, revision)
    watcher = Watcher(filter, on: scheduler, forget: { _ in }, told)
    state = Mutex(State(lastRevision: revision))
  }

  /// Begins anew, after what was told last.
  func start(_ session: NATSSession) {
    let (number, revision) = state.withLock { state in
      state.number += 1
      state.delivered = 0
      state.isRunning = !state.isOver
      state.lastHeard = session.now
      return (state.number, state.lastRevision)
    }
    let subject = "\(inbox).\(number)"
    let subscription = session.link.subscribe(subject) { [weak self, weak session] message in
      if let self, let session { heard(message, number, session) }
    }
    let old = state.withLock { state in
      if state.number != number || state.isOver { return subscription }
      defer { state.subscription = subscription }
      return state.subscription
    }
    withExtendedLifetime(old) {}  // ended without the lock
    let request = session.stream.makeConsumer(to: subject, of: filter, after: revision)
    session.request(session.stream.api("CONSUMER.CREATE"), request) {
      [weak self, weak session] reply in
      if let self, let session { made(reply, number, session) }
    }
  }

  private func made(_ reply: NATSSession.Reply, _ number: UInt64, _ session: NATSSession) {
    if case .message(let data) = reply,
      let info = try? JetStream.decode(data, JetStream.ConsumerInfo.self)
    {
      if info.num_pending ?? 0 == 0 { becameCurrent(number) }
      return
    }
    session.scheduler.schedule(after: .milliseconds(250)) { [weak self, weak session] in
      if let self, let session, isPresent(number) { session.lookAgain() }
    }
  }

  private func isPresent(_ number: UInt64) -> Bool {
    state.withLock { $0.number == number && $0.isRunning }
  }

  func stop() { state.withLock { $0.isRunning = false } }

  /// For good.
  func end() {
    let subscription = state.withLock { state in
      (state.isOver, state.isRunning) = (true, false)
      return state.subscription.take()
    }
    withExtendedLifetime(subscription) {}
    watcher.cancel()
  }

  /// The bucket is another one, and what is still on its way comes from the former.
  func forget() {
    tell { state in
      state.number += 1
      state.lastRevision = first.map { _ in 0 }
      return .reset
    }
  }

  private func becameCurrent(_ number: UInt64) {
    tell { state in
      if state.number != number || !state.isRunning { return nil }
      // From now on all that comes is to be told.
      state.lastRevision = state.lastRevision ?? 0
      return .current
    }
  }

  private func tell(_ change: (inout State) -> StoreEvent?) {
    let isFirst = state.withLock { state in change(&state).map { watcher.enqueue($0) } ?? false }
    if isFirst { watcher.tell() }
  }

  /// A heartbeat is missing. Said once: then the patience begins anew.
  func isLate(at now: Duration) -> Bool {
    state.withLock { state in
      guard state.isRunning, now - state.lastHeard > Self.patience else { return false }
      state.lastHeard = now
      return true
    }
  }

  // MARK: What comes

  private func heard(
    _ message: borrowing NATSLink.Message, _ number: UInt64, _ session: NATSSession
  ) {
    if let status = message.header("Status") {
      return heardStatus(status, message, number, session)
    }
    guard let reply = message.reply, let place = Place(reply) else { return }
    let entry = session.entry(message, place.revision), now = session.now
    var isGap = false
    tell { state in
      if state.number != number || state.isOver { return nil }
      state.lastHeard = now
      isGap = place.delivered != state.delivered + 1
      if isGap { return nil }
      state.delivered = place.delivered
      if place.revision <= state.lastRevision ?? 0 { return nil }
      state.lastRevision = place.revision
      return .entry(entry)
    }
    if isGap { return start(session) }
    if place.pending == 0 { becameCurrent(number) }
  }

  /// A heartbeat, or a question whether we keep up.
  private func heardStatus(
    _ status: String, _ message: borrowing NATSLink.Message, _ number: UInt64,
    _ session: NATSSession
  ) {
    guard status == "100" else { return }
    if let reply = message.reply, reply[0] != 0 {
      _ = session.link.publish(Data(), to: String(cString: reply))
    }
    if let stalled = message.header("Nats-Consumer-Stalled") {
      _ = session.link.publish(Data(), to: stalled)
    }
    let last = message.header("Nats-Last-Consumer").flatMap { UInt64($0) }
    let isGap = state.withLock { state in
      if state.number != number || state.isOver { return false }
      state.lastHeard = session.now
      return last.map { $0 > state.delivered } ?? false
    }
    if isGap { start(session) }
  }

  /// What the server says with a message: `$JS.ACK.STREAM.CONSUMER.TRIES.REVISION.NUMBER.TIME.PENDING`, or with the domain and the
  /// account before the stream.
  private struct Place {
    let revision, delivered, pending: UInt64

    /// - Parameter reply: Zero ends it. Its bytes are read where they are, for this is done with every entry.
    init?(_ reply: UnsafePointer<CChar>) {
      let bytes = UnsafeRawBufferPointer(start: reply, count: strlen(reply))
      let count = 1 + bytes.count { $0 == UInt8(ascii: ".") }
      guard count == 9 || count >= 11 else { return nil }
      var rest = bytes[...]
      for _ in 0..<(count == 9 ? 5 : 7) { _ = Self.number(&rest) }
      guard let revision = Self.number(&rest), let delivered = Self.number(&rest) else {
        return nil
      }
      _ = Self.number(&rest)
      guard let pending = Self.number(&rest) else { return nil }
      (self.revision, self.delivered, self.pending) = (revision, delivered, pending)
    }

    /// The number up to the next dot, which is left behind; nil: what stands there is none.
    private static func number(_ rest: inout UnsafeRawBufferPointer.SubSequence) -> UInt64? {
      let word = rest.prefix { $0 != UInt8(ascii: ".") }
      rest = rest[word.endIndex...].dropFirst()
      guard !word.isEmpty, word.count < 20, word.allSatisfy({ 48...57 ~= $0 }) else { return nil }
      return word.reduce(0) { $0 &* 10 &+ UInt64($1 - 48) }
    }
  }
}
#endif
