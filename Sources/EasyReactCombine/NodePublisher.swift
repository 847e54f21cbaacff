#if canImport(Combine) || OpenCombine
import EasyReact

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Node {
  /// The values as a publisher that never fails: first the present one, unless the node is empty, then
  /// those that come.
  ///
  ///     let cancellable = price.publisher.map { "\($0) €" }.sink { print($0) }      // 4 €
  ///     price.value = 5                                                             // 5 €
  ///
  /// Each subscriber is a listener of its own. It gets as many values as it has asked for, in order, one
  /// at a time; of those that come while it has asked for none it gets the newest when it asks again.
  /// It is called by the thread that sets, by the one that asks, or by one that is calling it already.
  ///
  /// What a subscriber does meanwhile is safe: it may ask, cancel, and set this node, whose value it
  /// hears when it has returned. A subscription keeps the node and its subscriber until it is cancelled,
  /// which frees what waits; a node does not complete.
  public final var publisher: NodePublisher<Value> { NodePublisher(self) }
}

/// The values of a node as a publisher: ``EasyReact/Node/publisher``.
public struct NodePublisher<Output: Sendable>: Publisher, Sendable {
  public typealias Failure = Never

  private let node: Node<Output>
  init(_ node: Node<Output>) { self.node = node }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    let subscription = NodeSubscription<Output> { subscriber.receive($0) }
    subscription.listen(to: node)  // so nothing is lost that comes before the subscriber asks
    subscriber.receive(subscription: subscription)
  }
}
#endif
