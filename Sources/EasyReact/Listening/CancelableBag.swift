import Synchronization

/// Many cancelables, cancelled together, in order: on `cancel()`, and when the bag is released.
///
///     let bag = CancelableBag()
///     price.listen { print($0) }.store(in: bag)
///     count.link(to: price).store(in: bag)
///     bag.cancel()                 // the listening ends, then the link is cut
///
/// `cancel()` empties the bag; what is added afterwards waits for the next time. Any thread may call it:
/// cancelling a bag that another thread is cancelling cancels its members, too, so they have ended when
/// the call returns; but it does not wait for a closure that the other thread runs. A bag in a bag in a bag takes a call for each
/// level: 3,000 of them fit on 512 KiB.
///
/// Known as `DisposeBag` in RxSwift, `CompositeDisposable` in ReactiveSwift; in Combine it is a set of
/// `AnyCancellable`.
public final class CancelableBag: Cancelable {
  private let members = Mutex(Members())

  public init() {}
  deinit { cancel() }

  /// How many members there are. In the bag of a ``ListeningOwner`` its listenings are forgotten when they end; what you have added
  /// yourself counts until `cancel()`, even when it has ended.
  public var count: Int { members.withLock { $0.count } }

  /// Adding a member a second time changes nothing.
  /// - Complexity: O(1).
  public func add(_ member: any Cancelable) { members.withLock { $0.add(member) } }

  /// Takes a member out without cancelling it.
  /// - Complexity: O(1).
  public func remove(_ member: any Cancelable) {
    let removed = members.withLock { $0.remove(member) }
    _ = consume removed  // its deinit is not run under the lock
  }

  /// The members stay in until they have ended, so another thread that cancels them returns no earlier.
  public func cancel() {
    let thread = UInt(bitPattern: currentTurn())
    let (all, last, before) = members.withLock { $0.begin(thread) }
    if all.isEmpty { return }
    for member in all { member.cancel() }
    let removed = members.withLock { $0.end(thread, last, before) }
    _ = consume removed  // no deinit is run under the lock
  }
}

// MARK: - Storing

extension Cancelable {
  /// Keeps it with others: `node.listen { … }.store(in: bag)`.
  ///
  /// The bag is a class, so a `let` will do. It retains this object until it is cancelled or released.
  public func store(in bag: CancelableBag) { bag.add(self) }

  /// Keeps it in an array of your own. Releasing the array releases a ``Listening``, which ends it; other
  /// cancelables, such as links, are not cancelled by that.
  public func store(in cancelables: inout [any Cancelable]) { cancelables.append(self) }
}

extension Listening {
  /// Keeps it in an array of listenings: `node.listen { … }.store(in: &listenings)`.
  public func store(in listenings: inout [Listening]) { listenings.append(self) }
}

// MARK: - Members

/// What is cancelled together. Lies in a Mutex.
private struct Members: Sendable {
  private var items: [ObjectIdentifier: (number: Int, member: any Cancelable)] = [:]
  private var added = 0
  /// The threads that are cancelling all, by the addresses of their turns.
  private var cancelling: [UInt: Int] = [:]

  var count: Int { items.count }

  mutating func add(_ member: any Cancelable) {
    // While all are cancelled it counts as new: it may be in use again.
    if !cancelling.isEmpty || items[ObjectIdentifier(member)] == nil {
      added += 1
      items[ObjectIdentifier(member)] = (added, member)
    }
  }

  mutating func remove(_ member: any Cancelable) -> (any Cancelable)? {
    defer { items.shrinkIfSparse() }
    return items.removeValue(forKey: ObjectIdentifier(member))?.member
  }

  /// All, in order; on a thread that is cancelling already, since a bag may be in itself, only what was added
  /// since then. `last` and `before` are for `end`.
  mutating func begin(_ thread: UInt) -> (
    members: [any Cancelable], last: Int, before: Int
  ) {
    let first = cancelling[thread] ?? 0
    // Each of n members may cancel the bag again.
    if first == added { return ([], 0, first) }
    let new = items.values.filter { $0.number > first }.sorted { $0.number < $1.number }
    if new.isEmpty { return ([], 0, first) }
    cancelling[thread] = added
    return (new.map(\.member), added, first)
  }

  /// Forgets what `begin` gave out; returns all, so that no member dies under the lock.
  mutating func end(_ thread: UInt, _ last: Int, _ before: Int)
    -> [any Cancelable]
  {
    if before == 0 { cancelling[thread] = nil }
    defer { items = items.filter { $0.value.number > last || $0.value.number <= before } }
    return items.values.map(\.member)
  }
}
