import Synchronization

/// Knows objects without keeping them: which of them still live?
///
///     let lives = LifetimeTracker()
///     var b: Node<Int>? = lives.track(a.map { $0 + 1 }, "b")
///     lives.alive          // ["b"]
///     b = nil
///     lives.alive          // []
///
/// An object that should be alive at a check must be held behind it, by a property, an array or
/// `hold(_:)`: an optimised build releases a local variable after its last use.
final class LifetimeTracker: Sendable {
  private struct Entry {
    let name: String
    weak var object: (any AnyObject & Sendable)?
  }
  private let entries = Mutex<[Entry]>([])

  /// Returns the object, which is not retained.
  func track<Object: AnyObject & Sendable>(_ object: Object, _ name: String) -> Object {
    entries.withLock { $0.append(Entry(name: name, object: object)) }
    return object
  }

  /// The names of those that live, in order of tracking.
  var alive: [String] {
    // What was retained to be looked at is released outside of the lock: it may be the last
    // reference.
    let looked = entries.withLock { entries in entries.map { ($0.name, $0.object) } }
    return looked.filter { $0.1 != nil }.map(\.0)
  }
}

/// Keeps what it is given alive up to here.
@inline(never) func hold(_ objects: AnyObject?...) {
  withExtendedLifetime(objects) {}
}

/// Something to be captured by a closure or held by a node, to see when that goes.
final class Token: Sendable {}
