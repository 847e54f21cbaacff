import Synchronization

/// An edge from an inner node, made by the thread that told the outer node, while another one is inside the
/// result. That other one admits it; if it does not, because the outer edge was cut, the edge is cut.
///
/// So what the inner node tells from then on waits behind the choice, and is not lost.
@usableFromInline final class Newcomer: @unchecked Sendable {
  // Unchecked: constants, and `isAdmitted`, which the holder of the result's region touches, and then the deinit.
  @usableFromInline let node: AnyNode
  /// The turn holds the inner node, too: nobody sets that between the admission and the first value.
  @usableFromInline let hasTheValue: Bool
  let inner: InnerEdge
  @usableFromInline var isAdmitted = false

  init(_ node: AnyNode, _ inner: InnerEdge, _ turn: TurnPointer) {
    (self.node, self.inner) = (node, inner)
    hasTheValue = node.storage.holds(by: turn)
  }

  @usableFromInline var edge: EdgePointer { inner.edge }
  @usableFromInline var life: EdgeState { inner.life }
  var isCut: Bool { inner.isCut }

  /// After the message by which it is admitted. The inner node's present value goes over the edge, or that of a join
  /// which waits, once it has run.
  @usableFromInline func attach(in turn: TurnPointer) {
    edge.prepareLink(in: turn)
    let context = turn.pointee.wave.context?.takeUnretainedValue()
    if edge.waitsForJoin(life, context: context, in: turn) {
      attachWithoutPush(in: turn)
    } else {
      edge.attachNow(in: turn, context: context)
    }
  }

  /// By the holder of the inner node. False: it was cut.
  @discardableResult
  @usableFromInline func attachWithoutPush(in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
    return edge.attachWithoutPush(in: turn)
  }

  @usableFromInline func refuse(_ turn: TurnPointer) { inner.cut(turn) }

  deinit {
    if isAdmitted { return }
    let turn = currentTurn()
    turn.enter()
    // Perhaps not by the holder of the result's region. No edge is freed except by that of its upstream.
    node.storage.perform(in: turn) { [inner] turn in inner.cut(turn) }
    turn.leave()
  }
}
