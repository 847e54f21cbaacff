import CEasyReact
import Synchronization

// A lens is a node that follows its whole, like that of a `map`, and has a `Lens` attached: what is set is
// brought to the whole as a change of it, and comes back from there. By the engine's measure
// (`NodeStorage.isMutable`) it is no node that can be set, so the quick ways of setting know nothing of it.
//
// What is *linked* to a lens is brought to the whole too: by the inlet, a node of its own that the edges
// end at, and an edge from there to the whole. So the engine sees a cycle where there is one.

/// What stands behind a node that is a part of another one.
@usableFromInline class AnyLens: @unchecked Sendable {
  // Unchecked: no state; a subclass answers for its own.

  /// `PendingValue`: what this thread reads of the part in the batch, if that has staged its whole; nil: it has not.
  @usableFromInline func read(_ part: NodePointer, in batch: Batch) -> AnyObject? { nil }
  /// The lens's node is there.
  func begin(as node: AnyNode) {}
  /// False: it is none of this whole.
  func enter(_ node: AnyNode, in table: PartTable, of whole: AnyNode) -> Bool { false }
  var anyInlet: AnyNode? { nil }
  /// What the part holds counts as having come to its inlet. The holder of the whole, whatever waits there.
  func raiseInlet(of part: NodePointer, in turn: TurnPointer) {}
  /// Of what the lens holds, if something is linked to it. The holder of the whole.
  var presentVersion: Version? { nil }
}

class Lens<Value: Sendable>: AnyLens, @unchecked Sendable {
  // Unchecked: adds no state.
  func set(_ arrival: Arrival<Value>, of node: MutableNode<Value>, context: ContextBox?) {}
  func inlet(of node: Node<Value>, isLinked: Bool) -> Node<Value> { node }
  /// Of a part of this part.
  func lens<Inner: Sendable>(_ inner: Part<Value, Inner>, _ version: PartVersion<Inner>) -> Lens<
    Inner
  > { fatalError() }
  var version: PartVersion<Value>? { nil }
}

/// A part of `root`, which is no lens: a part of a part is a part of the outermost whole.
final class LensOf<Root: Sendable, Value: Sendable>: Lens<Value>, @unchecked Sendable {
  // Unchecked: adds constants and a Mutex.
  private let root: MutableNode<Root>
  private let part: Part<Root, Value>
  private let ownVersion: PartVersion<Value>
  /// Made when something is linked to the lens, and gone with it, or when it leads nowhere any more: whoever has it from here keeps it.
  private let inlet = Mutex<MutableNode<Value>?>(nil)
  /// From when on something is linked to any part of the whole.
  private let samePart = Mutex<SamePart?>(nil)

  init(_ root: MutableNode<Root>, _ part: Part<Root, Value>, _ version: PartVersion<Value>) {
    self.root = root
    self.part = part
    ownVersion = version
  }

  deinit { samePart.withLock { $0 }?.remove(self) }

  override func begin(as node: AnyNode) {
    if let table = root.partTableIfAny { samePart(in: table).add(node, self) }
  }

  override func enter(_ node: AnyNode, in table: PartTable, of whole: AnyNode) -> Bool {
    if root !== whole { return false }
    samePart(in: table).add(node, self)
    return true
  }

  private func samePart(in table: PartTable) -> SamePart {
    if let present = samePart.withLock({ $0 }) { return present }
    let found = table.part(part.way())
    return samePart.withLock { part in
      part = part ?? found
      return part!
    }
  }

  override func lens<Inner: Sendable>(_ inner: Part<Value, Inner>, _ version: PartVersion<Inner>)
    -> Lens<Inner>
  {
    LensOf<Root, Inner>(root, part.part(inner), version)
  }

  override var version: PartVersion<Value>? { ownVersion }

  /// What this thread has left for the part before counts as long as the batch has not set that.
  override func read(_ node: NodePointer, in batch: Batch) -> AnyObject? {
    guard let staged = batch.staged(root.storage) else { return nil }
    let value = staged.read(Root.self).flatMap(part.get)
    if let left = node.leftValue(in: currentTurn(), Value.self),
      !batch.sets(ObjectIdentifier(ownVersion), of: root.storage),
      isUntouched(root.storage.readStored(Root.self).flatMap(part.get), value)
    {
      return left
    }
    return PendingValue(value)
  }

  // MARK: Setting

  override func set(_ arrival: Arrival<Value>, of node: MutableNode<Value>, context: ContextBox?) {
    if !root.isMutable { root.refuse("set") }
    let change = change(for: arrival, of: node)
    let turn = currentTurn()
    if let batch = turn.openBatch {
      return root.stageChange(stagedChange(change, arrival), context, in: batch)
    }
    turn.enter()
    let number = newWave()
    let whole =
      if root.keeperIfAny == nil {
        whole(change, number)
      } else {
        root.arrival(of: [stagedChange(change, arrival)], by: [number])
      }
    if root.storage.claim(by: turn) {
      root.storage.apply(whole, number, context: context, in: turn)
    } else {
      leave(whole, number, arrival, of: node, context, turn)
    }
    turn.leave()
  }

  /// A change of the part as one of the whole, by the set that has this number: what `arrival(of:by:)` makes of it if nobody keeps the
  /// whole elsewhere, in fewer instructions.
  private func whole(_ change: @escaping @Sendable (inout Root) -> Bool, _ number: UInt64)
    -> Arrival<Root>
  {
    let (part, version, liesOnCycle) = (part, ownVersion, root.storage.component() != nil)
    return .attempt { whole in
      if !change(&whole) { return false }
      version.noteSet(part.get(whole), number, matters: liesOnCycle)
      return true
    }
  }

  private func change(for arrival: Arrival<Value>, of node: Node<Value>)
    -> @Sendable (inout Root) -> Bool
  {
    let part = part
    switch arrival {
    case .value(let value): return { part.put(&$0, value) }
    case .attempt, .change:
      let body = arrival.asAttempt!
      return { part.change(&$0, body) }
    case .decision: fatalError("a part of a node has no keeper of its own")
    case .empty:
      if let remove = part.remove { return remove }
      misuse(
        "clean", "a part cannot be taken out of its whole", node,
        "Set it to another value, or change the whole with `update`.")
    }
  }

  private func stagedChange(
    _ change: @escaping @Sendable (inout Root) -> Bool, _ arrival: Arrival<Value>
  ) -> StagedChange<Root> {
    StagedChange(
      body: change, outcome: outcome(of: arrival),
      part: StagedChange.Part(id: ObjectIdentifier(ownVersion)) {
        [part, ownVersion, liesOnCycle = root.storage.component() != nil] in
        ownVersion.noteSet(part.get($0), $1, matters: liesOnCycle)
      })
  }

  /// Without the user's closure, made of the part that is read.
  private func outcome(of arrival: Arrival<Value>) -> StagedChange<Root>.Outcome {
    guard let body = arrival.asAttempt else { return .itself }
    return .read { [part] whole in
      guard var value = part.get(whole), body(&value) else { return nil }
      return { [value] in part.put(&$0, value) }
    }
  }

  /// Another thread is inside the whole and makes the change. Until then this thread reads what it set.
  private func leave(
    _ change: Arrival<Root>, _ number: UInt64, _ arrival: Arrival<Value>,
    of node: Node<Value>, _ context: ContextBox?, _ turn: TurnPointer
  ) {
    let pendingValue: PendingValue<Value>? =
      switch arrival {
      case _ where root.value == nil: nil
      case .value(let value): PendingValue(value)
      case .empty: PendingValue(nil)
      case .change, .attempt, .decision: nil
      }
    guard let pendingValue else {
      return root.storage.sendSet(change, number, context: context, in: turn)
    }
    let sideTable = node.storage.sideTable()
    var old: AnyObject?
    // Under both locks, so that the last sent is the last noted. Nobody takes them the other way round.
    let part = PendingPart(storage: node.storage, handle: node)
    root.storage.sendSet(change, number, context: context, in: turn, part: part) {
      node.storage.pointee.acquire()
      defer { node.storage.pointee.releaseAfterCopying() }
      return node.storage.notePendingValue(sideTable, pendingValue, in: turn, old: &old)
    }
    _ = consume old
  }

  // MARK: What is linked to the lens

  override var anyInlet: AnyNode? { inlet.withLock { $0 } }

  /// What comes to it is compared with what the lens holds, not with what came here last: the whole may have been set
  /// since in other ways, and a value that is older than the lens is only taken with a new number, and one that is the
  /// lens's own does not come back.
  override func inlet(of node: Node<Value>, isLinked: Bool) -> Node<Value> {
    let inlet = presentInlet(of: node)
    let turn = currentTurn()
    turn.enter()
    if node.storage.claim(by: turn) {
      raiseInlet(of: node.storage, in: turn)
      if isLinked { ownVersion.makePlace() }
    } else {
      // What another thread sets there comes after what is linked.
      node.storage.perform(in: turn) { _ in
        self.ownVersion.begin(with: node.storage)
        if isLinked { self.ownVersion.makePlace() }
      }
    }
    turn.leave()
    return inlet
  }

  override func raiseInlet(of part: NodePointer, in turn: TurnPointer) {
    ownVersion.begin(with: part)
    guard let inlet = inlet.withLock({ $0 }) else { return }
    withExtendedLifetime(inlet) {
      if inlet.storage.claim(by: turn) { inlet.storage.raise(to: ownVersion.version) }
    }
  }

  override var presentVersion: Version? { ownVersion.isWatched ? ownVersion.versionOfLens : nil }

  /// If something has cut what leads from it into the whole, what was linked to it is cut with that; what is linked from now on gets
  /// another inlet.
  private func presentInlet(of node: Node<Value>) -> Node<Value> {
    let present = inlet.withLock { $0 }
    if let present, leadsOn(present.storage) { return present }
    let made: MutableNode<Value> = makeSource(nil, isMutable: false, node.storage.pointee.location)
    made.storage.attachments().state.withLock { $0.outlet = node }
    // Before others see it: they would find that it leads nowhere.
    wayIntoWhole(by: WeakNode(node)).setEnds { from, to in (from, to) = (made, root) }
    let samePart = samePart(in: root.partTable())
    samePart.add(node, self)
    samePart.order(made)
    let first = inlet.withLock { inlet in
      if inlet === present { inlet = made }
      return inlet
    }
    _ = consume present
    return first ?? made
  }

  private func leadsOn(_ inlet: NodePointer) -> Bool {
    inlet.hasEdge(.outs) { $0.pointee.down == root.storage && !$0.pointee.has(.cut) }
  }

  private func wayIntoWhole(by lens: WeakNode) -> NodeTransform<Value, Root> {
    NodeTransform<Value, Root>(.inlet, hearsEmptiness: part.remove != nil) {
      [weak root, part, ownVersion] in
      EdgeParts { up, edge, turn in
        guard let root else { return false }
        var delivery = edge.delivery(in: turn)
        let way = up.wayToPart(&delivery, in: turn)
        let arrived = ArrivedPart(
          value: turn.isEmptied ? nil : up.slot(Value.self).pointee, part: part,
          partVersion: ownVersion,
          version: (delivery.wave.number, delivery.tiebreak & ~toldAgain),
          isToldAgain: delivery.tiebreak & toldAgain != 0,
          way: way, lens: lens)
        delivery.rules = delivery.rules.with(.setOfPart)
        if way != .link, ownVersion.version.number == delivery.wave.number {
          delivery.rules = delivery.rules.with(.comesToPartAgain)
        }
        delivery.tiebreak = enteringWhole(delivery.tiebreak)
        delivery.isFiltered = false  // by the part's version: `ArrivedPart` does
        return edge.passSlowly(arrived.change(of: root), delivery, from: up, in: turn)
      }
    }
  }
}

extension Node {
  final var lens: Lens<Value>? {
    storage.anyLens.map { unsafeDowncast($0, to: Lens<Value>.self) }
  }

  /// Where an edge to this node ends.
  /// - Parameter isLinked: It is no half of a sync.
  final func landing(isLinked: Bool) -> Node<Value> {
    lens?.inlet(of: self, isLinked: isLinked) ?? self
  }
}

extension NodePointer {
  /// For a node that is a part of another one.
  @usableFromInline var anyLens: AnyLens? { attachmentsIfAny()?.state.withLock { $0.lens } }

  func raiseInlet(in turn: TurnPointer) { anyLens?.raiseInlet(of: self, in: turn) }

  /// For a part of another node to which something is linked: that by which what is synced with it compares what the lens holds. The holder.
  var versionOfPart: Version? { anyLens?.presentVersion }

  /// The lens whose inlet this is.
  var outlet: AnyNode? { attachmentsIfAny()?.state.withLock { $0.outlet } }
}
