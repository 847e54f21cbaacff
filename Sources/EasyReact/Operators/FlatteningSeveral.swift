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
  public final func flattenMerge<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> where Value: Node<Output> {
    follow(.flattenMerge, Plan(), SourceLocation(file, line)) { $0 }
  }

  /// Returns a node that follows every node that `transform` made of a value.
  ///
  ///     let prices = symbol.mergeMap { quotes(of: $0) }   // the quotes of all symbols so far
  ///
  /// ``flattenMerge(file:line:)`` tells the rest. Known as `flatMap` in Rx and Combine,
  /// `flatMap(.merge)` in ReactiveSwift; ``flattenMap(mode:file:line:_:)`` follows the latest only.
  public final func mergeMap<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.mergeMap, Plan(), SourceLocation(file, line), transform)
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
  public final func mergeMap<Output: Sendable>(
    maxConcurrent: Int, until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    requirePositive(maxConcurrent, "mergeMap(maxConcurrent:)", self)
    return follow(
      .mergeMap, Plan(limit: maxConcurrent, isDone: isDone), SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the nodes that `transform` makes one after the other, in order.
  ///
  ///     let saved = drafts.concatMap { save($0) }         // one save at a time, none left out
  ///
  /// It is ``mergeMap(maxConcurrent:until:file:line:_:)`` with one at a time. Known as `concatMap`
  /// in RxSwift, `flatMap(maxPublishers: .max(1))` in Combine, `flatMap(.concat)` in ReactiveSwift.
  public final func concatMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.concatMap, Plan(limit: 1, isDone: isDone), SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the node that `transform` made of a value; values that come before
  /// that one is done are dropped.
  ///
  ///     let paid = taps.exhaustMap { pay() }              // taps during a payment do nothing
  ///
  /// An inner node is done with the first value for which `isDone` holds, as in
  /// ``mergeMap(maxConcurrent:until:file:line:_:)``. Known as `flatMapFirst` in RxSwift,
  /// `exhaustMap` in RxJS, `flatMap(.throttle)` in ReactiveSwift.
  public final func exhaustMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(
      .exhaustMap, Plan(limit: 1, drops: true, isDone: isDone), SourceLocation(file, line),
      transform)
  }

  private final func follow<Output: Sendable>(
    _ kind: OperatorKind, _ plan: Plan<Output>, _ location: SourceLocation,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = NodeTransform<Value, Output>(kind) {
      let innerNodes = InnerNodes<Value, Output>(plan, transform)
      return EdgeParts(state: innerNodes) { up, edge, turn in
        let value = up.slot(Value.self).pointee
        return edge.inRegion(in: turn) { delivery, turn in
          innerNodes.take(value, over: edge, delivery, turn)
        }
      }
    }
    return derive(through: flatten, isHead: true, location)
  }
}

/// How many inner nodes are followed, and what becomes of the values that come meanwhile.
private struct Plan<Output: Sendable>: Sendable {
  var limit = Int.max
  var drops = false
  /// Nil: an inner node is never done, and a second edge from it would only tell its values twice.
  var isDone: (@Sendable (Output) -> Bool)?
}

/// The inner nodes that one life of an edge follows. Touched by the holder of the result's region.
private final class InnerNodes<Input: Sendable, Output: Sendable>: EdgeState, @unchecked Sendable {
  // Unchecked: see above.
  private let plan: Plan<Output>
  private let transform: @Sendable (Input) -> Node<Output>
  private var running: [EdgePointer: InnerEdge] = [:]
  /// Edges that were made and are not freed; and, of any thread, how many of these are cut: one that is
  /// cut, perhaps before it was attached, is done.
  private var made = 0
  fileprivate let cuts = Atomic<Int>(0)
  /// Where inner nodes are never done: which of them are followed already.
  private var followed: [NodePointer: InnerEdge] = [:]
  /// Inner nodes that are being made: the user's closure may set the outer node.
  private var beginning = 0
  private var waiting = Deque<(value: Input, delivery: Delivery, sender: NodePointer)>()
  private var down: NodePointer?

  init(_ plan: Plan<Output>, _ transform: @escaping @Sendable (Input) -> Node<Output>) {
    self.plan = plan
    self.transform = transform
  }

  deinit { forgetWaiting() }

  private var hasRoom: Bool {
    made - cuts.load(ordering: .acquiring) + beginning < plan.limit
  }

  /// The outer node told a value. True: stored in the result.
  func take(
    _ value: Input, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    down = edge.pointee.down
    let sender = edge.pointee.up!
    if hasRoom, waiting.isEmpty {
      return beginWaiting(begin(value, delivery, sender, turn), turn)
    }
    if plan.drops { return edge.stop(.filtered, delivery, in: turn) }
    waiting.append((value, delivery.retained(), sender))
    return edge.stop(.waitsForAnotherUpstream, delivery, in: turn)
  }

  /// Makes and follows one inner node. True: its present value was stored in the result.
  private func begin(
    _ value: Input, _ delivery: Delivery, _ sender: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    beginning += 1
    let node = transform(value)
    beginning -= 1
    guard !hasEnded, let down, node.storage != down else { return false }
    // The outer node's event chose the inner one, whose value it is.
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    if let known = followed[node.storage], !known.isCut {
      if node.storage.willEmit(in: turn) { return false }
      return emitAgain(Output.self, over: known.edge, known.life, delivery, sender, false, turn)
    }
    let inner = edge(from: node, to: down)
    made += 1
    running[inner.edge] = inner
    if plan.isDone == nil { followed[node.storage] = inner }
    if !inner.link(delivery, turn) { return false }
    if node.storage.willEmit(in: turn) { return false }
    guard let present = node.storage.readStored(Output.self) else { return false }
    let isLast = plan.isDone?(present) == true
    if hasEnded || inner.isCut { return false }  // by `isDone`
    if isLast { finish(inner, turn) }
    return down.arrive(.value(present), delivery, sender: sender, in: turn)
  }

  private func edge(from node: Node<Output>, to down: NodePointer) -> InnerEdge {
    let member = Member<Input, Output>(of: self)
    let inner = InnerEdge(.member, from: node, to: down, life: member) {
      [plan] up, edge, turn in
      // The outer edge may have been cut a moment ago: see `isOver`. So the claim comes first.
      _ = edge.pointee.down.unsafelyUnwrapped.claimOutlined(by: turn)
      if self.hasEnded { return edge.stop(.cut, in: turn) }
      let value = up.slot(Output.self).pointee
      if plan.isDone == nil { return edge.pass(value, from: up, in: turn) }
      return edge.inRegion(in: turn) { delivery, turn in
        self.hear(value, over: edge, delivery, turn)
      }
    }
    member.edge = inner.edge
    return inner
  }

  /// An inner node told a value.
  private func hear(
    _ value: Output, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    guard let inner = running[edge], let down, let isDone = plan.isDone else { return false }
    let isLast = isDone(value)
    if edge.pointee.isOver() { return edge.stop(.cut, delivery, in: turn) }  // by `isDone`
    let isStored = down.arrive(.value(value), delivery, sender: edge.pointee.up, in: turn)
    if !isLast { return isStored }
    whileStored(isStored, down, turn) { finish(inner, turn) }
    return beginWaiting(isStored, turn)
  }

  private func finish(_ inner: InnerEdge, _ turn: TurnPointer) {
    running[inner.edge] = nil
    inner.cut(turn)
  }

  /// What waits begins as far as there is room. True: something is stored in the result.
  private func beginWaiting(_ isStored: Bool, _ turn: TurnPointer) -> Bool {
    var isStored = isStored
    while let down, hasRoom, !hasEnded, let next = waiting.popFirst() {
      let context = next.delivery.takeContext()
      let delivery = next.delivery.afterWaiting(context)
      whileStored(isStored, down, turn) {
        if begin(next.value, delivery, next.sender, turn) { isStored = true }
      }
      _ = consume context
    }
    return isStored
  }

  /// An inner edge was cut by somebody else: that counts as done.
  override func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {
    made -= 1
    cuts.wrappingSubtract(1, ordering: .releasing)
    let edge = unsafeDowncast(life, to: Member<Input, Output>.self).edge!
    let isOthersCut = running.removeValue(forKey: edge) != nil
    if let node = edge.pointee.up, followed[node]?.edge == edge { followed[node] = nil }
    guard isOthersCut, !hasEnded, let down else { return }
    let saved = turn.pointee.wave
    if beginWaiting(false, turn) { down.propagate(in: turn) }
    turn.pointee.wave = saved
  }

  override func detached(_ turn: TurnPointer) {
    let inners = running.values
    running = [:]
    followed = [:]
    for inner in inners { inner.cut(turn) }
    forgetWaiting()
  }

  private func forgetWaiting() {
    while let next = waiting.popFirst() { _ = next.delivery.takeContext() }
  }
}

/// The life of an inner edge. Touched by the holder of the result's region, but for what counts cuts.
private final class Member<Input: Sendable, Output: Sendable>: EdgeState, @unchecked Sendable {
  // Unchecked: see above.
  var edge: EdgePointer?
  override func marked() {
    unsafeDowncast(outer!, to: InnerNodes<Input, Output>.self)
      .cuts.wrappingAdd(1, ordering: .releasing)
  }
}
