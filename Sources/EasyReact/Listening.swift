import CEasyReact
import Synchronization

/// One listener of one node. Releasing it, or `cancel()`, ends it.
///
///     let node = MutableNode(1)
///     var listening: Listening? = node.listen { print($0) }    // 1
///     node.value = 2                                           // 2
///     listening = nil
///     node.value = 3                                           // nothing
///
/// It keeps the node, and so everything upstream of it. After `cancel()` returned no call starts on this thread, nor
/// one that was waiting on a queue or a timer; on another thread at most the one that had passed its check.
public final class Listening: Cancelable, @unchecked Sendable {
  // Unchecked: the edge is touched by the one who turns `isOver`, once.
  @usableFromInline let edge: EdgePointer
  @usableFromInline let isOver = Atomic(false)

  @usableFromInline init(_ edge: EdgePointer) { self.edge = edge }
  deinit { cancel() }

  public func cancel() {
    if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
    let turn = currentTurn()
    enter(turn)
    cut(edge, turn)
    leave(turn)
  }

  /// Keeps it with others: `node.listen { … }.store(in: &listenings)`.
  public func store(in listenings: inout [Listening]) { listenings.append(self) }

  /// Keeps it with others.
  public func store(in listenings: inout Listenings) { listenings.add(self) }
}

/// Many listenings, ended together. Any thread.
///
///     var bag = Listenings()
///     price.listen { … }.store(in: &bag)
///     count.listen { … }.store(in: &bag)
///     bag.cancel()
public final class Listenings: Cancelable {
  private let members = Mutex<[any Cancelable]>([])

  public init() {}
  deinit { cancel() }

  /// How many there are; those that have ended count.
  public var count: Int { members.withLock { $0.count } }

  public func add(_ listening: any Cancelable) { members.withLock { $0.append(listening) } }

  public func cancel() {
    let members = members.withLock { members in
      defer { members = [] }
      return members
    }
    for member in members { member.cancel() }
  }
}

/// An owner that ends its listenings at once when it goes, instead of with the next event.
///
///     final class Panel: ListeningOwner {
///       let listenings = Listenings()
///     }
public protocol ListeningOwner: AnyObject {
  /// Holds the owner's listenings; its end is theirs.
  var listenings: Listenings { get }
}

/// A listening that lives with its owner, which is not retained. Dropping it ends nothing.
@usableFromInline final class OwnedListening: Cancelable, @unchecked Sendable {
  // Unchecked: the edge is touched by the one who turns `isOver`, once.
  @usableFromInline weak var owner: AnyObject?
  private let isOver = Atomic(false)
  /// Set once, before the listening is published.
  @usableFromInline var edge: EdgePointer?

  @usableFromInline init(owner: AnyObject) { self.owner = owner }

  @usableFromInline func cancel() {
    if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
    guard let edge else { return }
    let turn = currentTurn()
    enter(turn)
    cut(edge, turn)
    leave(turn)
  }
}

// MARK: - Dead owners

/// Listenings whose owners do not tell when they go. Each new one looks at a few, so the dead are found in the end.
private let sweep = Mutex(Sweep())

private struct Sweep {
  var items: [OwnedListening] = []
  var next = 0

  /// Takes out at most two whose owner is gone, and those that ended otherwise.
  mutating func step() -> [OwnedListening] {
    var dead: [OwnedListening] = []
    for _ in 0..<4 where !items.isEmpty {
      if next >= items.count { next = 0 }
      if items[next].owner == nil {
        dead.append(items[next])
        items.swapAt(next, items.count - 1)
        items.removeLast()
      } else {
        next += 1
      }
    }
    return dead
  }
}

@usableFromInline func register(_ listening: OwnedListening, owner: AnyObject) {
  if let owner = owner as? any ListeningOwner {
    owner.listenings.add(listening)
  } else {
    let dead = sweep.withLock { sweep in
      sweep.items.append(listening)
      return sweep.step()
    }
    for listening in dead { listening.cancel() }
  }
}

// MARK: - Listen edges

/// A listener as an object: a subclass hears values, and emptiness too.
///
///     final class Log: ListenEdge<Int> {
///       override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) { print(value) }
///       override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { print("empty") }
///     }
///     let listening = node.listen(with: Log())
///
/// Known as `EZRListen` in EasyReact.
open class ListenEdge<Value: Sendable>: Receiver, @unchecked Sendable {
  // Unchecked: no storage; a subclass answers for its own. One call at a time for one listening.
  public init() {}
  open func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {}
  open func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {}
}
