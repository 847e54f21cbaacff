// Joins of a dictionary of nodes, and of a set of nodes that changes.

extension Node {
  /// Returns a node of the latest values of the nodes of a dictionary, under their keys, once all of
  /// them have one.
  ///
  ///     let prices = Node.combine(["tea": tea, "milk": milk])     // ["tea": 3, "milk": 2]
  ///
  /// It is a join like ``combine(_:mode:file:line:)-qpt6``. Of no nodes: a node that
  /// holds an empty dictionary.
  public static func combine<Key: Hashable & Sendable>(
    _ nodes: [Key: Node<Value>], mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<[Key: Value]> {
    if nodes.isEmpty { return makeSource([:], isMutable: false, SourceLocation(file, line)) }
    let keys = Array(nodes.keys)
    return makeJoin(keys.map { nodes[$0]! }, mode, SourceLocation(file, line)) { upstreams in
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
  public final func flattenCombine<Element: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Element]> where Value == [Node<Element>] {
    combineSet(SourceLocation(file, line)) { nodes in (nodes, { $0 }) }
  }

  /// The same for a dictionary of nodes: the values come under the keys.
  public final func flattenCombine<Key: Hashable & Sendable, Element: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Key: Element]> where Value == [Key: Node<Element>] {
    combineSet(SourceLocation(file, line)) { nodes in
      let keys = Array(nodes.keys)
      return (
        keys.map { nodes[$0]! },
        { values in Dictionary(uniqueKeysWithValues: Swift.zip(keys, values)) }
      )
    }
  }

  private final func combineSet<Element: Sendable, Output: Sendable>(
    _ location: SourceLocation,
    _ parts: @escaping @Sendable (Value) -> ([Node<Element>], @Sendable ([Element]) -> Output)
  ) -> Node<Output> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Output.self, location, turn)
    let storage = node.storage
    let set = ChangingSet<Element, Output>()
    storage.pointee.join = makeJoin([self.storage]) { storage, turn in
      guard let value = set.read() else {
        storage.traceWaiting(in: turn)
        return false
      }
      return emit(value, of: storage, turn)
    }
    connectJoin(self, storage, .flattenCombine, turn) { up, edge, turn in
      let (nodes, make) = parts(up.slot(Value.self).pointee)
      return edge.inRegion(in: turn) { delivery, turn in
        var delivery = delivery
        delivery.wave.flags.remove(.event)  // it chose the set, whose values are told
        set.change(to: nodes, make, below: edge.pointee.down!, turn)
        edge.pointee.down!.noteArrival(delivery, sender: up, in: turn)
        return false
      }
    }
    if let value = self.storage.readStored(Value.self) {
      let (nodes, make) = parts(value)
      set.change(to: nodes, make, below: storage, turn)
      if let value = set.read() { storage.store(value) }
    }
    turn.leave()
    return node
  }
}

/// The nodes that a join follows at present. Touched by the holder of the join's region: there none
/// of them is freed while its edge is here.
private final class ChangingSet<Element: Sendable, Output: Sendable>: @unchecked Sendable {
  // Unchecked: see above.
  private var nodes: [NodePointer] = []
  private var edges: [NodePointer: InnerEdge] = [:]
  private var make: (@Sendable ([Element]) -> Output)?

  /// Nil: one of the nodes is empty or lost, or there was no set yet.
  func read() -> Output? {
    guard let make else { return nil }
    var values: [Element] = []
    values.reserveCapacity(nodes.count)
    for storage in nodes {
      guard let inner = edges[storage], !inner.isCut,
        let value = storage.readStored(Element.self)
      else { return nil }
      values.append(value)
    }
    return make(values)
  }

  /// Edges of nodes that stay are kept; a node in the set twice has one edge.
  func change(
    to new: [Node<Element>], _ make: @escaping @Sendable ([Element]) -> Output,
    below down: NodePointer, _ turn: TurnPointer
  ) {
    let before = edges
    edges = [:]
    nodes = new.map(\.storage)
    self.make = make
    var added: [InnerEdge] = []
    for node in new where edges[node.storage] == nil && node.storage != down {
      if let kept = before[node.storage], !kept.isCut {
        edges[node.storage] = kept
      } else {
        let inner = InnerEdge(.member, from: node, to: down, arriveAtJoin)
        edges[node.storage] = inner
        added.append(inner)
      }
    }
    for inner in added {
      inner.edge.prepareLink(in: turn)
      inner.edge.attachToJoin(in: turn)
    }
    for (storage, inner) in before where edges[storage]?.edge != inner.edge { inner.cut(turn) }
  }
}
