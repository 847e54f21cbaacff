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
/// `cancel()` empties the bag; what is added afterwards waits for the next time. Any thread: who
/// cancels a bag that another thread is cancelling cancels its members, too, so they have ended when
/// it returns; but it does not wait for a closure that the other thread runs.
public final class CancelableBag: Cancelable {
  private let members = Mutex(Members())

  public init() {}
  deinit { cancel() }

  /// How many members there are.
  public var count: Int { members.withLock { $0.count } }

  /// Adding a member a second time changes nothing.
  public func add(_ member: any Cancelable) { members.withLock { $0.add(member) } }

  /// Takes a member out without cancelling it.
  public func remove(_ member: any Cancelable) {
    let removed = members.withLock { $0.remove(member) }
    _ = consume removed  // its deinit is not run under the lock
  }

  public func cancel() { cancelAll(members) }
}

/// What is cancelled together. Lies in a Mutex.
struct Members: @unchecked Sendable {
  // Unchecked: the address of a turn is a name here.
  private var items: [ObjectIdentifier: (number: Int, member: any Cancelable)] = [:]
  private var added = 0
  /// The threads that are cancelling all.
  private var cancelling: [TurnPointer: Int] = [:]

  var count: Int { items.count }

  mutating func add(_ member: any Cancelable) {
    // While all are cancelled it counts as new: it may be in use again.
    if !cancelling.isEmpty || items[ObjectIdentifier(member)] == nil {
      added += 1
      items[ObjectIdentifier(member)] = (added, member)
    }
  }

  mutating func remove(_ member: any Cancelable) -> (any Cancelable)? {
    items.removeValue(forKey: ObjectIdentifier(member))?.member
  }

  /// All, in order; on a thread that is at it already, for a bag may be in itself, only what was added
  /// since. `last` and `before` are for `end`.
  fileprivate mutating func begin(_ thread: TurnPointer) -> (
    members: [any Cancelable], last: Int, before: Int
  ) {
    let first = cancelling[thread] ?? 0
    let new = items.values.filter { $0.number > first }.sorted { $0.number < $1.number }
    if new.isEmpty { return ([], 0, first) }
    cancelling[thread] = added
    return (new.map(\.member), added, first)
  }

  /// Forgets what `begin` gave out; returns all, so that no member dies under the lock.
  fileprivate mutating func end(_ thread: TurnPointer, _ last: Int, _ before: Int)
    -> [any Cancelable]
  {
    if before == 0 { cancelling[thread] = nil }
    defer { items = items.filter { $0.value.number > last || $0.value.number <= before } }
    return items.values.map(\.member)
  }
}

/// They stay in until they have ended, so another thread that cancels them returns no earlier.
func cancelAll(_ members: borrowing Mutex<Members>) {
  let thread = currentTurn()
  let (all, last, before) = members.withLock { $0.begin(thread) }
  if all.isEmpty { return }
  for member in all { member.cancel() }
  let removed = members.withLock { $0.end(thread, last, before) }
  _ = consume removed  // no deinit is run under the lock
}
