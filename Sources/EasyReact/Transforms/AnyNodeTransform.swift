import CEasyReact
import Synchronization

/// A transform whose types are not known: what a walk of the graph meets.
///
/// A transform joins the node `from` to the node `to`. It is kept by the node that it leads to,
/// keeps the node that it comes from, and lives on in your hands when one of them is gone. Any
/// thread may use it.
open class AnyNodeTransform: @unchecked Sendable {
  // Unchecked: `ends` is a Mutex, the rest constant; a subclass answers for its own state.
  struct Ends {
    /// While it has both ends: the engine's edge, which knows them. It is not touched after
    /// `edgeEnded`.
    var life: EdgeReference? { didSet { if life != nil { number += 1 } } }
    /// Of the newest life: tells apart lives whose edges may follow each other at one address.
    var number = 0
    /// How often the ends were set, or lost.
    var changes = 0
    /// While it has one.
    var from: AnyNode?
    weak var to: AnyNode?
    var name: String?
    /// Where the newest life that has begun receives: see `NodeTransform.start`.
    weak var receivesAt: AnyNode?
    /// See `NodeTransform.takeHand`.
    var hands: [(node: AnyNode, isFree: Bool)] = []

    /// A transform that was cut has lost both ends, even while its edge is still there, for the rest of a turn or until another
    /// thread is out. If the node that it led to is gone, it keeps the one it came from.
    private var isCut: Bool { life?.edge.pointee.has(.cut) ?? false }

    var fromNode: AnyNode? {
      guard let edge = life?.edge else { return from }
      if isCut {
        let isDownstreamGone = edge.pointee.down!.pointee.handle.load(ordering: .acquiring) == nil
        if !isDownstreamGone || !edge.pointee.traits.has(.keepsUpstream) { return nil }
      }
      return edge.pointee.up!.node()
    }

    var toNode: AnyNode? {
      guard let down = life?.edge.pointee.down else { return to }
      return isCut ? nil : down.outlet ?? down.node()
    }
  }
  let ends = Mutex(Ends())
  @usableFromInline final let kind: OperatorKind
  /// Makes the step of one life, with counters of its own; nil: a subclass receives.
  @usableFromInline final let makeStep: (@Sendable () -> EdgeParts)?
  @usableFromInline final let hearsEmptiness: Bool

  @usableFromInline init(
    kind: OperatorKind, hearsEmptiness: Bool, makeStep: (@Sendable () -> EdgeParts)?
  ) {
    self.kind = kind
    self.hearsEmptiness = hearsEmptiness
    self.makeStep = makeStep
  }

  /// The name for people: the kind of operator unless it was given one.
  public final var name: String {
    get { ends.withLock { $0.name } ?? defaultName }
    set { ends.withLock { $0.name = newValue } }
  }

  var defaultName: String {
    kind == .transform ? "\(type(of: self))".prefix { $0 != "<" }.description : kind.name
  }

  /// The node that values come from; nil if this end is loose.
  public final var fromNode: AnyNode? { ends.withLock { $0.fromNode } }

  /// The node that values go to; nil if this end is loose. It is not kept alive.
  public final var toNode: AnyNode? { ends.withLock { $0.toNode } }

  /// The engine's edge for a transform that does not exist yet as an object: see `EdgeStorage.publicObject`. One
  /// without types is an edge of a join or a zip: it can be looked at, its ends cannot be set.
  @usableFromInline class func adopting(_ edge: EdgePointer) -> AnyNodeTransform {
    let transform = AnyNodeTransform(
      kind: edge.pointee.kind, hearsEmptiness: edge.pointee.hearsEmptiness, makeStep: nil)
    let life = EdgeReference(edge)
    transform.ends.withLock { $0.life = life }
    return transform
  }

  /// An edge that is in the lists becomes the present life.
  func start(_ edge: EdgePointer, _ turn: TurnPointer) { edge.attachNow(in: turn) }

  /// The edge, which is cut, is about to be freed: nothing of it is touched from here on. The holder of the downstream's region.
  func edgeEnded(_ edge: EdgePointer) {
    ends.withLock { ends in
      guard ends.life?.edge == edge else { return }
      let from = ends.fromNode
      ends.changes += 1
      ends.life = nil
      ends.from = from
    }
  }

  /// A transform with one end shows in that node's transforms, and in those of no other: `nodes` are
  /// the ones that it may have shown in. Another thread may change the ends between the look at them
  /// and the note in the node, so it is looked at until they have stayed as they were.
  final func showLooseEnds(at nodes: [AnyNode?]) {
    var nodes = nodes.compactMap { $0 }
    while true {
      let (changes, from, to) = ends.withLock { ends in
        ends.life == nil ? (ends.changes, ends.from, ends.to) : (ends.changes, nil, nil)
      }
      nodes += [from, to].compactMap { $0 }
      for node in nodes { showLooseEnd(at: node, isFrom: node === from, isTo: node === to) }
      if ends.withLock({ $0.changes == changes }) { return }
    }
  }

  private final func showLooseEnd(at node: AnyNode, isFrom: Bool, isTo: Bool) {
    let attachments =
      isFrom || isTo ? node.storage.attachments() : node.storage.attachmentsIfAny()
    // What is looked at through a weak reference may be at its end: it must not end under the lock.
    let seen = attachments?.state.withLock { state in
      state.danglingFrom.show(self, isFrom) + state.danglingTo.show(self, isTo)
    }
    _ = consume seen
  }

  /// Cuts the life of this number, if it is still the present one.
  final func cutLife(_ number: Int) { cutPresentLife { $0.number == number } }

  final func cutPresentLife(where isMeant: (Ends) -> Bool = { _ in true }) {
    let turn = currentTurn()
    turn.enter()
    if let marked = markPresentLife(where: isMeant) { marked.edge.finishCut(in: turn) }
    turn.leave()
  }

  /// Under the lock, where the edge is not freed; the caller calls `finishCut` outside, where other locks may be taken.
  final func markPresentLife(where isMeant: (Ends) -> Bool) -> EdgeReference? {
    ends.withLock { ends in
      guard let life = ends.life, isMeant(ends), life.edge.mark() else { return nil }
      return life
    }
  }
}

extension AnyNodeTransform: EdgeObserver {
  func livesWithoutEdge() { showLooseEnds(at: []) }
}

extension AnyNodeTransform: CustomStringConvertible {
  /// `Map(price → total)`.
  public var description: String {
    "\(name)(\(fromNode.map { $0.name ?? "unnamed" } ?? "–") → \(toNode.map { $0.name ?? "unnamed" } ?? "–"))"
  }
}

/// The transforms with a loose end at one node, in the order in which they came.
struct LooseEnds {
  private struct Entry {
    let number: Int
    weak var transform: AnyNodeTransform?
    let kept: AnyNodeTransform?
  }
  private let keeps: Bool
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var last = 0
  /// Those that went away by themselves are swept when there are twice as many as after the last time, or when a look
  /// finds them.
  private var room = 16

  init(keeps: Bool) { self.keeps = keeps }

  /// Sweeps if it finds most of them gone.
  mutating func look() -> [AnyNodeTransform] {
    if entries.isEmpty { return [] }
    let living = entries.values.sorted { $0.number < $1.number }.compactMap(\.transform)
    if 2 * living.count < entries.count { sweep() }
    return living
  }

  /// Returns what was looked at, to be let go of when no lock is held.
  mutating func show(_ transform: AnyNodeTransform, _ isShown: Bool) -> [AnyNodeTransform] {
    let id = ObjectIdentifier(transform)
    if !isShown {
      entries[id] = nil
      entries.shrinkIfSparse()
      return []
    }
    // Another one may have had its address.
    if let present = entries[id], present.transform === transform { return [] }
    last += 1
    entries[id] = Entry(number: last, transform: transform, kept: keeps ? transform : nil)
    if entries.count <= room { return [] }
    let living = entries.values.compactMap(\.transform)
    sweep()
    return living
  }

  /// The caller keeps those that live until no lock is held.
  private mutating func sweep() {
    entries = entries.filter { $0.value.transform != nil }
    room = max(16, 2 * entries.count)
  }
}
