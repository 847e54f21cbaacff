#if canImport(Combine) || OpenCombine
import EasyReact
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// One subscriber of a node's publisher, and what it has not received yet.
final class NodeSubscription<Value: Sendable>: Subscription, Sendable {
  typealias Subscriber = (Value) -> Subscribers.Demand

  private struct State: @unchecked Sendable {
    // Unchecked: it lies in a Mutex. The subscriber, which is taken out of it, is called by one thread at a
    // time, any, as Combine has it.

    /// What a subscriber does with a value; nil: cancelled.
    var subscriber: Subscriber?
    var listening: Listening?
    var demand = Subscribers.Demand.none
    /// What is asked for, and one more at most: the newest of what is not.
    var values = Queue<Value>()
    /// Whether a thread is calling the subscriber, and looks again before it goes.
    var isDelivering = false
  }
  private let state: Mutex<State>

  init(_ subscriber: @escaping Subscriber) { state = Mutex(State(subscriber: subscriber)) }

  /// Until it is cancelled the node's edge keeps this, and this the node.
  func listen(to node: Node<Value>) {
    let listening = node.listen { self.append($0) }
    state.withLock { $0.listening = listening }
  }

  private func append(_ value: Value) {
    let dropped = state.withLock { state -> Value? in
      if state.subscriber == nil { return value }
      let dropped = state.demand < state.values.count ? state.values.popLast() : nil
      state.values.append(value)
      return dropped
    }
    _ = consume dropped  // no deinit is run under the lock
    deliver()
  }

  /// To ask for none changes nothing.
  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    deliver()
  }

  /// Frees what it keeps; where a thread is calling the subscriber, once that call has returned.
  func cancel() {
    let ended = state.withLock { state in
      defer { state = State(isDelivering: state.isDelivering) }
      return state
    }
    ended.listening?.cancel()
    _ = consume ended  // as above
  }

  /// Calls the subscriber with what it has asked for. Where that is being done already, in this call's
  /// caller or on another thread, it is done there.
  private func deliver() {
    let isMine = state.withLock { state in
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    while isMine, let (subscriber, value) = next() {
      let demand = subscriber(value)
      state.withLock { $0.demand += demand }
    }
  }

  /// Nil: there is nothing to be delivered any more.
  private func next() -> (Subscriber, Value)? {
    state.withLock { state in
      guard let subscriber = state.subscriber, state.demand > .none,
        let value = state.values.popFirst()
      else {
        state.isDelivering = false
        return nil
      }
      state.demand -= 1
      return (subscriber, value)
    }
  }
}

extension NodeSubscription: CustomStringConvertible {
  var description: String { "NodePublisher" }
}
#endif
