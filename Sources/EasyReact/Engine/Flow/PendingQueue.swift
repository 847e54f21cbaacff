import DequeModule

/// A value that came to a node while it was busy.
@usableFromInline struct WaitingArrival {
  /// An `Arrival` of the node's values.
  @usableFromInline let block: UnsafeMutableRawPointer
  @usableFromInline let delivery: Delivery
  @usableFromInline let sender: NodePointer?

  @inlinable init<Value: Sendable>(
    _ arrival: Arrival<Value>, _ delivery: Delivery, sender: NodePointer?
  ) {
    let place = UnsafeMutablePointer<Arrival<Value>>.allocate(capacity: 1)
    place.initialize(to: arrival)
    block = UnsafeMutableRawPointer(place)
    self.delivery = delivery
    self.sender = sender
  }

  /// Once.
  @inlinable func take<Value: Sendable>(_: Value.Type) -> Arrival<Value> {
    let place = block.assumingMemoryBound(to: Arrival<Value>.self)
    defer { place.deallocate() }
    return place.move()
  }
}

/// What came to a node while it was busy: first in, first out.
private final class PendingQueue {
  enum Item {
    case arrival(WaitingArrival)
    /// What is to be done as if the node told a value.
    case work((TurnPointer) -> Void)
  }
  private var items = Deque<Item>()
  /// The most that have waited at a time: room of unusual size is not kept.
  private var most = 0

  func append(_ item: Item) {
    items.append(item)
    most = max(most, items.count)
  }

  func takeFirst() -> Item? {
    let item = items.popFirst()
    if items.isEmpty, most > 64 { (items, most) = ([], 0) }
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
    waitForTurn(WaitingArrival(arrival, delivery, sender: sender), in: turn)
  }

  @usableFromInline func waitForTurn(_ arrival: WaitingArrival, in turn: TurnPointer) {
    append(.arrival(arrival), in: turn)
  }

  /// `body` runs when the node has told what it is telling, and what waits already.
  func waitForTurn(_ body: @escaping (TurnPointer) -> Void, in turn: TurnPointer) {
    append(.work(body), in: turn)
  }

  private func append(_ item: PendingQueue.Item, in turn: TurnPointer) {
    if pointee.queue == nil {
      pointee.queue = Unmanaged.passRetained(PendingQueue() as AnyObject)
    }
    pendingQueue.unsafelyUnwrapped.append(item)
    countReentrantSet(in: turn)
  }

  private var pendingQueue: PendingQueue? {
    pointee.queue.map { unsafeDowncast($0.takeUnretainedValue(), to: PendingQueue.self) }
  }

  /// The next value that waits, behind the work that was before it, which is done.
  @usableFromInline func takeWaiting(in turn: TurnPointer) -> WaitingArrival? {
    guard let queue = pendingQueue else { return nil }
    while let item = queue.takeFirst() {
      switch item {
      case .arrival(let arrival): return arrival
      case .work(let body):
        let flags = pointee.flags.only(.busy)
        pointee.flags.insert(.busy)
        body(turn)
        pointee.flags = pointee.flags.without(.busy).with(flags)
      }
    }
    return nil
  }

  /// The node is being freed, and nobody waits any more: what does is dropped, and no work is done.
  @inlinable func destroyQueue<Value: Sendable>(_: Value.Type) {
    while let waiting = dropWaiting() {
      let arrival = waiting.take(Value.self)
      let context = waiting.delivery.takeContext()
      _ = consume context
      _ = consume arrival
    }
  }

  /// The queue goes with the last.
  @usableFromInline func dropWaiting() -> WaitingArrival? {
    guard let queue = pendingQueue else { return nil }
    while let item = queue.takeFirst() {
      if case .arrival(let arrival) = item { return arrival }
    }
    pointee.queue?.release()
    pointee.queue = nil
    return nil
  }
}
