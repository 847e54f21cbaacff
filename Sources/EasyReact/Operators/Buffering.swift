extension Node {
  /// Returns a node of arrays: what came in each interval, told at its end.
  ///
  ///     let packet = keys.buffer(for: .seconds(1), on: .queue(queue))     // ["a", "b"], then ["c"]
  ///
  /// The intervals follow each other from the moment at which the edge is made; one in which nothing
  /// came tells nothing, and while nothing comes no timer runs. The present value counts; emptying
  /// does not and drops nothing. What the scheduler runs before the timer, at the same moment,
  /// belongs to the interval that ends. The array goes on with the wave and the context of its last
  /// value. What waits when the edge is cut is dropped. Known as `buffer(timeSpan:count:)` in
  /// RxSwift and `collect(every:on:)` in ReactiveSwift, which tell empty arrays too, and
  /// `collect(.byTime)` in Combine, which does not.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  public final func buffer(
    for interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<[Value]> {
    requirePositive(interval, "buffer(for:)", self)
    return buffered(interval, Int.max, scheduler, SourceLocation(file, line))
  }

  /// The same, where an array of `count` values is told at once and begins a new interval.
  ///
  ///     let packet = keys.buffer(for: .seconds(1), orCount: 100, on: .queue(queue))
  ///
  /// The value that fills the array tells it on the thread that sets, as part of its wave. Known as
  /// `buffer(timeSpan:count:)` in RxSwift, `collect(.byTimeOrCount)` in Combine.
  /// - Parameter count: One or more; anything else stops with a message.
  public final func buffer(
    for interval: Duration, orCount count: Int, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Value]> {
    requirePositive(interval, "buffer(for:orCount:)", self)
    requirePositive(count, "buffer(for:orCount:)", self)
    return buffered(interval, count, scheduler, SourceLocation(file, line))
  }

  private final func buffered(
    _ interval: Duration, _ count: Int, _ scheduler: any NodeScheduler, _ location: SourceLocation
  ) -> Node<[Value]> {
    let transform = NodeTransform<Value, [Value]>(.buffer) {
      let state = BufferedEdge<Value>(interval, count, scheduler)
      return EdgeParts(state: state) { up, edge, turn in
        state.take(InFlight(up.slot(Value.self).pointee, turn), over: edge, up, turn)
      }
    }
    return derive(through: transform, isHead: true, location)
  }
}

private struct Buffered<Value: Sendable>: Sendable {
  var values: [Value] = []
  /// Of the newest value: what the array travels with.
  var last: InFlight<Value>?
  var windows: Windows

  mutating func takeAll() -> [Value] {
    defer { (values, last) = ([], nil) }
    return values
  }
}

private final class BufferedEdge<Value: Sendable>: TimedEdge<Buffered<Value>, [Value]>,
  @unchecked Sendable
{
  // Unchecked: constant.
  private let count: Int

  init(_ interval: Duration, _ count: Int, _ scheduler: any NodeScheduler) {
    self.count = count
    super.init(Buffered(windows: Windows(from: scheduler.now, interval)), scheduler)
  }

  func take(
    _ item: InFlight<Value>, over edge: EdgePointer, _ up: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    let now = scheduler.now
    return decide(over: edge, up, turn) { state, plan in
      let before = state.last
      state.values.append(item.value)
      if state.values.count == count {
        plan.passes = state.takeAll()
        plan.timer = .stop
        state.windows.restart(at: now)
        return before
      }
      if state.values.count == 1 { plan.timer = .restart(state.windows.rest(at: now)) }
      state.last = item
      return before
    }
  }

  override func fired(_ state: inout Buffered<Value>, _ plan: inout Plan) {
    guard let last = state.last else { return }
    plan.outputs.append(last.carrying(state.takeAll()))
  }
}
