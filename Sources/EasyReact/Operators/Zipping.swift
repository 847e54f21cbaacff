import Synchronization

extension Node {
  /// Returns a node that pairs the first values of all nodes, then the second ones, and so on.
  ///
  ///     let a = MutableNode(1), b = MutableNode(2)
  ///     let pairs = a.zip(b)                    // (1, 2)
  ///     a.value = 3; a.value = 4; b.value = 5   // (3, 5)
  ///
  /// Present values count; emptying does not. Values wait without bound for their partners. Losing
  /// an upstream edge ends it: `isTerminated`. Known as `zip` everywhere.
  @inlinable
  public final func zip<each Other: Sendable>(
    _ others: repeat Node<each Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, repeat each Other)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let rest = (repeat ZipQueue<each Other>(group, for: each others))
    let pop: @Sendable () -> (Value, repeat each Other) = {
      (first.pop(), repeat (each rest).pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      for (node, queue) in repeat (each others, each rest) {
        connect(node, zipStep(queue, group, pop))
      }
    }
  }

  /// The same for two nodes.
  @inlinable
  public final func zip<Other: Sendable>(
    _ other: Node<Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, Other)> {
    let group = ZipGroup()
    let (first, second) = (ZipQueue<Value>(group), ZipQueue<Other>(group))
    let pop: @Sendable () -> (Value, Other) = { (first.pop(), second.pop()) }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(other, zipStep(second, group, pop))
    }
  }

  /// The same for like nodes, as an array. For no nodes: an empty node.
  @inlinable
  public static func zip(
    _ nodes: [Node<Value>], file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Value]> {
    let group = ZipGroup()
    let queues = nodes.map { _ in ZipQueue<Value>(group) }
    let pop: @Sendable () -> [Value] = { queues.map { $0.pop() } }
    return makeZip(SourceLocation(file, line), group) { connect in
      for (node, queue) in Swift.zip(nodes, queues) { connect(node, zipStep(queue, group, pop)) }
    }
  }
}

/// What the upstreams of a zip share.
@usableFromInline final class ZipGroup: Termination, @unchecked Sendable {
  // Unchecked: a constant, and `first`, which is set before the zip is published; from then on only the holder of the zip's region
  // touches that, and what `lacking` points to. A pointer, for a field would be checked for exclusive access each time.
  /// How many queues are empty.
  @usableFromInline let lacking: UnsafeMutablePointer<Int>
  /// Its queues, linked; each step keeps all of them.
  @usableFromInline var first: Unmanaged<AnyZipQueue>? = nil
  @inlinable override init() {
    lacking = .allocate(capacity: 1)
    lacking.initialize(to: 0)
    super.init()
  }
  deinit { lacking.deallocate() }

  override func dropWhatWaits() {
    var next = first
    first = nil  // with the first upstream that is lost
    while let queue = next?.takeUnretainedValue() {
      queue.clear()
      next = queue.next
    }
  }
}

/// The queue of a `ZipGroup`, whatever waits in it.
@usableFromInline class AnyZipQueue: @unchecked Sendable {
  // Unchecked: constants; a subclass answers for its own state.
  @usableFromInline let group: ZipGroup
  @usableFromInline let next: Unmanaged<AnyZipQueue>?
  @inlinable init(_ group: ZipGroup) {
    self.group = group
    next = group.first
    group.first = .passUnretained(self)
  }
  @usableFromInline func clear() {}
}

/// The values of one upstream that wait for partners.
@usableFromInline final class ZipQueue<Value: Sendable>: AnyZipQueue, @unchecked Sendable {
  // Unchecked: constants; only the holder of the zip's region touches what `items` points to. A
  // pointer, as in `ZipGroup`.
  @usableFromInline let items: UnsafeMutablePointer<Queue<Value>>
  @inlinable override init(_ group: ZipGroup) {
    items = .allocate(capacity: 1)
    items.initialize(to: Queue())
    super.init(group)
    group.lacking.pointee += 1
  }
  @inlinable convenience init(_ group: ZipGroup, for _: Node<Value>) { self.init(group) }
  deinit {
    items.deinitialize(count: 1)
    items.deallocate()
  }
  @inlinable @inline(__always) func push(_ value: Value) {
    if items.pointee.isEmpty { group.lacking.pointee &-= 1 }
    items.pointee.append(value)
  }
  @inlinable @inline(__always) func pop() -> Value {
    let value = items.pointee.removeFirst()
    if items.pointee.isEmpty { group.lacking.pointee &+= 1 }
    return value
  }
  /// Of a zip that has ended, which takes nothing any more.
  @usableFromInline override func clear() {
    let dropped = items.pointee
    items.pointee = Queue()
    _ = consume dropped  // user code, that finds the queue empty
  }
}

@inlinable func makeZip<Output: Sendable>(
  _ location: SourceLocation, _ group: ZipGroup,
  _ connectAll: ((AnyNode, @escaping Step) -> Void) -> Void
) -> Node<Output> {
  let turn = currentTurn()
  turn.enter()
  let node = makeHead(Output.self, location, turn)
  node.storage.sideTable().termination = group
  connectAll { upstream, step in connect(upstream, node.storage, kind: .zip, step) }
  node.publish { $0.attachNow(in: turn) }
  turn.leave()
  return node
}

/// The value joins its queue in the zip's region; if every queue has one, a tuple arrives.
@inlinable func zipStep<Value: Sendable, Output: Sendable>(
  _ queue: ZipQueue<Value>, _ group: ZipGroup, _ pop: @escaping @Sendable () -> Output
) -> Step {
  @Sendable func push(
    _ value: Value, _ down: NodePointer, _ delivery: Delivery, _ up: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    if group.isTerminated {
      return down.stop(.cut, wave: delivery.wave.number, from: up, in: turn)
    }
    queue.push(value)
    if group.lacking.pointee != 0 {
      return down.stop(.waitsForAnotherUpstream, wave: delivery.wave.number, from: up, in: turn)
    }
    return down.arrive(.value(pop()), delivery, sender: up, in: turn)
  }
  return { up, edge, turn in
    let down = edge.pointee.down.unsafelyUnwrapped
    let value = up.slot(Value.self).pointee
    // The edge is looked at again after the claim: see `isOver`.
    if edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue == 0,
      down.claimOutlined(by: turn), edge.pointee.flags.load(ordering: .relaxed) == 0,
      !turn.pointee.isTraced, !group.isTerminated
    {
      queue.push(value)
      if group.lacking.pointee != 0 { return false }
      let values = pop()
      if !edge.isQuick(from: up, in: turn) {
        return edge.passSlowly(.value(values), from: up, in: turn)
      }
      edge.storeQuickly(values, from: up, in: turn)
      return true
    }
    return edge.inRegion(in: turn) { push(value, down, $0, up, $1) }
  }
}
