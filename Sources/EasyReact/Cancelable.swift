import Synchronization

/// Something that can be ended: a link, a sync, a listening, a timer.
///
/// Cancelling twice is harmless. Any thread may cancel. Unless its type says otherwise
/// (``Listening`` does), dropping a `Cancelable` cancels nothing.
public protocol Cancelable: AnyObject, Sendable {
  /// Ends it. After it returns nothing more passes on this thread.
  func cancel()
}

/// A `Cancelable` that calls a closure, once.
///
///     let cancelable = ClosureCancelable { print("over") }
///     cancelable.cancel()          // over
///     cancelable.cancel()
public final class ClosureCancelable: Cancelable {
  private let body: Mutex<(@Sendable () -> Void)?>

  public init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

  public func cancel() {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  /// One that has nothing to cancel.
  static var over: ClosureCancelable { ClosureCancelable {} }
}

/// Cancels its members in order, on `cancel()` and on its own end.
///
///     let bag = CancelableBag()
///     bag.add(b.link(to: a))
///     bag.cancel()                 // the link is cut
///
/// `cancel()` empties the bag; what is added afterwards waits for the next time. Any thread.
public final class CancelableBag: Cancelable {
  private let members = Mutex<[any Cancelable]>([])

  public init() {}
  deinit { cancel() }

  /// How many members there are.
  public var count: Int { members.withLock { $0.count } }

  public func add(_ member: any Cancelable) { members.withLock { $0.append(member) } }

  /// Takes a member out without cancelling it. O(n).
  public func remove(_ member: any Cancelable) {
    let removed = members.withLock { members in
      members.firstIndex { $0 === member }.map { members.remove(at: $0) }
    }
    _ = consume removed  // its deinit is not run under the lock
  }

  public func cancel() {
    let members = members.withLock { members in
      defer { members = [] }
      return members
    }
    for member in members { member.cancel() }
  }
}
