import Dispatch
import Synchronization

/// A listener on a scheduler, which is called with values or with changes.
@usableFromInline final class ScheduledListener<Item: Sendable>: EdgeState, @unchecked Sendable {
  // Unchecked: adds `queue`, which is set in the initialiser and never again.
  @usableFromInline var queue: ScheduledQueue<Item>!

  @inlinable init(_ scheduler: any NodeScheduler, _ body: @escaping @Sendable (Item) -> Void) {
    super.init()
    queue = ScheduledQueue(scheduler) { [weak self] items in
      guard let self else { return }
      for item in items where !self.hasEnded { body(item) }
    }
  }

  /// On an actor, which is not kept.
  init<Isolation: Actor>(
    isolatedTo actor: Isolation, _ body: @escaping @Sendable (isolated Isolation, Item) -> Void
  ) {
    super.init()
    queue = ScheduledQueue(isolatedTo: actor) { [weak self] actor, items in
      guard let self else { return }
      for item in items where !self.hasEnded { body(actor, item) }
    }
  }

  /// The edge was freed: what waits is not called any more. Its drain goes on waiting, and keeps nothing.
  deinit { queue.clear() }

  @inlinable func stepOfValues() -> Step {
    { up, edge, _ in
      edge.append(up.slot(Item.self).pointee)
      return false
    }
  }

  func stepOfChanges<Value>() -> Step where Item == Change<Value> {
    { up, edge, turn in
      edge.append(Change(keepingPathOf: Change<Value>(up, edge, turn)))
      return false
    }
  }
}

extension EdgePointer {
  /// For a scheduled listener on the main queue: may it be called at once? This is the main actor, and
  /// nothing waits before. Steps run one at a time, so nothing comes between.
  func isIdleOnMain<Item: Sendable>(_: Item.Type) -> Bool {
    guard isOnMainActor() else { return false }
    return pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScheduledListener<Item>.self).queue.isIdle
    }
  }

  /// For the scheduled listener that is this edge's state.
  @inlinable func append<Item: Sendable>(_ item: Item) {
    pointee.state.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScheduledListener<Item>.self).queue.append(item)
    }
  }
}
