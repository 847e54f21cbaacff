// Calling async functions with the values of a node.

extension Node {
  /// Returns a node of what `transform` returns for each value, when it has returned.
  ///
  ///     let found = query.debounce(.milliseconds(300), on: .main).mapAsync { text in
  ///       await index.find(text)                     // a newer text cancels this call
  ///     }
  ///
  /// Each call is a task of its own, which inherits nothing from the task that sets; the result is empty
  /// until the first one has returned. A value that comes while a call is under way cancels that call; another
  /// ``OverlapPolicy`` says otherwise: `mapAsync(.ordered(maxConcurrent: 2)) { … }`. The result of a cancelled
  /// call is never told, even if the closure ignores its cancellation.
  ///
  /// A result is told on the call's thread, or by the thread that is inside the result at that moment. It carries
  /// the context of the value that it answers; the result for an event is an event. Emptying this node does nothing:
  /// what is under way goes on. Cutting the
  /// edge, or releasing the result, cancels what is under way and drops what waits (after a thread that is inside the
  /// result has left it); a closure that ignores its
  /// cancellation keeps what it has captured until it returns, and nothing else is kept.
  ///
  /// ``EasyReact/settled()`` does not wait for calls. In a test let them run in virtual time:
  /// `mapAsync(on:)`. Known as `flatMapLatest` of a `Single` or a `Future` in Rx and Combine;
  /// `.task(id:)` in SwiftUI; with one call at a time `map` of an `AsyncSequence`.
  /// - Complexity: O(1) a value, and a task.
  public final func mapAsync<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) -> Node<Output> {
    callAsync(.latest, on: nil, SourceLocation(file, line), transform)
  }

  /// The same with another answer to what becomes of a value that comes while a call is under way.
  ///
  ///     let saved = drafts.mapAsync(.ordered(maxConcurrent: 1)) { await disk.write($0) }
  ///
  /// - Parameter overlap: Of `ordered` and `unordered`, a `maxConcurrent` below one stops with a
  ///   message.
  public final func mapAsync<Output: Sendable>(
    _ overlap: OverlapPolicy, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) -> Node<Output> {
    callAsync(overlap, on: nil, SourceLocation(file, line), transform)
  }

  /// The same for a closure that throws: a node of results.
  ///
  ///     let page = link.mapAsync { try await fetch($0) }     // Node<Result<String, any Error>>
  ///     let shown = page.successes()
  ///
  /// A failure is a value like any other: what follows goes on. It does not name the value that failed; if that is
  /// wanted, return both from the closure, or throw an error that has it. What a cancelled call throws is not told;
  /// a `CancellationError` of a call that was not cancelled is. A function that throws one type of error
  /// keeps that type; for a closure, state it: `{ link async throws(FetchError) in … }`.
  @_disfavoredOverload
  public final func mapAsync<Output: Sendable, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws(Failure) -> Output
  ) -> Node<Result<Output, Failure>> {
    mapAsync(.latest, file: file, line: line, transform)
  }

  /// The same with another answer to what becomes of a value that comes while a call is under way.
  @_disfavoredOverload
  public final func mapAsync<Output: Sendable, Failure: Error>(
    _ overlap: OverlapPolicy, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws(Failure) -> Output
  ) -> Node<Result<Output, Failure>> {
    callAsync(overlap, on: nil, SourceLocation(file, line)) { await result(of: $0, transform) }
  }

  /// Returns a node of what `transform` returns for each value; the calls run on a scheduler.
  ///
  ///     let parsed = text.mapAsync(.ordered(maxConcurrent: 1), on: .queue(queue)) { await decode($0) }
  ///
  /// All that a call does between two suspensions is work for the scheduler; what it does isolated to an actor runs
  /// on that actor. So a call that waits by ``NodeScheduler/sleep(for:)`` runs in virtual time, and its
  /// test needs no clock and no luck:
  ///
  ///     let slow = node.mapAsync(on: clock) { value in
  ///       try? await clock.sleep(for: .seconds(2))
  ///       return value * 10
  ///     }
  ///     clock.advance(by: .seconds(2))
  ///     slow.value                                   // 10
  ///
  /// A call that was cancelled returns on the scheduler too: a test that looks for what is left must move the
  /// time once more. On `.immediate` it is as if no scheduler were given: a call cannot wait at once.
  public final func mapAsync<Output: Sendable>(
    _ overlap: OverlapPolicy = .latest, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) -> Node<Output> {
    callAsync(overlap, on: scheduler, SourceLocation(file, line), transform)
  }

  /// The same for a closure that throws: a node of results.
  @_disfavoredOverload
  public final func mapAsync<Output: Sendable, Failure: Error>(
    _ overlap: OverlapPolicy = .latest, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws(Failure) -> Output
  ) -> Node<Result<Output, Failure>> {
    callAsync(overlap, on: scheduler, SourceLocation(file, line)) {
      await result(of: $0, transform)
    }
  }

  /// Returns a node that tells how far along the call for the latest value is: it is loading, it has loaded, or
  /// it has failed.
  ///
  ///     let page = link.load { try await read($0) }
  ///     let title = page.map { page in
  ///       switch page {
  ///       case .loading: "…"
  ///       case .loaded(let text): text
  ///       case .failed(let error, let previous): previous ?? "\(error)"
  ///       }
  ///     }
  ///
  /// ``Loading/loading(previous:)`` is told at once, as part of the value's wave, so the result is not
  /// empty unless this node is; how the call ended is told when it has. `previous` is what was loaded last over this edge. A newer
  /// value cancels the call, which then tells nothing. Events are kept: the result holds how far the last one
  /// got. Tasks, contexts and the end are those of `mapAsync`.
  public final func load<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws -> Output
  ) -> Node<Loading<Output>> {
    loadAsync(on: nil, SourceLocation(file, line), transform)
  }

  /// The same; the calls run on a scheduler.
  ///
  ///     let half = number.load(on: clock) { number in
  ///       try await clock.sleep(for: .seconds(1))
  ///       return number / 2
  ///     }
  ///     half.value                                   // loading(previous: nil)
  public final func load<Output: Sendable>(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws -> Output
  ) -> Node<Loading<Output>> {
    loadAsync(on: scheduler, SourceLocation(file, line), transform)
  }
}

extension Node {
  private final func callAsync<Output: Sendable>(
    _ overlap: OverlapPolicy, on scheduler: (any NodeScheduler)?, _ location: SourceLocation,
    _ body: @escaping @Sendable (Value) async -> Output
  ) -> Node<Output> {
    let plan = CallPlan(overlap, "mapAsync", self)
    let executor = scheduler.flatMap { SchedulerExecutor($0) }
    return call(.mapAsync, location) { MapCalls(plan, executor, body) }
  }

  private final func loadAsync<Output: Sendable>(
    on scheduler: (any NodeScheduler)?, _ location: SourceLocation,
    _ body: @escaping @Sendable (Value) async throws -> Output
  ) -> Node<Loading<Output>> {
    let plan = CallPlan(.latest, "load", self)
    let executor = scheduler.flatMap { SchedulerExecutor($0) }
    return call(.load, location) {
      LoadCalls(plan, executor) { await result(of: $0, body) }
    }
  }

  private final func call<Answer: Sendable, Output: Sendable>(
    _ kind: OperatorKind, _ location: SourceLocation,
    _ makeCalls: @escaping @Sendable () -> AsyncCalls<Value, Answer, Output>
  ) -> Node<Output> {
    let transform = NodeTransform<Value, Output>(kind) {
      let calls = makeCalls()
      return EdgeParts(state: calls) { up, edge, turn in
        let value = up.slot(Value.self).pointee
        return edge.inRegion(in: turn) { delivery, turn in
          calls.take(value, over: edge, delivery, turn)
        }
      }
    }
    return derive(through: transform, isHead: true, location)
  }
}

/// `Result(catching:)`, of an async closure of one parameter.
private func result<Value, Output, Failure: Error>(
  of value: Value, _ transform: (Value) async throws(Failure) -> Output
) async -> Result<Output, Failure> {
  do { return .success(try await transform(value)) } catch { return .failure(error) }
}
