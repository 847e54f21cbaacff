import Synchronization

extension Node {
  /// Parts the values into those for which `isMatching` holds and the others.
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
  /// group is told, its node holds the value that began it; with an event node, the event follows. A
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
    let edge = makeEdge(from: parted, to: result.storage, kind: .groups) { _, _, _ in false }
    edge.insert()
    edge.attachToJoin(in: turn)
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
  @exclusivity(unchecked) @usableFromInline var groups: [Key: Group<Value>] = [:]
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
    let delivery = edge.delivery(in: turn)
    let present = groups[key]
    // Cut by the closure, or by what compares keys.
    if edge.pointee.isOver() { return _ = edge.stop(.cut, delivery, in: turn) }
    if let present, bring(value, to: present, delivery, from: parted, turn) { return }
    let isConnected = ends.areConnected.load(ordering: .acquiring)
    guard let result, !isConnected || parted.hasEdge(result.storage) else {
      return _ = edge.stop(.filtered, in: turn)
    }
    let node = makeHead(Value.self, location, turn)
    let group = begin(key, node, below: parted, turn)
    if !turn.isEvent { bring(value, to: group, delivery, from: parted, turn) }
    tell(
      NodeGroup(key: key, values: node), of: group, in: result, needsEdge: isConnected, delivery,
      from: parted, turn)
    if turn.isEvent { bring(value, to: group, delivery, from: parted, turn) }
  }

  /// In the result, by the thread that is inside it.
  @inlinable func tell(
    _ told: NodeGroup<Key, Value>, of group: Group<Value>,
    in result: MutableNode<NodeGroup<Key, Value>>, needsEdge: Bool, _ delivery: Delivery,
    from parted: NodePointer, _ turn: TurnPointer
  ) {
    var delivery = delivery
    delivery.wave.flags.remove(.event)
    let storage = result.storage
    let body = { (delivery: Delivery, turn: TurnPointer) in
      if !needsEdge || parted.hasEdge(storage) { parted.tell(told, to: storage, delivery, turn) }
    }
    if storage.claim(by: turn) {
      body(delivery, turn)
      group.waiting.waitBehind(storage, turn)
    } else {
      group.waiting.leave(with: result, delivery, turn, body)
    }
  }

  @inlinable func begin(
    _ key: Key, _ node: Node<Value>, below parted: NodePointer, _ turn: TurnPointer
  ) -> Group<Value> {
    if let parted = parted.inUse() {
      connect(parted, node.storage, kind: .group) { _, _, _ in false }
    }
    node.publish { $0.attachToJoin(in: turn) }
    if groups.count >= forgetAt {
      groups = groups.filter { $0.value.node != nil }
      forgetAt = max(16, groups.count * 2)
    }
    let group = Group(node)
    groups[key] = group
    return group
  }

  /// False: it has no edge from `parted` any more.
  @discardableResult
  @inlinable func bring(
    _ value: Value, to group: Group<Value>, _ delivery: Delivery, from parted: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    guard let node = group.node else { return false }
    // What waits there keeps the result.
    guard group.waiting.isAnything, let result else {
      return parted.bring(value, to: node.storage, delivery, turn)
    }
    if !parted.hasEdge(node.storage) { return false }
    group.waiting.leave(with: result, delivery, turn) { delivery, turn in
      parted.bring(value, to: node.storage, delivery, turn)
    }
    return true
  }
}

/// The node of a group's values, and what of it waits at the result.
@usableFromInline final class Group<Value: Sendable>: Sendable {
  @usableFromInline weak let node: Node<Value>?
  @usableFromInline let waiting = WaitingMessages()
  @inlinable init(_ node: Node<Value>) { self.node = node }
}

/// A group that is told while another thread is inside the result is told by that one; one that is told while the result is busy
/// waits in its queue; and all that follows in the group until then comes in the same way: whoever hears of the group hears each of its values.
@usableFromInline final class WaitingMessages: Sendable {
  /// Counted up by the holder of the upstream's region alone. So whoever finds zero there comes after all of them.
  private let messages = Atomic<Int>(0)
  /// In the result's queue. Not zero only within a turn of the result's holder.
  private let queued = Atomic<Int>(0)
  @usableFromInline init() {}

  @usableFromInline var isAnything: Bool {
    messages.load(ordering: .acquiring) != 0 || queued.load(ordering: .acquiring) != 0
  }

  /// What has just come to the node may wait in its queue; so what comes next is not to overtake it.
  @usableFromInline func waitBehind(_ node: NodePointer, _ turn: TurnPointer) {
    if node.pointee.flags.has(.busy) { waitForTurn(of: node, turn) {} }
  }

  private func waitForTurn(
    of node: NodePointer, _ turn: TurnPointer, _ body: @escaping () -> Void
  ) {
    queued.wrappingAdd(1, ordering: .relaxed)
    node.waitForTurn(
      { _ in
        body()
        self.queued.wrappingSubtract(1, ordering: .releasing)
      }, in: turn)
  }

  /// Leaves what is to be done with whoever is inside the node, which the message keeps; or, after what waits there, in the
  /// node's queue.
  @usableFromInline func leave(
    with node: AnyNode, _ delivery: Delivery, _ turn: TurnPointer,
    _ body: @escaping (Delivery, TurnPointer) -> Void
  ) {
    if queued.load(ordering: .acquiring) != 0 {
      let context = delivery.wave.context?.takeUnretainedValue()
      return waitForTurn(of: node.storage, turn) { body(delivery.afterWaiting(context), turn) }
    }
    messages.wrappingAdd(1, ordering: .relaxed)
    typealias Payload = (
      WaitingMessages, AnyNode, Delivery, body: (Delivery, TurnPointer) -> Void
    )
    node.storage.send((self, node, delivery.retained(), body) as Payload, in: turn) {
      payload, turn in
      let (waiting, node, delivery, body) = takePayload(payload, Payload.self)
      let context = delivery.takeContext()
      body(delivery.afterWaiting(context), turn)
      waiting.messages.wrappingSubtract(1, ordering: .releasing)
      withExtendedLifetime((node, context)) {}
    }
  }
}

extension NodePointer {
  /// Has the node an edge from `parted` that is not cut?
  @usableFromInline func hasEdge(_ storage: NodePointer) -> Bool {
    // Made before all others that lead there: the first one.
    storage.hasEdge(.ins) { $0.pointee.up == self }
  }
}

extension NodePointer {
  /// Brings a value to a node as part of the present wave, past the edge that leads there from this one. Part of a
  /// step. False: that edge is cut.
  @discardableResult
  @inlinable func bring<Value: Sendable>(
    _ value: Value, to node: NodePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    if node.claim(by: turn) {
      if !hasEdge(node) { return false }
      tell(value, to: node, delivery, turn)
      return true
    }
    if !hasEdge(node) { return false }
    typealias Payload = (NodePointer, NodePointer, Value, Delivery)
    node.send((self, node, value, delivery.retained()) as Payload, in: turn) { payload, turn in
      let (sender, node, value, delivery) = takePayload(payload, Payload.self)
      let context = delivery.takeContext()
      if sender.hasEdge(node) { sender.tell(value, to: node, delivery.afterWaiting(context), turn) }
      _ = consume context
    }
    return true
  }

  @inlinable func tell<Value: Sendable>(
    _ value: Value, to node: NodePointer, _ delivery: Delivery, _ turn: TurnPointer
  ) {
    let saved = turn.pointee.wave
    if node.arrive(.value(value), delivery, sender: self, in: turn) { node.propagate(in: turn) }
    turn.pointee.wave = saved
  }
}
