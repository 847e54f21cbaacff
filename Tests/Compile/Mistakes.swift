// What people write out of habit, and what the compiler says to each: Scripts/check-mistakes.py compares, and explains the comments. What
// is right elsewhere is answered by the unavailable names of `Node+Relatives.swift`, what is wrong everywhere by `Node+Mistakes.swift`.
// Not here, for nothing of ours can answer them: types of others (`PassthroughSubject`, `BehaviorRelay`), which we must not declare beside
// theirs, `$node`, `<~`, `withObservationTracking`, and a member `print`, which would stand before the function. Documentation/ComingFrom.md has these too.
// An unavailable setter of `value` would answer an assignment better; but then its key path is a writable one at run time (contract 1.2).
import Dispatch
import EasyReact
import Neighbour

// MARK: - Combine

// from Combine: sink
func mistake1(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening. A node does not complete.
  _ = node.sink { print($0) }
}

// from Combine: sink(receiveCompletion:receiveValue:)
func mistake2(_ node: Node<Int>) {
  // expected: Use `listen(_:)` and keep what it returns: releasing it ends the listening. A node does not complete.
  _ = node.sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
}

// from Combine: assign(to:on:)
@MainActor func mistake3(_ node: Node<String>, _ label: Label) {
  // expected: `assign(to:of:)` sets the property as long as the object lives, and does not keep it.
  _ = node.assign(to: \.text, on: label)
}

// from Combine: assign(to: &$published)
func mistake4(_ node: Node<String>, _ shown: inout String) {
  // expected: Another node follows by `other.link(to: node)`; a property by `assign(to: \.text, of: object)`.
  node.assign(to: &shown)
}

// from Combine: send
func mistake5(_ node: MutableNode<Int>) {
  // expected: renamed to 'set(_:)'
  node.send(3)
}

// from Combine: send() of a PassthroughSubject<Void, Never>
func mistake6(_ tapped: MutableNode<Void>) {
  // expected: renamed to 'fire()'
  tapped.send()
}

// from Combine: eraseToAnyPublisher
func mistake7(_ node: MutableNode<Int>) {
  // expected: renamed to 'fork()': A node is shared as it is; `fork()` returns one that cannot be set.
  _ = node.eraseToAnyPublisher()
}

// from Combine: receive(on:)
func mistake8(_ node: Node<Int>, _ queue: DispatchQueue) {
  // expected: Use `deliver(on: .main)`, or `deliver(on: .queue(queue))`.
  _ = node.receive(on: DispatchQueue.main)
  // expected: Use `deliver(on: .main)`, or `deliver(on: .queue(queue))`.
  _ = node.receive(on: queue)
  // expected: renamed to 'deliver(on:)'
  _ = node.receive(on: .main)
}

// from Combine: subscribe(on:)
func mistake9(_ node: Node<Int>, _ queue: DispatchQueue) {
  // expected: A node computes on the thread that sets its source: `deliver(on:)` moves what follows to another.
  _ = node.subscribe(on: queue)
}

// from Combine: a queue as the scheduler
func mistake10(_ node: Node<Int>) {
  // expected: conformance of 'DispatchQueue' to 'NodeScheduler' is unavailable: write .queue(queue), or .main for the main queue
  _ = node.deliver(on: DispatchQueue.main)
}

// from Combine: removeDuplicates
func mistake11(_ node: Node<Int>) {
  // expected: renamed to 'distinctUntilChanged()'
  _ = node.removeDuplicates()
  // expected: renamed to 'distinctUntilChanged(by:)'
  _ = node.removeDuplicates { $0 == $1 }
}

// from Combine: combineLatest
func mistake12(_ a: Node<Int>, _ b: Node<String>, _ c: Node<Bool>) {
  // expected: renamed to 'combine(_:)': `combine` tells each combination once a set, without mixtures of old and new.
  _ = a.combineLatest(b)
  // expected: renamed to 'combine(_:)': `combine` tells each combination once a set, without mixtures of old and new.
  _ = a.combineLatest(b, c)
  // expected: Use `combine` and `map`: `a.combine(b).map { $0 + $1 }`.
  _ = a.combineLatest(b) { "\($0) \($1)" }
}

// from Combine: CombineLatest, as a function of the type
func mistake13(_ a: Node<Int>, _ b: Node<String>) {
  // expected: Use `a.combine(b)`, or `a.combine(b, c)` of more.
  _ = Node.combineLatest(a, b)
}

// from Combine: zip with a transform
func mistake14(_ a: Node<Int>, _ b: Node<Int>) {
  // expected: Use `zip` and `map`: `a.zip(b).map { $0 + $1 }`.
  _ = a.zip(b) { $0 + $1 }
}

// from Combine: merge(with:)
func mistake15(_ a: Node<Int>, _ b: Node<Int>) {
  // expected: renamed to 'merge(_:)'
  _ = a.merge(with: b)
}

// from Combine: flatMap
func mistake16(_ node: Node<Int>) {
  // expected: Choose: `flattenMap` follows the latest inner node, `mergeMap` all of them, `concatMap` one after the other.
  _ = node.flatMap { Node($0) }
}

// from Combine: switchToLatest
func mistake17(_ nodes: Node<Node<Int>>) {
  // expected: renamed to 'flatten()'
  _ = nodes.switchToLatest()
}

// from Combine: a set of cancellables
func mistake18(_ node: Node<Int>, _ cancellables: inout Set<AnyCancellable>) {
  // expected: Use `let bag = CancelableBag()`, then `store(in: bag)`.
  node.listen { print($0) }.store(in: &cancellables)
}

// from Combine: store(in:) by its address
func mistake19(_ node: Node<Int>, _ bag: inout CancelableBag) {
  // expected: A bag is passed as it is: `store(in: bag)`.
  node.listen { print($0) }.store(in: &bag)
}

// from Combine: tryCatch
func mistake20(_ node: Node<Int>) {
  // expected: Only a node of `Result` can fail: make one by `tryMap`, then use `catch`.
  _ = node.tryCatch { _ in Node(3) }
}

// from Combine: replaceError
func mistake21(_ node: Node<Int>) {
  // expected: Only a node of `Result` can fail: make one by `tryMap`, then use `replaceError(with:)` or `catch`.
  _ = node.replaceError(with: 0)
}

// from Combine: dropFirst
func mistake22(_ node: Node<Int>) {
  // expected: renamed to 'skip(_:)'
  _ = node.dropFirst()
}

// from Combine: prefix, first
func mistake23(_ node: Node<Int>) {
  // expected: renamed to 'take(_:)'
  _ = node.prefix(3)
  // expected: renamed to 'take(_:)': `take(1)` is the first value; `await node.next()` is the next one.
  _ = node.first()
  // The one that is awaited: `filter(_:)` and `take(1)` make a node.
  // compiler: 'async' call in a function that does not support concurrency
  // compiler: call can throw, but it is not marked with 'try' and the error is not handled
  _ = node.first { $0 > 3 }
}

// from Combine: last
func mistake24(_ node: Node<Int>) {
  // expected: renamed to 'value': A node does not complete: its `value` is the last.
  _ = node.last()
}

// from Combine: share
func mistake25(_ node: Node<Int>) {
  // expected: Leave `share()` out: a node is shared as it is, and each value is computed once, however many listen.
  _ = node.share()
}

// from Combine: multicast
func mistake26(_ node: Node<Int>) {
  // expected: Leave `multicast` out: a node is shared as it is, and each value is computed once, however many listen.
  _ = node.multicast { MutableNode<Int>() }
  // expected: Leave `makeConnectable()` out: a node is shared as it is, and each value is computed once, however many listen.
  // expected: Leave `autoconnect()` out: a node is shared as it is, and each value is computed once, however many listen.
  _ = node.makeConnectable().autoconnect()
}

// from Combine: handleEvents
func mistake27(_ node: Node<Int>) {
  // expected: `listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`.
  _ = node.handleEvents(receiveOutput: { print($0) })
}

// from Combine: collect
func mistake28(_ node: Node<Int>) {
  // expected: A node does not complete: `collect(count:)` groups values, `scan` gathers all until now.
  _ = node.collect()
  // expected: renamed to 'collect(count:)'
  _ = node.collect(3)
}

// from Combine: prepend
func mistake29(_ node: Node<Int>) {
  // expected: renamed to 'startWith(_:)'
  _ = node.prepend(3)
}

// from Combine: reduce
func mistake30(_ node: Node<Int>) {
  // expected: renamed to 'scan(_:_:)': A node does not complete: `scan` tells each intermediate result.
  _ = node.reduce(0, +)
}

// from Combine: debounce(for:scheduler:)
func mistake31(_ node: Node<Int>) {
  // expected: renamed to 'debounce(_:on:)'
  _ = node.debounce(for: .seconds(1), scheduler: DispatchQueue.main)
}

// from Combine: delay(for:scheduler:), timeout(_:scheduler:)
func mistake32(_ node: Node<Int>) {
  // expected: renamed to 'delay(_:on:)'
  _ = node.delay(for: .seconds(1), scheduler: DispatchQueue.main)
  // expected: renamed to 'timeout(_:on:)'
  _ = node.timeout(.seconds(1), scheduler: DispatchQueue.main)
}

// from Combine: throttle(for:scheduler:latest:)
func mistake33(_ node: Node<Int>) {
  // expected: Use `throttleLatest(_:on:)` where `latest` is true, `throttleFirst(_:on:)` otherwise.
  _ = node.throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)
}

// MARK: - RxSwift

// from RxSwift: subscribe(onNext:)
func mistake34(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.subscribe(onNext: { print($0) })
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.subscribe(onNext: { print($0) }, onError: { print($0) }, onCompleted: {})
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.subscribe { print($0) }
}

// from RxSwift: bind(to:)
func mistake35(_ node: Node<Int>, _ other: MutableNode<Int>) {
  // expected: The node that follows is the one that links: `other.link(to: node)`.
  node.bind(to: other)
  // expected: The node that follows is the one that links: `other.link(to: node)`.
  node.drive(other)
}

// from RxSwift: bind(onNext:)
func mistake36(_ node: Node<Int>) {
  // expected: renamed to 'listenOnMain(_:)'
  _ = node.bind { print($0) }
  // expected: renamed to 'listenOnMain(_:)'
  _ = node.drive(onNext: { print($0) })
}

// from RxSwift: disposed(by:)
func mistake37(_ node: Node<Int>, _ bag: CancelableBag) {
  // expected: renamed to 'store(in:)'
  node.listen { print($0) }.disposed(by: bag)
}

// from RxSwift: dispose
func mistake38(_ listening: Listening) {
  // expected: renamed to 'cancel()'
  listening.dispose()
}

// from RxSwift: observe(on:)
func mistake39(_ node: Node<Int>, _ queue: DispatchQueue) {
  // expected: Use `deliver(on: .main)`, or `deliver(on: .queue(queue))`.
  _ = node.observe(on: queue)
  // expected: renamed to 'deliver(on:)'
  _ = node.observe(on: .main)
}

// from RxSwift: asObservable
func mistake40(_ node: Node<Int>) {
  // expected: renamed to 'fork()': `fork()` returns a node that cannot be set.
  _ = node.asObservable()
}

// from RxSwift: asDriver
func mistake41(_ node: Node<Int>) {
  // expected: Use `listenOnMain`, or `deliver(on: .main)` for a node.
  _ = node.asDriver(onErrorJustReturn: 3)
  // expected: Use `listenOnMain`, or `deliver(on: .main)` for a node.
  _ = node.asSignal()
}

// from RxSwift: onNext, accept
func mistake42(_ node: MutableNode<Int>) {
  // expected: renamed to 'set(_:)'
  node.onNext(3)
  // expected: renamed to 'set(_:)'
  node.accept(3)
}

// from RxSwift: just, empty, never
func mistake43() {
  // expected: Use `Node(3)`, or `MutableNode(3)` for one that is set.
  _ = Node.just(3)
  // expected: Use `Node<Int>()`: a node without a value is empty.
  _ = Node<Int>.empty()
  // expected: Use `Node<Int>()`: a node without a value is empty.
  _ = Node<Int>.never()
}

// from RxSwift: withLatestFrom
func mistake44(_ a: Node<Int>, _ b: Node<Int>) {
  // expected: renamed to 'withLatest(from:)'
  _ = a.withLatestFrom(b)
  // expected: Use `withLatest(from:)` and `map`: `a.withLatest(from: b).map { $0 + $1 }`.
  _ = a.withLatestFrom(b) { $0 + $1 }
}

// from RxSwift: startWith of several
func mistake45(_ node: Node<Int>) {
  // expected: Use `startWith(_:)` with one value: a node holds one at a time.
  _ = node.startWith(1, 2)
}

// from RxSwift: do(onNext:)
func mistake46(_ node: Node<Int>) {
  // expected: `listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`.
  _ = node.do(onNext: { print($0) })
}

// from RxSwift: concat
func mistake47(_ a: Node<Int>, _ b: Node<Int>) {
  // expected: A node does not complete, so nothing comes after it: use `merge(_:)`, or `concatMap` of inner nodes.
  _ = a.concat(b)
}

// from RxSwift: flatMapLatest, flatMapFirst
func mistake48(_ node: Node<Int>) {
  // expected: renamed to 'flattenMap(_:)'
  _ = node.flatMapLatest { Node($0) }
  // expected: renamed to 'exhaustMap(_:)'
  _ = node.flatMapFirst { Node($0) }
}

// from RxSwift: share(replay:)
func mistake49(_ node: Node<Int>) {
  // expected: Leave `share(replay:)` out: a node is shared as it is, and whoever listens is told its present value.
  _ = node.share(replay: 1)
}

// from RxSwift: debounce, throttle
func mistake50(_ node: Node<Int>, _ queue: DispatchQueue) {
  // expected: renamed to 'debounce(_:on:)'
  _ = node.debounce(.milliseconds(300), scheduler: queue)
  // expected: Use `throttleLatest(_:on:)` where `latest` is true, as it is unless you say otherwise, `throttleFirst(_:on:)` where not.
  _ = node.throttle(.milliseconds(300), scheduler: queue)
}

// from RxSwift: take(while:), take(until:)
func mistake51(_ node: Node<Int>, _ other: Node<Bool>) {
  // expected: renamed to 'takeWhile(_:)'
  _ = node.take(while: { $0 > 3 })
  // expected: renamed to 'takeUntil(_:)'
  _ = node.take(until: other)
  // expected: renamed to 'skipWhile(_:)'
  _ = node.skip(while: { $0 > 3 })
  // expected: renamed to 'skipUntil(_:)'
  _ = node.skip(until: other)
}

// MARK: - ReactiveSwift

// from ReactiveSwift: observeValues
func mistake52(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.observeValues { print($0) }
}

// from ReactiveSwift: producer.startWithValues
func mistake53(_ node: Node<Int>) {
  // expected: Use the node itself: `listen` tells its present value and those that come.
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.producer.startWithValues { print($0) }
}

// from ReactiveSwift: signal
func mistake54(_ node: Node<Int>) {
  // expected: Use `events()`, which keeps no value, or the node itself.
  _ = node.signal
}

// from ReactiveSwift: skipRepeats
func mistake55(_ node: Node<Int>) {
  // expected: renamed to 'distinctUntilChanged()'
  _ = node.skipRepeats()
  // expected: renamed to 'distinctUntilChanged(by:)'
  _ = node.skipRepeats { $0 == $1 }
}

// from ReactiveSwift: combinePrevious
func mistake56(_ node: Node<Int>) {
  // expected: renamed to 'pairwise()'
  _ = node.combinePrevious()
  // expected: renamed to 'pairwise(startingWith:)'
  _ = node.combinePrevious(0)
}

// from ReactiveSwift: take(during:)
func mistake57(_ node: Node<Int>, _ lifetime: Label) {
  // expected: Use `listen(by: owner)`, which lives as long as its owner, or `takeUntil(_:)` of a node.
  _ = node.take(during: lifetime)
}

// from ReactiveSwift: take(first:), skip(first:)
func mistake58(_ node: Node<Int>) {
  // expected: renamed to 'take(_:)'
  _ = node.take(first: 3)
  // expected: renamed to 'skip(_:)'
  _ = node.skip(first: 3)
}

// from ReactiveSwift: combineLatest(with:), zip(with:)
func mistake59(_ a: Node<Int>, _ b: Node<Int>) {
  // expected: renamed to 'combine(_:)'
  _ = a.combineLatest(with: b)
  // expected: renamed to 'zip(_:)'
  _ = a.zip(with: b)
}

// from ReactiveSwift: modify
func mistake60(_ node: MutableNode<Int>) {
  // expected: renamed to 'update(_:)'
  node.modify { $0 += 1 }
}

// from ReactiveSwift: on(value:)
func mistake61(_ node: Node<Int>) {
  // expected: `listen` for its effects; a node in the middle of a chain has none. To look at what passes: `debug()`.
  _ = node.on(value: { print($0) })
}

// MARK: - Observation, SwiftUI

// from SwiftUI: onChange
func mistake62(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  node.onChange { print($0) }
}

// from SwiftUI: objectWillChange
func mistake63(_ node: Node<Int>) {
  // expected: Use `listen(_:)`, which is told after the change.
  _ = node.objectWillChange
}

// from Observation: a binding of a node that only reads
func mistake64(_ title: Node<String>) {
  // compiler: cannot assign to property: 'value' is a get-only property
  title.value = "title"
}

// from Observation: observe
func mistake65(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening.
  _ = node.observe { print($0) }
}

// MARK: - Beginners: setting

// from beginners: setting a node that only reads
func mistake66(_ node: Node<Int>) {
  // compiler: cannot assign to property: 'value' is a get-only property
  node.value = 3
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.set(3)
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.set(3, context: "me")
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.update { $0 += 1 }
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.clean()
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.send(3)
}

// from beginners: setting what an operator returns
func mistake67(_ node: MutableNode<Int>) {
  // expected: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
  node.map { $0 + 1 }.set(2)
}

// from beginners: changing the value of a node that only reads in place
func mistake68(_ names: Node<[String]>) {
  // compiler: cannot use mutating member on immutable value: 'value' is a get-only property
  names.value?.append("Ada")
}

// from beginners: changing `current`
func mistake69(_ node: MutableNode<Int>, _ names: MutableNode<[String]>) {
  // compiler: left side of mutating operator isn't mutable: 'current' is a get-only property
  node.current += 1
  // compiler: cannot use mutating member on immutable value: 'current' is a get-only property
  names.current.append("Ada")
}

// from beginners: linking a node that only reads
func mistake70(_ node: Node<Int>, _ other: Node<Int>) {
  // expected: A node that is handed out is not linked by accident: `node.wiring.link(to:)`, or make it a `MutableNode`.
  node.link(to: other)
  // expected: A node that is handed out is not synced by accident: `node.wiring.sync(with:)`, or make it a `MutableNode`.
  node.sync(with: other)
}

// from beginners: setting a value of another type
func mistake71(_ node: MutableNode<Int>) {
  // compiler: cannot assign value of type 'String' to type 'Int'
  node.value = "3"
  // compiler: cannot convert value of type 'String' to expected argument type 'Int'
  node.set("3")
}

// from beginners: nil for a node of values that are no optionals
func mistake72(_ node: MutableNode<Int>) {
  // compiler: 'nil' is not compatible with expected argument type 'Int'
  node.set(nil)
}

// from beginners: linking a node of another type
func mistake73(_ text: MutableNode<String>, _ node: Node<Int>) {
  // compiler: cannot convert value of type 'Node<Int>' to expected argument type 'Node<String>'
  text.link(to: node)
}

// MARK: - Beginners: the node for its value

// from beginners: comparing a node with a value
func mistake74(_ node: Node<Int>) {
  // expected: Compare its value: `node.value`, which is optional, or `node.current`.
  _ = node == 3
  // expected: Compare its value: `node.value`, which is optional, or `node.current`.
  _ = node != 3
  // expected: Compare its value: `node.value`, which is optional, or `node.current`.
  if node > 3 {}
}

// from beginners: computing with nodes
func mistake75(_ price: Node<Int>, _ count: Node<Int>, _ name: Node<String>) {
  // expected: Compute with values: `node.map { $0 * 1 }`, `a.combine(b).map { $0 * $1 }`.
  _ = price * count
  // expected: Compute with values: `node.map { $0 + 1 }`, `a.combine(b).map { $0 + $1 }`.
  _ = price + 1
  // expected: Compute with values: `node.map { $0 + 1 }`, `a.combine(b).map { $0 + $1 }`.
  _ = name + "!"
}

// from beginners: the value as if it were always there
func mistake76(_ node: Node<Int>) {
  // compiler: value of optional type 'Int?' must be unwrapped to a value of type 'Int'
  // compiler: coalesce using '??' to provide a default
  if node.value > 3 {}
}

// from beginners: a node as a condition
func mistake77(_ isOn: Node<Bool>) {
  // compiler: cannot convert value of type 'Node<Bool>' to expected condition type 'Bool'
  if isOn {}
}

// from beginners: forEach
func mistake78(_ node: Node<Int>) {
  // expected: renamed to 'listen(_:)'
  node.forEach { print($0) }
}

// from beginners: for await
func mistake79(_ node: Node<Int>) async {
  // compiler: for-in loop requires 'Node<Int>' to conform to 'AsyncSequence'
  for await value in node { print(value) }
}

// from beginners: seconds without a unit
func mistake80(_ node: Node<Int>) {
  // expected: Write the unit: `.seconds(0.3)` or `.milliseconds(300)`.
  _ = node.debounce(0.3, on: .main)
  // expected: Write the unit: `.seconds(0.3)` or `.milliseconds(300)`.
  _ = node.delay(2, on: .main)
}

// MARK: - Beginners: making, keeping, threads

// from beginners: a node of no type
func mistake81() {
  // compiler: generic parameter 'Value' could not be inferred
  // compiler: explicitly specify the generic arguments to fix this issue
  let node = MutableNode()
  _ = node
}

// from beginners: a node of nil
func mistake82() {
  // compiler: generic parameter 'Value' could not be inferred
  // compiler: explicitly specify the generic arguments to fix this issue
  let shown = MutableNode(nil)
  _ = shown
}

// from beginners: a value where a node is needed
func mistake83() {
  // compiler: cannot convert value of type 'Int' to specified type 'MutableNode<Int>'
  let node: MutableNode<Int> = 3
  _ = node
}

// from beginners: what an operator returns, as a node that is set
func mistake84(_ node: MutableNode<Int>) {
  // compiler: cannot convert value of type 'Node<Int>' to specified type 'MutableNode<Int>'
  let next: MutableNode<Int> = node.map { $0 + 1 }
  _ = next
}

// from beginners: keeping no listening, no node
func mistake85(_ node: Node<Int>) {
  // compiler: result of call to 'listen(file:line:_:)' is unused
  node.listen { print($0) }
  // compiler: result of call to 'map(file:line:_:)' is unused
  node.map { $0 + 1 }
}

// from beginners: an effect that changes the value of a map
func mistake86(_ node: Node<Int>) {
  // compiler: left side of mutating operator isn't mutable: '$0' is immutable
  _ = node.map { $0 += 1 }
}

// from beginners: state of the main actor in a plain listener
@MainActor func mistake87(_ node: Node<String>, _ label: Label) {
  // compiler: main actor-isolated property 'text' can not be mutated from a Sendable closure
  _ = node.listen { label.text = $0 }
}

// from beginners: an object that is not Sendable in a map
func mistake88(_ node: Node<String>, _ draft: Draft) {
  // compiler: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure
  _ = node.map { $0 + draft.text }
}

// from beginners: an owner that is not Sendable
func mistake89(_ node: Node<String>, _ draft: Draft) {
  // compiler: type 'Draft' does not conform to the 'Sendable' protocol
  node.listen(by: draft) { draft, text in draft.text = text }
}

// from beginners: values that are not Sendable
func mistake90(_ draft: Draft) {
  // compiler: type 'Draft' does not conform to the 'Sendable' protocol
  _ = MutableNode(draft)
}

// MARK: - What the mistakes are made with

@MainActor final class Label { var text = "" }

final class Draft { var text = "" }
