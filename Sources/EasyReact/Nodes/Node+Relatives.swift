// What the field's other libraries call our operators: a name that is typed out of habit says what to write here. Nothing in this
// file can be called. The catalogue of `easyreact marbles` has the same names for its search.

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
      "Choose: `flattenMap` follows the latest inner node, `mergeMap` all of them, `concatMap` one after the other."
  )
  public final func flatMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> { gone() }
  @available(
    *, unavailable, renamed: "combine(_:)",
    message: "`combine` tells each combination once a set, without mixtures of old and new."
  )
  public final func combineLatest<Other: Sendable>(_ other: Node<Other>) -> Node<(Value, Other)> {
    gone()
  }
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
    message: "A node is shared as it is: each value is computed once, however many listen."
  )
  public final func share() -> Node<Value> { gone() }

  // MARK: RxSwift, ReactiveSwift

  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func subscribe(onNext: @escaping @Sendable (Value) -> Void) -> Listening { gone() }
  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func observeValues(_ action: @escaping @Sendable (Value) -> Void) -> Listening {
    gone()
  }
  @available(*, unavailable, renamed: "flattenMap(_:)")
  public final func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> { gone() }
  @available(*, unavailable, renamed: "exhaustMap(_:)")
  public final func flatMapFirst<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> { gone() }
  @available(*, unavailable, renamed: "withLatest(from:)")
  public final func withLatestFrom<Other: Sendable>(_ other: Node<Other>) -> Node<(Value, Other)> {
    gone()
  }
  @available(*, unavailable, renamed: "deliver(on:)")
  public final func observe(on scheduler: some NodeScheduler) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "flatten()")
  public final func switchLatest<Output: Sendable>() -> Node<Output> where Value: Node<Output> {
    gone()
  }
  @available(*, unavailable, renamed: "mapReplace(_:)")
  public final func mapTo<Output: Sendable>(_ value: Output) -> Node<Output> { gone() }
  @available(*, unavailable, renamed: "race(_:)")
  public final func amb(_ other: Node<Value>) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "distinctUntilChanged()")
  public final func skipRepeats() -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "pairwise()")
  public final func combinePrevious() -> Node<(Value, Value)> { gone() }
  @available(*, unavailable, renamed: "pairwise()")
  public final func adjacentPairs() -> Node<(Value, Value)> { gone() }

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

extension MutableNode {
  @available(*, unavailable, renamed: "set(_:)")
  public final func send(_ value: Value) {}
  @available(*, unavailable, renamed: "set(_:)")
  public final func accept(_ value: Value) {}
  @available(*, unavailable, renamed: "set(_:)")
  public final func onNext(_ value: Value) {}
}
