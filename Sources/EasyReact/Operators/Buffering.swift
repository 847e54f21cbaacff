extension Node {
  /// Returns a node of arrays: what came in each interval, told at its end.
  ///
  ///     let packet = keys.buffer(for: .seconds(1), on: .queue(queue))     // ["a", "b"], then ["c"]
  ///
  /// The intervals follow each other from the moment at which the edge is made; one in which nothing
  /// came tells nothing, and while nothing comes no timer runs. The present value counts; emptying
  /// does not and drops nothing. What the scheduler runs before the timer, at the same moment,
  /// belongs to the interval that ends. The array is passed on with the wave and the context of its last
  /// value. What waits when the edge is cut is dropped. Known as `buffer(timeSpan:count:)` in
  /// RxSwift and `collect(every:on:)` in ReactiveSwift, which tell empty arrays too, and
  /// `collect(.byTime)` in Combine, which does not.
  /// - Parameter interval: Greater than zero; anything else stops with a message.
  @inlinable public final func buffer(
    for interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<[Value]> {
    requirePositive(interval, "buffer(for:)", self)
    return buffered(interval, Int.max, scheduler, SourceLocation(file, line))
  }

  /// The same, but an array of `count` values is told at once and begins a new interval.
  ///
  ///     let packet = keys.buffer(for: .seconds(1), orCount: 100, on: .queue(queue))
  ///
  /// The value that fills the array tells it on the thread that sets, as part of its wave. Known as
  /// `buffer(timeSpan:count:)` in RxSwift, `collect(.byTimeOrCount)` in Combine.
  /// - Parameter count: One or more; anything else stops with a message.
  @inlinable public final func buffer(
    for interval: Duration, orCount count: Int, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Value]> {
    requirePositive(interval, "buffer(for:orCount:)", self)
    requirePositive(count, "buffer(for:orCount:)", self)
    return buffered(interval, count, scheduler, SourceLocation(file, line))
  }

  @inlinable final func buffered(
    _ interval: Duration, _ count: Int, _ scheduler: any NodeScheduler, _ location: SourceLocation
  ) -> Node<[Value]> {
    // Like `handOn`: each interval ends at once.
    if scheduler is ImmediateScheduler {
      return derive(.buffer, location, [Value].self) { up, edge, turn in
        edge.pass([up.slot(Value.self).pointee], from: up, in: turn)
      }
    }
    return timed(
      .buffer, location, [Value].self, { ValueBox($0.slot(Value.self).pointee) },
      Outlet([Value].self)
    ) { outlet in
      .buffered(interval, count, scheduler, outlet) { ValueBox($0.map { $0.value(Value.self) }) }
    }
  }
}

extension AnyTimedEdge {
  /// - Parameter pack: Makes one array of the values.
  @usableFromInline static func buffered(
    _ interval: Duration, _ count: Int, _ scheduler: any NodeScheduler, _ outlet: Outlet,
    _ pack: @escaping @Sendable ([AnyValueBox]) -> AnyValueBox
  ) -> AnyTimedEdge {
    BufferedEdge(interval, count, scheduler, outlet, pack)
  }
}

private struct Buffered: Sendable {
  var values: [AnyValueBox] = []
  /// Of the newest value: what the array travels with.
  var last: InFlight<AnyValueBox>?
  var windows: Windows

  mutating func takeAll() -> [AnyValueBox] {
    defer { (values, last) = ([], nil) }
    return values
  }
}

private final class BufferedEdge: TimedEdge<Buffered>, @unchecked Sendable {
  // Unchecked: adds constants.
  private let count: Int
  private let pack: @Sendable ([AnyValueBox]) -> AnyValueBox

  init(
    _ interval: Duration, _ count: Int, _ scheduler: any NodeScheduler, _ outlet: Outlet,
    _ pack: @escaping @Sendable ([AnyValueBox]) -> AnyValueBox
  ) {
    (self.count, self.pack) = (count, pack)
    super.init(Buffered(windows: Windows(from: scheduler.now, interval)), scheduler, outlet)
  }

  override func heard(
    _ value: AnyValueBox?, over edge: EdgePointer, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    guard let value else { return false }
    let now = scheduler.now
    return decide(over: edge, up, turn, passing: { $0.values.count + 1 == count }) {
      state, plan, isFull in
      let before = state.last
      state.values.append(value)
      if isFull {
        plan.passes = pack(state.takeAll())
        plan.timer = .stop
        state.windows.restart(at: now)
        return before
      }
      if state.values.count == 1 { plan.timer = .restart(state.windows.rest(at: now)) }
      state.last = InFlight(value, from: up, turn)
      return before
    }
  }

  override func fired(_ state: inout Buffered, _ plan: inout Plan) {
    guard let last = state.last else { return }
    plan.outputs.append(last.carrying(pack(state.takeAll())))
  }
}
