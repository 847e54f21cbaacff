import Synchronization

/// What came to a node while it was busy: first in, first out.
final class PendingQueue {
  /// What is to be done when its turn comes. True: the node stored a value, which is to be told.
  typealias Item = (NodePointer, TurnPointer) -> Bool
  private var items = Queue<Item>()

  func append(_ item: @escaping Item) { items.append(item) }
  func takeFirst() -> Item? { items.popFirst() }
  var isEmpty: Bool { items.isEmpty }
}

extension NodePointer {
  /// A value that came while the node is busy.
  @inlinable @inline(never) func waitForTurn<Value: Sendable>(
    _ arrival: Arrival<Value>, _ delivery: Delivery, sender: NodePointer?, in turn: TurnPointer
  ) {
    if turn.pointee.isTraced {
      traceQueued(wave: delivery.origin, rules: delivery.rules, from: sender, in: turn)
    }
    let context = delivery.wave.context?.takeUnretainedValue()
    appendToQueue { node, turn in
      let delivery = delivery.afterWaiting(context)
      return node.storeArrival(arrival, delivery, sender: sender, in: turn)
    }
    countReentrantSet(in: turn)
  }

  /// Runs `body` while the node is still busy, once it has told its present value and what waits already.
  func waitForTurn(_ body: @escaping (TurnPointer) -> Void, in turn: TurnPointer) {
    appendToQueue { _, turn in
      body(turn)
      return false
    }
    countReentrantSet(in: turn)
  }

  @usableFromInline func appendToQueue(_ item: @escaping (NodePointer, TurnPointer) -> Bool) {
    let sideTable = sideTable()
    if sideTable.queue == nil { sideTable.queue = PendingQueue() }
    sideTable.queue.unsafelyUnwrapped.append(item)
  }

  /// Does something wait, or has anything ever waited?
  @inline(__always) var hasQueue: Bool {
    pointee.sideTable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.queue != nil }
      ?? false
  }

  /// Holder. Does something wait?
  var isQueueing: Bool { hasQueue && pointee.sideTableIfAny()?.queue?.isEmpty == false }

  /// The node is being freed: what waits is dropped, and none of it is done.
  func dropQueue() {
    guard hasQueue, let queue = pointee.sideTableIfAny()?.queue else { return }
    while let item = queue.takeFirst() { _ = consume item }
  }
}
