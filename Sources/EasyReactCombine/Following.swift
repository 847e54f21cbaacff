#if canImport(Combine) || OpenCombine
import EasyReact
import Synchronization

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Node {
  /// Returns a node that holds what a publisher tells, as long as somebody holds it or what follows it.
  ///
  ///     let subject = CurrentValueSubject<Int, Never>(1)
  ///     let doubled = Node.following(subject).map { $0 * 2 }
  ///     subject.send(4)                                   // doubled.value == 8
  ///
  /// It subscribes at once and asks for all: a subject or a `@Published` property (`model.$name`) is
  /// read when this returns, and each value is set on the thread that tells it, before `send` returns. The
  /// node is empty before the first value and keeps the last when the publisher has finished. When
  /// nobody holds it any more the subscription is cancelled.
  public static func following<Source: Publisher>(
    _ publisher: Source, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> where Source.Output == Value, Source.Failure == Never {
    let node = Node(file: file, line: line)
    Following<Value, Never, Value>.lead(publisher, to: node) { $0.get() }
    return node
  }

  /// The same for a publisher that may fail: a node of `Result`, whose last value is then the failure.
  ///
  ///     let parsed = Node.following(Just("x").tryMap { try parse($0) })
  ///     let shown = parsed.replaceError(with: 0)
  public static func following<Source: Publisher>(
    _ publisher: Source, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Result<Value, Source.Failure>> where Source.Output == Value {
    let node = Node<Result<Value, Source.Failure>>(file: file, line: line)
    Following<Value, Source.Failure, _>.lead(publisher, to: node) { $0 }
    return node
  }
}

/// An edge without upstream that tells what its subscriber receives. Its node keeps it.
private final class Following<Input: Sendable, Failure: Error, Output: Sendable>:
  NodeTransform<Never, Output>, @unchecked Sendable
{
  // Unchecked: adds a constant.
  private let subscriber: FollowingSubscriber<Input, Failure>

  static func lead(
    _ publisher: some Publisher<Input, Failure>, to node: Node<Output>,
    _ output: @escaping @Sendable (Result<Input, Failure>) -> Output
  ) {
    let subscriber = FollowingSubscriber<Input, Failure>()
    let edge = Following(subscriber)
    edge.to = node
    subscriber.tell = { [weak edge] in edge?.send(output($0)) }
    publisher.subscribe(subscriber)
  }

  private init(_ subscriber: FollowingSubscriber<Input, Failure>) {
    self.subscriber = subscriber
    super.init()
  }

  deinit { subscriber.end() }
}

/// Keeps its subscription, not the node.
private final class FollowingSubscriber<Input: Sendable, Failure: Error>: Subscriber,
  @unchecked Sendable
{
  // Unchecked: `tell` is set before this is subscribed, and never again; the rest is a Mutex.
  var tell: (Result<Input, Failure>) -> Void = { _ in }

  private struct State: @unchecked Sendable {
    // Unchecked: it lies in a Mutex. Any thread may use a subscription that is taken out of it, as Combine
    // has it.
    var subscription: (any Subscription)?
    var isOver = false
  }
  private let state = Mutex(State())

  func receive(subscription: any Subscription) {
    let isWanted = state.withLock { state in
      if state.isOver || state.subscription != nil { return false }
      state.subscription = subscription
      return true
    }
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    tell(.success(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    _ = finish()
    if case .failure(let error) = completion { tell(.failure(error)) }
  }

  /// Nobody holds the node any more.
  func end() { finish()?.cancel() }

  private func finish() -> (any Subscription)? {
    let ended = state.withLock { state in
      defer { state = State(isOver: true) }
      return state
    }
    return ended.subscription
  }
}
#endif
