import Synchronization

/// A node whose value lies in a store, under the node's name: every process that has a node of this name there has this value.
///
///     let store = MemoryStore()
///     let price = store.node("price", of: Int.self)
///     let listening = price.listen { print($0) }
///     price.value = 4                                  // 4, here at once, and elsewhere when the store has it
///     price.update { $0 += 1 }                         // 5; exact over all processes
///     price.clean()                                    // deletes the key
///
/// It is a mutable node: whatever is set on it, including by an edge, a `sync`, a lens or a batch, goes to the store, in order. A value
/// that another process set is told on a thread of the store's; a set of this process's own that comes back is not told again.
///
/// Once all is quiet, all processes hold the value of the key's greatest revision. When two wrote without knowing of each other, the
/// later in the store's order wins, or `merge` decides. An update runs again on what others have set meanwhile, so its closure
/// may run several times, and must have no effects of its own. Without a connection all of it waits, in order: its status says so.
///
/// Before the store has told what it has, the node is empty unless it was set here, and an `update` of it waits.
///
/// It lives as long as somebody holds it, or what follows it; and until the store has all that was set.
///
/// The product `EasyReactShared` makes them, has the stores, and tells the rest. Nothing else makes one.
public final class SharedNode<Value: Sendable>: MutableNode<Value>, @unchecked Sendable {
  // Unchecked: adds what only its end takes away.
  private var keeper: (any ValueKeeper<Value>)?
  package override var keeperIfAny: (any ValueKeeper<Value>)? { keeper }

  /// An empty node.
  package init(_ keeper: some ValueKeeper<Value>, file: StaticString, line: UInt) {
    self.keeper = keeper
    super.init(
      adopting: makeSourceStorage(nil as Value?, isMutable: true, SourceLocation(file, line)))
    storage.pointee.traits.insert(.isKept)
  }

  /// What the keeper keeps, which may be the next shared node, goes with the listener that hears for it: in a turn, so a
  /// chain of them is freed by the turn's loop.
  deinit { keeper.take()?.nodeIsGone() }
}

/// Keeps a node's value elsewhere too, and so must hear of a change as a change, not as its result.
///
/// It hears what is *set* on the node, or comes over an edge, as the node's first listener. An `update` of the node, whoever
/// makes it, is brought here as a decision, in the order of what the node tells.
package protocol ValueKeeper<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable
  /// The holder of the node calls it; calls do not overlap.
  /// - Parameters:
  ///   - cameOverEdge: It is what an edge has brought to a part of the value: told, and perhaps no news where the value is kept.
  ///   - change: False: it found nothing to do. It may be made again.
  func decide(
    _ value: Value?, cameOverEdge: Bool, by change: @escaping @Sendable (inout Value) -> Bool
  ) -> Decision<Value>
  func nodeIsGone()
}

extension MutableNode {
  /// Decides what the node holds when nobody else is inside it: now, or by the thread that is.
  ///
  /// No other value is stored between the decision and what the node tells for it. It is not staged by a batch.
  package final func decide(_ body: @escaping @Sendable (Value?) -> Decision<Value>) {
    storage.bring(.decision(body), context: nil, in: currentTurn())
  }

  /// Before a call of the user's that does so. In the closure of a derivation it stops with a message.
  package final func requireSettable(_ operation: String) {
    if currentTurn().openBatch?.refuses == true { refuseEffect(operation) }
  }

  /// Sets the node, by whoever decides for it: it is not staged by a batch either.
  package final func bring(_ value: Value) {
    storage.bring(.value(value), context: nil, in: currentTurn())
  }

  /// Is this thread inside the node?
  package final var isHeld: Bool { storage.isHeld(by: currentTurn()) }

  /// Is it, with nothing left that is still to come to the node?
  package final var isHeldAndUpToDate: Bool {
    isHeld && storage.pointee.waitingMessages.load(ordering: .relaxed) == 0
      && !storage.isQueueing
  }

  /// Lets whoever keeps the node's value hear what it tells, nil for emptiness, and whether it came over an edge; this does
  /// not keep the node.
  package final func listenAsKeeper(
    _ body: @escaping @Sendable (_ value: Value?, _ cameOverEdge: Bool) -> Void
  ) {
    // Ended by the node when it goes; not among those that `stopListening(by:)` ends, nor those that are counted.
    let listening = OwnedListening(owner: self, isOfKeeper: true)
    let step = listening.unlessOwnerIsGone { up, _, turn in
      let cameOverEdge = up.pointee.sender.load(ordering: .relaxed) != nil
      body(turn.isEmptied ? nil : up.slot(Value.self).pointee, cameOverEdge)
      return false
    }
    let edge = makeListener(
      state: nil, hearsEmptiness: true, publicObject: listening, keepsNode: false, step)
    listening.edge = edge
    attachListener(edge, at: SourceLocation(#fileID, #line))
  }

  /// A change of a node whose value is kept elsewhere is a decision of its keeper.
  @usableFromInline final func kept(_ arrival: Arrival<Value>) -> Arrival<Value> {
    guard let keeper = keeperIfAny, let change = arrival.asAttempt else { return arrival }
    return .decision { keeper.decide($0, cameOverEdge: false, by: change) }
  }
}

extension Arrival {
  /// Of a change.
  @usableFromInline var asAttempt: (@Sendable (inout Value) -> Bool)? {
    switch self {
    case .attempt(let body): body
    case .change(let body):
      {
        body(&$0)
        return true
      }
    case .value, .empty, .decision: nil
    }
  }
}
