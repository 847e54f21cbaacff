import Synchronization

extension Node {
  /// Parts the values in those for which `isMatching` holds and the others.
  ///
  ///     let (even, odd) = number.partition { $0.isMultiple(of: 2) }
  ///
  /// The closure runs once a value. Each of the two nodes keeps its last value, and what both come
  /// from. It is ``if(file:line:_:)`` as a tuple. Known as `partition` in RxSwiftExt and
  /// RxJS.
  public final func partition(
    file: StaticString = #fileID, line: UInt = #line,
    _ isMatching: @escaping @Sendable (Value) -> Bool
  ) -> (matching: Node<Value>, others: Node<Value>) {
    let parted = self.if(file: file, line: line, isMatching)
    return (parted.thenNode, parted.elseNode)
  }

  /// Returns a node that tells a new group for each new key; each group has a node of the values
  /// with its key.
  ///
  ///     let rooms = message.groupBy { $0.room }           // Node<NodeGroup<String, Message>>
  ///     let counts = rooms.mergeMap { room in room.values.count().map { (room.key, $0) } }
  ///     let table = counts.scan(into: [:]) { $0[$1.0] = $1.1 }     // the latest of each: ["tea": 2, "hall": 1]
  ///
  /// It is the general form of ``switch(file:line:_:)``, for keys that are not known beforehand: the
  /// closure runs once a value, and one value reaches one group, however many there are. When a
  /// group is told its node holds the value that began it; of an event node, the event follows. A
  /// group whose node nobody keeps, or that was cut off, is forgotten, and the next value with its
  /// key begins another. A group keeps what it comes from. Emptying does nothing. Re-pointing the
  /// edge forgets all groups; those that somebody keeps stay as they are. Known as `groupBy` in
  /// RxSwift, where a group lives until the source completes.
  /// - Complexity: O(1) a value; O(groups) for a new group.
  @inlinable
  public final func groupBy<Key: Hashable & Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ key: @escaping @Sendable (Value) -> Key
  ) -> Node<NodeGroup<Key, Value>> {
    let location = SourceLocation(file, line)
    let result: MutableNode<NodeGroup<Key, Value>> = makeSource(nil, isMutable: false, location)
    let ends = GroupedEnds()
    let parting = NodeTransform<Value, Value>(.groupBy) { [weak result] in
      let groups = Groups<Key, Value>(result, ends, location, key)
      return EdgeParts { up, edge, turn in
        groups.take(up.slot(Value.self).pointee, over: edge, up, turn)
        return false
      }
    }
    let turn = currentTurn()
    turn.enter()
    let parted = derive(through: parting, location)
    (connect(parted, result.storage, kind: .groups) { _, _, _ in false }).attachToJoin(in: turn)
    ends.areConnected.store(true, ordering: .releasing)
    turn.leave()
    return result
  }
}

/// A key and the node of its values: what ``Node/groupBy(file:line:_:)`` tells.
public struct NodeGroup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  public let key: Key
  public let values: Node<Value>

  @inlinable init(key: Key, values: Node<Value>) { (self.key, self.values) = (key, values) }
}

/// The first value may come before the result has its edge.
@usableFromInline final class GroupedEnds: Sendable {
  @usableFromInline let areConnected = Atomic(false)
  @inlinable init() {}
}

/// The groups of one life of an edge.
///
/// The node below the edge never holds a value: it only stands in the graph between the upstream and
/// the groups, which have edges from it. Values are brought to their group past these.
@usableFromInline final class Groups<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable
{
  // Unchecked: the holder of the upstream's region touches it, nobody else; exclusive access of fields
  // follows from it.
  @usableFromInline weak let result: MutableNode<NodeGroup<Key, Value>>?
  @usableFromInline let ends: GroupedEnds
  @usableFromInline let location: SourceLocation
  @usableFromInline let key: @Sendable (Value) -> Key
  @exclusivity(unchecked) @usableFromInline var groups: [Key: WeakNode<Value>] = [:]
  @exclusivity(unchecked) @usableFromInline var forgetAt = 16

  @inlinable init(
    _ result: MutableNode<NodeGroup<Key, Value>>?, _ ends: GroupedEnds, _ location: SourceLocation,
    _ key: @escaping @Sendable (Value) -> Key
  ) {
    self.result = result
    self.ends = ends
    self.location = location
    self.key = key
  }

  @inlinable func take(
    _ value: Value, over edge: EdgePointer, _ up: NodePointer, _ turn: TurnPointer
  ) {
    let parted = edge.pointee.down.unsafelyUnwrapped
    parted.pointee.sender.store(up, ordering: .relaxed)  // for paths
    let key = key(value)
    let delivery = Delivery(edge, turn)
    if let group = groups[key]?.node, bring(value, to: group, delivery, from: parted, turn) {
      return
    }
    let isConnected = ends.areConnected.load(ordering: .acquiring)
    guard let result, !isConnected || parted.hasEdge(result.storage) else {
      return _ = edge.stop(.filtered, in: turn)
    }
    let group = begin(key, below: parted, turn)
    var told = delivery
    told.wave.flags.remove(.event)
    if turn.isEvent {
      bring(
        NodeGroup(key: key, values: group), to: result, told, from: parted, needsEdge: isConnected,
        turn
      )
      bring(value, to: group, delivery, from: parted, turn)
    } else {
      bring(value, to: group, delivery, from: parted, turn)
      bring(
        NodeGroup(key: key, values: group), to: result, told, from: parted, needsEdge: isConnected,
        turn
      )
    }
  }

  @inlinable func begin(_ key: Key, below parted: NodePointer, _ turn: TurnPointer) -> Node<Value> {
    let group = makeHead(Value.self, location, turn)
    if let parted = parted.inUse() {
      (connect(parted, group.storage, kind: .group) { _, _, _ in false }).attachToJoin(in: turn)
    }
    if groups.count >= forgetAt {
      groups = groups.filter { $0.value.node != nil }
      forgetAt = max(16, groups.count * 2)
    }
    groups[key] = WeakNode(node: group)
    return group
  }
}

@usableFromInline struct WeakNode<Value: Sendable> {
  @usableFromInline weak var node: Node<Value>?
  @inlinable init(node: Node<Value>) { self.node = node }
}

extension NodePointer {
  /// Has the node an edge from `parted` that is not cut?
  @usableFromInline func hasEdge(_ storage: NodePointer) -> Bool {
    var found = false
    storage.forEachEdge(.ins) { edge in
      if edge.pointee.up == self, !edge.pointee.has(.cut) { found = true }
    }
    return found
  }
}

/// Brings a value to a node as part of the present wave, past the edge that leads there. Part of a
/// step. False: that edge is cut (unless it need not be there yet).
@discardableResult
@inlinable func bring<Value: Sendable>(
  _ value: Value, to node: Node<Value>, _ delivery: Delivery, from sender: NodePointer,
  needsEdge: Bool = true, _ turn: TurnPointer
) -> Bool {
  let storage = node.storage
  let saved = turn.pointee.wave
  if storage.claim(by: turn) {
    guard !needsEdge || sender.hasEdge(storage) else { return false }
    if storage.arrive(.value(value), delivery, sender: sender, in: turn) {
      storage.propagate(in: turn)
    }
    turn.pointee.wave = saved
    return true
  }
  if needsEdge, !sender.hasEdge(storage) { return false }
  typealias Payload = (NodePointer, Value, Delivery, NodePointer)
  storage.send((storage, value, delivery.retained(), sender) as Payload, in: turn) {
    payload, turn in
    let (storage, value, delivery, sender) = takePayload(payload, Payload.self)
    let context = delivery.takeContext()
    if !needsEdge || sender.hasEdge(storage) {
      let saved = turn.pointee.wave
      let late = delivery.afterWaiting(context)
      if storage.arrive(.value(value), late, sender: sender, in: turn) {
        storage.propagate(in: turn)
      }
      turn.pointee.wave = saved
    }
    _ = consume context
  }
  return true
}
