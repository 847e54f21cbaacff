import CEasyReact
import Synchronization

/// A transform whose types are not known: what a walk of the graph meets.
///
/// A transform joins the node `from` to the node `to`. It is kept by the node that it leads to,
/// keeps the node that it comes from, and lives on in your hands when one of them is gone. Any
/// thread may use it.
open class AnyTransform: @unchecked Sendable {
  // Unchecked: everything mutable lies in `ends`.
  struct Ends {
    /// While it has both ends: the engine's edge, which knows them. It is not touched after
    /// `lifeEnded`.
    var life: Life? { didSet { if life != nil { number += 1 } } }
    /// Of the newest life: tells lives apart, whose edges may follow each other at one address.
    var number = 0
    /// How often the ends were set.
    var changes = 0
    /// While it has one.
    var from: AnyNode?
    weak var to: AnyNode?
    var name: String?
  }
  let ends = Mutex(Ends())
  @usableFromInline final let kind: EdgeKind
  /// Makes the step of one life, with counters of its own; nil: a subclass receives.
  @usableFromInline final let makeStep: (@Sendable () -> LifeParts)?
  @usableFromInline final let hearsEmptiness: Bool

  @usableFromInline init(
    kind: EdgeKind, hearsEmptiness: Bool, makeStep: (@Sendable () -> LifeParts)?
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

  /// The node that values come from; nil where this end is loose.
  public final var fromNode: AnyNode? {
    ends.withLock { ends in
      guard let life = ends.life else { return ends.from }
      let edge = life.edge
      return edge.pointee.upHandle?.takeUnretainedValue() ?? node(of: edge.pointee.up!)
    }
  }

  /// The node that values go to; nil where this end is loose. It is not kept alive.
  public final var toNode: AnyNode? {
    ends.withLock { ends in
      guard let life = ends.life else { return ends.to }
      return node(of: life.edge.pointee.down!)
    }
  }

  /// The engine's edge for a transform that does not exist yet as an object: see `Edge.face`. One
  /// without types is an edge of a join or a zip: it can be looked at, its ends cannot be set.
  @usableFromInline class func adopting(_ edge: EdgePointer) -> AnyTransform {
    let transform = AnyTransform(
      kind: edge.pointee.kind, hearsEmptiness: edge.pointee.hearsEmptiness, makeStep: nil)
    let life = Life(edge)
    transform.ends.withLock { $0.life = life }
    return transform
  }

  /// The edge is about to be freed: nothing of it is touched from here on. The holder of the
  /// downstream's region.
  ///
  /// A transform that was cut has lost both ends. If the node that it led to is gone, it keeps the
  /// one it came from.
  func lifeEnded(_ edge: EdgePointer) {
    let isDownstreamGone = edge.pointee.down!.pointee.isUnwanted
    let from = isDownstreamGone ? edge.pointee.upHandle?.takeUnretainedValue() : nil
    let isPresent = ends.withLock { ends in
      guard ends.life?.edge == edge else { return false }
      ends.life = nil
      ends.from = from
      return true
    }
    if isPresent, let from { showLooseEnd(at: from) }
  }

  /// Makes the lists of `node` say what the ends say: a transform shows among those of its only
  /// node. Another thread may set an end meanwhile and write here before or after; so what was
  /// written is compared with the ends once more.
  final func showLooseEnd(at node: AnyNode) {
    var shown = isLoose(at: node)
    while true {
      var dropped: [AnyTransform] = []
      let state = shown == (false, false) ? node.core.pointee.extrasIfAny() : extras(of: node.core)
      state?.state.withLock { state in
        let isListed = state.danglingFrom.contains { $0.transform === self }
        state.danglingFrom.removeAll { $0.transform == nil || !shown.from && $0.transform === self }
        if shown.from, !isListed { state.danglingFrom.append(WeakTransform(transform: self)) }
        dropped = shown.to ? [] : state.danglingTo.filter { $0 === self }
        state.danglingTo.removeAll { !shown.to && $0 === self }
        if shown.to, !state.danglingTo.contains(where: { $0 === self }) {
          state.danglingTo.append(self)
        }
      }
      _ = consume dropped  // outside of the lock: it may be the last reference
      let now = isLoose(at: node)
      if now == shown { return }
      shown = now
    }
  }

  private final func isLoose(at node: AnyNode) -> (from: Bool, to: Bool) {
    let (from, to) = ends.withLock { $0.life == nil ? ($0.from, $0.to) : (nil, nil) }
    return (from === node, to === node)
  }

  /// Cuts the life of this number, if it is still the present one.
  final func cutLife(_ number: Int) { cutPresentLife { $0.number == number } }

  final func cutPresentLife(where isMeant: (Ends) -> Bool = { _ in true }) {
    let turn = currentTurn()
    enter(turn)
    // Marked under the lock, where the edge is not freed; detached outside, where other locks may
    // be taken.
    let marked = ends.withLock { ends -> Life? in
      guard let life = ends.life, isMeant(ends), mark(life.edge) else { return nil }
      return life
    }
    if let marked { finishCut(marked.edge, turn) }
    leave(turn)
  }
}

extension AnyTransform: CustomStringConvertible {
  /// `Map(price → total)`.
  public var description: String {
    "\(name)(\(fromNode.map { $0.name ?? "unnamed" } ?? "–") → \(toNode.map { $0.name ?? "unnamed" } ?? "–"))"
  }
}
