/// The asynchronous calls of one life of an edge, and the values that wait for one.
///
/// Values are taken in the result's region, and what a call returned comes there before it is told. So a
/// newer value and a late result of an older one cannot pass each other, and nothing needs a lock. A
/// call's task keeps nothing of the graph.
class AsyncCalls<Input: Sendable, Answer: Sendable, Output: Sendable>: ScheduledEdge,
  @unchecked Sendable
{
  // Unchecked: adds constants; only the holder of the result's region touches what changes.

  /// How the value that a call is for came: its result goes on in the same way, as what comes from a scheduler does (`ScheduledEdge`).
  /// That it had to wait on its way here no longer counts.
  private struct Origin {
    let delivery: Delivery
    /// Kept for the delivery, which does not keep it.
    let context: ContextBox?
    let sender: NodePointer
    /// `announcement` was told under the value's number.
    var isAnnounced = false

    init(_ delivery: Delivery, over edge: EdgePointer) {
      self.delivery = delivery
      context = delivery.wave.context?.takeUnretainedValue()
      sender = edge.pointee.up.unsafelyUnwrapped
    }

    /// It has the one sequence that there is for the way round a cycle (contract 5.2). If both an announcement and its answer went
    /// on with it, the answer would be refused after the announcement; with another one each time, two such operators in a ring
    /// would call for ever.
    var hasSequenceForCycle: Bool {
      delivery.isFiltered && hasCrossedOnlyFiltered(delivery.tiebreak)
    }

    /// Of the answer. One that was announced follows its announcement as a set follows one that came before it: told in any case,
    /// newer than what it replaces, older than whatever was set since.
    var answer: Delivery {
      var answer = delivery
      answer.wave.context = context.map { Unmanaged.passUnretained($0) }
      answer.rules = isAnnounced ? .answer : delivery.rules.without(.waited)
      return answer
    }
  }

  private struct Call {
    let origin: Origin
    var task: Task<Void, Never>?
    /// It is over, and its result waits for those of earlier values.
    var answer: Answer?
  }

  private let plan: CallPlan
  private let executor: SchedulerExecutor?
  private let body: @Sendable (Input) async -> Answer
  /// By number, in the order of their values.
  private var calls: [Int: Call] = [:]
  private var newest = 0
  /// How many have no answer yet.
  private var running = 0
  /// If the order is kept: the one whose result comes next.
  private var nextToTell = 1
  private var waiting = Queue<(value: Input, origin: Origin)>()

  init(
    _ plan: CallPlan, _ executor: SchedulerExecutor?,
    _ body: @escaping @Sendable (Input) async -> Answer
  ) {
    self.plan = plan
    self.executor = executor
    self.body = body
    super.init()
  }

  /// What is told when a call for a value begins; nil: nothing.
  func announcement() -> Output? { nil }
  /// What is told of an answer.
  func output(of answer: Answer) -> Output { fatalError("abstract") }

  // MARK: Values

  /// The upstream told a value. True: something is stored in the result.
  final func take(
    _ value: Input, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    var origin = Origin(delivery, over: edge)
    if running >= plan.limit || !waiting.isEmpty {
      switch plan.whenFull {
      case .cancels:
        let before = newest
        cancelCalls()
        // A cancellation handler of the user's has set the upstream: if this value had to wait, that one came first.
        if newest != before { return edge.stop(.filtered, delivery, in: turn) }
      case .drops: return edge.stop(.filtered, delivery, in: turn)
      case .waits:
        waiting.append((value, origin))
        return edge.stop(.waitsForCall, delivery, in: turn)
      }
    }
    // By a cancellation handler of the user's.
    if hasEnded { return edge.stop(.cut, delivery, in: turn) }
    guard !origin.hasSequenceForCycle, let first = announcement() else {
      let isStored = edge.stop(.waitsForCall, delivery, in: turn)
      begin(value, origin)
      return isStored
    }
    origin.isAnnounced = true
    let (down, before) = (edge.pointee.down.unsafelyUnwrapped, newest)
    let isStored = down.arrive(.value(first), delivery, sender: origin.sender, in: turn)
    // The death of the old value has set the upstream, as a cancellation handler may.
    if newest == before { down.whileStored(isStored, in: turn) { begin(value, origin) } }
    return isStored
  }

  /// The task is made when what announces it has been stored, so its result comes later.
  private func begin(_ value: Input, _ origin: Origin) {
    if hasEnded { return }
    newest += 1
    running += 1
    let number = newest
    calls[number] = Call(origin: origin)
    let task = makeTask { [weak self, body] in
      let answer = await body(value)
      self?.finish(number, answer)
    }
    if let index = calls.index(forKey: number) {
      calls.values[index].task = task
    } else {
      task.cancel()
    }
  }

  /// A task of its own: it may be begun by whoever is inside the result, so it inherits nothing.
  private func makeTask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let executor else { return Task.detached(operation: body) }
    return Task.detached(executorPreference: executor, operation: body)
  }

  // MARK: Results

  /// On the call's task.
  private func finish(_ number: Int, _ answer: Answer) {
    guard let (edge, node) = destination() else { return }
    let turn = currentTurn()
    turn.enter()
    node.storage.perform(in: turn) { turn in self.arrive(number, answer, over: edge, turn) }
    turn.leave()
  }

  /// Void if the call was cancelled, or the edge cut, whenever that was: from then on there is no such
  /// call.
  private func arrive(
    _ number: Int, _ answer: Answer, over edge: EdgePointer, _ turn: TurnPointer
  ) {
    // The edge is freed by a holder of this region, after it was cut.
    guard !hasEnded, let index = calls.index(forKey: number) else { return }
    let saved = turn.pointee.wave
    running -= 1
    if plan.keepsOrder {
      calls.values[index].answer = answer
      while let (answer, origin) = takeNextAnswer() { tell(answer, origin, over: edge, turn) }
    } else if let call = calls.removeValue(forKey: number) {
      tell(answer, call.origin, over: edge, turn)
    }
    calls.shrinkIfSparse()
    // The listeners of the result may have cut the edge.
    while !hasEnded, running < plan.limit, let next = waiting.popFirst() {
      begin(next.value, next.origin)
    }
    turn.pointee.wave = saved
  }

  private func takeNextAnswer() -> (Answer, Origin)? {
    if hasEnded { return nil }
    guard let call = calls[nextToTell], let answer = call.answer else { return nil }
    let told = calls.removeValue(forKey: nextToTell)
    nextToTell += 1
    return withExtendedLifetime(told) { (answer, call.origin) }
  }

  private func tell(
    _ answer: Answer, _ origin: Origin, over edge: EdgePointer, _ turn: TurnPointer
  ) {
    let down = edge.pointee.down.unsafelyUnwrapped
    let output = output(of: answer)
    if origin.isAnnounced, origin.delivery.isFiltered,
      down.version().number > origin.delivery.wave.number
    {
      _ = edge.stop(.reachedAlready, origin.delivery, in: turn)
    } else if down.arrive(.value(output), origin.answer, sender: origin.sender, in: turn) {
      down.propagate(in: turn)
    }
    withExtendedLifetime(origin.context) {}
  }

  // MARK: The end

  /// Cancelling runs the user's cancellation handlers, so the calls are forgotten before.
  private func cancelCalls() {
    let cancelled = calls
    calls = [:]
    running = 0
    for (_, call) in cancelled { call.task?.cancel() }
  }

  override func detached(_ turn: TurnPointer) {
    let dropped = waiting
    waiting = Queue()
    cancelCalls()
    _ = consume dropped
  }
}

// MARK: - What is told

/// The answers themselves.
final class MapCalls<Input: Sendable, Output: Sendable>: AsyncCalls<Input, Output, Output>,
  @unchecked Sendable
{
  // Unchecked: adds no state.
  override func output(of answer: Output) -> Output { answer }
}

/// That a call is under way, and how it ended.
final class LoadCalls<Input: Sendable, Output: Sendable>: AsyncCalls<
  Input, Result<Output, any Error>, Loading<Output>
>, @unchecked Sendable
{
  // Unchecked: adds `previous`, which the holder of the result's region touches, nobody else.
  private var previous: Output?

  override func announcement() -> Loading<Output>? { .loading(previous: previous) }

  override func output(of answer: Result<Output, any Error>) -> Loading<Output> {
    switch answer {
    case .success(let output):
      let old = previous
      previous = output
      return withExtendedLifetime(old) { .loaded(output) }
    case .failure(let error): return .failed(error, previous: previous)
    }
  }
}
