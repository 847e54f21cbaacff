import EasyReact
import EasyReactTesting
import Testing

/// An operator on a node of numbers, for promises that all operators give.
struct OperatorCase: CustomTestStringConvertible, Sendable {
  /// What becomes of an event that reaches the operator.
  enum OfEvent: Sendable {
    /// It is told and not kept.
    case passes
    /// It is told and kept.
    case keeps
    /// Nothing is told: the operator reads a latest value.
    case isSilent
  }

  /// The result with its type erased, and a listening of it.
  struct Made {
    let node: AnyNode
    let listen: (@escaping @Sendable () -> Void) -> Listening
    /// Makes the upstream follow the result: a ring.
    let close: (MutableNode<Int>) -> Void
  }

  let name: String
  let ofEvent: OfEvent
  /// Is every value told, sooner or later, exactly once?
  let tellsEach: Bool
  /// Is the result empty when the node is?
  private(set) var followsEmptiness = false
  let make: @Sendable (MutableNode<Int>, MutableNode<Int>, VirtualScheduler) -> Made
  var testDescription: String { name }

  /// - Parameter make: Of the node, another node that holds a value, and a clock.
  init<Output>(
    _ name: String, _ ofEvent: OfEvent = .passes, tellsEach: Bool = true,
    _ make:
      @escaping @Sendable (MutableNode<Int>, MutableNode<Int>, VirtualScheduler) -> Node<
        Output
      >
  ) {
    self.name = name
    self.ofEvent = ofEvent
    self.tellsEach = tellsEach
    self.make = { a, other, clock in
      let node = make(a, other, clock)
      return Made(
        node: node, listen: { heard in node.listen { _ in heard() } },
        close: { $0.link(to: node.map { _ in 7 }) })
    }
  }

  /// The same of one whose result is empty when the node is.
  func followingEmptiness() -> OperatorCase {
    var copy = self
    copy.followsEmptiness = true
    return copy
  }

  static let second = Duration.seconds(1)

  static let all: [OperatorCase] =
    ofTheOriginal + counting + gates + joins + following + timed + results + calls + [
      OperatorCase("events()") { a, _, _ in a.events() },
      OperatorCase("held()", .keeps) { a, _, _ in a.held() },
    ]

  static let ofTheOriginal = [
    OperatorCase("fork()") { a, _, _ in a.fork() },
    OperatorCase("subscript(_:) of a node") { a, _, _ in (a as Node<Int>)[\.self] }
      .followingEmptiness(),
    OperatorCase("subscript(_:) of a mutable node") { a, _, _ in a[\.self] }.followingEmptiness(),
    OperatorCase("map(_:)") { a, _, _ in a.map { "\($0)" } },
    OperatorCase("mapReplace(_:)") { a, _, _ in a.mapReplace("x") },
    OperatorCase("compactMap(_:)") { a, _, _ in a.compactMap { Int?.some($0) } },
    OperatorCase("filter(_:)") { a, _, _ in a.filter { _ in true } },
    OperatorCase("ignore(_:)") { a, _, _ in a.ignore(-9) },
    OperatorCase("select(_:)", tellsEach: false) { a, _, _ in a.select(1) },
    OperatorCase("distinctUntilChanged()", tellsEach: false) { a, _, _ in a.distinctUntilChanged()
    },
    OperatorCase("distinctUntilChanged(by:)") { a, _, _ in
      a.distinctUntilChanged(by: { _, _ in false })
    },
    OperatorCase("distinctUntilChanged(on:)", tellsEach: false) { a, _, _ in
      a.distinctUntilChanged(on: { $0 })
    },
    OperatorCase("skip(_:)") { a, _, _ in a.skip(0) },
    OperatorCase("take(_:)") { a, _, _ in a.take(9_999) },
    OperatorCase("scan(_:)", .keeps) { a, _, _ in a.scan(0) { $0 + $1 } },
    OperatorCase("scanIndexed(_:)", .keeps) { a, _, _ in a.scanIndexed(0) { $0 + $1 + $2 } },
    OperatorCase("deliver(on:)") { a, _, clock in a.deliver(on: clock) },
    OperatorCase("flatten(mode:)", .keeps, tellsEach: false) { a, other, _ in
      a.map { _ in other }.flatten()
    },
    OperatorCase("flattenMap(mode:_:)", .keeps) { a, _, _ in a.flattenMap { Node($0) } },
    OperatorCase("switch(_:) case(_:)") { a, _, _ in a.switch { _ in "key" }.case("key") },
    OperatorCase("switchMap(_:) default") { a, _, _ in
      a.switchMap { (String?.none, $0) }.default
    },
    OperatorCase("switch(_:) unmatched") { a, _, _ in a.switch { _ in "key" }.unmatched },
    OperatorCase("if(_:)") { a, _, _ in a.if { _ in true }.thenNode },
    OperatorCase("combine(_:mode:)", .isSilent, tellsEach: false) { a, other, _ in a.combine(other)
    },
    OperatorCase("derived(_:)", .isSilent, tellsEach: false) { a, other, _ in
      Node.derived { try [a.get(), other.get()] }
    },
    OperatorCase("combine(_:mode: .everyValue)", .isSilent) { a, other, _ in
      a.combine(other, mode: .everyValue)
    },
    OperatorCase("zip(_:)") { a, _, _ in a.zip(a) },
    OperatorCase("merge(_:)") { a, other, _ in a.merge(other) },
  ]

  static let counting = [
    OperatorCase("scan(into:_:)", .keeps) { a, _, _ in a.scan(into: 0) { $0 += $1 } },
    OperatorCase("scan(_:) without a first total", .keeps) { a, _, _ in a.scan { $0 + $1 } },
    OperatorCase("count()", .keeps) { a, _, _ in a.count() },
    OperatorCase("enumerated()") { a, _, _ in a.enumerated() },
    OperatorCase("pairwise()", tellsEach: false) { a, _, _ in a.pairwise() },
    OperatorCase("pairwise(startingWith:)") { a, _, _ in a.pairwise(startingWith: 0) },
    OperatorCase("collect(count:)") { a, _, _ in a.collect(count: 1) },
    OperatorCase("startWith(_:)", .keeps, tellsEach: false) { a, _, _ in a.startWith(-1) },
  ]

  static let gates = [
    OperatorCase("takeWhile(inclusive:_:)") { a, _, _ in a.takeWhile { _ in true } },
    OperatorCase("skipWhile(_:)") { a, _, _ in a.skipWhile { _ in false } },
    OperatorCase("takeUntil(_:)") { a, _, _ in a.takeUntil(MutableNode<Int>()) },
    OperatorCase("skipUntil(_:)") { a, other, _ in a.skipUntil(other) },
    OperatorCase("race(_:)") { a, _, _ in a.race(MutableNode<Int>()) },
  ]

  static let joins = [
    OperatorCase("withLatest(from:mode:)", tellsEach: false) { a, other, _ in
      a.withLatest(from: other)
    },
    OperatorCase("withLatest(from:mode: .everyValue)") { a, other, _ in
      a.withLatest(from: other, mode: .everyValue)
    },
    OperatorCase("sample(on:)", tellsEach: false) { a, _, _ in a.sample(on: a) },
    OperatorCase("combine(_:mode:) of a dictionary", .isSilent, tellsEach: false) { a, other, _ in
      Node.combine(["a": a, "other": other])
    },
    OperatorCase("flattenCombine()", .keeps, tellsEach: false) { a, other, _ in
      a.map { [Node($0), other] }.flattenCombine()
    },
    OperatorCase("flattenCombine() of a dictionary", .keeps, tellsEach: false) { a, other, _ in
      a.map { ["a": Node($0), "other": other] }.flattenCombine()
    },
  ]

  static let following = [
    OperatorCase("flattenMerge()", .keeps) { a, _, _ in a.map { Node($0) }.flattenMerge() },
    OperatorCase("mergeMap(_:)", .keeps) { a, _, _ in a.mergeMap { Node($0) } },
    OperatorCase("mergeMap(maxConcurrent:until:_:)", .keeps) { a, _, _ in
      a.mergeMap(maxConcurrent: 2) { Node($0) }
    },
    OperatorCase("concatMap(until:_:)", .keeps) { a, _, _ in a.concatMap { Node($0) } },
    OperatorCase("exhaustMap(until:_:)", .keeps) { a, _, _ in a.exhaustMap { Node($0) } },
    OperatorCase("partition(_:)") { a, _, _ in a.partition { _ in true }.matching },
    OperatorCase("groupBy(_:) mergeMap(_:)") { a, _, _ in a.groupBy { _ in 1 }.mergeMap(\.values) },
  ]

  static let timed = [
    OperatorCase("delay(_:on:)") { a, _, clock in a.delay(second, on: clock) },
    OperatorCase("debounce(_:on:)", tellsEach: false) { a, _, clock in
      a.debounce(second, on: clock)
    },
    OperatorCase("throttleFirst(_:on:)", tellsEach: false) { a, _, clock in
      a.throttleFirst(second, on: clock)
    },
    OperatorCase("throttleLatest(_:on:)", tellsEach: false) { a, _, clock in
      a.throttleLatest(second, on: clock)
    },
    OperatorCase("sample(every:on:)", tellsEach: false) { a, _, clock in
      a.sample(every: second, on: clock)
    },
    OperatorCase("buffer(for:on:)", tellsEach: false) { a, _, clock in
      a.buffer(for: second, on: clock)
    },
    OperatorCase("buffer(for:orCount:on:)") { a, _, clock in
      a.buffer(for: second, orCount: 1, on: clock)
    },
    OperatorCase("timeout(_:on:)", tellsEach: false) { a, _, clock in a.timeout(second, on: clock)
    },
  ]

  /// What they call returns after a while of virtual time.
  static let calls = [
    OperatorCase("mapAsync(_:on:_:) latest", tellsEach: false) { a, _, clock in
      a.mapAsync(on: clock) { await slow($0, clock) }
    },
    OperatorCase("mapAsync(_:on:_:) ordered") { a, _, clock in
      a.mapAsync(.ordered(maxConcurrent: 2), on: clock) { await slow($0, clock) }
    },
    OperatorCase("mapAsync(_:on:_:) unordered") { a, _, clock in
      a.mapAsync(.unordered(maxConcurrent: 3), on: clock) { await slow($0, clock) }
    },
    OperatorCase("mapAsync(_:on:_:) dropWhileBusy", tellsEach: false) { a, _, clock in
      a.mapAsync(.dropWhileBusy, on: clock) { await slow($0, clock) }
    },
    OperatorCase("load(on:_:)", .keeps, tellsEach: false) { a, _, clock in
      a.load(on: clock) { await slow($0, clock) }
    },
  ]

  private static func slow(_ value: Int, _ clock: VirtualScheduler) async -> Int {
    try? await clock.sleep(for: .milliseconds(100 + abs(value) % 3 * 100))
    return value
  }

  typealias Outcome = Result<Int, Refusal>
  static let results = [
    OperatorCase("tryMap(_:)") { a, _, _ in a.tryMap { $0 } },
    OperatorCase("tryMap(_:) of results") { a, _, _ in
      a.map { Outcome.success($0) }.tryMap { (value: Int) in value }
    },
    OperatorCase("successes()") { a, _, _ in a.map { Outcome.success($0) }.successes() },
    OperatorCase("failures()") { a, _, _ in
      a.map { Outcome.failure(Refusal(reason: "\($0)")) }.failures()
    },
    OperatorCase("mapError(_:)") { a, _, _ in
      a.map { Outcome.success($0) }.mapError { _ in Refusal() }
    },
    OperatorCase("replaceError(with:)") { a, _, _ in
      a.map { Outcome.success($0) }.replaceError(with: 0)
    },
    OperatorCase("catch(_:) of successes") { a, _, _ in
      a.map { Outcome.success($0) }.catch { _ in Node(0) }
    },
    OperatorCase("catch(_:) of failures", .keeps) { a, _, _ in
      a.map { Outcome.failure(Refusal(reason: "\($0)")) }.catch { _ in Node(0) }
    },
    OperatorCase("retry(times:_:)", .keeps) { a, _, _ in
      a.retry(times: 1) { Node(Outcome.success($0)) }
    },
    OperatorCase("retry(times:delay:on:_:)", .keeps) { a, _, clock in
      a.retry(times: 1, delay: second, on: clock) { Node(Outcome.success($0)) }
    },
  ]
}
