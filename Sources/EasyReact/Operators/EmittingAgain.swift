// The value of an inner node, told again by whoever follows it already, or first by the thread that is inside it.

/// Tells the value of an inner node that is followed already. What that node has sent may still
/// wait in the mailbox of the result, and in its own: the value is read and told after that.
@inlinable func emitAgain<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ life: EdgeState, _ delivery: Delivery,
  _ sender: NodePointer, _ emptiesResult: Bool, _ turn: TurnPointer
) -> Bool {
  let up = edge.pointee.up.unsafelyUnwrapped
  if up.claim(by: turn) {
    // Whoever held it before may have cut the edge, and left with this region what frees it, before the value that would be left now.
    if life.hasEnded || edge.pointee.has(.cut) { return false }
    return up.bring(Output.self, over: edge, delivery, sender, emptiesResult, in: turn)
  }
  emitByMessage(
    Output.self, over: edge, life, delivery, sender, emptiesResult, isStarting: false, turn)
  return false
}

/// By the thread that is inside the inner node, which attaches the edge first if it is starting.
@inlinable func emitByMessage<Output: Sendable>(
  _: Output.Type, over edge: EdgePointer, _ life: EdgeState, _ delivery: Delivery,
  _ sender: NodePointer, _ emptiesResult: Bool, isStarting: Bool, _ turn: TurnPointer
) {
  typealias Payload = (EdgePointer, EdgeState, Delivery, NodePointer, Bool, Bool)
  let payload: Payload = (edge, life, delivery.retained(), sender, emptiesResult, isStarting)
  edge.pointee.up.unsafelyUnwrapped.send(payload, in: turn) { payload, turn in
    let (edge, life, delivery, sender, emptiesResult, isStarting) = takePayload(
      payload, Payload.self)
    let context = delivery.takeContext()
    // An edge whose life has not ended is not freed while this region is held; one that starts is
    // not freed at all.
    if isStarting ? !edge.attachWithoutPush(in: turn) : life.hasEnded { return }
    let saved = turn.pointee.wave
    if edge.pointee.up!.bring(
      Output.self, over: edge, delivery.afterWaiting(context), sender, emptiesResult, in: turn)
    {
      edge.pointee.down!.propagate(in: turn)
    }
    turn.pointee.wave = saved
    _ = consume context
  }
}

extension NodePointer {
  /// Reads the inner node's value, as the holder of its region, and tells it in the result after
  /// what waits there.
  @inlinable func bring<Output: Sendable>(
    _: Output.Type, over edge: EdgePointer, _ delivery: Delivery, _ sender: NodePointer,
    _ emptiesResult: Bool, in turn: TurnPointer
  ) -> Bool {
    if edge.pointee.kind == .inner, noteBrought(Output.self, over: edge, delivery, sender, turn) {
      return false
    }
    let value = readStored(Output.self)
    if value == nil, !emptiesResult { return false }
    let arrival: Arrival<Output> = value.map { .value($0) } ?? .empty
    return edge.deliver(ArrivalCrossing(arrival, from: sender), delivery, in: turn)
  }
}
