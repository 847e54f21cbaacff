import Synchronization

// Asynchronous sequences that are played into a node.

extension Node {
  /// Returns a node that plays an asynchronous sequence, as long as somebody holds it or what follows it.
  ///
  ///     let lines = Node.following(AsyncStream<String> { $0.yield("hello") })
  ///     let shown = lines.listenOnMain { print($0) }        // hello
  ///
  /// The iterator is made at once, and its elements are pulled by a task from then on, whether or not anybody listens:
  /// one at a time, the next after the previous set has returned. The node is empty before the first, and
  /// keeps the last when the sequence has ended. When nobody holds it any more the task is cancelled,
  /// and nothing is told any more. A sequence that has just given an element is asked once more, so that it
  /// hears of the cancellation; one that ignores its cancellation keeps what it has until it has gone on by itself. Sets
  /// are made on threads of the concurrent executor; `deliver(on:)` moves what follows elsewhere.
  ///
  /// The task has the priority of the one that calls. ``settled()`` does not wait for it.
  public static func following<Elements: AsyncSequence>(
    _ sequence: sending Elements, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> where Elements.Element == Value, Elements.Failure == Never {
    follow(sequence, SourceLocation(file, line)) { $0.get() }
  }

  /// The same for a sequence that may throw: a node of `Result`, whose last value is then the failure.
  ///
  ///     let bytes = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: CancellationError()) }
  ///     let read = Node.following(bytes)                    // Node<Result<Int, any Error>>
  ///     let shown = read.replaceError(with: 0)              // 0
  public static func following<Elements: AsyncSequence>(
    _ sequence: sending Elements, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Result<Value, Elements.Failure>> where Elements.Element == Value {
    follow(sequence, SourceLocation(file, line)) { $0 }
  }

  private static func follow<Elements: AsyncSequence, Output: Sendable>(
    _ sequence: sending Elements, _ location: SourceLocation,
    _ output: @escaping @Sendable (Result<Value, Elements.Failure>) -> Output
  ) -> Node<Output> where Elements.Element == Value {
    let node: MutableNode<Output> = makeSource(nil, isMutable: false, location)
    let player = SequencePlayer<Output>()
    player.to = node  // which keeps it
    var iterator = sequence.makeAsyncIterator()
    player.play { await iterator.nextResult().map { (output($0), $0.isFailure) } }
    return node
  }
}

/// An edge without upstream that tells what a task pulls from a sequence.
private final class SequencePlayer<Output: Sendable>: NodeTransform<Never, Output>,
  @unchecked Sendable
{
  // Unchecked: adds a Mutex.
  private let task = Mutex<Task<Void, Never>?>(nil)

  override init() { super.init(.following) { EdgeParts { _, _, _ in false } } }

  deinit { task.withLock { $0 }?.cancel() }

  /// The task keeps neither this nor the node while it waits.
  ///
  /// - Parameter pull: Nobody else calls it, or has what it captured.
  func play(_ pull: @escaping () async -> (value: Output, isLast: Bool)?) {
    // Unsafe: the task alone has it from here on. `sending` says so too, and warns of a generic iterator's
    // type.
    nonisolated(unsafe) let pull = pull
    let started = Task { [weak self] in
      while let (value, isLast) = await pull() {
        if let self { self.send(value) } else if !isLast { return await Self.tellOfEnd(pull) }
        if isLast { return }
      }
    }
    task.withLock { $0 = started }
  }

  /// A sequence that has just given an element was not waiting when its task was cancelled. It hears of that when it is
  /// asked once more, as in a loop that is cancelled: a stream tells its producer.
  private static func tellOfEnd(_ pull: () async -> (value: Output, isLast: Bool)?) async {
    withUnsafeCurrentTask { $0?.cancel() }
    _ = await pull()
  }
}

extension AsyncIteratorProtocol {
  /// Nil: the sequence has ended.
  fileprivate mutating func nextResult() async -> Result<Element, Failure>? {
    do {
      return try await next(isolation: nil).map { .success($0) }
    } catch {
      return .failure(error)
    }
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
