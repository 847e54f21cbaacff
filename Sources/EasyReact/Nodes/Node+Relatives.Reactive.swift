// What RxSwift and ReactiveSwift call our operators, and Observation its notices; as in `Node+Relatives.swift` nothing here can be called.

extension Node {
  // MARK: RxSwift

  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func subscribe(
    onNext: @escaping @Sendable (Value) -> Void, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> Listening { gone() }
  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func observe(_ body: @escaping @Sendable (Value) -> Void) -> Listening { gone() }
  @available(
    *, unavailable, message: "The node that follows is the one that links: `other.link(to: node)`."
  )
  @discardableResult
  public final func bind(to other: AnyNode) -> Listening { gone() }
  @available(*, unavailable, renamed: "listenOnMain(_:)")
  public final func bind(onNext: @escaping @Sendable (Value) -> Void) -> Listening { gone() }
  @available(*, unavailable, renamed: "listenOnMain(_:)")
  public final func drive(onNext: @escaping @Sendable (Value) -> Void) -> Listening { gone() }
  @available(
    *, unavailable, message: "The node that follows is the one that links: `other.link(to: node)`."
  )
  @discardableResult
  public final func drive(_ other: AnyNode) -> Listening { gone() }
  @available(
    *, unavailable, renamed: "fork()", message: "`fork()` returns a node that cannot be set."
  )
  public final func asObservable() -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `listenOnMain`, or `deliver(on: .main)` for a node.")
  public final func asDriver() -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `listenOnMain`, or `deliver(on: .main)` for a node.")
  public final func asDriver(onErrorJustReturn value: Value) -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `listenOnMain`, or `deliver(on: .main)` for a node.")
  public final func asSignal() -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "Leave `share(replay:)` out: a node is shared as it is, and whoever listens is told its present value."
  )
  public final func share(replay: Int) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message:
      "A node does not complete, so nothing comes after it: use `merge(_:)`, or `concatMap` of inner nodes."
  )
  public final func concat(_ other: Node<Value>) -> Node<Value> { gone() }
  @available(
    *, unavailable, message: "Use `startWith(_:)` with one value: a node holds one at a time."
  )
  public final func startWith(_ first: Value, _ second: Value, _ others: Value...) -> Node<Value> {
    gone()
  }
  @available(
    *, unavailable,
    message: "Use `withLatest(from:)` and `map`: `a.withLatest(from: b).map { $0 + $1 }`."
  )
  public final func withLatestFrom<Other: Sendable, Output: Sendable>(
    _ other: Node<Other>, resultSelector: @escaping @Sendable (Value, Other) -> Output
  ) -> Node<Output> { gone() }
  @available(*, unavailable, message: "Use `deliver(on: .main)`, or `deliver(on: .queue(queue))`.")
  public final func observe<Scheduler: AnyObject>(on scheduler: Scheduler) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "debounce(_:on:)")
  public final func debounce<Scheduler: AnyObject>(_ interval: Duration, scheduler: Scheduler)
    -> Node<Value>
  {
    gone()
  }
  @available(
    *, unavailable,
    message:
      "Use `throttleLatest(_:on:)` where `latest` is true, as it is unless you say otherwise, `throttleFirst(_:on:)` where not."
  )
  public final func throttle<Scheduler: AnyObject>(
    _ interval: Duration, latest: Bool = true, scheduler: Scheduler
  ) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "takeWhile(_:)")
  public final func take(while isWanted: @escaping @Sendable (Value) -> Bool) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "takeUntil(_:)")
  public final func take<Other: Sendable>(until other: Node<Other>) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "skipWhile(_:)")
  public final func skip(while isUnwanted: @escaping @Sendable (Value) -> Bool) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, renamed: "skipUntil(_:)")
  public final func skip<Other: Sendable>(until other: Node<Other>) -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `Node(3)`, or `MutableNode(3)` for one that is set.")
  public static func just(_ value: Value) -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `Node<Int>()`: a node without a value is empty.")
  public static func empty() -> Node<Value> { gone() }
  @available(*, unavailable, message: "Use `Node<Int>()`: a node without a value is empty.")
  public static func never() -> Node<Value> { gone() }
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

  // MARK: ReactiveSwift

  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func observeValues(_ action: @escaping @Sendable (Value) -> Void) -> Listening {
    gone()
  }
  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func startWithValues(_ action: @escaping @Sendable (Value) -> Void) -> Listening {
    gone()
  }
  @available(
    *, unavailable,
    message: "Use the node itself: `listen` tells its present value and those that come."
  )
  public final var producer: Node<Value> { gone() }
  @available(*, unavailable, message: "Use `events()`, which keeps no value, or the node itself.")
  public final var signal: Node<Value> { gone() }
  @available(*, unavailable, renamed: "distinctUntilChanged()")
  public final func skipRepeats() -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "distinctUntilChanged(by:)")
  public final func skipRepeats(_ isEqual: @escaping @Sendable (Value, Value) -> Bool) -> Node<
    Value
  > { gone() }
  @available(*, unavailable, renamed: "pairwise()")
  public final func combinePrevious() -> Node<(Value, Value)> { gone() }
  @available(*, unavailable, renamed: "pairwise(startingWith:)")
  public final func combinePrevious(_ first: Value) -> Node<(Value, Value)> { gone() }
  @available(
    *, unavailable,
    message:
      "Use `listen(by: owner)`, which lives as long as its owner, or `takeUntil(_:)` of a node."
  )
  public final func take<Lifetime: AnyObject>(during lifetime: Lifetime) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "take(_:)")
  public final func take(first count: Int) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "skip(_:)")
  public final func skip(first count: Int) -> Node<Value> { gone() }
  @available(*, unavailable, renamed: "combine(_:)")
  public final func combineLatest<Other: Sendable>(with other: Node<Other>) -> Node<(Value, Other)>
  { gone() }
  @available(*, unavailable, renamed: "zip(_:)")
  public final func zip<Other: Sendable>(with other: Node<Other>) -> Node<(Value, Other)> { gone() }
  @available(
    *, unavailable,
    message:
      "Use `listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`."
  )
  public final func on(value: @escaping @Sendable (Value) -> Void) -> Node<Value> { gone() }

  // MARK: swift-async-algorithms

  @available(*, unavailable, renamed: "pairwise()")
  public final func adjacentPairs() -> Node<(Value, Value)> { gone() }

  // MARK: Observation, SwiftUI

  @available(
    *, unavailable, renamed: "listen(_:)",
    message: "Keep what `listen` returns: releasing it ends the listening."
  )
  public final func onChange(_ action: @escaping @Sendable (Value) -> Void) { gone() }
  @available(*, unavailable, message: "Use `listen(_:)`, which is told after the change.")
  public final var objectWillChange: Node<Void> { gone() }
}

extension Cancelable {
  @available(*, unavailable, renamed: "store(in:)")
  public func disposed<Bag>(by bag: Bag) { gone() }
  @available(*, unavailable, renamed: "cancel()")
  public func dispose() { gone() }
}
