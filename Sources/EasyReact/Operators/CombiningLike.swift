import Synchronization

// A combination of like nodes. It may be of many, so it reads only what has changed, and changes the array that
// it has told last if nobody else holds it.

extension Node {
  /// Returns a node of the latest values of like nodes, as an array. For no nodes: a node that holds
  /// an empty array.
  /// - Complexity: O(1) for each input that changed, if nobody holds the array that was told last and no
  ///   input was empty meanwhile; else O(n). With `.everyValue` O(n) a value.
  @inlinable
  public static func combine(
    _ nodes: [Node<Value>], mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<[Value]> {
    let location = SourceLocation(file, line)
    if nodes.isEmpty { return makeSource([], isMutable: false, location) }
    let count = nodes.count
    if mode == .everyValue {
      return makeJoin(nodes, mode, location) { $0.readAll(Value.self, count) }
    }
    let turn = currentTurn()
    turn.enter()
    let node = makeHead([Value].self, location, turn)
    let changed = ChangedInputs(upstreams: count)
    startJoin(node, ofLike: nodes, changed, turn) { storage, turn in
      storage.emitLike(Value.self, changed, turn)
    }
    let join = node.storage.pointee.join.unsafelyUnwrapped
    if let values = join.pointee.upstreams.readAll(Value.self, count) { node.storage.store(values) }
    turn.leave()
    return node
  }
}

/// Makes the join of a new node, and its edges, and publishes it.
@usableFromInline func startJoin(
  _ node: AnyNode, ofLike upstreams: [AnyNode], _ changed: ChangedInputs,
  _ turn: TurnPointer, compute: @escaping (NodePointer, TurnPointer) -> Bool
) {
  let join = makeJoin(upstreams.map { $0.storage }, compute: compute)
  node.storage.pointee.join = join
  for (position, upstream) in upstreams.enumerated() {
    connect(upstream, node.storage, kind: .combine, hearsEmptiness: true) { up, edge, turn in
      changed.arrive(up, edge, turn, as: position)
    }
  }
  node.publish { $0.attachToJoin(in: turn) }
}

extension ChangedInputs {
  /// Is an input empty? Looks where an empty one was found before; and on from there only if that one has a value by
  /// now. So if n get their first values one by one, in any order, all runs together look at n.
  @usableFromInline func lacksInput(_ join: JoinPointer) -> Bool {
    guard let last = lacking else { return false }
    return findEmpty(join, from: last)
  }

  /// All were to be read, and one was empty.
  @usableFromInline func noteLackingInput(_ join: JoinPointer) {
    if lacking == nil { _ = findEmpty(join, from: 0) }
  }

  private func findEmpty(_ join: JoinPointer, from start: Int) -> Bool {
    let places = [start..<join.pointee.count, 0..<start].joined()
    lacking = places.first {
      !join.pointee.upstreams[$0].pointee.hasValue.load(ordering: .acquiring)
    }
    return lacking != nil
  }
}

extension UnsafeMutablePointer<NodePointer> {
  /// Nil: one of them is empty.
  @inlinable func readAll<Value: Sendable>(_: Value.Type, _ count: Int) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let value = self[index].readStored(Value.self) else { return nil }
      values.append(value)
    }
    return values
  }
}

extension NodePointer {
  /// The run of such a join.
  @inlinable func emitLike<Value: Sendable>(
    _: Value.Type, _ changed: ChangedInputs, _ turn: TurnPointer
  ) -> Bool {
    let join = pointee.join.unsafelyUnwrapped
    if tellChanged(Value.self, changed, join, turn) { return true }
    changed.beginReading(join)
    guard !changed.lacksInput(join),
      let values = join.pointee.upstreams.readAll(Value.self, join.pointee.count)
    else {
      changed.noteLackingInput(join)
      changed.endReading(self, join, isStored: false)
      traceWaiting(in: turn)
      return false
    }
    let isStored = emit(values, of: self, turn)
    changed.endReading(self, join, isStored: isStored)
    return isStored
  }

  /// The run that changes what was told last. False: that is not to be, and nothing was done.
  @inlinable @inline(__always) func tellChanged<Value: Sendable>(
    _: Value.Type, _ changed: ChangedInputs, _ join: JoinPointer, _ turn: TurnPointer
  ) -> Bool {
    guard pointee.flags.isEmpty, changed.suffice(for: self, join) else { return false }
    if !turn.pointee.wave.flags.isEmpty
      || pointee.wave.load(ordering: .relaxed) >= turn.pointee.wave.number
    {
      return tellChangedSlowly(Value.self, changed, join, turn)
    }
    if !replaceChanged(Value.self, changed, join) { return false }
    pointee.wave.store(turn.pointee.wave.number, ordering: .releasing)
    pointee.sender.store(turn.pointee.runningSender, ordering: .relaxed)
    if turn.pointee.isTraced {
      traceStored(
        origin: turn.pointee.wave.number, rules: .ofJoin, from: turn.pointee.runningSender, in: turn
      )
    }
    changed.noteTold(self)
    return true
  }

  /// With a context, or led back, or late.
  @inlinable @inline(never) func tellChangedSlowly<Value: Sendable>(
    _: Value.Type, _ changed: ChangedInputs, _ join: JoinPointer, _ turn: TurnPointer
  ) -> Bool {
    let delivery = Delivery(ofJoinIn: turn)
    if delivery.wave.flags.has(.event) || delivery.isFiltered && isReached(by: delivery)
      || !replaceChanged(Value.self, changed, join)
    {
      return false
    }
    _ = noteStored(
      delivery, delivery.wave.flags.without(.late), sender: turn.pointee.runningSender, in: turn)
    changed.noteTold(self)
    return true
  }

  /// False: one of them is empty by now, and nothing was replaced.
  @inlinable func replaceChanged<Value: Sendable>(
    _: Value.Type, _ changed: ChangedInputs, _ join: JoinPointer
  ) -> Bool {
    let (positions, count) = (changed.positions, changed.count)
    func read(_ index: Int) -> Value? {
      join.pointee.upstreams[Int(positions[index])].readStored(Value.self)
    }
    if count == 1 {
      guard var value = read(0) else { return false }
      let flags = beginDying([Value].self)
      change([Value].self) { swap(&$0[Int(positions[0])], &value) }
      changed.forget()
      _ = consume value
      endDying([Value].self, flags)
      return true
    }
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let value = read(index) else { return false }
      values.append(value)
    }
    let flags = beginDying([Value].self)
    change([Value].self) { array in
      for index in 0..<count { swap(&array[Int(positions[index])], &values[index]) }
    }
    changed.forget()
    values = []
    endDying([Value].self, flags)
    return true
  }

  /// In place if nobody else holds the array, and all at once for whoever reads it. What was there dies after the lock: see
  /// `store`.
  @inlinable @inline(__always) func change<Value: Sendable>(
    _: [Value].Type, _ body: (inout [Value]) -> Void
  ) {
    let array = slot([Value].self)
    pointee.acquire()
    let isOurs = isHeldOnce(array)
    if isOurs { body(&array.pointee) }
    pointee.release()
    if isOurs { return }
    var copy = array.pointee
    body(&copy)
    pointee.acquire()
    swap(&array.pointee, &copy)
    pointee.release()
  }
}

/// Is this the only reference to the array's elements? Where arrays may be Objective-C's, it is not known.
@inlinable @inline(__always) func isHeldOnce<Value>(_ array: UnsafeMutablePointer<[Value]>) -> Bool
{
  #if canImport(ObjectiveC)
  return false
  #else
  // An array is one reference to its elements.
  return UnsafeMutableRawPointer(array).withMemoryRebound(to: AnyObject.self, capacity: 1) {
    isKnownUniquelyReferenced(&$0.pointee)
  }
  #endif
}
