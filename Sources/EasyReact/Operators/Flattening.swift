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
  /// tells its value again. An emptied outer node leaves the inner one in place. Events of an inner node
  /// are told as they come. Known as
  /// `flatMapLatest` in Rx, `map` with `switchToLatest` in Combine.
  /// - Parameter mode: `.everyValue` switches for every value of this node and tells every value of
  ///   the inner one as it comes, as EasyReact did.
  @inlinable
  public final func flattenMap<Output: Sendable>(
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = Transform<Value, Output>(.flatten) {
      let following =
        mode == .everyValue
        ? Following<Output>()
        : Following<Output> { outer in readStored(outer, Value.self).map(transform) }
      return LifeParts(hop: following) { up, edge, turn in
        if following.isToNote(over: edge, from: up, turn) {
          return following.note(over: edge, from: up, turn)
        }
        return following.hear(withValue(of: up, transform), over: edge, from: up, turn)
      }
    }
    return derive(through: flatten, isHead: true, Site(file, line))
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

/// Which inner node a flatten follows. Touched by the holder of the result's region.
@usableFromInline final class Following<Output: Sendable>: Hop, @unchecked Sendable {
  // Unchecked: see above.
  /// The edge from the inner node, not touched once its life is over. The life keeps this object, so
  /// it is let go of when the node is left.
  @usableFromInline var inner: (edge: EdgePointer, life: Hop)?
  /// A life that is over; used again as soon as nobody else has it any more.
  @usableFromInline var spare: Hop?
  /// Does an inner node that is empty when it is turned to empty the result?
  @usableFromInline let emptiesResult: Bool

  /// As a join: what runs. Nil: every value of both nodes counts.
  @usableFromInline private(set) var join: JoinPointer?
  /// As a join: the choice by the outer node's present value.
  private let choose: ((CorePointer) -> Node<Output>?)?
  /// The outer edge, once it has told something; that asks for a choice; one that was made then; and
  /// one was made and is not told yet.
  private var outerEdge: EdgePointer?
  private var isToChoose = false
  private var chosen: Node<Output>?
  private var hasChosen = false
  /// The first push of the outer edge comes now. Touched by the holder of the outer node's region.
  @usableFromInline var isFirst = false

  @usableFromInline init(emptiesResult: Bool = true) {
    self.emptiesResult = emptiesResult
    choose = nil
  }

  @usableFromInline init(_ choose: @escaping (CorePointer) -> Node<Output>?) {
    emptiesResult = true
    self.choose = choose
    super.init()
    // This object ends the join's life.
    join = makeJoin([]) { [unowned(unsafe) self] core, turn in run(core, turn) }
  }

  deinit { if let join { freeJoin(join) } }

  @inlinable func follow(
    _ node: Node<Output>, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down!
    let crossing = Crossing(edge, turn)
    if claim(down, turn) {
      if edge.pointee.isOver() { return stop(.cut, edge, turn) }
      return turnTo(node, down, crossing, up, turn)
    }
    postOver(edge, crossing, turn) { crossing, turn in
      if self.turnTo(node, down, crossing, up, turn) { propagate(down, turn) }
    }
    return false
  }

  @inlinable func turnTo(
    _ node: Node<Output>, _ down: CorePointer, _ crossing: Crossing, _ sender: CorePointer,
    _ turn: TurnPointer
  ) -> Bool {
    if node.core == down { return false }
    // The outer node's event chose the inner one, whose value it is.
    var crossing = crossing
    crossing.flags &= ~Bits.event
    if let inner, follows(node) {
      if isStillToTell(node, turn) { return false }
      return tellAgain(
        Output.self, over: inner.edge, inner.life, crossing, sender, emptiesResult, turn)
    }
    let life = freshLife()
    leaveInner(turn)
    if !link(node, down, life, crossing, sender, turn) || isStillToTell(node, turn) { return false }
    let value = readStored(node.core, Output.self)
    if value == nil, !emptiesResult { return false }
    return arrive(down, value.map { .value($0) } ?? .empty, crossing, sender: sender, turn)
  }

  /// A join that waits would be told twice; as a join itself the result hears of it only once more.
  @usableFromInline func isStillToTell(_ node: Node<Output>, _ turn: TurnPointer) -> Bool {
    join == nil && willTell(node.core, turn)
  }

  /// A value in place of what an inner node tells, which is left.
  func leave(
    for value: Output, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    inRegion(of: edge, turn) { crossing, turn in
      self.leaveInner(turn)
      return arrive(edge.pointee.down!, .value(value), crossing, sender: up, turn)
    }
  }

  @inlinable func follows(_ node: AnyNode) -> Bool {
    // An edge that was cut before it was attached has not ended yet.
    guard let inner, !inner.life.hasEnded, !inner.edge.pointee.has(EdgeFlags.cut) else {
      return false
    }
    return inner.edge.pointee.up == node.core
  }

  /// True: linked, and its value is to be told here. False: another thread is inside it and will
  /// tell it, as what the outer node's value brings.
  @inlinable func link(
    _ node: Node<Output>, _ down: CorePointer, _ life: Hop, _ crossing: Crossing,
    _ sender: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    let edge = makeEdge(
      Edge(
        kind: .inner, up: node.core, handle: Unmanaged.passRetained(node as AnyNode),
        flags: EdgeFlags.starting, hop: life
      ) { up, edge, turn in
        if turn.pointee.flags & Bits.event == 0, let join = joinAbove(edge, Output.self) {
          return arrive(atFlatten: join, over: edge, from: up, turn)
        }
        // The outer edge may have been cut a moment ago: see `isOver`. So the claim comes first.
        _ = claimOther(edge.pointee.down.unsafelyUnwrapped, turn)
        let isOver = edge.pointee.hop.unsafelyUnwrapped._withUnsafeGuaranteedRef {
          $0.outer.unsafelyUnwrapped.hasEnded
        }
        if isOver { return stop(.cut, edge, turn) }
        return pass(slot(up, Output.self).pointee, over: edge, from: up, turn)
      })
    edge.pointee.down = down
    inner = (edge, life)
    prepareLink(edge, turn)
    if holds(node.core, turn) {
      if turn.pointee.isTraced { traceEdge(edge, made: true, turn) }
      return attachWithoutPush(edge, turn)
    }
    if turn.pointee.isTraced { traceEdge(edge, made: true, turn) }
    tellByMail(
      Output.self, over: edge, life, crossing, sender, emptiesResult, isStarting: true, turn)
    return false
  }

  /// The one before the last is free by now, unless its edge is still in the mail.
  @inlinable func freshLife() -> Hop {
    if isKnownUniquelyReferenced(&spare), let life = spare.take() {
      life.isEnded.store(false, ordering: .relaxed)
      return life
    }
    return Hop(of: self)
  }

  @usableFromInline func leaveInner(_ turn: TurnPointer) {
    guard let (edge, life) = inner.take() else { return }
    if !life.hasEnded { cut(edge, turn) }
    spare = life
  }

  override func attached(_ edge: EdgePointer) {
    isFirst = edge.pointee.up!.pointee.hasValue.load(ordering: .relaxed)
  }

  /// The outer edge is over.
  @usableFromInline override func detached(_ turn: TurnPointer) {
    leaveInner(turn)
    spare = nil  // it keeps this object
    outerEdge = nil
    chosen = nil
  }
}

// MARK: - As a join

extension Following {
  /// The run reads what the outer node holds: but not for the first value, which is told at once; for an
  /// event, or what a user hands to the transform, which no node holds; or where each value counts.
  @inlinable func isToNote(over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer)
    -> Bool
  {
    join != nil && !isFirst && turn.pointee.flags & Bits.event == 0 && edge.pointee.up == up
  }

  @inlinable func hear(
    _ node: Node<Output>, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    let isAtOnce = join == nil || isFirst
    isFirst = false
    if !isAtOnce { return note(node, over: edge, from: up, turn) }
    return follow(node, over: edge, from: up, turn)
  }

  /// - Parameter node: Chosen already.
  @usableFromInline func note(
    _ node: Node<Output>? = nil, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down.unsafelyUnwrapped
    let join = join.unsafelyUnwrapped
    if edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.flags == 0, claim(down, turn),
      edge.pointee.flags.load(ordering: .relaxed) == 0, noteQuickly(down, join, sender: up, turn)
    {
      (outerEdge, isToChoose) = (edge, true)
      return false
    }
    return inRegion(of: edge, turn) { [self] crossing, turn in
      var crossing = crossing
      crossing.flags &= ~Bits.event  // it chooses a node, whose value is told
      if noteArrival(down, at: join, crossing, sender: up, turn) {
        (outerEdge, isToChoose, chosen) = (edge, true, node)
      }
      return false
    }
  }

  /// Everything of a lower rank is final.
  func run(_ down: CorePointer, _ turn: TurnPointer) -> Bool {
    let join = join.unsafelyUnwrapped
    if isToChoose, !turnToChosen(down, join, turn) { return false }
    guard !hasEnded, let inner, !inner.life.hasEnded, !inner.edge.pointee.has(EdgeFlags.cut) else {
      return false
    }
    let value = readStored(inner.edge.pointee.up.unsafelyUnwrapped, Output.self)
    if value == nil, !hasChosen {
      traceWaiting(down, turn)
      return false
    }
    hasChosen = false
    if let value { return tell(value, of: down, join, turn) }
    return arrive(
      down, .empty as Arrival<Output>, Crossing(of: join, turn), sender: join.pointee.sender, turn)
  }

  /// The chosen node's value, or its emptiness, is to be told.
  func isBrought() { hasChosen = true }

  /// Follows the node that the outer one's value chooses. False: nothing is to be told now.
  private func turnToChosen(_ down: CorePointer, _ join: JoinPointer, _ turn: TurnPointer) -> Bool {
    isToChoose = false
    guard let outer = outerEdge, !hasEnded else { return false }
    let chosen = chosen.take()
    guard let node = chosen ?? choose.unsafelyUnwrapped(outer.pointee.up.unsafelyUnwrapped) else {
      return true
    }
    if hasEnded || node.core == down { return false }  // the user's closure may have cut the edge
    hasChosen = true
    if !follows(node) {
      let life = freshLife()
      leaveInner(turn)
      if !link(node, down, life, Crossing(of: join, turn), join.pointee.sender!, turn) {
        hasChosen = false
        return false
      }
    }
    return !waitsAgain(down, join, turn)
  }
}

/// A join reads the value itself: one that was brought might be told behind a newer one. False: the
/// flatten is no join.
@usableFromInline func noteBrought<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ crossing: Crossing, _ sender: CorePointer,
  _ turn: TurnPointer
) -> Bool {
  guard let join = joinAbove(edge, Output.self) else { return false }
  let down = edge.pointee.down.unsafelyUnwrapped
  func note(_ crossing: Crossing, _ turn: TurnPointer) {
    edge.pointee.hop.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0.outer.unsafelyUnwrapped, to: Following<Output>.self).isBrought()
    }
    noteArrival(down, at: join, crossing, sender: sender, turn)
  }
  if claim(down, turn) {
    if edge.pointee.isOver() { _ = stop(.cut, edge, turn) } else { note(crossing, turn) }
  } else {
    postOver(edge, crossing, turn) { crossing, turn in note(crossing, turn) }
  }
  return true
}

@usableFromInline func joinAbove<Output: Sendable>(_ edge: EdgePointer, _: Output.Type)
  -> JoinPointer?
{
  edge.pointee.hop.unsafelyUnwrapped._withUnsafeGuaranteedRef {
    unsafeDowncast($0.outer.unsafelyUnwrapped, to: Following<Output>.self).join
  }
}

@usableFromInline func arrive(
  atFlatten join: JoinPointer, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
) -> Bool {
  arrive(at: join, over: edge, from: up, turn)
}

/// Tells the value of an inner node that is followed already. What that node has sent may still
/// wait in the mail of the result, and in its own: the value is read and told behind it.
@inlinable func tellAgain<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ life: Hop, _ crossing: Crossing,
  _ sender: CorePointer, _ emptiesResult: Bool, _ turn: TurnPointer
) -> Bool {
  let up = edge.pointee.up.unsafelyUnwrapped
  if claim(up, turn) {
    return bring(up, Output.self, over: edge, crossing, sender, emptiesResult, turn)
  }
  tellByMail(
    Output.self, over: edge, life, crossing, sender, emptiesResult, isStarting: false, turn)
  return false
}

/// By the thread that is inside the inner node, which attaches the edge first if it is starting.
@inlinable func tellByMail<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ life: Hop, _ crossing: Crossing,
  _ sender: CorePointer, _ emptiesResult: Bool, isStarting: Bool, _ turn: TurnPointer
) {
  typealias Payload = (EdgePointer, Hop, Crossing, CorePointer, Bool, Bool)
  let payload: Payload = (edge, life, crossing.retained(), sender, emptiesResult, isStarting)
  post(
    makeLetter(to: edge.pointee.up.unsafelyUnwrapped, payload) { payload, turn in
      let (edge, life, crossing, sender, emptiesResult, isStarting) = takePayload(
        payload, Payload.self)
      let context = crossing.takeContext()
      // An edge whose life has not ended is not freed while this region is held; one that starts is
      // not freed at all.
      if isStarting ? !attachWithoutPush(edge, turn) : life.hasEnded { return }
      let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
      if bring(
        edge.pointee.up!, Output.self, over: edge, crossing.afterWaiting(context), sender,
        emptiesResult, turn)
      {
        propagate(edge.pointee.down!, turn)
      }
      (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
      _ = consume context
    }, turn)
}

/// Reads the inner node's value, as the holder of its region, and tells it in the result behind
/// what waits there.
@inlinable func bring<Output: Sendable>(
  _ up: CorePointer, _: Output.Type, over edge: EdgePointer, _ crossing: Crossing,
  _ sender: CorePointer, _ emptiesResult: Bool, _ turn: TurnPointer
) -> Bool {
  let down = edge.pointee.down.unsafelyUnwrapped
  if edge.pointee.kind == .inner, noteBrought(Output.self, over: edge, crossing, sender, turn) {
    return false
  }
  let value = readStored(up, Output.self)
  if value == nil, !emptiesResult { return false }
  let arrival: Arrival<Output> = value.map { .value($0) } ?? .empty
  if claim(down, turn) {
    if edge.pointee.isOver() { return stop(.cut, edge, turn) }
    return arrive(down, arrival, crossing, sender: sender, turn)
  }
  postOver(edge, crossing, turn) { crossing, turn in
    if arrive(down, arrival, crossing, sender: sender, turn) { propagate(down, turn) }
  }
  return false
}
