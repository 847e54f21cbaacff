import Synchronization

/// What is heard by a listener that asks for more than the value: `node.listenToChanges { change in … }`.
///
///     let price = MutableNode(1).named("price"), double = price.map { $0 * 2 }.named("double")
///     let listening = double.listenToChanges { change in
///       print(change.value, change.context ?? "-", change.path.map { $0.name ?? "?" })
///     }                                         // 2 - ["price", "double"]
///     price.set(3, context: "import")           // 6 import ["price", "double"]
///
/// A change is a value: it may be kept, and handed to another thread. Until it is released it keeps
/// the node that told it, or, if it came by a scheduler, the nodes of its path.
public struct Change<Value: Sendable>: Sendable {
  /// What was told.
  public let value: Value
  @usableFromInline let box: ContextBox?
  /// Who told it, and as part of which wave. Nil: the path is known.
  @usableFromInline let node: AnyNode?
  @usableFromInline let wave: UInt64
  @usableFromInline let known: [AnyNode]

  /// The node tells it just now.
  @inlinable @inline(__always) init(_ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer) {
    value = up.slot(Value.self).pointee
    box = turn.pointee.wave.context?.takeUnretainedValue()
    node = edge.pointee.upNode ?? up.inUse()
    wave = up.pointee.wave.load(ordering: .relaxed)
    known = []
  }

  /// For one that waits: the nodes will have been told newer values.
  init(keepingPathOf change: Change) {
    (value, box, node, wave) = (change.value, change.box, nil, change.wave)
    known = change.path
  }

  /// What the set that caused it carried; nil for a plain set, and for the first value.
  @inlinable public var context: (any Sendable)? { box?.value }

  /// The nodes from the one that was set to the one that told it, both included.
  ///
  /// It is worked out whenever it is asked for, so a listener that does not ask pays nothing. Ask
  /// while the listener runs. Later the path begins after the last of its nodes that has been told
  /// something newer by then, for nobody remembers where that one's older value came from; it may be
  /// empty then. A change that comes by a scheduler (`on:`, `listenToChangesOnMain`) brings its path
  /// along as it was when the value was set: it is worked out there for each value, asked for or not.
  /// - Complexity: O(n) in the nodes of the path and their upstream edges.
  public var path: [AnyNode] { node.map { $0.storage.path(of: wave) } ?? known }
}
