/// What came to a node while it was busy: first in, first out.
@usableFromInline final class Waiting<Value: Sendable> {
  @usableFromInline struct Item {
    @usableFromInline let arrival: Arrival<Value>
    @usableFromInline let crossing: Crossing
    @usableFromInline let sender: CorePointer?
    @inlinable init(_ arrival: Arrival<Value>, _ crossing: Crossing, _ sender: CorePointer?) {
      self.arrival = arrival
      self.crossing = crossing
      self.sender = sender
    }
  }
  @usableFromInline var items: [Item?] = []
  @usableFromInline var taken = 0
  @inlinable init() {}
  deinit { while let item = takeFirst() { _ = item.crossing.takeContext() } }

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
  if core.pointee.queue == nil {
    core.pointee.queue = Unmanaged.passRetained(Waiting<Value>() as AnyObject)
  }
  let waiting = unsafeDowncast(
    core.pointee.queue.unsafelyUnwrapped.takeUnretainedValue(), to: Waiting<Value>.self)
  var crossing = crossing.retained()
  if crossing.wave == 0 { crossing.wave = newWave() }
  waiting.append(Waiting.Item(arrival, crossing, sender))
  countReentrantSet(core, turn)
}
