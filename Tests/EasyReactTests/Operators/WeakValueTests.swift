import EasyReact
import EasyReactTesting
import Testing

/// Weak values under every operator: what they refer to is kept by none of them, neither in a result
/// nor in what waits, is counted, compared or collected.
@Suite("10.6 Weak values", .watched) struct WeakValueTests {
  final class Panel: Sendable {
    let name: String
    init(_ name: String) { self.name = name }
  }
  typealias Ref = Weak<Panel>

  /// An operator on a node of weak values.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Does the result tell something of one value, if time passes?
    let tells: Bool
    let make: @Sendable (MutableNode<Ref>, VirtualScheduler) -> (AnyNode, Listening, Tally)

    init<Output: Sendable>(
      _ name: String, tells: Bool = true,
      _ make: @escaping @Sendable (MutableNode<Ref>, VirtualScheduler) -> Node<Output>
    ) {
      testDescription = name
      self.tells = tells
      self.make = { node, clock in
        let result = make(node, clock)
        let told = Tally()
        return (result, result.listen { _ in told.add() }, told)
      }
    }
  }

  static let second = Duration.seconds(1)
  static var other: MutableNode<Int> { MutableNode(1) }

  static let cases: [Case] = [
    Case("fork") { a, _ in a.fork() },
    Case("map") { a, _ in a.map { ($0, 1) } },
    Case("mapReplace") { a, _ in a.mapReplace(1) },
    Case("compactMap") { a, _ in a.compactMap { Ref?.some($0) } },
    Case("filter") { a, _ in a.filter { $0.object?.name == "one" } },
    Case("ignore") { a, _ in a.ignore(Weak(nil)) },
    Case("select", tells: false) { a, _ in a.select(Weak(nil)) },
    Case("distinctUntilChanged") { a, _ in a.distinctUntilChanged() },
    Case("distinctUntilChanged(by:)") { a, _ in a.distinctUntilChanged { $0 == $1 } },
    Case("distinctUntilChanged(on:)") { a, _ in a.distinctUntilChanged { $0.object == nil } },
    Case("skip", tells: false) { a, _ in a.skip(1) },
    Case("take") { a, _ in a.take(1) },
    Case("scan") { a, _ in a.scan([]) { $0 + [$1] } },
    Case("scan(into:)") { a, _ in a.scan(into: []) { $0.append($1) } },
    Case("scan without a first total") { a, _ in a.scan { $1 } },
    Case("scanIndexed") { a, _ in a.scanIndexed(Weak(nil)) { _, next, _ in next } },
    Case("count") { a, _ in a.count() },
    Case("enumerated") { a, _ in a.enumerated() },
    Case("pairwise", tells: false) { a, _ in a.pairwise() },
    Case("pairwise(startingWith:)") { a, _ in a.pairwise(startingWith: Weak(nil)) },
    Case("collect", tells: false) { a, _ in a.collect(count: 3) },
    Case("startWith") { a, _ in a.startWith(Weak(nil)) },
    Case("takeWhile") { a, _ in a.takeWhile { $0.object != nil } },
    Case("skipWhile") { a, _ in a.skipWhile { $0.object == nil } },
    Case("takeUntil") { a, _ in a.takeUntil(MutableNode<Int>()) },
    Case("skipUntil") { a, _ in a.skipUntil(other) },
    Case("combine") { a, _ in a.combine(other) },
    Case("combine of every value") { a, _ in a.combine(other, mode: .everyValue) },
    Case("combine of a dictionary") { a, _ in Node.combine(["a": a]) },
    Case("flattenCombine") { a, _ in a.map { [Node($0)] }.flattenCombine() },
    Case("zip", tells: false) { a, _ in a.zip(MutableNode<Int>()) },
    Case("merge") { a, _ in a.merge(MutableNode()) },
    Case("race") { a, _ in a.race(MutableNode()) },
    Case("withLatest") { a, _ in a.withLatest(from: other) },
    Case("sample(on:)") { a, _ in a.sample(on: a) },
    Case("flattenMap") { a, _ in a.flattenMap { Node($0) } },
    Case("mergeMap") { a, _ in a.mergeMap { Node($0) } },
    Case("mergeMap(maxConcurrent:)") { a, _ in a.mergeMap(maxConcurrent: 1) { Node($0) } },
    Case("exhaustMap") { a, _ in a.exhaustMap { Node($0) } },
    Case("switch, case") { a, _ in a.switch { _ in 1 }.case(1) },
    Case("switchMap, default") { a, _ in a.switchMap { (Int?.none, $0) }.default },
    Case("unmatched") { a, _ in a.switch { _ in 1 }.unmatched },
    Case("if") { a, _ in a.if { $0.object != nil }.thenNode },
    Case("groupBy") { a, _ in a.groupBy { _ in 1 }.mergeMap(\.values) },
    Case("deliver(on:)") { a, clock in a.deliver(on: clock) },
    Case("delay") { a, clock in a.delay(second, on: clock) },
    Case("debounce") { a, clock in a.debounce(second, on: clock) },
    Case("throttleFirst") { a, clock in a.throttleFirst(second, on: clock) },
    Case("throttleLatest") { a, clock in a.throttleLatest(second, on: clock) },
    Case("sample(every:)") { a, clock in a.sample(every: second, on: clock) },
    Case("buffer") { a, clock in a.buffer(for: second, on: clock) },
    Case("buffer(for:orCount:)") { a, clock in a.buffer(for: second, orCount: 2, on: clock) },
    Case("timeout") { a, clock in a.timeout(second, on: clock) },
    Case("tryMap, successes") { a, _ in a.tryMap { $0 }.successes() },
    Case("retry") { a, _ in a.retry(times: 1) { Node(Result<Ref, Refusal>.success($0)) } },
    Case("events") { a, _ in a.events() },
    Case("held") { a, _ in a.events().held() },
    Case("objects") { a, _ in a.objects() },
  ]

  @Test(arguments: cases)
  func `10.6 no operator keeps the object, neither what waits nor what was told`(_ one: Case) {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let focused = MutableNode<Ref>()
    let (result, listening, told) = one.make(focused, clock)
    _ = told.take()
    var panel: Panel? = lives.track(Panel("one"), "panel")
    focused.value = Weak(panel)
    clock.run()
    #expect((told.count > 0) == one.tells)
    keepAlive(panel)
    panel = nil
    #expect(lives.alive == [])

    panel = lives.track(Panel("two"), "panel")
    focused.value = Weak(panel)
    keepAlive(panel)
    panel = nil
    // Now a timer, a partner or a count may still hold the value back.
    #expect(lives.alive == [])
    clock.run()
    #expect(checkInvariants([focused, result]) == [])
    keepAlive(listening)
  }
}
