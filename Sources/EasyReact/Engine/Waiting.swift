/// What came to a node while it was busy: first in, first out.
@usableFromInline final class Waiting<Value: Sendable> {
  @usableFromInline enum Item {
    case arrival(Arrival<Value>, Crossing, CorePointer?)
    /// What is to be done as if the node told a value.
    case work((TurnPointer) -> Void)
  }
  @usableFromInline var items: [Item?] = []
  @usableFromInline var taken = 0
  @inlinable init() {}
  deinit {
    while let item = takeFirst() {
      if case .arrival(_, let crossing, _) = item { _ = crossing.takeContext() }
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

@inlinable @inline(never) func waitForTurn<Value: Sendable>(
  _ core: CorePointer, _ arrival: Arrival<Value>, _ crossing: Crossing, sender: CorePointer?,
  _ turn: TurnPointer
) {
  var crossing = crossing.retained()
  if crossing.wave == 0 { crossing.wave = newWave() }
  waitForTurn(core, .arrival(arrival, crossing, sender), turn)
}

/// `body` runs when the node has told what it is telling, and what waits already.
@usableFromInline func waitForTurn<Value: Sendable>(
  _ core: CorePointer, _: Value.Type, _ body: @escaping (TurnPointer) -> Void, _ turn: TurnPointer
) {
  waitForTurn(core, Waiting<Value>.Item.work(body), turn)
}

@inlinable func waitForTurn<Value: Sendable>(
  _ core: CorePointer, _ item: Waiting<Value>.Item, _ turn: TurnPointer
) {
  if core.pointee.queue == nil {
    core.pointee.queue = Unmanaged.passRetained(Waiting<Value>() as AnyObject)
  }
  unsafeDowncast(
    core.pointee.queue.unsafelyUnwrapped.takeUnretainedValue(), to: Waiting<Value>.self
  ).append(item)
  countReentrantSet(core, turn)
}
