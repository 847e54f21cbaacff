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
/// It keeps the node, and so everything upstream of it. After `cancel()` has returned no call starts on
/// this thread, nor does one that was waiting on a queue or a timer; on another thread at most the one
/// that had already passed its check.
public final class Listening: Cancelable {
  /// Touched by whoever ends it first.
  private let life: EdgeReference
  private let ending = Ending()

  @usableFromInline init(_ edge: EdgePointer) { life = EdgeReference(edge) }
  deinit { cancel() }

  public func cancel() {
    let turn = currentTurn()
    turn.enter()
    ending.end(life.edge, turn)
    turn.leave()
  }
}

/// Ends an edge's life once. Whoever is not the first waits for a moment, until nothing passes any more.
struct Ending: ~Copyable, Sendable {
  private enum Step: UInt8, AtomicRepresentable { case none, begun, marked }
  private let step = Atomic(Step.none)

  var hasBegun: Bool { step.load(ordering: .acquiring) != .none }

  /// - Parameter forget: Runs once, when nothing passes any more.
  borrowing func end(_ edge: EdgePointer, _ turn: TurnPointer, forget: () -> Void = {}) {
    let isFirst = step.compareExchange(
      expected: .none, desired: .begun, ordering: .acquiringAndReleasing
    ).exchanged
    if isFirst {
      let isMine = edge.mark()  // no user code
      step.store(.marked, ordering: .releasing)
      forget()
      if isMine { edge.finishCut(in: turn) }
    } else {
      var round: UInt32 = 0
      while step.load(ordering: .acquiring) == .begun {
        easyreact_wait(round)
        round += 1
      }
    }
  }
}

/// An owner that ends its listenings at once when it goes, instead of with the node's next event.
///
///     final class Panel: ListeningOwner {
///       let listenings = CancelableBag()
///     }
public protocol ListeningOwner: AnyObject {
  /// Holds the owner's listenings, and whatever else is to end with it.
  var listenings: CancelableBag { get }
}

/// A listening that lives with its owner, which is not retained. Dropping it ends nothing.
///
/// The owner is retained for the calls of its listener, on the thread that makes them, and nowhere
/// else: it must not die on a thread that never heard of it.
@usableFromInline final class OwnedListening: Cancelable, @unchecked Sendable {
  // Unchecked: `edge`, `listenings` and `neighbours` are set before it is published, and never again;
  // `place` lies under the lock of its neighbours; the rest is constant or atomic. What `edge` points to is
  // touched by whoever ends it first.
  @usableFromInline weak let owner: AnyObject?
  /// For whoever looks at the graph: the owner must not be retained for that.
  let ownerType: AnyObject.Type
  /// It is how the node's value is kept elsewhere, and no listener of anybody's: it does not count as one.
  let isOfKeeper: Bool
  private let passive: PassiveReference
  private let ending = Ending()
  @usableFromInline var edge: EdgePointer?
  /// Where else it is found: with its owner, if that is a `ListeningOwner`, and among the others of
  /// its node.
  weak var listenings: CancelableBag?
  var neighbours: NodeAttachments?
  /// Among its neighbours.
  var place: Int?

  @usableFromInline convenience init(owner: AnyObject) {
    self.init(owner: owner, isOfKeeper: false)
  }

  init(owner: AnyObject, isOfKeeper: Bool) {
    self.owner = owner
    self.isOfKeeper = isOfKeeper
    ownerType = type(of: owner)
    passive = PassiveReference(owner)
  }

  final func isOwned(by object: AnyObject) -> Bool { passive.refers(to: object) }
  /// Only compared.
  final var ownerAddress: UInt { UInt(bitPattern: passive.address) }
  final var isOwnerGone: Bool { passive.isGone ?? (owner == nil) }

  @usableFromInline func cancel() {
    guard let edge else { return }
    let turn = currentTurn()
    turn.enter()
    ending.end(edge, turn) { forget() }
    turn.leave()
  }

  var hasEnded: Bool { ending.hasBegun }

  func forget() {
    listenings?.remove(self)
    neighbours?.owned.withLock { $0.remove(self) }
  }
}

extension OwnedListening: EdgeObserver {
  func nodeIsGone() { cancel() }
}

/// An object that is not kept, and can be asked after without being retained for a moment.
private struct PassiveReference: ~Copyable {
  let address: UnsafeMutableRawPointer
  /// Only such objects can be asked; those of Objective-C need a weak reference.
  private let isNative: Bool

  init(_ object: AnyObject) {
    address = Unmanaged.passUnretained(object).toOpaque()
    #if canImport(ObjectiveC)
    isNative = _usesNativeSwiftReferenceCounting(type(of: object))
    #else
    isNative = true
    #endif
    if isNative { _ = swift_unownedRetain(address) }
  }

  deinit { if isNative { swift_unownedRelease(address) } }

  /// Has its deinit begun? Nil: it cannot be told without retaining it.
  var isGone: Bool? { isNative ? swift_isDeallocating(address) : nil }
  func refers(to object: AnyObject) -> Bool {
    Unmanaged.passUnretained(object).toOpaque() == address
  }
}

// MARK: - Listen edges

/// A listener as an object: a subclass hears values, and emptiness too.
///
///     final class Log: ListenEdge<Int>, @unchecked Sendable {  // Unchecked: it has no state.
///       override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) { print(value) }
///       override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { print("empty") }
///     }
///     let listening = node.listen(with: Log())
///
/// Known as `EZRListen` in EasyReact.
open class ListenEdge<Value: Sendable>: Receiver, @unchecked Sendable {
  // Unchecked: no state; a subclass answers for its own, and hears one call at a time for one listening.
  public init() {}
  open func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {}
  open func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {}
}
