import DequeModule
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
  public final func zip<each Other: Sendable>(
    _ others: repeat Node<each Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, repeat each Other)> {
    let first = ZipQueue<Value>()
    let rest = (repeat ZipQueue<each Other>(for: each others))
    let group = Termination()
    let ready: @Sendable () -> Bool = {
      if first.isEmpty { return false }
      for queue in repeat each rest {
        if queue.isEmpty { return false }
      }
      return true
    }
    let pop: @Sendable () -> (Value, repeat each Other) = {
      (first.pop(), repeat (each rest).pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, ready, pop))
      for (node, queue) in repeat (each others, each rest) {
        connect(node, zipStep(queue, group, ready, pop))
      }
    }
  }

  /// The same of two nodes.
  @inlinable
  public final func zip<Other: Sendable>(
    _ other: Node<Other>, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, Other)> {
    let first = ZipQueue<Value>()
    let second = ZipQueue<Other>()
    let group = Termination()
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, { !second.isEmpty }) { (first.pop(), second.pop()) })
      connect(other, zipStep(second, group, { !first.isEmpty }) { (first.pop(), second.pop()) })
    }
  }

  /// The same of like nodes, as an array. Of no nodes: an empty node.
  @inlinable
  public static func zip(
    _ nodes: [Node<Value>], file: StaticString = #fileID, line: UInt = #line
  ) -> Node<[Value]> {
    let queues = nodes.map { _ in ZipQueue<Value>() }
    let group = Termination()
    // The first one that was empty when last looked at: only when that has a value the others are looked
    // at, each once for an array that is told.
    let lacking = Cell(0)
    let ready: @Sendable () -> Bool = {
      while lacking.place.pointee < queues.count {
        if queues[lacking.place.pointee].isEmpty { return false }
        lacking.place.pointee += 1
      }
      lacking.place.pointee = 0
      return true
    }
    let pop: @Sendable () -> [Value] = { queues.map { $0.pop() } }
    return makeZip(SourceLocation(file, line), group) { connect in
      for (node, queue) in Swift.zip(nodes, queues) {
        connect(node, zipStep(queue, group, ready, pop))
      }
    }
  }
}

/// The values of one upstream that wait for partners. Touched by the holder of the zip's region
/// only.
@usableFromInline final class ZipQueue<Value: Sendable>: @unchecked Sendable {
  // Unchecked: see above. A pointer, for a field would be checked for exclusive access each time.
  @usableFromInline let items: UnsafeMutablePointer<Deque<Value>>
  @inlinable init() {
    items = .allocate(capacity: 1)
    items.initialize(to: Deque())
  }
  @inlinable convenience init(for _: Node<Value>) { self.init() }
  deinit {
    items.deinitialize(count: 1)
    items.deallocate()
  }
  @inlinable var isEmpty: Bool { items.pointee.isEmpty }
  @inlinable func push(_ value: Value) { items.pointee.append(value) }
  @inlinable func pop() -> Value { items.pointee.removeFirst() }
}

@inlinable func makeZip<Output: Sendable>(
  _ location: SourceLocation, _ group: Termination,
  _ connectAll: ((AnyNode, @escaping Step) -> Void) -> Void
) -> Node<Output> {
  let turn = currentTurn()
  turn.enter()
  let node = makeHead(Output.self, location, turn)
  node.storage.sideTable().termination = group
  var edges: [EdgePointer] = []
  connectAll { upstream, step in
    edges.append(connect(upstream, node.storage, kind: .zip, step))
  }
  for edge in edges { edge.attachNow(in: turn) }
  turn.leave()
  return node
}

/// The value joins its queue in the zip's region; if every queue has one, a tuple arrives.
@inlinable func zipStep<Value: Sendable, Output: Sendable>(
  _ queue: ZipQueue<Value>, _ group: Termination, _ ready: @escaping @Sendable () -> Bool,
  _ pop: @escaping @Sendable () -> Output
) -> Step {
  @Sendable @inline(__always) func push(
    _ value: Value, _ down: NodePointer, _ delivery: Delivery, _ up: NodePointer,
    _ turn: TurnPointer
  ) -> Bool {
    if group.isTerminated { return down.stop(.cut, wave: delivery.wave.number, from: up, in: turn) }
    queue.push(value)
    if !ready() {
      return down.stop(.waitsForAnotherUpstream, wave: delivery.wave.number, from: up, in: turn)
    }
    return down.arrive(.value(pop()), delivery, sender: up, in: turn)
  }
  return { up, edge, turn in
    let down = edge.pointee.down.unsafelyUnwrapped
    let value = up.slot(Value.self).pointee
    return edge.deliver(Delivery(edge, turn), in: turn) { delivery in
      push(value, down, delivery, up, turn)
    } later: {
      ClosureCrossing { push(value, down, $0, up, $1) }
    }
  }
}
