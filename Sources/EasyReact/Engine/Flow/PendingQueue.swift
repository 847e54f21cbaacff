/// What came to a node while it was busy: first in, first out.
@usableFromInline final class PendingQueue<Value: Sendable> {
  @usableFromInline enum Item {
    case arrival(Arrival<Value>, Delivery, NodePointer?)
    /// What is to be done as if the node told a value.
    case work((TurnPointer) -> Void)
  }
  @usableFromInline var items: [Item?] = []
  @usableFromInline var taken = 0
  @inlinable init() {}
  deinit {
    while let item = takeFirst() {
      if case .arrival(_, let delivery, _) = item { _ = delivery.takeContext() }
    }
  }

  @inlinable func append(_ item: Item) { items.append(item) }

  /// Amortised constant: what is taken from the front is given back when it is half of the array.
  @inlinable func takeFirst() -> Item? {
    if taken == items.count { return nil }
    let item = items[taken]
    items[taken] = nil
    taken += 1
    if taken == items.count {
      items.removeAll(keepingCapacity: items.capacity <= 64)
      taken = 0
    } else if taken >= 1024, taken * 2 >= items.count {
      items.removeFirst(taken)
      taken = 0
    }
    return item
  }
}

extension NodePointer {
  @inlinable @inline(never) func waitForTurn<Value: Sendable>(
    _ arrival: Arrival<Value>, _ delivery: Delivery, sender: NodePointer?, in turn: TurnPointer
  ) {
    var delivery = delivery.retained()
    if delivery.wave.number == 0 { delivery.wave.number = newWave() }
    if turn.pointee.isTraced {
      traceQueued(wave: delivery.wave.number, rules: delivery.rules, from: sender, in: turn)
    }
    waitForTurn(.arrival(arrival, delivery, sender), in: turn)
  }

  /// `body` runs when the node has told what it is telling, and what waits already.
  @usableFromInline func waitForTurn<Value: Sendable>(
    _: Value.Type, _ body: @escaping (TurnPointer) -> Void, in turn: TurnPointer
  ) {
    waitForTurn(PendingQueue<Value>.Item.work(body), in: turn)
  }

  @inlinable func waitForTurn<Value: Sendable>(
    _ item: PendingQueue<Value>.Item, in turn: TurnPointer
  ) {
    if pointee.queue == nil {
      pointee.queue = Unmanaged.passRetained(PendingQueue<Value>() as AnyObject)
    }
    unsafeDowncast(
      pointee.queue.unsafelyUnwrapped.takeUnretainedValue(), to: PendingQueue<Value>.self
    ).append(item)
    countReentrantSet(in: turn)
  }
}
