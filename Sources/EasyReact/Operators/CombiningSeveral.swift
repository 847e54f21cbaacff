// Joins of a dictionary of nodes, and of a set of nodes that changes.

extension Node {
  /// Returns a node of the latest values of the nodes of a dictionary, under their keys, once all of
  /// them have one.
  ///
  ///     let prices = Node.combine(["tea": tea, "milk": milk])     // ["tea": 3, "milk": 2]
  ///
  /// It is a join like ``combine(_:mode:file:line:)-qpt6``. For no nodes: a node that
  /// holds an empty dictionary.
  /// - Complexity: O(n) whenever one has changed: the dictionary is made anew. For an array it is O(1).
  @inlinable
  public static func combine<Key: Hashable & Sendable>(
    _ nodes: [Key: Node<Value>], mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<[Key: Value]> {
    if nodes.isEmpty { return makeSource([:], isMutable: false, SourceLocation(file, line)) }
    // In pairs: a key that is not equal to itself is not found.
    let (keys, nodes) = (nodes.map(\.key), nodes.map(\.value))
    return makeJoin(nodes, mode, SourceLocation(file, line)) { upstreams in
      var values: [Key: Value] = [:]
      values.reserveCapacity(keys.count)
      for (index, key) in keys.enumerated() {
        guard let value = upstreams[index].readStored(Value.self) else { return nil }
        values[key] = value
      }
      return values
    }
  }

  /// Returns a node of the latest values of the nodes that this one holds, in their order, once all
  /// of them have one: a combination of a set of nodes that changes.
  ///
  ///     let rows = MutableNode<[Node<Int>]>([ada, grace])
  ///     let total = rows.flattenCombine().map { $0.reduce(0, +) }
  ///     rows.value = [ada, grace, barbara]            // told once more, with three values
  ///
  /// It is a *join*, of this node and of all that it holds: in one turn it is told once, after the
  /// set and every value in it are final. It is silent while one of them is empty. An empty array is
  /// told as one. Nodes that stay in the set keep their edges. If the edge of an inner node is cut
  /// the result is silent until this node tells the next set; losing its own edge ends it:
  /// `isTerminated`. Known as `combineLatest` after `switchToLatest` in Combine and `flatMapLatest`
  /// in RxSwift, which follow a new combination for each set and tell mixtures.
  @inlinable
  public final func flattenCombine<Element: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Element]> where Value == [Node<Element>] {
    combineSet(SourceLocation(file, line)) { nodes in (nodes, { $0 }) }
  }

  /// The same for a dictionary of nodes: the values come under the keys.
  @inlinable
  public final func flattenCombine<Key: Hashable & Sendable, Element: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Key: Element]> where Value == [Key: Node<Element>] {
    combineSet(SourceLocation(file, line)) { nodes in
      let keys = nodes.map(\.key)
      return (
        nodes.map(\.value),
        { values in Dictionary(uniqueKeysWithValues: Swift.zip(keys, values)) }
      )
    }
  }

  @inlinable
  final func combineSet<Element: Sendable, Output: Sendable>(
    _ location: SourceLocation,
    _ parts: @escaping @Sendable (Value) -> ([Node<Element>], @Sendable ([Element]) -> Output)
  ) -> Node<Output> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Output.self, location, turn)
    let storage = node.storage
    let set = ChangingSet(below: storage)
    // Belongs to the holder of the result's region, as does the set. `next`: told, and to be followed from the next run on.
    let make = Cell<(@Sendable ([Element]) -> Output)?>(nil)
    let next = Cell<([AnyNode], @Sendable ([Element]) -> Output)?>(nil)
    storage.pointee.join = makeJoin([self.storage]) { storage, turn in
      var hasMoved = false
      if let (nodes, body) = next.place.pointee {
        next.replace(with: nil)
        make.replace(with: body)
        hasMoved = set.change(to: nodes, turn)
      }
      if set.isToRunAgain(hasMoved, turn) { return false }
      guard let make = make.place.pointee, let values = set.read(Element.self) else {
        storage.traceWaiting(in: turn)
        return false
      }
      turn.pointee.wave.flags.remove(.event)  // a member's
      return emit(make(values), of: storage, turn)
    }
    connect(self, storage, kind: .flattenCombine) { up, edge, turn in
      let (nodes, body) = parts(up.slot(Value.self).pointee)
      return edge.inRegion(in: turn) { delivery, turn in
        var delivery = delivery
        delivery.wave.flags.remove(.event)  // it chose the set, whose values are told
        let down = edge.pointee.down.unsafelyUnwrapped
        down.noteArrival(delivery, over: edge, sender: up, in: turn)
        // Even if it was refused: the next run reads what this set's nodes hold. Last: a key's deinit may set the next set.
        next.replace(with: (nodes, body))
        return false
      }
    }
    node.publish { $0.attachToJoin(in: turn) }
    if let value = self.storage.readStored(Value.self) {
      let (nodes, body) = parts(value)
      make.place.pointee = body
      set.change(to: nodes, turn)
      if let values = set.read(Element.self) { storage.store(body(values)) }
    }
    turn.leave()
    return node
  }
}

/// The nodes that a join follows at present.
@usableFromInline final class ChangingSet: @unchecked Sendable {
  // Unchecked: the holder of the join's region touches it, nobody else; exclusive access of fields follows
  // from it. There no node is freed while its edge is here.

  @usableFromInline struct Member {
    @usableFromInline let storage: NodePointer
    /// Nil: the result itself, which it cannot follow.
    let inner: InnerEdge?
    @usableFromInline var isCut: Bool { inner?.isCut ?? true }
  }
  /// In the order of the set.
  @exclusivity(unchecked) @usableFromInline var members: [Member] = []
  @exclusivity(unchecked) private var edges: [NodePointer: InnerEdge] = [:]

  /// Of all its edges: they name it as `outer`.
  private let life: SetLife

  @usableFromInline init(below down: NodePointer) { life = SetLife(down) }

  /// Nil: one of the nodes is empty or lost.
  @inlinable func read<Element: Sendable>(_: Element.Type) -> [Element]? {
    var values: [Element] = []
    values.reserveCapacity(members.count)
    for member in members {
      guard !member.isCut, let value = member.storage.readStored(Element.self) else { return nil }
      values.append(value)
    }
    return values
  }

  /// Edges of nodes that stay are kept; a node in the set twice has one edge. True: there are new ones.
  @discardableResult
  @usableFromInline func change(to new: [AnyNode], _ turn: TurnPointer) -> Bool {
    let before = edges, down = life.down
    edges = [:]
    var added: [InnerEdge] = []
    for node in new where edges[node.storage] == nil && node.storage != down {
      if let kept = before[node.storage], !kept.isCut {
        edges[node.storage] = kept
      } else {
        let inner = InnerEdge(
          .member, from: node, to: down, life: EdgeState(of: life), arriveAtJoin)
        edges[node.storage] = inner
        added.append(inner)
      }
    }
    members = new.map { Member(storage: $0.storage, inner: edges[$0.storage]) }
    for (storage, inner) in before where edges[storage]?.edge != inner.edge { inner.cut(turn) }
    for inner in fromHighestRank(added, { $0.edge.pointee.up! }) {
      inner.edge.prepareLink(in: turn)
      inner.edge.attachToJoin(in: turn)
    }
    return !added.isEmpty
  }

  /// After a change. True: what it follows now may still have to run in this turn, so it waits once more.
  @usableFromInline func isToRunAgain(_ hasNew: Bool, _ turn: TurnPointer) -> Bool {
    let (down, join) = (life.down, life.movingJoin.unsafelyUnwrapped)
    let followsAgain = !turn.pointee.gaveWay.isEmpty && down.followAgain(in: turn)
    return (hasNew || followsAgain) && (join.pointee.isWaiting || down.waitsAgain(join, in: turn))
  }
}

private final class SetLife: EdgeState, @unchecked Sendable {
  // Unchecked: adds a constant. The node is there as long as an edge to it, or its join.
  let down: NodePointer
  init(_ down: NodePointer) {
    self.down = down
    super.init()
  }
  override var movingJoin: JoinPointer? { down.pointee.join }
}
