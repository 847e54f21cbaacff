// What the field's other libraries call our operators: a name that is typed out of habit says what to write here. Nothing in this
// file can be called, and a name that would stand before a function of the standard library (`print`) is not here. The catalogue of
// `easyreact marbles` has the same names for its search; Tests/Compile/Mistakes.swift has each mistake with what the compiler says.

extension Node {
  // MARK: Combine

  @available(
    *, unavailable, renamed: "listen(_:)",
    message:
      "Keep what `listen` returns: releasing it ends the listening. A node does not complete."
  )
  public final func sink(receiveValue: @escaping @Sendable (Value) -> Void) -> Listening { gone() }
  @available(
    *, unavailable,
    message:
      "Use `listen(_:)` and keep what it returns: releasing it ends the listening. A node does not complete."
  )
  public final func sink(
    receiveCompletion: @escaping (Any) -> Void, receiveValue: @escaping @Sendable (Value) -> Void
  ) -> Listening { gone() }
  @available(
    *, unavailable,
    message: "`assign(to:of:)` sets the property as long as the object lives, and does not keep it."
  )
  @discardableResult
  public final func assign<Root, Part>(
    to keyPath: ReferenceWritableKeyPath<Root, Part>, on object: Root
  ) -> Listening { gone() }
  @available(
    *, unavailable,
    message:
      "Another node follows by `other.link(to: node)`; a property by `assign(to: \\.text, of: object)`."
  )
  public final func assign<Target>(to target: inout Target) { gone() }
  @available(
    *, unavailable,
    message:
      "Choose: `flattenMap` follows the latest inner node, `mergeMap` all of them, `concatMap` one after the other."
  )
  public final func flatMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> { gone() }
  @available(
    *, unavailable, renamed: "combine(_:)",
    message: "`combine` tells each combination once a set, without mixtures of old and new."
  )
  public final func combineLatest<each Other: Sendable>(
    _ other: repeat Node<each Other>
  ) -> Node<(Value, repeat each Other)> { gone() }
  @available(*, unavailable, message: "Use `combine` and `map`: `a.combine(b).map { $0 + $1 }`.")
  public final func combineLatest<Other: Sendable, Output: Sendable>(
    _ other: Node<Other>, _ transform: @escaping @Sendable (Value, Other) -> Output
  ) -> Node<Output> { gone() }
  @available(*, unavailable, message: "Use `a.combine(b)`, or `a.combine(b, c)` of more.")
  public static func combineLatest<each Other: Sendable>(
    _ first: Node<Value>, _ other: repeat Node<each Other>
  ) -> Node<(Value, repeat each Other)> { gone() }
  @available(*, unavailable, message: "Use `zip` and `map`: `a.zip(b).map { $0 + $1 }`.")
  public final func zip<Other: Sendable, Output: Sendable>(
    _ other: Node<Other>, _ transform: @escaping @Sendable (Value, Other) -> Output
  ) -> Node<Output> { gone() }
  @available(*, unavailable, renamed: "merge(_:)")
  public final func merge(with other: Node<Value>) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "distinctUntilChanged()")
  public final func removeDuplicates() -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "distinctUntilChanged(by:)")
  public final func removeDuplicates(by isEqual: @escaping @Sendable (Value, Value) -> Bool)
    -> Node<Value>
  { gone() }
  @available(*, unavailable, renamed: "skip(_:)")
  public final func dropFirst(_ count: Int = 1) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "take(_:)")
  public final func prefix(_ count: Int) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "takeWhile(_:)")
  public final func prefix(while isWanted: @escaping @Sendable (Value) -> Bool) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "takeUntil(_:)")
  public final func prefix<Other: Sendable>(untilOutputFrom other: Node<Other>) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "skipWhile(_:)")
  public final func drop(while isUnwanted: @escaping @Sendable (Value) -> Bool) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "skipUntil(_:)")
  public final func drop<Other: Sendable>(untilOutputFrom other: Node<Other>) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "deliver(on:)")
  public final func receive(on scheduler: some NodeScheduler) -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `deliver(on: .main)`, or `deliver(on: .queue(queue))`.")
  public final func receive<Scheduler: AnyObject>(on scheduler: Scheduler) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "A node computes on the thread that sets its source: `deliver(on:)` moves what follows to another."
  )
  public final func subscribe<Scheduler: AnyObject>(on scheduler: Scheduler) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "flatten()")
  public final func switchToLatest<Output: Sendable>() -> Node<Output> where Value: Node<Output> {
    gone()
  }
  @available(*, unavailable, renamed: "startWith(_:)")
  public final func prepend(_ value: Value) -> Node<Value> { gone() }
  @available(
    *, unavailable, renamed: "replaceError(with:)",
    message: "On a node of `Result`; or `catch` for a node in its place."
  )
  public final func assertNoFailure() -> Node<Value> { gone() }
  @available(
    *, unavailable, renamed: "fork()",
    message: "A node is shared as it is; `fork()` returns one that cannot be set."
  )
  public final func eraseToAnyPublisher() -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "Leave `share()` out: a node is shared as it is, and each value is computed once, however many listen."
  )
  public final func share() -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "Leave `multicast` out: a node is shared as it is, and each value is computed once, however many listen."
  )
  public final func multicast<Subject>(_ makeSubject: () -> Subject) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "Leave `makeConnectable()` out: a node is shared as it is, and each value is computed once, however many listen."
  )
  public final func makeConnectable() -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "Leave `autoconnect()` out: a node is shared as it is, and each value is computed once, however many listen."
  )
  public final func autoconnect() -> Node<Value> { gone() }
  @available(
    *, unavailable, renamed: "take(_:)",
    message: "`take(1)` is the first value; `await node.next()` is the next one."
  )
  public final func first() -> Node<Value> { gone() }
  @available(
    *, unavailable, renamed: "value", message: "A node does not complete: its `value` is the last."
  )
  public final func last() -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "A node does not complete: `collect(count:)` groups values, `scan` gathers all until now."
  )
  public final func collect() -> Node<[Value]> { gone() }
  @available(*, unavailable, renamed: "collect(count:)")
  public final func collect(_ count: Int) -> Node<[Value]> { gone() }
  @available(
    *, unavailable,
    message:
      "Only a node of `Result` can fail: make one by `tryMap`, then use `replaceError(with:)` or `catch`."
  )
  public final func replaceError(with value: Value) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message: "Only a node of `Result` can fail: make one by `tryMap`, then use `catch`."
  )
  public final func tryCatch<Output: Sendable>(
    _ handler: @escaping @Sendable (any Error) -> Node<Output>
  ) -> Node<Output> { gone() }
  @available(*, unavailable, renamed: "debounce(_:on:)")
  public final func debounce<Scheduler: AnyObject>(for interval: Duration, scheduler: Scheduler)
    -> Node<Value>
  { gone() }
  @available(*, unavailable, renamed: "delay(_:on:)")
  public final func delay<Scheduler: AnyObject>(for interval: Duration, scheduler: Scheduler)
    -> Node<Value>
  {
    gone()
  }
  @available(
    *, unavailable,
    message: "Use `throttleLatest(_:on:)` where `latest` is true, `throttleFirst(_:on:)` otherwise."
  )
  public final func throttle<Scheduler: AnyObject>(
    for interval: Duration, scheduler: Scheduler, latest: Bool
  ) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "timeout(_:on:)")
  public final func timeout<Scheduler: AnyObject>(_ interval: Duration, scheduler: Scheduler)
    -> Node<Value>
  {
    gone()
  }

  // MARK: EasySequence

  @available(*, unavailable, renamed: "startWith(_:)")
  public final func prepending(_ value: Value) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "flatten()")
  public final func flattened<Output: Sendable>() -> Node<Output> where Value: Node<Output> {
    gone()
  }
  @available(*, unavailable, renamed: "scanIndexed(_:_:)")
  public final func scanWithIndex<Total: Sendable>(
    _ initial: Total, _ next: @escaping @Sendable (Total, Value, Int) -> Total
  ) -> Node<Total> { gone() }

  // MARK: Everywhere

  @available(*, unavailable, renamed: "listen(_:)")
  public final func forEach(_ body: @escaping @Sendable (Value) -> Void) { gone() }

  @available(
    *, unavailable, renamed: "scan(_:_:)",
    message: "A node does not complete: `scan` tells each intermediate result."
  )
  public final func reduce<Total: Sendable>(
    _ initial: Total, _ next: @escaping @Sendable (Total, Value) -> Total
  ) -> Node<Total> { gone() }
  @available(
    *, unavailable,
    message:
      "`listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`."
  )
  public final func handleEvents(receiveOutput: @escaping @Sendable (Value) -> Void) -> Node<Value>
  { gone() }
  @available(
    *, unavailable,
    message:
      "`listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`."
  )
  public final func `do`(onNext: @escaping @Sendable (Value) -> Void) -> Node<Value> { gone() }
}

extension Cancelable {
  @available(*, unavailable, message: "Use `let bag = CancelableBag()`, then `store(in: bag)`.")
  public func store<Member>(in set: inout Set<Member>) { gone() }
}
