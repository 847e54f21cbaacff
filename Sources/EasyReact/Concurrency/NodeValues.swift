/// The values of a node as an asynchronous sequence: ``Node/values``.
///
///     for await price in price.values {
///       print(price)                        // 4, the present one, then each that comes
///       if price > 100 { break }
///     }
///
/// Each iterator is a listener of its own, attached when it is made: nothing is lost between making it
/// and its first `next()`, and several tasks may each iterate over one sequence. It is not `Sendable`; a
/// copy of it shares what it has taken.
///
/// Cancelling the task that waits ends the wait at once, with nil, even if values are left; after that only nil
/// comes. Releasing the iterator ends the listening; so does the end of its task, or of the loop.
/// Sequence and iterator keep the node, so a loop that nobody cancels waits for ever: the sequence has
/// no end of its own. Known as `values` of a publisher in Combine.
public struct NodeValues<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let node: Node<Element>
  private let policy: BufferingPolicy?
  private let location: SourceLocation?

  init(_ node: Node<Element>, _ policy: BufferingPolicy?, at location: SourceLocation?) {
    self.node = node
    self.policy = policy
    self.location = location
  }

  /// Listens to the node from now on.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: NodeConsumer(node, policy, at: location))
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: NodeConsumer<Element>

    /// The next value; nil, for good, once the task has been cancelled.
    ///
    /// Two tasks that wait for one iterator at the same time stop with a message.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await consumer.next()
    }

    /// The same on the calling actor.
    public nonisolated(nonsending) mutating func next() async -> Element? {
      await consumer.next()
    }
  }
}

@available(*, unavailable)
extension NodeValues.Iterator: Sendable {}

/// A listener whose values are taken by a task. Releasing it ends the listening.
final class NodeConsumer<Value: Sendable>: Sendable {
  private let buffer: ValueBuffer<Value>
  private let listening: Listening

  /// - Parameter hearsPresent: Is the present value the first?
  init(
    _ node: Node<Value>, _ policy: BufferingPolicy?, at location: SourceLocation?,
    hearsPresent: Bool = true
  ) {
    let buffer = ValueBuffer<Value>(policy, of: node)
    self.buffer = buffer
    // A state says that the value is taken here, and heard elsewhere: no listener of the user's runs on this thread.
    listening = node.startListening(at: location, state: EdgeState(), hearsPresent: hearsPresent) {
      up, _, turn in
      buffer.append(up.slot(Value.self).pointee, isEvent: turn.isEvent)
      return false
    }
  }

  /// Nil: the task has been cancelled. What was kept for it is gone then.
  nonisolated(nonsending) func next() async -> Value? {
    if let value = await buffer.next() { return value }
    listening.cancel()
    buffer.clear()
    return nil
  }
}
