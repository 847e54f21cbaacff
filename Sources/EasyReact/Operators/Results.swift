import Synchronization

// Nodes of results. A node tells no error of its own: what may fail holds a `Result`.

extension Node {
  /// Returns a node of what `transform` makes of each value, or of the error that it throws.
  ///
  ///     let number = text.tryMap { try parse($0) }       // Node<Result<Int, any Error>>
  ///     let typed = text.tryMap(parse)                   // Node<Result<Int, ParseError>>: it throws(ParseError)
  ///
  /// The closure runs once a value, on the thread that delivers it, the present value's at once. A
  /// failure is a value like any other: what follows goes on. Emptying does nothing. A function that
  /// throws one type of error keeps that type; for a closure, state it: `{ text throws(ParseError) in … }`. Known
  /// as `tryMap` in Combine, `map` with a throwing closure in RxSwift, `attemptMap` in ReactiveSwift;
  /// there the first failure ends the stream.
  @inlinable
  public final func tryMap<Output: Sendable, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws(Failure) -> Output
  ) -> Node<Result<Output, Failure>> {
    derive(.tryMap, SourceLocation(file, line), Result<Output, Failure>.self) { up, edge, turn in
      edge.pass(result(of: up.slot(Value.self).pointee, transform), from: up, in: turn)
    }
  }

  /// The same for the successes of a node of results; failures pass as they are.
  ///
  ///     let user = text.tryMap(parse).tryMap { try load($0) }
  ///
  /// With a closure that throws the failures' own type, or nothing, the results keep that type; else it
  /// is `any Error`.
  @inlinable
  public final func tryMap<Success: Sendable, Failure: Error, Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Success) throws(Failure) -> Output
  ) -> Node<Result<Output, Failure>> where Value == Result<Success, Failure> {
    derive(.tryMap, SourceLocation(file, line), Result<Output, Failure>.self) { up, edge, turn in
      let next: Result<Output, Failure>
      switch up.slot(Value.self).pointee {
      case .success(let success): next = result(of: success, transform)
      case .failure(let error): next = .failure(error)
      }
      return edge.pass(next, from: up, in: turn)
    }
  }

  /// The same for a closure that throws a type of error other than that of the failures.
  @inlinable
  public final func tryMap<Success: Sendable, Failure: Error, Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Success) throws -> Output
  ) -> Node<Result<Output, any Error>> where Value == Result<Success, Failure> {
    derive(.tryMap, SourceLocation(file, line), Result<Output, any Error>.self) { up, edge, turn in
      let next: Result<Output, any Error>
      switch up.slot(Value.self).pointee {
      case .success(let success): next = result(of: success, transform)
      case .failure(let error): next = .failure(error)
      }
      return edge.pass(next, from: up, in: turn)
    }
  }

  /// Returns a node of the values of the successes; it keeps the last one through failures.
  ///
  ///     let shown = loaded.successes()        // .success(1), .failure(e), .success(2) -> 1, 2
  ///
  /// Known as `elements()` after `materialize()` in RxSwift and ReactiveSwift (`values`).
  @inlinable
  public final func successes<Success: Sendable, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Success> where Value == Result<Success, Failure> {
    derive(.successes, SourceLocation(file, line), Success.self) { up, edge, turn in
      guard case .success(let success) = up.slot(Value.self).pointee else {
        return edge.stop(.filtered, in: turn)
      }
      return edge.pass(success, from: up, in: turn)
    }
  }

  /// Returns a node of the errors of the failures; it keeps the last one through successes.
  ///
  ///     let alarm = loaded.failures().map { "\($0)" }
  ///
  /// Known as `errors()` after `materialize()` in RxSwift, `errors` in ReactiveSwift's actions.
  @inlinable
  public final func failures<Success: Sendable, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Failure> where Value == Result<Success, Failure> {
    derive(.failures, SourceLocation(file, line), Failure.self) { up, edge, turn in
      guard case .failure(let error) = up.slot(Value.self).pointee else {
        return edge.stop(.filtered, in: turn)
      }
      return edge.pass(error, from: up, in: turn)
    }
  }

  /// Returns a node in which `transform` has changed each error; successes pass as they are.
  ///
  ///     let readable = loaded.mapError { Problem($0) }
  ///
  /// Known as `mapError` in Combine and ReactiveSwift, `catch` with `throw` in RxSwift.
  @inlinable
  public final func mapError<Success: Sendable, Failure: Error, Other: Error>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Failure) -> Other
  ) -> Node<Result<Success, Other>> where Value == Result<Success, Failure> {
    derive(.mapError, SourceLocation(file, line), Result<Success, Other>.self) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee.mapError(transform), from: up, in: turn)
    }
  }

  /// Returns a node of the successes, with `value` in place of each failure.
  ///
  ///     let count = loaded.replaceError(with: 0)      // .success(3), .failure(e) -> 3, 0
  ///
  /// Known as `replaceError(with:)` in Combine, `catchAndReturn` in RxSwift; there the first failure
  /// ends the stream after it.
  @inlinable
  public final func replaceError<Success: Sendable, Failure: Error>(
    with value: Success, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Success> where Value == Result<Success, Failure> {
    derive(.replaceError, SourceLocation(file, line), Success.self) { up, edge, turn in
      if case .success(let success) = up.slot(Value.self).pointee {
        return edge.pass(success, from: up, in: turn)
      }
      return edge.pass(value, from: up, in: turn)
    }
  }

  /// Returns a node of the successes which, after a failure, follows the node that `handler` makes
  /// of the error, until the next result.
  ///
  ///     let page = loaded.catch { error in cache.page(for: error) }
  ///
  /// The inner node's present value is told at once, with the failure's context; one that is empty
  /// leaves the result as it is until it tells something. The next success or failure leaves it.
  /// Emptying this node does nothing. Known as `catch` in RxSwift and Combine, `flatMapError` in
  /// ReactiveSwift; there the upstream is over after its failure, here its next success counts
  /// again.
  public final func `catch`<Success: Sendable, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line,
    _ handler: @escaping @Sendable (Failure) -> Node<Success>
  ) -> Node<Success> where Value == Result<Success, Failure> {
    let transform = NodeTransform<Value, Success>(.catch) {
      let following = LatestInnerNode<Success>(emptiesResult: false)
      return EdgeParts(state: following) { up, edge, turn in
        switch up.slot(Value.self).pointee {
        case .failure(let error): following.follow(handler(error), over: edge, from: up, turn)
        case .success(let value): following.leave(for: value, over: edge, from: up, turn)
        }
      }
    }
    return derive(through: transform, isHead: true, SourceLocation(file, line))
  }
}

/// `Result(catching:)`, of a closure of one parameter.
@inlinable @inline(__always) func result<Value, Output, Failure: Error>(
  of value: Value, _ transform: (Value) throws(Failure) -> Output
) -> Result<Output, Failure> {
  do { return .success(try transform(value)) } catch { return .failure(error) }
}

// MARK: - Trying again

extension Node {
  /// Returns a node of what the attempts for the latest value tell: a failure is followed by another
  /// attempt, up to `times`, each `delay` after the failure; the last failure is told.
  ///
  ///     let page = link.retry(times: 3, delay: .seconds(1), on: .main) { load($0) }
  ///
  /// `attempt` makes a node for each try: at first at once, on the thread that delivers the value;
  /// then on the scheduler. So `times: 3` makes four nodes at most, and four more for each set that came while
  /// another thread was inside the result. A success is told, and the node
  /// is followed further; a failure after it uses up what is left of the tries. A newer value leaves
  /// the attempts for the one before, and begins to count anew. Until its attempts tell something
  /// the result is empty, as that of `flattenMap` is, so it never holds the answer to an older value;
  /// ``successes(file:line:)`` after it keeps the last page that was loaded. Cutting the edge or
  /// releasing the result drops the attempt that waits. The first result carries the value's context
  /// if the node holds it at once; a later attempt's carries none.
  ///
  /// Known as `retry` in RxSwift and Combine, `retry(upTo:interval:on:)` in ReactiveSwift, which
  /// subscribe to the same upstream again. A node cannot be subscribed to again, so what is tried
  /// again is the closure.
  /// - Parameter times: How many more attempts after the first: zero or more; a negative number
  ///   stops with a message.
  /// - Parameter delay: Greater than zero; anything else stops with a message.
  public final func retry<Success: Sendable, Failure: Error>(
    times: Int, delay: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line, _ attempt: @escaping @Sendable (Value) -> Node<Result<Success, Failure>>
  ) -> Node<Result<Success, Failure>> {
    requireCount(times, "retry")
    requirePositive(delay, "retry", self)
    return flattenMap(file: file, line: line) { value in
      tries(value, times, attempt(value), file, line, attempt) { work in
        scheduler.schedule(after: delay, work)
      }
    }
  }

  /// The same without a delay: another attempt follows a failure in the same turn.
  ///
  ///     let port = base.retry(times: 10) { open($0) }
  ///
  /// Attempts that hold a failure when they are made are tried one after the other before anything is told; what the first
  /// attempt without one holds, or the last attempt, carries the value's context.
  public final func retry<Success: Sendable, Failure: Error>(
    times: Int, file: StaticString = #fileID, line: UInt = #line,
    _ attempt: @escaping @Sendable (Value) -> Node<Result<Success, Failure>>
  ) -> Node<Result<Success, Failure>> {
    requireCount(times, "retry")
    return flattenMap(file: file, line: line) { value in
      // Those that fail at once, before anything follows them: their failures are told to nobody, and what the last one
      // has is told as part of the value's wave, so that a ring ends.
      var left = times, first = attempt(value)
      while left > 0, case .failure? = first.storage.readStored(Result<Success, Failure>.self) {
        left -= 1
        first = attempt(value)
      }
      return tries(value, left, first, file, line, attempt) { work in
        work()
        return ClosureCancelable.over
      }
    }
  }
}

/// The attempts for one value: a node that is told each one's number, the attempt that this makes (except for the first one,
/// which is there), and an edge that keeps the failures back which are followed by another attempt.
private func tries<Value: Sendable, Success: Sendable, Failure: Error>(
  _ value: Value, _ times: Int, _ first: Node<Result<Success, Failure>>, _ file: StaticString,
  _ line: UInt,
  _ attempt: @escaping @Sendable (Value) -> Node<Result<Success, Failure>>,
  _ again: @escaping @Sendable (@escaping @Sendable () -> Void) -> any Cancelable
) -> Node<Result<Success, Failure>> {
  let number = MutableNode(0, file: file, line: line)
  let present = Mutex<Node<Result<Success, Failure>>?>(first)
  let attempts = number.flattenMap(file: file, line: line) { _ in
    present.withLock { $0.take() } ?? attempt(value)
  }
  let result = Node<Result<Success, Failure>>(file: file, line: line)
  result.wiring.link(to: attempts, through: Retrying(times, number, again))
  return result
}

private final class Retrying<Success: Sendable, Failure: Error>:
  NodeTransform<Result<Success, Failure>, Result<Success, Failure>>, @unchecked Sendable
{
  // Unchecked: adds constants, an atomic and a Mutex.
  /// Below zero: a failure came that was told. Atomic, for anybody may call `receive`.
  private let left: Atomic<Int>
  /// Upstream of this edge, which keeps it.
  private weak let number: MutableNode<Int>?
  private let again: @Sendable (@escaping @Sendable () -> Void) -> any Cancelable
  private let waiting = Mutex<(any Cancelable)?>(nil)

  init(
    _ times: Int, _ number: MutableNode<Int>,
    _ again: @escaping @Sendable (@escaping @Sendable () -> Void) -> any Cancelable
  ) {
    left = Atomic(times)
    self.number = number
    self.again = again
    super.init()
  }

  deinit { waiting.withLock { $0 }?.cancel() }

  override var defaultName: String { "Retry" }

  override func receive(
    _ value: Result<Success, Failure>, from sender: AnyNode?, context: (any Sendable)?
  ) {
    guard case .failure = value, left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 else {
      return send(value)
    }
    // If the scheduler does not wait, a batch may be open, which another attempt is no part of.
    let timer = again { [weak number] in aside { number?.update { $0 += 1 } } }
    let old = waiting.withLock { waiting in
      defer { waiting = timer }
      return waiting
    }
    old?.cancel()
  }
}
