import DequeModule
import Synchronization

// Following several inner nodes at a time. A node does not complete, so where a number limits how
// many are followed, a closure says with which value an inner node has done its work.

extension Node {
  /// Returns a node that follows every node that this one has held.
  ///
  ///     let chat = room.flattenMerge()        // `room` holds a new node for each visitor
  ///
  /// An inner node's present value is told when it comes, with the outer set's context; afterwards
  /// each of its values counts, as in `merge`. An inner node that is empty tells nothing, and one
  /// that comes again is followed once and its value told again. All inner nodes are kept until the
  /// result goes, or its edge is cut. Known as `merge()` on a nested sequence in RxSwift,
  /// `flatten(.merge)` in ReactiveSwift.
  @inlinable
  public final func flattenMerge<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> where Value: Node<Output> {
    follow(.flattenMerge, SourceLocation(file, line)) { $0 }
  }

  /// Returns a node that follows every node that `transform` made of a value.
  ///
  ///     let prices = symbol.mergeMap { quotes(of: $0) }   // the quotes of all symbols so far
  ///
  /// ``flattenMerge(file:line:)`` tells the rest. Known as `flatMap` in Rx and Combine,
  /// `flatMap(.merge)` in ReactiveSwift; ``flattenMap(mode:file:line:_:)`` follows the latest only.
  @inlinable
  public final func mergeMap<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.mergeMap, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows at most `maxConcurrent` of the nodes that `transform` makes; values
  /// that come meanwhile wait, first in, first out.
  ///
  ///     let pages = links.mergeMap(maxConcurrent: 2) { load($0) }     // two downloads at a time
  ///
  /// A node does not complete: an inner node is done with the first value for which `isDone` holds,
  /// which is told; unless you say otherwise with its first value. Then its edge is cut and the next
  /// waiting value's node is made, with the context of that value. Present values count. Emptying
  /// neither node does anything; a cut of an inner edge counts as done; a cut of the outer edge
  /// drops what waits. Known as `merge(maxConcurrent:)` in RxSwift, `flatMap(maxPublishers:)` in
  /// Combine, `flatMap(.concurrent(limit:))` in ReactiveSwift, where an inner stream is done when it
  /// completes.
  /// - Parameter maxConcurrent: One or more; anything else stops with a message.
  @inlinable
  public final func mergeMap<Output: Sendable>(
    maxConcurrent: Int, until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    requirePositive(maxConcurrent, "mergeMap(maxConcurrent:)", self)
    return follow(
      .mergeMap, limit: maxConcurrent, until: isDone, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the nodes that `transform` makes one after the other, in order.
  ///
  ///     let saved = drafts.concatMap { save($0) }         // one save at a time, none left out
  ///
  /// It is ``mergeMap(maxConcurrent:until:file:line:_:)`` with one at a time. Known as `concatMap`
  /// in RxSwift, `flatMap(maxPublishers: .max(1))` in Combine, `flatMap(.concat)` in ReactiveSwift.
  @inlinable
  public final func concatMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.concatMap, limit: 1, until: isDone, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the node that `transform` made of a value; values that come before
  /// that one is done are dropped.
  ///
  ///     let paid = taps.exhaustMap { pay() }              // taps during a payment do nothing
  ///
  /// An inner node is done with the first value for which `isDone` holds, as in
  /// ``mergeMap(maxConcurrent:until:file:line:_:)``. Known as `flatMapFirst` in RxSwift,
  /// `exhaustMap` in RxJS, `flatMap(.throttle)` in ReactiveSwift.
  @inlinable
  public final func exhaustMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(
      .exhaustMap, limit: 1, drops: true, until: isDone, SourceLocation(file, line), transform)
  }

  /// - Parameter isDone: Nil: an inner node is never done, and a second edge from it would only tell its
  ///   values twice.
  @inlinable
  final func follow<Output: Sendable>(
    _ kind: OperatorKind, limit: Int = .max, drops: Bool = false,
    until isDone: (@Sendable (Output) -> Bool)? = nil, _ location: SourceLocation,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = NodeTransform<Value, Output>(kind) {
      let inners = InnerNodes(limit: limit, drops: drops, isEndless: isDone == nil)
      let follower = Follower<Value, Output>(inners, transform, isDone)
      return EdgeParts(state: inners, follower.outerStep())
    }
    return derive(through: flatten, isHead: true, location)
  }
}

/// The inner nodes that one life of an edge follows: how many, and what becomes of the values that come
/// meanwhile. What needs the values' types is a `Follower`'s.
@usableFromInline final class InnerNodes: EdgeState, @unchecked Sendable {
  // Unchecked: adds constants and an atomic; what changes the holder of the result's region touches, nobody
  // else, and exclusive access of fields follows from it.
  private let limit: Int
  @usableFromInline let drops: Bool
  private let isEndless: Bool
  @exclusivity(unchecked) private var running: [Member] = []
  /// Edges that were made and are not freed; and, of any thread, how many of these are cut: one that is
  /// cut, perhaps before it was attached, is done.
  @exclusivity(unchecked) private var made = 0
  fileprivate let cuts = Atomic<Int>(0)
  /// Where inner nodes are never done: which of them are followed already.
  @exclusivity(unchecked) private var followed: [NodePointer: Member] = [:]
  /// Inner nodes that are being made: the user's closure may set the outer node.
  @exclusivity(unchecked) @usableFromInline var beginning = 0
  /// One for each value that waits with the follower.
  @exclusivity(unchecked) private var waiting = Deque<(delivery: Delivery, sender: NodePointer)>()
  @exclusivity(unchecked) @usableFromInline var down: NodePointer?
  /// The follower's, set once: the first value that waits begins; those that wait are dropped.
  @exclusivity(unchecked) @usableFromInline var beginNext:
    (Delivery, NodePointer, TurnPointer) -> Bool = { _, _, _ in false }
  @exclusivity(unchecked) @usableFromInline var dropValues: () -> Void = {}

  @usableFromInline init(limit: Int, drops: Bool, isEndless: Bool) {
    (self.limit, self.drops, self.isEndless) = (limit, drops, isEndless)
    super.init()
  }

  deinit { forgetWaiting() }

  private var hasRoom: Bool {
    made - cuts.load(ordering: .acquiring) + beginning < limit
  }
  @usableFromInline var hasRoomAtOnce: Bool { hasRoom && waiting.isEmpty }

  /// The value waits with the follower.
  @usableFromInline func wait(_ delivery: Delivery, _ sender: NodePointer) {
    waiting.append((delivery.retained(), sender))
  }

  /// Is it followed already, for ever?
  @usableFromInline func known(_ node: NodePointer) -> (edge: EdgePointer, life: EdgeState)? {
    guard isEndless, let known = followed[node], !known.inner.isCut else { return nil }
    return (known.inner.edge, known.inner.life)
  }

  /// Nil: nothing of it is to be told here and now.
  @usableFromInline func follow(
    _ node: AnyNode, _ delivery: Delivery, _ turn: TurnPointer, _ step: @escaping Step
  ) -> Member? {
    let member = Member(of: self, node, down.unsafelyUnwrapped, step)
    made += 1
    member.place = running.count
    running.append(member)
    if isEndless { followed[node.storage] = member }
    return member.inner.link(delivery, turn) && !node.storage.willEmit(in: turn) ? member : nil
  }

  @usableFromInline func finish(_ member: Member, _ turn: TurnPointer) {
    forget(member)
    member.inner.cut(turn)
  }

  private func forget(_ member: Member) {
    let last = running.removeLast()
    if last !== member {
      running[member.place] = last
      last.place = member.place
    }
    member.place = -1
  }

  /// What waits begins as far as there is room. True: something is stored in the result.
  @usableFromInline func beginWaiting(_ isStored: Bool, _ turn: TurnPointer) -> Bool {
    var isStored = isStored
    while let down, hasRoom, !hasEnded, let next = waiting.popFirst() {
      let context = next.delivery.takeContext()
      let delivery = next.delivery.afterWaiting(context)
      whileStored(isStored, down, turn) {
        if beginNext(delivery, next.sender, turn) { isStored = true }
      }
      _ = consume context
    }
    return isStored
  }

  /// An inner edge was cut by somebody else: that counts as done.
  override func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {
    made -= 1
    cuts.wrappingSubtract(1, ordering: .releasing)
    let member = unsafeDowncast(life, to: Member.self)
    let isOthersCut = member.place >= 0
    if isOthersCut { forget(member) }
    if isEndless, let node = member.inner.edge.pointee.up, followed[node] === member {
      followed[node] = nil
    }
    guard isOthersCut, !hasEnded, let down else { return }
    let saved = turn.pointee.wave
    if beginWaiting(false, turn) { down.propagate(in: turn) }
    turn.pointee.wave = saved
  }

  @usableFromInline override func detached(_ turn: TurnPointer) {
    let members = running
    running = []
    followed = [:]
    for member in members { member.place = -1 }
    for member in members { member.inner.cut(turn) }
    forgetWaiting()
  }

  private func forgetWaiting() {
    if waiting.isEmpty { return }
    while let next = waiting.popFirst() { _ = next.delivery.takeContext() }
    dropValues()
  }
}

/// The life of an inner edge.
@usableFromInline final class Member: EdgeState, @unchecked Sendable {
  // Unchecked: adds `edge`, which is set before this is published and never again, and `place`, which the
  // holder of the result's region touches, nobody else; `marked`, which any thread calls, touches neither.
  private var edge: EdgePointer?
  /// Among those that run; -1: it does not.
  @exclusivity(unchecked) fileprivate var place = -1

  fileprivate init(
    of inners: InnerNodes, _ node: AnyNode, _ down: NodePointer, _ step: @escaping Step
  ) {
    super.init(of: inners)
    edge = InnerEdge(.member, from: node, to: down, life: self, step).edge
  }

  /// Made when asked for: it keeps its life.
  fileprivate var inner: InnerEdge { InnerEdge(edge: edge.unsafelyUnwrapped, life: self) }

  override func marked() {
    unsafeDowncast(outer!, to: InnerNodes.self).cuts.wrappingAdd(1, ordering: .releasing)
  }

  @usableFromInline var isRunning: Bool { place >= 0 }
  @usableFromInline var isCut: Bool { inner.isCut }
}

/// What of `InnerNodes` needs the values' types. It overrides nothing, so it is compiled for them where the
/// operator is called.
@usableFromInline final class Follower<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // Unchecked: constants; the values in `waiting` the holder of the result's region touches, nobody else.
  /// It keeps this one, and lives as long as any of its edges.
  @usableFromInline unowned(unsafe) let inners: InnerNodes
  @usableFromInline let transform: @Sendable (Input) -> Node<Output>
  @usableFromInline let isDone: (@Sendable (Output) -> Bool)?
  @usableFromInline let waiting = Cell(Deque<Input>())

  @inlinable init(
    _ inners: InnerNodes, _ transform: @escaping @Sendable (Input) -> Node<Output>,
    _ isDone: (@Sendable (Output) -> Bool)?
  ) {
    (self.inners, self.transform, self.isDone) = (inners, transform, isDone)
    inners.beginNext = { [self] delivery, sender, turn in
      begin(waiting.place.pointee.removeFirst(), delivery, sender, turn)
    }
    inners.dropValues = { [waiting] in
      let values = waiting.place.pointee
      waiting.place.pointee = []
      _ = consume values
    }
  }

  @inlinable func outerStep() -> Step {
    { [self] up, edge, turn in
      let value = up.slot(Input.self).pointee
      return edge.deliver(Delivery(edge, turn), in: turn) {
        take(value, over: edge, $0, turn)
      } later: {
        ClosureCrossing { [self] in take(value, over: edge, $0, $1) }
      }
    }
  }

  /// The outer node told a value. True: stored in the result.
  @inlinable func take(
    _ value: Input, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    inners.down = edge.pointee.down
    let sender = edge.pointee.up.unsafelyUnwrapped
    if inners.hasRoomAtOnce {
      return inners.beginWaiting(begin(value, delivery, sender, turn), turn)
    }
    if inners.drops { return edge.stop(.filtered, delivery, in: turn) }
    waiting.place.pointee.append(value)
    inners.wait(delivery, sender)
    return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
  }

  /// Makes and follows one inner node. True: its present value was stored in the result.
  @inlinable func begin(
    _ value: Input, _ delivery: Delivery, _ sender: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    inners.beginning += 1
    var node = transform(value)
    let answer = inners.hasEnded || !isKnownUniquelyReferenced(&node) ? nil : askEarly(node)
    inners.beginning -= 1
    guard !inners.hasEnded, let down = inners.down, node.storage != down else { return false }
    // The outer node's event chose the inner one, whose value it is.
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    if let known = inners.known(node.storage) {
      if node.storage.willEmit(in: turn) { return false }
      return emitAgain(Output.self, over: known.edge, known.life, delivery, sender, false, turn)
    }
    if let answer, answer.isDone {
      return down.arrive(.value(answer.value), delivery, sender: sender, in: turn)
    }
    guard let member = inners.follow(node, delivery, turn, innerStep()),
      let present = node.storage.readStored(Output.self)
    else { return false }
    let isSame = answer?.wave == node.storage.pointee.wave.load(ordering: .relaxed)
    let isLast = !isSame && isDone?(present) == true
    if inners.hasEnded || member.isCut { return false }  // by `isDone`
    if isLast { inners.finish(member, turn) }
    return down.arrive(.value(present), delivery, sender: sender, in: turn)
  }

  /// An inner node that nobody else keeps, and nothing leads to: if it is done with what it holds, it needs no edge.
  /// Asked while it counts as running, as one that is followed does.
  @inlinable func askEarly(_ node: Node<Output>) -> (value: Output, wave: UInt64, isDone: Bool)? {
    let wave = node.storage.pointee.wave.load(ordering: .acquiring)
    guard let isDone, node.storage.pointee.firstIn.load(ordering: .relaxed) == nil,
      let value = node.storage.readStored(Output.self)
    else { return nil }
    return (value, wave, isDone(value))
  }

  /// The outer edge may have been cut a moment ago: see `isOver`. So the claim comes first.
  @inlinable func innerStep() -> Step {
    if isDone == nil {
      return { up, edge, turn in
        _ = edge.pointee.down.unsafelyUnwrapped.claimOutlined(by: turn)
        if edge.isOuterOver { return edge.stop(.cut, in: turn) }
        return edge.pass(up.slot(Output.self).pointee, from: up, in: turn)
      }
    }
    return { [self] up, edge, turn in
      _ = edge.pointee.down.unsafelyUnwrapped.claimOutlined(by: turn)
      if edge.isOuterOver { return edge.stop(.cut, in: turn) }
      let value = up.slot(Output.self).pointee
      return edge.deliver(Delivery(edge, turn), in: turn) {
        hear(value, over: edge, $0, turn)
      } later: {
        ClosureCrossing { [self] in hear(value, over: edge, $0, $1) }
      }
    }
  }

  /// An inner node told a value.
  @inlinable func hear(
    _ value: Output, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    let member = unsafeDowncast(
      edge.pointee.state.unsafelyUnwrapped.takeUnretainedValue(), to: Member.self)
    guard member.isRunning, let down = inners.down, let isDone else { return false }
    let isLast = isDone(value)
    if edge.pointee.isOver() { return edge.stop(.cut, delivery, in: turn) }  // by `isDone`
    let isStored = down.arrive(.value(value), delivery, sender: edge.pointee.up, in: turn)
    if !isLast { return isStored }
    whileStored(isStored, down, turn) { inners.finish(member, turn) }
    return inners.beginWaiting(isStored, turn)
  }
}

extension EdgePointer {
  /// Of an edge from an inner node: the outer edge was cut.
  @inlinable var isOuterOver: Bool {
    pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      $0.outer.unsafelyUnwrapped.hasEnded
    }
  }
}
