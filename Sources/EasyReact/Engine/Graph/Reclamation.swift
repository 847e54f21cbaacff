import CEasyReact
import Synchronization

// Detaching and death. Consumers own providers: an edge retains its upstream's handle, a
// listener its node's. Freeing is a loop over the turn's list of what is retired, never recursion: a
// handle that is released here only puts its storage on that list.

/// What a turn frees, or has put off until then, when no frame is left on its stack and all joins have run.
struct Retired {
  enum Body {
    /// A node whose handle is gone.
    case node(NodePointer)
    /// An edge or a listener that was cut, to be taken out of its upstream's list.
    case edge(EdgePointer)
    /// The first of the things that have been put off: retained.
    case putOff(Unmanaged<PutOff>)
  }
  let body: Body
  /// Another thread ended it, so what the deinits of its closures set is no part of this thread's batch.
  let isForeign: Bool
}

/// Something to do when all joins have run. First in, first out, so the turn's list contains only the first one.
final class PutOff {
  fileprivate let body: (TurnPointer) -> Void
  fileprivate var next: PutOff?
  fileprivate init(_ body: @escaping (TurnPointer) -> Void) { self.body = body }
}

extension TurnPointer {
  func putOff(_ body: @escaping (TurnPointer) -> Void) {
    let new = PutOff(body)
    if let last = pointee.lastPutOff {
      last.takeUnretainedValue().next = new
    } else {
      retire(.putOff(.passRetained(new)), self)
    }
    pointee.lastPutOff = .passUnretained(new)
  }

  fileprivate func perform(_ putOff: PutOff) {
    if let next = putOff.next {
      retire(.putOff(.passRetained(next)), self)
    } else {
      pointee.lastPutOff = nil
    }
    putOff.body(self)
  }
}

func retire(_ body: Retired.Body, _ turn: TurnPointer) {
  if turn.pointee.retiredCount == turn.pointee.retiredCapacity {
    grow(&turn.pointee.retired, &turn.pointee.retiredCapacity)
  }
  (turn.pointee.retired + turn.pointee.retiredCount).initialize(
    to: Retired(body: body, isForeign: turn.pointee.isForeign))
  turn.pointee.retiredCount &+= 1
}

// MARK: - Death

extension NodePointer {
  /// The handle's deinit, on any thread, perhaps in mid-propagation. Only the holder frees.
  @usableFromInline func nodeIsGone() {
    pointee.acquire()
    pointee.handle.store(nil, ordering: .relaxed)
    pointee.release()
    let turn = currentTurn()
    turn.enter()
    if holds(by: turn) {
      end(in: turn)
    } else {
      cutUnheard(in: turn)
      send(isMaintenance: true, self, in: turn) { payload, turn in
        takePayload(payload, NodePointer.self).end(in: turn)
      }
    }
    turn.leave()
  }

  /// At once, or with the last of the messages that name the node.
  fileprivate func end(in turn: TurnPointer) {
    if holdsUnnamed(by: turn) {
      retire(.node(self), turn)
    } else {
      pointee.life = .endsWithMessages
    }
  }

  /// A node that is gone, and that nothing follows, need not hear what waits before the message that ends
  /// it, such as the values of all the sets there.
  fileprivate func cutUnheard(in turn: TurnPointer) {
    if pointee.firstOut.load(ordering: .acquiring) != nil { return }
    // Marked under the lock, while no edge is freed. The thread that marks an edge also detaches it, so it stays.
    var marked: [EdgePointer] = []
    forEachEdge(.ins) { if $0.mark() { marked.append($0) } }
    for edge in marked { edge.finishCut(in: turn) }
  }
}

extension TurnPointer {
  /// No frame is left on the stack, so lists may change.
  func reclaimOne() {
    pointee.retiredCount &-= 1
    let retired = (pointee.retired + pointee.retiredCount).move()
    if !retired.isForeign { return reclaim(retired, self) }
    let batch = pointee.batch
    (pointee.batch, pointee.isForeign) = (nil, true)
    reclaim(retired, self)
    while pointee.joinCount > 0 { runJoin() }
    (pointee.batch, pointee.isForeign) = (batch, false)
  }
}

private func reclaim(_ retired: Retired, _ turn: TurnPointer) {
  switch retired.body {
  case .edge(let edge): reclaim(edge, turn)
  case .node(let storage): reclaim(storage, turn)
  case .putOff(let putOff): turn.perform(putOff.takeRetainedValue())
  }
}

/// Holder of the upstream's region.
private func reclaim(_ edge: EdgePointer, _ turn: TurnPointer) {
  // Traced here, since the other half of a sync may outlive this one's upstream.
  if easyreact_is_traced() { edge.traceEdge(made: false, in: turn) }
  let handle = edge.pointee.upHandle
  var counted = handle == nil ? edge.pointee.up : nil
  edge.unlinkFromUpstream()
  guard let down = edge.pointee.down else {
    edge.freeEdge(handle)
    if let counted { counted.dropReference(in: turn) }
    return
  }
  // The other half belongs to the downstream's region: a join there may be reading this upstream's
  // storage. Until it is done the edge's transform may look at both ends.
  if down.holdsUnnamed(by: turn) { return edge.finishDetaching(handle, counted, in: turn) }
  // The upstream itself need not stay until then: it would go on computing whatever is set.
  let isLetGo = handle != nil && down.isInUse()
  if isLetGo {
    counted = edge.pointee.up
    counted!.pointee.references.wrappingAdd(1, ordering: .relaxed)
  }
  let (kept, up) = (isLetGo ? nil : handle, counted)
  down.perform(in: turn) { turn in edge.finishDetaching(kept, up, in: turn) }
  if isLetGo { handle?.release() }
}

extension NodePointer {
  /// Does it still have its handle? Whoever was looking at its edges has found what it looked for, or sees from now on that they are cut.
  func isInUse() -> Bool {
    pointee.acquire()
    defer { pointee.release() }
    return pointee.handle.load(ordering: .relaxed) != nil
  }
}

extension EdgePointer {
  /// Holder of the downstream's region. From here on nothing names the edge.
  /// - Parameters:
  ///   - handle: By which the edge keeps the upstream; nil: it keeps only its storage.
  ///   - counted: That storage.
  fileprivate func finishDetaching(
    _ handle: Unmanaged<AnyObject>?, _ counted: NodePointer?, in turn: TurnPointer
  ) {
    let down = pointee.down!
    unlinkFromDownstream()
    pointee.state?.takeUnretainedValue().detached(turn)
    // A derived node that lives on without its upstream, even if only because other edges and messages
    // still name it, cannot stay in the region that the upstream keeps alive.
    if isInNode, down.pointee.references.load(ordering: .relaxed) > 1 {
      down.split(in: turn, evenUnwanted: true)
    }
    if pointee.traits.has(.endsDownstream) {
      down.pointee.sideTableIfAny()?.termination?.dropWhatWaits()
    }
    if isInNode { tearDown(handle) } else { freeEdge(handle) }
    down.dropReference(in: turn)
    if let counted { counted.perform(in: turn) { turn in counted.dropReference(in: turn) } }
  }

  /// Ends an edge that lies in its node's block; the block goes with the node.
  fileprivate func tearDown(_ handle: Unmanaged<AnyObject>?) {
    let publicObject = pointee.takePublicObject()
    pointee.state?.release()
    pointee.step = { _, _, _ in false }  // the user's closure dies here, no lock held
    // Told first, since it may be freed on another thread as soon as it is let go of here.
    let object = publicObject?.takeRetainedValue() as? any EdgeObserver
    object?.edgeEnded(self)
    weak let observer = object
    _ = consume object
    observer?.livesWithoutEdge()
    handle?.release()
  }

  func freeEdge(_ handle: Unmanaged<AnyObject>?) {
    tearDown(handle)
    awaitTopology()
    block.deinitialize(count: 1)
    recycle(in: currentTurn())
  }
}

private func reclaim(_ storage: NodePointer, _ turn: TurnPointer) {
  storage.pointee.life = .unwanted
  if storage.firstEdge(.outs) == nil {
    storage.cutIns(by: turn)
  } else {
    storage.endSyncs(by: turn)
  }
  // Listeners that are still there belong to the node itself: each is ended by its public object, so that nobody cancels it a second time.
  for edge in storage.allEdges(.listeners) {
    (edge.pointee.publicObject as? any EdgeObserver)?.nodeIsGone()
  }
  storage.dropReference(in: turn)
}

extension NodePointer {
  /// Most nodes have one upstream, for which no array is made. Holder: nobody else takes edges out of the list.
  fileprivate func cutIns(by turn: TurnPointer) {
    guard let first = firstEdge(.ins) else { return }
    if first.edgeBehind(.ins) == nil { return first.cut(by: turn) }
    for edge in edges(.ins) { edge.cut(by: turn) }
  }

  /// Nobody downstream keeps this node, so the edges that still lead away are halves of syncs, which end as a whole. All are marked
  /// first, and the cuts of those that lead away are noted first: so the node is off its cycles at once, and nothing has to go below it for
  /// the sake of edges that it is about to lose.
  fileprivate func endSyncs(by turn: TurnPointer) {
    let edges = (edges(.outs) + allEdges(.ins)).filter { $0.mark() }
    for edge in edges { edge.finishCut(in: turn) }
  }

  fileprivate func allEdges(_ list: EdgeListKind) -> [EdgePointer] {
    firstEdge(list) == nil ? [] : edges(list)
  }

  fileprivate func dropReference(in turn: TurnPointer) {
    if pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      // Asked again: a node that was made, or marked, in a turn that began untraced may end in that turn.
      if easyreact_is_traced() { traceGone(in: turn) }
      freeStorage(in: turn)
    }
  }
}

// MARK: - Handles

extension NodePointer {
  /// Under the node's lock: the handle, unless its deinit has begun, which takes that lock before
  /// anything else.
  func handleLocked() -> AnyObject? {
    guard let handle = pointee.handle.load(ordering: .acquiring),
      swift_tryRetain(UnsafeMutableRawPointer(mutating: handle)) != nil
    else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(handle).takeRetainedValue()
  }

  /// The handle, unless its deinit has begun. The caller keeps the storage from being freed, and holds no short
  /// lock.
  @usableFromInline func handle() -> AnyObject? {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    return handleLocked()
  }
}
