import Synchronization

/// The inner nodes that one life of an edge follows: how many, and what becomes of the values that come
/// meanwhile. What needs the values' types belongs to a `Follower`.
@usableFromInline final class InnerNodes: EdgeState, @unchecked Sendable {
  // Unchecked: adds constants and an atomic; only the holder of the result's region touches what changes,
  // and exclusive access of fields follows from that.
  private let limit: Int
  @usableFromInline let drops: Bool
  private let isEndless: Bool
  @exclusivity(unchecked) private var running: [Member] = []
  /// Edges that were made and are not freed; and, touched by any thread, how many of these are cut: one that is
  /// cut, perhaps before it was attached, is done.
  @exclusivity(unchecked) private var made = 0
  fileprivate let cuts = Atomic<Int>(0)
  /// If inner nodes are never done: which of them are followed already.
  @exclusivity(unchecked) private var followed: [NodePointer: Member] = [:]
  /// Closures of the user's that run for a value which is not told yet: one makes an inner node, another is asked
  /// whether it is done. What they set in the outer node waits until it has been told.
  @exclusivity(unchecked) @usableFromInline var beginning = 0
  /// One for each value that waits with the follower.
  @exclusivity(unchecked) private var waiting = Queue<(delivery: Delivery, sender: NodePointer)>()
  @exclusivity(unchecked) @usableFromInline var down: NodePointer?
  /// The follower's, set once: the first value that waits begins; those that wait are dropped.
  @exclusivity(unchecked) @usableFromInline var beginNext:
    (Delivery, NodePointer, TurnPointer) -> Bool = { _, _, _ in false }
  @exclusivity(unchecked) @usableFromInline var dropValues: () -> Void = {}

  @usableFromInline init(limit: Int, drops: Bool, isEndless: Bool) {
    (self.limit, self.drops, self.isEndless) = (limit, drops, isEndless)
    super.init()
  }

  deinit { forgetWaiting() }

  private var hasRoom: Bool {
    made - cuts.load(ordering: .acquiring) + beginning < limit
  }
  @usableFromInline var hasRoomAtOnce: Bool { beginning == 0 && hasRoom && waiting.isEmpty }

  /// Nothing that comes waits for room, so an inner node can be made before the holder of the result's region knows.
  @usableFromInline var followsAll: Bool { isEndless && limit == .max }

  /// The value waits with the follower.
  @usableFromInline func wait(_ delivery: Delivery, _ sender: NodePointer) {
    waiting.append((delivery.retained(), sender))
  }

  /// Is it followed already, for ever?
  @usableFromInline func known(_ node: NodePointer) -> (edge: EdgePointer, life: EdgeState)? {
    guard isEndless, let known = followed[node], !known.inner.isCut else { return nil }
    return (known.inner.edge, known.inner.life)
  }

  /// For a node that a value has chosen while another thread is inside the result.
  @usableFromInline func newcomer(
    _ node: AnyNode, _ down: NodePointer, _ turn: TurnPointer, _ step: @escaping Step
  ) -> Newcomer {
    Newcomer(node, Member(of: self, node, down, step).inner, turn)
  }

  /// Nil: nothing of it is to be told here and now.
  @usableFromInline func follow(
    _ node: AnyNode, _ delivery: Delivery, _ turn: TurnPointer, _ step: @escaping Step
  ) -> Member? {
    let member = Member(of: self, node, down.unsafelyUnwrapped, step)
    add(member, node)
    guard member.inner.link(delivery, turn), !isToWait(for: member.inner, delivery, turn) else {
      return nil
    }
    return member
  }

  private func isToWait(for inner: InnerEdge, _ delivery: Delivery, _ turn: TurnPointer) -> Bool {
    let context = delivery.wave.context?.takeUnretainedValue()
    return inner.edge.waitsForJoin(inner.life, context: context, in: turn)
  }

  /// It is followed already, and chosen again.
  @usableFromInline func isToWait(
    for known: (edge: EdgePointer, life: EdgeState), _ delivery: Delivery, _ turn: TurnPointer
  ) -> Bool {
    isToWait(for: InnerEdge(edge: known.edge, life: known.life), delivery, turn)
  }

  private func add(_ member: Member, _ node: AnyNode) {
    made += 1
    member.place = running.count
    running.append(member)
    if isEndless { followed[node.storage] = member }
  }

  /// Its value is told next, and what follows comes over its edge: so an edge to the same node that was there before is left.
  @usableFromInline func admit(_ newcomer: Newcomer, _ turn: TurnPointer) {
    newcomer.isAdmitted = true
    if newcomer.isCut { return }
    let before = followed[newcomer.node.storage]
    add(unsafeDowncast(newcomer.inner.life, to: Member.self), newcomer.node)
    if let before, before.isRunning { finish(before, turn) }
  }

  @usableFromInline func finish(_ member: Member, _ turn: TurnPointer) {
    forget(member)
    member.inner.cut(turn)
  }

  private func forget(_ member: Member) {
    let last = running.removeLast()
    if last !== member {
      running[member.place] = last
      last.place = member.place
    }
    member.place = -1
    running.shrinkIfSparse()
  }

  /// What waits begins as far as there is room. True: something is stored in the result.
  @usableFromInline func beginWaiting(_ isStored: Bool, _ turn: TurnPointer) -> Bool {
    var isStored = isStored
    while let down, hasRoom, !hasEnded, let next = waiting.popFirst() {
      down.whileStored(isStored, in: turn) {
        let context = next.delivery.takeContext()
        if beginNext(next.delivery.afterWaiting(context), next.sender, turn) { isStored = true }
        _ = consume context
      }
    }
    return isStored
  }

  /// An inner edge was cut by somebody else: that counts as done.
  override func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {
    let member = unsafeDowncast(life, to: Member.self)
    if member.place != Member.isUnknown { made -= 1 }
    cuts.wrappingSubtract(1, ordering: .releasing)
    let isOthersCut = member.place >= 0
    if isOthersCut { forget(member) }
    if isEndless, let node = member.inner.edge.pointee.up, followed[node] === member {
      followed[node] = nil
      followed.shrinkIfSparse()
    }
    guard isOthersCut, !hasEnded, let down else { return }
    let saved = turn.pointee.wave
    if beginWaiting(false, turn) { down.propagate(in: turn) }
    turn.pointee.wave = saved
  }

  @usableFromInline override func detached(_ turn: TurnPointer) {
    let members = running
    running = []
    followed = [:]
    for member in members { member.place = -1 }
    for member in members { member.inner.cut(turn) }
    forgetWaiting()
  }

  private func forgetWaiting() {
    if waiting.isEmpty { return }
    while let next = waiting.popFirst() { _ = next.delivery.takeContext() }
    dropValues()
  }
}

/// The life of an inner edge.
@usableFromInline final class Member: EdgeState, @unchecked Sendable {
  // Unchecked: adds `edge`, which is set before this is published and never again, and `place`, which the
  // holder of the result's region touches, nobody else; `marked`, which any thread calls, touches neither.
  private var edge: EdgePointer?
  /// Among those that run; -1: it does not.
  @exclusivity(unchecked) fileprivate var place = isUnknown
  /// It never has.
  fileprivate static var isUnknown: Int { -2 }

  fileprivate init(
    of inners: InnerNodes, _ node: AnyNode, _ down: NodePointer, _ step: @escaping Step
  ) {
    super.init(of: inners)
    edge = InnerEdge(.member, from: node, to: down, life: self, step).edge
  }

  /// Made when asked for: it keeps its life.
  fileprivate var inner: InnerEdge { InnerEdge(edge: edge.unsafelyUnwrapped, life: self) }

  override func marked() {
    unsafeDowncast(outer!, to: InnerNodes.self).cuts.wrappingAdd(1, ordering: .releasing)
  }

  @usableFromInline var isRunning: Bool { place >= 0 }
  @usableFromInline var isCut: Bool { inner.isCut }
}
