// A node's values for tasks that await them.

extension Node {
  /// The values as an asynchronous sequence: first the present one, unless the node is empty, then those
  /// that come.
  ///
  ///     for await name in name.values { print(name) }       // Ada, then each that is set
  ///
  /// A consumer that is slower than the node gets the newest value: never an old one after a newer one,
  /// and always the last one. From an event node, and from what passes its events on, it gets every event.
  /// Another choice is ``values(buffering:file:line:)``; ``NodeValues`` tells how it ends.
  public final var values: NodeValues<Value> { NodeValues(self, nil, at: nil) }

  /// The values as an asynchronous sequence, with a buffer of your choice.
  ///
  ///     for await price in price.values(buffering: .unbounded) { print(price) }   // all, in order
  ///
  /// Each iterator has a buffer of its own. The setter never waits for a consumer.
  /// - Parameter policy: What a slow consumer gets. A capacity that is not positive stops with a message.
  /// - Complexity: O(1) a value.
  public final func values(
    buffering policy: BufferingPolicy, file: StaticString = #fileID, line: UInt = #line
  ) -> NodeValues<Value> {
    if let capacity = policy.capacity, capacity < 1 {
      misuse(
        "values(buffering:)", "the capacity \(capacity) is not positive", self, "Pass one or more.")
    }
    return NodeValues(self, policy, at: SourceLocation(file, line))
  }

  /// Returns the next value that is told after this call. The present one does not count.
  ///
  ///     let answer = try await reply.next()
  ///
  /// The listener is attached before the task is suspended. What is set *before* the call is not waited
  /// for: if the set comes first, or may come first, take an iterator of ``values`` before it. A node
  /// that tells nothing more is waited for until the task is cancelled, which ends the wait at once.
  /// - Throws: `CancellationError`: the task was cancelled.
  public nonisolated(nonsending) final func next(
    file: StaticString = #fileID, line: UInt = #line
  ) async throws(CancellationError) -> Value {
    let consumer = NodeConsumer(
      self, .oldest(1), at: SourceLocation(file, line), hearsPresent: false)
    guard let value = await consumer.next() else { throw CancellationError() }
    return value
  }

  /// Returns the first value that fits, the present one included.
  ///
  ///     let full = try await progress.first { $0 >= 1 }
  ///
  /// `isWanted` is called for every value, in order and with none left out, in the calling task and on the calling actor;
  /// values that come meanwhile wait for it. If none fits, the call waits until the task is cancelled.
  /// - Throws: `CancellationError`: the task was cancelled; or what `isWanted` throws, which ends the call.
  public nonisolated(nonsending) final func first(
    file: StaticString = #fileID, line: UInt = #line, where isWanted: (Value) throws -> Bool
  ) async throws -> Value {
    let consumer = NodeConsumer(self, .unbounded, at: SourceLocation(file, line))
    while let value = await consumer.next() {
      if try isWanted(value) { return value }
    }
    throw CancellationError()
  }
}
