// What the engine names of the floors above, so that it compiles alone.

@usableFromInline enum GraphEvent {
  @usableFromInline enum Stop { case cut, reachedAlready, filtered }
}

extension NodePointer {
  @usableFromInline func traceSet(_: ContextBox?, number: UInt64, in: TurnPointer) {}
  @usableFromInline func traceLeftSet(
    _: ContextBox?, number: UInt64, in: TurnPointer
  ) -> SourceLocation? { nil }
  @usableFromInline func traceRefused(_: Delivery, from: NodePointer?, in: TurnPointer) {}
  @usableFromInline func traceQueued(
    wave: UInt64, rules: DeliveryRules, from: NodePointer?, in: TurnPointer
  ) {}
  @usableFromInline func traceStored(
    origin: UInt64, rules: DeliveryRules, from: NodePointer?, in: TurnPointer
  ) {}
  @usableFromInline func traceWave(_: UInt64, began: Bool) {}
  func traceStop(_: GraphEvent.Stop, in: TurnPointer) {}
  func traceStop(_: GraphEvent.Stop, wave: UInt64, from: NodePointer?, in: TurnPointer) {}
  func traceNothingToChange(_: Delivery, in: TurnPointer) {}
  func traceArrival(wave: UInt64, from: NodePointer, in: TurnPointer) {}
  func traceSilentRun(in: TurnPointer) {}
  func traceGone(in: TurnPointer) {}
  func notifyTraced(to: EdgePointer, in: TurnPointer) {}
  @usableFromInline func countReentrantSet(in: TurnPointer) {}
  func refuseArrival(
    _: GraphEvent.Stop, _: Delivery, from: NodePointer, in: TurnPointer
  ) -> Bool { false }
}

extension EdgePointer {
  @usableFromInline func stop(_: GraphEvent.Stop, in: TurnPointer) -> Bool { false }
  @usableFromInline func traceStop(_: GraphEvent.Stop, wave: UInt64, in: TurnPointer) {}
  @usableFromInline func traceLeft(wave: UInt64, in: TurnPointer) {}
  @usableFromInline func traceEdge(made: Bool, in: TurnPointer) {}
  func traceCut(in: TurnPointer) {}
  func tracePush(in: TurnPointer) {}
}

@usableFromInline func traceTurn(began: Bool, _: TurnPointer) {}

@usableFromInline struct MessageNote {
  @usableFromInline init(_: NodePointer, _: TurnPointer) {}
  @usableFromInline func trace() {}
}

extension TurnPointer {
  var isEmptied: Bool { false }
}

extension Arrival {
  var asAttempt: ((inout Value) -> Bool)? { nil }
}

func misuse(_: String, _: String, _: Never?, _: String) -> Never { fatalError() }
