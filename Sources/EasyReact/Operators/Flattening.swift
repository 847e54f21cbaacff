import Synchronization

extension Node {
  /// Returns a node that follows the node that `transform` makes of the latest value, and leaves
  /// the one before.
  ///
  ///     let result = query.flattenMap { search($0) }      // the latest search only
  ///
  /// It is a *join* of this node and the inner one: a turn that changes the choice, the chosen node or
  /// both tells one value, the new choice's, after everything that leads to either is final; the
  /// closure runs once for all that this node told in the turn. It has its first value at once. The inner
  /// node's present value is told at the switch, with the outer set's context; an inner
  /// node that is empty then empties the result. Setting an inner node that is followed already
  /// tells its value again. Emptying the outer node leaves the inner one in place, which is told again if the outer one
  /// had told something earlier in the same turn. Events of an inner node are told as they come. If another
  /// thread is inside the result, the result turns to the inner node when that thread is through: what
  /// that node told meanwhile is passed over, and its present value is told. Known as
  /// `flatMapLatest` in Rx, `map` with `switchToLatest` in Combine.
  ///
  /// What is asked while somebody types waits *inside*, so that the answer to an older text never stands beside a newer
  /// one; with `query.debounce(…).flattenMap { … }` it does, until the pause is over:
  ///
  ///     let status = query.flattenMap { text in
  ///       Node(text).debounce(.milliseconds(300), on: .main)   // a newer text drops the pause,
  ///         .flattenMap { search($0) }                         // the question and the answer
  ///         .map { "\($0)" }.startWith("searching \(text)")    // at once
  ///     }
  ///
  /// - Parameter mode: `.everyValue` switches for every value of this node and tells every value of
  ///   the inner one as it comes, as EasyReact did.
  @inlinable
  public final func flattenMap<Output: Sendable>(
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = NodeTransform<Value, Output>(.flatten) {
      let following =
        mode == .everyValue
        ? LatestInnerNode<Output>()
        : LatestInnerNode<Output> { outer in outer.readStored(Value.self).map(transform) }
      return EdgeParts(state: following) { up, edge, turn in
        if following.isToNote(over: edge, from: up, turn) {
          return following.note(over: edge, from: up, turn)
        }
        return following.hear(up.withValue(transform), over: edge, from: up, turn)
      }
    }
    return derive(through: flatten, isHead: true, SourceLocation(file, line))
  }

  /// Returns a node that follows the node that this one holds.
  ///
  ///     let page = currentTab.flatten()
  ///
  /// ``flattenMap(mode:file:line:_:)`` tells the rest. Known as `switchLatest` in RxSwift,
  /// `switchToLatest` in Combine, `flatten(.latest)` in ReactiveSwift.
  @inlinable
  public final func flatten<Output: Sendable>(
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> where Value: Node<Output> {
    flattenMap(mode: mode, file: file, line: line) { $0 }
  }
}

/// What a flatten remembers, whatever its types are: see `Flatten`.
@usableFromInline struct FlattenState {
  /// The edge from the inner node, not touched once its life is over. The life keeps the flatten's
  /// state, so it is let go of when the node is left.
  @usableFromInline var inner: (edge: EdgePointer, life: EdgeState)?
  /// A life that is over; used again as soon as nobody else has it any more.
  @usableFromInline var spare: EdgeState?
  /// As a join: what runs. Nil: every value of both nodes counts.
  @usableFromInline var join: JoinPointer?
  /// The outer edge, once it has told something; whether that asks for a choice; one that was made then; and
  /// whether one was made and is not told yet.
  @usableFromInline var outerEdge: EdgePointer?
  @usableFromInline var isToChoose = false
  @usableFromInline var chosen: AnyNode?
  @usableFromInline var hasChosen = false
  /// The initial push of the outer edge comes now.
  @usableFromInline var isFirst = false
  @inlinable init() {}
}

@usableFromInline class Flatten: EdgeState, @unchecked Sendable {
  // Unchecked: only the holder of the result's region touches what `place` points to; except for
  // `isFirst`, which belongs to the holder of the outer node's region, and `join`, which is set before this is
  // published and never again. A pointer, for a field would be checked for exclusive access each time.
  @usableFromInline final let place: UnsafeMutablePointer<FlattenState>

  @inlinable init() {
    place = .allocate(capacity: 1)
    place.initialize(to: FlattenState())
    super.init()
  }

  deinit {
    if let join = place.pointee.join { join.freeJoin() }  // this object ends the join's life
    place.deinitialize(count: 1)
    place.deallocate()
  }

  @inlinable final var inner: (edge: EdgePointer, life: EdgeState)? { place.pointee.inner }
  @inlinable final var join: JoinPointer? { place.pointee.join }
  @usableFromInline override final var movingJoin: JoinPointer? { join }

  @usableFromInline final func follows(_ node: AnyNode) -> Bool {
    // Not taken apart: a copy would retain the life.
    guard place.pointee.inner?.life.hasEnded == false, let edge = place.pointee.inner?.edge else {
      return false
    }
    // An edge that was cut before it was attached has not ended yet.
    return !edge.pointee.has(.cut) && edge.pointee.up == node.storage
  }

  /// The one before the last is free by now, unless its edge is still in the mailbox.
  @usableFromInline final func freshLife() -> EdgeState {
    if isKnownUniquelyReferenced(&place.pointee.spare), let life = place.pointee.spare.take() {
      life.isEnded.store(false, ordering: .relaxed)
      return life
    }
    return EdgeState(of: self)
  }

  /// For any thread.
  @usableFromInline final func newLife() -> EdgeState { EdgeState(of: self) }

  @usableFromInline final func makeNewcomer(
    _ node: AnyNode, _ edge: EdgePointer, _ life: EdgeState, _ turn: TurnPointer
  ) -> Newcomer {
    Newcomer(node, InnerEdge(edge: edge, life: life), turn)
  }

  @usableFromInline final func leaveInner(_ turn: TurnPointer) {
    guard let (edge, life) = place.pointee.inner.take() else { return }
    if !life.hasEnded { edge.cut(by: turn) }
    place.pointee.spare = life
  }

  override func attached(_ edge: EdgePointer) {
    place.pointee.isFirst = edge.pointee.up!.pointee.hasValue.load(ordering: .relaxed)
  }

  /// The outer edge is over.
  @usableFromInline override func detached(_ turn: TurnPointer) {
    leaveInner(turn)
    place.pointee.spare = nil  // it keeps this object
    place.pointee.outerEdge = nil
    place.pointee.chosen = nil
  }
}

/// Which inner node a flatten follows.
@usableFromInline final class LatestInnerNode<Output: Sendable>: Flatten, @unchecked Sendable {
  // Unchecked: adds constants.
  /// Is the result emptied by an inner node that is empty when it is turned to?
  @usableFromInline let emptiesResult: Bool
  /// As a join: the choice by the outer node's present value.
  @usableFromInline let choose: (NodePointer) -> Node<Output>?

  @inlinable init(emptiesResult: Bool = true) {
    self.emptiesResult = emptiesResult
    choose = { _ in nil }  // never asked
    super.init()
  }

  /// A join. All that its run does is specialised where the flatten is made.
  @inlinable init(_ choose: @escaping (NodePointer) -> Node<Output>?) {
    emptiesResult = true
    self.choose = choose
    super.init()
    place.pointee.join = makeJoin([]) { [unowned(unsafe) self] storage, turn in run(storage, turn) }
  }

  @inlinable func follow(
    _ node: Node<Output>, over edge: EdgePointer, from up: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down.unsafelyUnwrapped
    if node.storage == down { return false }  // an edge from there would end where it begins
    var newcomer: Newcomer?
    let isStored = edge.deliver(edge.delivery(in: turn), in: turn) {
      turnTo(node, down, $0, up, turn)
    } later: {
      if join != nil {
        return ClosureCrossing { [self] in turnTo(node, down, $0, up, $1) }
      }
      let life = newLife()
      let made = makeNewcomer(node, makeInnerEdge(node, down, life), life, turn)
      newcomer = made
      return ClosureCrossing { [self] in admit(made, node, down, $0, up, $1) }
    }
    guard let newcomer else { return isStored }
    return attach(newcomer, node, edge.delivery(in: turn), up, turn)
  }

  /// Another thread was inside the result when the outer node told its value: the edge from the inner node is there
  /// already, and what that node told then, and since, waits behind this.
  @inlinable func admit(
    _ newcomer: Newcomer, _ node: Node<Output>, _ down: NodePointer, _ delivery: Delivery,
    _ sender: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    if follows(node), !newcomer.hasTheValue {
      newcomer.refuse(turn)
      return turnTo(node, down, delivery, sender, turn)
    }
    leaveInner(turn)
    newcomer.isAdmitted = true
    place.pointee.inner = (newcomer.edge, newcomer.life)
    return false
  }

  /// Is its value told later, because it is a join that waits? As a join itself the result hears of it only once more.
  @inlinable func isToWait(
    _ edge: EdgePointer, _ life: EdgeState, _ delivery: Delivery, _ sender: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    if join != nil { return false }
    let context = delivery.wave.context?.takeUnretainedValue()
    return edge.waitsForJoin(life, in: turn) { [emptiesResult] turn in
      let saved = turn.pointee.wave
      if emitAgain(
        Output.self, over: edge, life, delivery.afterWaiting(context), sender, emptiesResult, turn)
      {
        edge.pointee.down.unsafelyUnwrapped.propagate(in: turn)
      }
      turn.pointee.wave = saved
    }
  }

  /// After the message by which it is admitted.
  @inlinable func attach(
    _ newcomer: Newcomer, _ node: Node<Output>, _ delivery: Delivery, _ sender: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    let edge = newcomer.edge
    // The outer node's event chose the inner one, whose value it is.
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    edge.prepareLink(in: turn)
    if !node.storage.holds(by: turn) {
      emitByMessage(
        Output.self, over: edge, newcomer.life, delivery, sender, emptiesResult, isStarting: true,
        turn)
      return false
    }
    if !newcomer.attachWithoutPush(in: turn)
      || isToWait(edge, newcomer.life, delivery, sender, turn)
    {
      return false
    }
    let value = node.storage.readStored(Output.self)
    if value == nil, !emptiesResult { return false }
    let arrival: Arrival<Output> = value.map { .value($0) } ?? .empty
    let down = edge.pointee.down.unsafelyUnwrapped
    return edge.deliver(
      ClosureCrossing {
        newcomer.isAdmitted && down.arrive(arrival, $0, sender: sender, in: $1)
      }, delivery, in: turn)
  }

  @inlinable func turnTo(
    _ node: Node<Output>, _ down: NodePointer, _ delivery: Delivery, _ sender: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    // The outer node's event chose the inner one, whose value it is.
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    if let inner, follows(node) {
      if isToWait(inner.edge, inner.life, delivery, sender, turn) { return false }
      return emitAgain(
        Output.self, over: inner.edge, inner.life, delivery, sender, emptiesResult, turn)
    }
    let life = freshLife()
    leaveInner(turn)
    guard link(node, down, life, delivery, sender, turn) else { return false }
    if let inner, isToWait(inner.edge, inner.life, delivery, sender, turn) { return false }
    let value = node.storage.readStored(Output.self)
    if value == nil, !emptiesResult { return false }
    return down.arrive(value.map { .value($0) } ?? .empty, delivery, sender: sender, in: turn)
  }

  /// A value in place of what an inner node tells, which is left.
  func leave(
    for value: Output, over edge: EdgePointer, from up: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    edge.inRegion(in: turn) { delivery, turn in
      self.leaveInner(turn)
      return edge.pointee.down!.arrive(.value(value), delivery, sender: up, in: turn)
    }
  }

  /// True: linked, and its value is to be told here. False: another thread is inside it and will
  /// tell it, as what the outer node's value brings.
  @inlinable func link(
    _ node: Node<Output>, _ down: NodePointer, _ life: EdgeState, _ delivery: Delivery,
    _ sender: NodePointer, _ turn: TurnPointer
  ) -> Bool {
    let edge = makeInnerEdge(node, down, life)
    place.pointee.inner = (edge, life)
    edge.prepareLink(in: turn)
    if node.storage.holds(by: turn) {
      if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
      return edge.attachWithoutPush(in: turn)
    }
    if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
    emitByMessage(
      Output.self, over: edge, life, delivery, sender, emptiesResult, isStarting: true, turn)
    return false
  }

  @inlinable func makeInnerEdge(_ node: Node<Output>, _ down: NodePointer, _ life: EdgeState)
    -> EdgePointer
  {
    let edge = makeEdge(
      EdgeStorage(
        kind: .inner, up: node.storage, handle: Unmanaged.passRetained(node as AnyNode),
        flags: .starting, state: life
      ) { up, edge, turn in
        if !turn.pointee.wave.flags.has(.event), let join = edge.joinAbove {
          return join.arriveAtFlatten(over: edge, from: up, in: turn)
        }
        // The outer edge may have been cut a moment ago: see `isOver`. So the claim comes first.
        _ = edge.pointee.down.unsafelyUnwrapped.claimOutlined(by: turn)
        if edge.isOuterOver { return edge.stop(.cut, in: turn) }
        return edge.pass(up.slot(Output.self).pointee, from: up, in: turn)
      })
    edge.pointee.down = down
    return edge
  }
}
