import Synchronization

/// When a combination is told.
public enum CombineMode: Sendable {
  /// Once a turn, however many of its upstreams changed, after all of them have their final values.
  case latest
  /// For every arriving value, as EasyReact did: mixtures of old and new inputs are told.
  case everyValue
}

extension Node {
  /// Returns a node of the latest values of this node and the others, as a tuple, once all of them
  /// have one.
  ///
  ///     let a = MutableNode(1), b = MutableNode(2)
  ///     let sum = a.combine(b).map { $0 + $1 }             // 3
  ///     batch { a.value = 4; b.value = 6 }                 // 10, told once
  ///
  /// It is a *join*: in one turn it runs after everything that leads to it has its final value, and
  /// once. No listener hears a mixture of old and new inputs (contract 4.1). It is silent while an
  /// upstream is empty, including one that was cleaned, and so for ever if one tells events
  /// (``NodeFactory/eventNode(file:line:)``), none of which is kept: use `withLatest(from:)`, `zip` or
  /// `merge` there; a tracer hears `.eventsAreNotKept`. Losing an upstream edge ends it: `isTerminated`.
  /// A set passes on its context; of several, the newest. Known as `combineLatest` in Combine,
  /// Rx and ReactiveSwift, which tell mixtures.
  /// - Parameter mode: `.everyValue` tells each arriving value instead.
  @inlinable
  public final func combine<each Other: Sendable>(
    _ others: repeat Node<each Other>, mode: CombineMode = .latest,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, repeat each Other)> {
    var upstreams: [AnyNode] = [self]
    for other in repeat each others { upstreams.append(other) }
    var reader = TupleReader(of: (Value, repeat each Other).self)
    reader.append(Value.self)
    repeat reader.append((each Other).self)
    return makeJoin(upstreams, mode, SourceLocation(file, line)) { [reader] upstreams in
      reader.read(upstreams)
    }
  }

  /// The same for two nodes.
  @inlinable
  public final func combine<Other: Sendable>(
    _ other: Node<Other>, mode: CombineMode = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<(Value, Other)> {
    makeJoin([self, other], mode, SourceLocation(file, line)) { upstreams in
      guard let first = upstreams[0].readStored(Value.self),
        let second = upstreams[1].readStored(Other.self)
      else { return nil }
      return (first, second)
    }
  }
}

/// Reads the latest values of a join's upstreams into a tuple; nil if one of them is empty.
///
/// A pack's types are looked up each time it is used, which costs some 50 ns an element. So the
/// layout of the tuple is worked out once, and what is one word is copied as such.
@usableFromInline struct TupleReader<Output: Sendable>: Sendable {
  @usableFromInline struct Element: Sendable {
    @usableFromInline let offset: Int
    @usableFromInline let size: Int
    /// For what is no word: copies the value, or says that there is none; and undoes it.
    @usableFromInline let copy: (@Sendable (NodePointer, UnsafeMutableRawPointer) -> Bool)?
    @usableFromInline let destroy: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    @usableFromInline init<Value: Sendable>(of _: Value.Type, at offset: Int) {
      self.offset = offset
      size = MemoryLayout<Value>.size
      if isWord(Value.self) {
        copy = nil
        destroy = nil
        return
      }
      copy = { storage, place in
        guard let value = storage.readStored(Value.self) else { return false }
        place.initializeMemory(as: Value.self, to: value)
        return true
      }
      destroy = { place in
        place.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      }
    }
  }
  /// One for each upstream; their values lie in `Output` like the elements of a tuple.
  @usableFromInline var elements: [Element] = []
  private var end = 0

  @usableFromInline init(of _: Output.Type) {}

  @usableFromInline mutating func append<Value: Sendable>(_: Value.Type) {
    let alignment = MemoryLayout<Value>.alignment
    let offset = (end + alignment - 1) & ~(alignment - 1)
    elements.append(Element(of: Value.self, at: offset))
    end = offset + MemoryLayout<Value>.size
    if end > MemoryLayout<Output>.size { fatalError("EasyReact: a tuple is not laid out in order") }
  }

  @inlinable func read(_ upstreams: UnsafeMutablePointer<NodePointer>) -> Output? {
    withUnsafeTemporaryAllocation(of: Output.self, capacity: 1) { buffer in
      let tuple = buffer.baseAddress.unsafelyUnwrapped
      return fill(UnsafeMutableRawPointer(tuple), upstreams) ? tuple.move() : nil
    }
  }

  @usableFromInline func fill(
    _ tuple: UnsafeMutableRawPointer, _ upstreams: UnsafeMutablePointer<NodePointer>
  ) -> Bool {
    for index in elements.indices {
      let element = elements[index]
      let place = tuple + element.offset
      let isThere =
        if let copy = element.copy {
          copy(upstreams[index], place)
        } else {
          upstreams[index].copyWord(to: place, size: element.size)
        }
      if isThere { continue }
      for filled in elements[..<index] { filled.destroy?(tuple + filled.offset) }
      return false
    }
    return true
  }
}

/// A node that computes with `read` from the latest values of `upstreams`.
@inlinable
func makeJoin<Output: Sendable>(
  _ upstreams: [AnyNode], _ mode: CombineMode, _ location: SourceLocation,
  _ read: @escaping @Sendable (UnsafeMutablePointer<NodePointer>) -> Output?
) -> Node<Output> {
  let turn = currentTurn()
  turn.enter()
  let node = makeHead(Output.self, location, turn)
  let storage = node.storage
  let step: Step =
    switch mode {
    case .latest: arriveAtJoin
    case .everyValue: everyValueStep(read)
    }
  let read = { (storage: NodePointer) in
    read(storage.pointee.join.unsafelyUnwrapped.pointee.upstreams)
  }
  startJoin(node, upstreams, mode, step, turn) { storage, turn in
    guard let value = read(storage) else {
      storage.traceWaiting(in: turn)
      return false
    }
    return emit(value, of: storage, turn)
  }
  if let value = read(storage) { storage.store(value) }
  turn.leave()
  return node
}

/// Makes the join of a new node, and its edges, and publishes it.
@usableFromInline func startJoin(
  _ node: AnyNode, _ upstreams: [AnyNode], _ mode: CombineMode, _ step: @escaping Step,
  _ turn: TurnPointer, compute: @escaping (NodePointer, TurnPointer) -> Bool
) {
  let storage = node.storage
  storage.pointee.join = makeJoin(
    upstreams.map { $0.storage }, tellsEachOnce: mode == .everyValue, compute: compute)
  for upstream in upstreams { connect(upstream, storage, kind: .combine, step) }
  node.publish { $0.attachToJoin(in: turn) }
}

/// Reads in the join's region: there no upstream is freed, and whoever reads last sees all.
@inlinable func everyValueStep<Output: Sendable>(
  _ read: @escaping @Sendable (UnsafeMutablePointer<NodePointer>) -> Output?
) -> Step {
  { up, edge, turn in
    edge.deliver(EveryValueCrossing(read: read, sender: up), edge.delivery(in: turn), in: turn)
  }
}

@usableFromInline struct EveryValueCrossing<Output: Sendable>: Crossing {
  @usableFromInline let read: @Sendable (UnsafeMutablePointer<NodePointer>) -> Output?
  @usableFromInline let sender: NodePointer
  @inlinable init(
    read: @escaping @Sendable (UnsafeMutablePointer<NodePointer>) -> Output?, sender: NodePointer
  ) {
    (self.read, self.sender) = (read, sender)
  }

  @inlinable @inline(__always) func arrive(
    over edge: EdgePointer, _ delivery: Delivery, in turn: TurnPointer
  ) -> Bool {
    let storage = edge.pointee.down.unsafelyUnwrapped
    let join = storage.pointee.join.unsafelyUnwrapped
    if join.pointee.isTerminated.load(ordering: .relaxed) {
      return storage.stop(.cut, wave: delivery.wave.number, from: sender, in: turn)
    }
    guard let value = read(join.pointee.upstreams) else {
      storage.traceWaiting(wave: delivery.wave.number, from: sender, in: turn)
      return false
    }
    return storage.arrive(.value(value), delivery, sender: sender, in: turn)
  }
}

extension NodePointer {
  /// The same as `readStored` for a word whose type is not known here: copies its bytes; false: the
  /// node is empty.
  @inlinable @inline(__always) func copyWord(to place: UnsafeMutableRawPointer, size: Int) -> Bool {
    if !pointee.hasValue.load(ordering: .acquiring) { return false }
    // A word lies right behind the node's storage, whatever its type.
    var word = wordSlot(UInt64.self).pointee.load(ordering: .acquiring)
    if pointee.has(.hasHeldEvent) {
      guard let again = readWordLocked() else { return false }
      word = again
    }
    place.copyMemory(from: &word, byteCount: size)
    return true
  }
}
