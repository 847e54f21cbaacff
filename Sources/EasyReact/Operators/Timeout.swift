/// No value came in time: what ``Node/timeout(_:on:file:line:)`` tells.
public struct TimeoutError: Error, Hashable, CustomStringConvertible {
  /// For how long no value came.
  public let interval: Duration
  public init(interval: Duration) { self.interval = interval }
  public var description: String { "no value for \(interval)" }
}

extension Node {
  /// Returns a node that tells each value, and a failure when none came for `interval`.
  ///
  ///     let answer = reply.timeout(.seconds(5), on: .main)
  ///     let listenings = [
  ///       answer.successes().listen { print($0) },
  ///       answer.failures().listen { print($0) },                 // no value for 5.0 seconds
  ///     ]
  ///
  /// The time begins when the edge is made, even if this node is empty, and anew with each value;
  /// emptying is no value. A value passes on the thread that sets, as part of its wave; the failure
  /// is told on the scheduler, without context, once for each silence: the next value passes again
  /// and begins the time anew. A value that the scheduler runs before the timer, at the same moment,
  /// is in time. Known as `timeout` in Rx and Combine and `timeout(after:raising:on:)` in
  /// ReactiveSwift; there the result ends with the failure, which a node has no way to do.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  /// - Complexity: O(1) a value; one live timer.
  @inlinable public final func timeout(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Result<Value, TimeoutError>> {
    requirePositive(interval, "timeout", self)
    typealias Outcome = Result<Value, TimeoutError>
    return timed(
      .timeout, SourceLocation(file, line), Outcome.self,
      { ValueBox(Outcome.success($0.slot(Value.self).pointee)) }, Outlet(Outcome.self)
    ) {
      let failure = ValueBox(Outcome.failure(TimeoutError(interval: interval)))
      return .timingOut(after: interval, failure, scheduler, $0)
    }
  }
}

extension AnyTimedEdge {
  @usableFromInline static func timingOut(
    after interval: Duration, _ failure: AnyValueBox, _ scheduler: any NodeScheduler,
    _ outlet: Outlet
  ) -> AnyTimedEdge {
    TimeoutEdge(interval, failure, scheduler, outlet)
  }
}

/// State: were the values events? Then the failure is one too. Nil: none has come; before the first failure it is asked whether they
/// are to be.
private final class TimeoutEdge: TimedEdge<Bool?>, @unchecked Sendable {
  // Unchecked: adds constants.
  private let interval: Duration
  private let failure: AnyValueBox

  init(
    _ interval: Duration, _ failure: AnyValueBox, _ scheduler: any NodeScheduler, _ outlet: Outlet
  ) {
    (self.interval, self.failure) = (interval, failure)
    super.init(nil, scheduler, outlet)
  }

  override func attached(_ edge: EdgePointer) {
    super.attached(edge)
    decide { state, plan in
      state = nil
      plan.timer = .restart(interval)
    }
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    decide(over: edge, up, turn, passing: { _ in true }) { state, plan, _ in
      state = turn.pointee.wave.flags.has(.event)
      plan.passes = value
      plan.timer = .restart(interval)
    }
  }

  /// A walk over what is above, so only where nothing else tells it; and under no lock.
  override func willFire() {
    if withState({ $0 }) != nil { return }
    let isEvent = destination()?.node.tellsEvents ?? false
    withState { if $0 == nil { $0 = isEvent } }
  }

  override func fired(_ isEvent: inout Bool?, _ plan: inout Plan) {
    plan.outputs.append(
      InFlight(failure, wave: newWave(), flags: isEvent == true ? .event : [], context: nil))
  }
}
