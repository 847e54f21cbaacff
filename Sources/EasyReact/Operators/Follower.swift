import Synchronization

/// The part of `InnerNodes` that needs the values' types. It overrides nothing, so it is compiled for them where the
/// operator is called.
@usableFromInline final class Follower<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // Unchecked: constants; only the holder of the result's region touches the values in `waiting`.
  /// It keeps this one, and lives as long as any of its edges.
  @usableFromInline unowned(unsafe) let inners: InnerNodes
  @usableFromInline let transform: @Sendable (Input) -> Node<Output>
  @usableFromInline let isDone: (@Sendable (Output) -> Bool)?
  @usableFromInline let waiting = Cell(Queue<Input>())

  @inlinable init(
    _ inners: InnerNodes, _ transform: @escaping @Sendable (Input) -> Node<Output>,
    _ isDone: (@Sendable (Output) -> Bool)?
  ) {
    (self.inners, self.transform, self.isDone) = (inners, transform, isDone)
    inners.beginNext = { [self] delivery, sender, turn in
      var value: Input? = waiting.place.pointee.removeFirst()
      let isStored = begin(value.unsafelyUnwrapped, delivery, sender, turn)
      // Not the parameter, which would keep itself.
      self.inners.down?.whileStored(isStored, in: turn) { value = nil }
      return isStored
    }
    inners.dropValues = { [waiting] in
      let values = waiting.place.pointee
      waiting.place.pointee = Queue()
      _ = consume values
    }
  }

  @inlinable func outerStep() -> Step {
    { [self] up, edge, turn in
      let value = up.slot(Input.self).pointee
      var newcomer: Newcomer?
      let isStored = edge.deliver(edge.delivery(in: turn), in: turn) {
        take(value, over: edge, $0, turn)
      } later: {
        guard inners.followsAll else {
          return ClosureCrossing { [self] in take(value, over: edge, $0, $1) }
        }
        let (node, down) = (transform(value), edge.pointee.down.unsafelyUnwrapped)
        // An edge from there would end where it begins.
        if node.storage == down { return ClosureCrossing { _, _ in false } }
        let made = inners.newcomer(node, down, turn, innerStep())
        newcomer = made
        return ClosureCrossing { [self] in admit(made, over: edge, $0, $1) }
      }
      newcomer?.attach(in: turn)
      return isStored
    }
  }

  /// Another thread was inside the result when the outer node told its value: the inner edge is there already, and
  /// what the inner node has told since waits behind this.
  @usableFromInline func admit(
    _ newcomer: Newcomer, over edge: EdgePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    inners.down = edge.pointee.down
    guard let known = inners.known(newcomer.node.storage), !newcomer.hasTheValue else {
      inners.admit(newcomer, turn)
      return false
    }
    newcomer.refuse(turn)
    if inners.isToWait(for: known, delivery, turn) { return false }
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    let sender = edge.pointee.up.unsafelyUnwrapped
    return emitAgain(Output.self, over: known.edge, known.life, delivery, sender, false, turn)
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
      if inners.isToWait(for: known, delivery, turn) { return false }
      return emitAgain(Output.self, over: known.edge, known.life, delivery, sender, false, turn)
    }
    if let answer, answer.isDone {
      return down.arrive(.value(answer.value), delivery, sender: sender, in: turn)
    }
    guard let member = inners.follow(node, delivery, turn, innerStep()),
      let present = node.storage.readStored(Output.self)
    else { return false }
    let isSame = answer?.number == node.storage.numberOfValue()
    inners.beginning += 1
    let isLast = !isSame && isDone?(present) == true
    inners.beginning -= 1
    if inners.hasEnded || member.isCut { return false }  // by `isDone`
    if isLast { inners.finish(member, turn) }
    return down.arrive(.value(present), delivery, sender: sender, in: turn)
  }

  /// An inner node that nobody else keeps, and nothing leads to: if it is done with what it holds, it needs no edge.
  /// Asked while it counts as running, as one that is followed does.
  @inlinable func askEarly(_ node: Node<Output>) -> (value: Output, number: UInt64, isDone: Bool)? {
    let number = node.storage.numberOfValue()
    guard let isDone, !node.storage.hasUpstream,
      let value = node.storage.readStored(Output.self)
    else { return nil }
    return (value, number, isDone(value))
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
      return edge.deliver(edge.delivery(in: turn), in: turn) {
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
    inners.beginning += 1
    let isLast = isDone(value)
    inners.beginning -= 1
    // `isDone` has cut it, which counts as done.
    if edge.pointee.isOver() {
      return inners.beginWaiting(edge.stop(.cut, delivery, in: turn), turn)
    }
    let isStored = down.arrive(.value(value), delivery, sender: edge.pointee.up, in: turn)
    // The death of the old value may have cut it.
    if isLast, member.isRunning {
      down.whileStored(isStored, in: turn) { inners.finish(member, turn) }
    }
    return inners.beginWaiting(isStored, turn)
  }
}

extension EdgePointer {
  /// For an edge from an inner node: the outer edge was cut.
  @inlinable var isOuterOver: Bool {
    pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      $0.outer.unsafelyUnwrapped.hasEnded
    }
  }
}
