/// No value came in time: what ``Node/timeout(_:on:file:line:)`` tells.
public struct TimeoutError: Error, Hashable, CustomStringConvertible {
  /// How long no value came.
  public let interval: Duration
  public init(interval: Duration) { self.interval = interval }
  public var description: String { "no value for \(interval)" }
}

extension Node {
  /// Returns a node that tells each value, and a failure when none came for `interval`.
  ///
  ///     let answer = reply.timeout(.seconds(5), on: .main)
  ///     answer.successes().listen { … }; answer.failures().listen { … }
  ///
  /// The time begins when the edge is made, also if this node is empty, and anew with each value;
  /// emptying is no value. A value passes on the thread that sets, as part of its wave; the failure
  /// is told on the scheduler, without context, once for each silence: the next value passes again
  /// and begins the time anew. A value that the scheduler runs before the timer, at the same moment,
  /// is in time. Known as `timeout` in Rx and Combine and `timeout(after:raising:on:)` in
  /// ReactiveSwift; there the result ends with the failure, which a node has no way to do.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  /// - Complexity: O(1) a value; one live timer.
  public final func timeout(
    _ interval: Duration, on scheduler: some Scheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Result<Value, TimeoutError>> {
    requirePositive(interval, "timeout", self)
    let transform = Transform<Value, Result<Value, TimeoutError>>(.timeout) {
      let hop = TimeoutHop<Value>(interval, scheduler)
      return LifeParts(hop: hop) { up, edge, turn in
        hop.take(slot(up, Value.self).pointee, over: edge, up, turn)
      }
    }
    return derive(through: transform, isHead: true, Site(file, line))
  }
}

private final class TimeoutHop<Value: Sendable>: TimedHop<Void, Result<Value, TimeoutError>>,
  @unchecked Sendable
{
  // Unchecked: constant.
  private let interval: Duration

  init(_ interval: Duration, _ scheduler: any Scheduler) {
    self.interval = interval
    super.init((), scheduler)
  }

  override func attached(_ edge: EdgePointer) {
    super.attached(edge)
    decide { _, plan in plan.timer = .restart(interval) }
  }

  func take(
    _ value: Value, over edge: EdgePointer, _ up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    decide(over: edge, up, turn) { _, plan in
      plan.passes = .success(value)
      plan.timer = .restart(interval)
    }
  }

  override func fired(_: inout Void, _ plan: inout Plan) {
    plan.outputs.append(Travelling(.failure(TimeoutError(interval: interval))))
  }
}
