import CEasyReact
import Synchronization

// Attaching, detaching and death. Consumers own providers: an edge retains its upstream's handle, a
// listener its node's. Freeing is a loop over the turn's list of what is retired, never recursion: a
// handle that is released here only puts its storage on that list.

/// What a turn frees when no frame is left on its stack.
struct Retired {
  enum Body {
    /// A node whose handle is gone.
    case node(NodePointer)
    /// An edge or a listener that was cut, to be taken out of its upstream's list.
    case edge(EdgePointer)
  }
  let body: Body
  /// Another thread ended it, so what its closures' deinits set is no part of this thread's batch.
  let isForeign: Bool
}

func retire(_ body: Retired.Body, _ turn: TurnPointer) {
  if turn.pointee.retiredCount == turn.pointee.retiredCapacity {
    grow(&turn.pointee.retired, &turn.pointee.retiredCapacity)
  }
  (turn.pointee.retired + turn.pointee.retiredCount).initialize(
    to: Retired(body: body, isForeign: turn.pointee.isForeign))
  turn.pointee.retiredCount &+= 1
}

// MARK: - Attaching

extension EdgePointer {
  /// An edge in the lists becomes one that the loop follows, and the present value is pushed through
  /// it once: a notification of the upstream restricted to the newcomer. Holder of the upstream's
  /// region.
  @usableFromInline func attach(in turn: TurnPointer, context: ContextBox? = nil) {
    let up = pointee.up.unsafelyUnwrapped
    if !attachWithoutPush(in: turn) { return }
    if !up.pointee.hasValue.load(ordering: .relaxed) { return }
    if pointee.has(.filtered) {
      tellFirst(in: turn, context: context)
    } else {
      pushValue(in: turn, context: context)
    }
  }

  /// For an edge whose first value is told in another way. False: it was cut meanwhile, and by now
  /// may be freed.
  @discardableResult
  @usableFromInline func attachWithoutPush(in turn: TurnPointer) -> Bool {
    let before = pointee.remove(.starting)
    if !before.has(.cut) {
      attachToUpstream()
      pointee.state?.takeUnretainedValue().attached(self)
      return true
    }
    pointee.state?.takeUnretainedValue().end()
    finishCut(in: turn)
    return false
  }

  /// Sends the upstream's value through one edge, under a new number; without context, unless the edge
  /// was made for a value that came with one.
  ///
  /// - Parameter number: One given before; the value keeps its own where that is as high.
  @usableFromInline func pushValue(
    in turn: TurnPointer, context: ContextBox? = nil, number: UInt64 = 0
  ) {
    let up = pointee.up.unsafelyUnwrapped
    let saved = turn.pointee.wave
    turn.pointee.wave.number =
      number == 0 ? newWave() : max(number, up.pointee.wave.load(ordering: .relaxed))
    turn.pointee.wave.flags = context == nil ? [] : .context
    if turn.pointee.wave.number == up.pointee.wave.load(ordering: .relaxed), up.tiebreak() != 0 {
      turn.pointee.wave.flags.insert(.late)
    }
    turn.pointee.wave.context = context.map { Unmanaged.passUnretained($0) }
    up.whileBusy(in: turn) {
      if turn.pointee.isTraced {
        up.traceWave(turn.pointee.wave.number, began: true)
        if pointee.down == nil { traceListener(in: turn) }
      }
      let wave = turn.pointee.wave.number
      if pointee.run(up, self, turn) { pointee.down!.propagate(in: turn) }
      if turn.pointee.isTraced { up.traceWave(wave, began: false) }
    }
    turn.pointee.wave = saved
    _ = consume context
  }

  /// The first value over an edge that is filtered is a set of its end (decision 0002). It keeps its own
  /// number where that is the newer one, so that nothing goes back; else, or where it is to come back, it
  /// has a new one. Holder of the upstream's region.
  func tellFirst(in turn: TurnPointer, context: ContextBox? = nil, comesBack: Bool = false) {
    let (up, down) = (pointee.up.unsafelyUnwrapped, pointee.down.unsafelyUnwrapped)
    let saved = turn.pointee.wave
    let keepsNumber =
      !comesBack && down.holds(by: turn) && !down.pointee.flags.has(.busy)
      && (up.areFromTheStart(down) || down.isOlder(than: up))
    turn.pointee.wave.number = keepsNumber ? up.pointee.wave.load(ordering: .relaxed) : newWave()
    turn.pointee.wave.flags = keepsNumber && up.tiebreak() != 0 ? .late : []
    if context != nil { turn.pointee.wave.flags.insert(.context) }
    turn.pointee.wave.context = context.map { Unmanaged.passUnretained($0) }
    let wave = turn.pointee.wave.number
    if turn.pointee.isTraced { up.traceWave(wave, began: true) }
    // Busy for the user's transform alone: what comes back finds it at rest.
    let wasBusy = up.pointee.flags.only(.busy)
    up.pointee.flags.insert(.busy)
    let isStored = pointee.run(up, self, turn)
    up.pointee.flags = up.pointee.flags.without(.busy).with(wasBusy)
    if isStored { down.propagate(in: turn) }
    up.whileBusy(in: turn) {}  // what the transform set
    if turn.pointee.isTraced { up.traceWave(wave, began: false) }
    turn.pointee.wave = saved
    _ = consume context
  }
}

extension NodePointer {
  /// Neither value came by a wave. Such values are older than any wave; the upstream's becomes the newest
  /// of them.
  fileprivate func areFromTheStart(_ down: NodePointer) -> Bool {
    if pointee.wave.load(ordering: .relaxed) > 1 || down.pointee.wave.load(ordering: .relaxed) > 1 {
      return false
    }
    noteTiebreak(1, newWave())
    pointee.wave.store(1, ordering: .releasing)
    return true
  }

  /// What comes to the node while `body` runs waits, and is told after.
  @inline(__always) func whileBusy(in turn: TurnPointer, _ body: () -> Void) {
    let wasBusy = pointee.flags.has(.busy)
    pointee.flags.insert(.busy)
    body()
    if wasBusy { return }
    pointee.flags.remove(.busy)
    if pointee.queue != nil, pointee.operations(self, .takeNext, turn) {
      propagate(in: turn)
    }
  }
}

extension EdgePointer {
  /// An edge or a listener of an existing node, made by any thread. The thread that is inside the node
  /// attaches at once; others leave a message, which tells the value present then, and return false.
  @discardableResult
  @usableFromInline func attachNow(in turn: TurnPointer, context: ContextBox? = nil) -> Bool {
    let edge = self
    let up = edge.pointee.up.unsafelyUnwrapped
    if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
    if up.holds(by: turn) {
      edge.attach(in: turn, context: context)
      return true
    }
    up.send((edge, context), in: turn) { payload, turn in
      let (edge, context) = takePayload(payload, (EdgePointer, ContextBox?).self)
      edge.attach(in: turn, context: context)
    }
    return false
  }

  /// Links two nodes that exist already, but for the initial push. The edge has both ends; it counts on
  /// its downstream. No user code runs.
  @usableFromInline func prepareLink(in turn: TurnPointer) {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.references.wrappingAdd(1, ordering: .relaxed)
    countOnUpstream()
    // A derived node with a second upstream is no longer its first one's alone.
    if down.pointee.firstIn.load(ordering: .relaxed) != nil { down.makeHead(in: turn) }
    insert()
  }

  /// An edge or a listener that does not keep its upstream's handle keeps the node's storage until it is taken
  /// out of its list.
  func countOnUpstream() {
    if pointee.upHandle == nil {
      pointee.up!.pointee.references.wrappingAdd(1, ordering: .relaxed)
    }
  }
}

extension NodePointer {
  @usableFromInline func makeHead(in turn: TurnPointer) {
    // A closure is made only where it has to wait.
    if holds(by: turn) { return split(in: turn) }
    perform(in: turn) { turn in split(in: turn) }
  }
}

// MARK: - Cutting

extension EdgePointer {
  /// From here on nothing passes. An edge that was cut already stays as it is.
  @usableFromInline func cut(by turn: TurnPointer) {
    if mark() { finishCut(in: turn) }
  }

  /// Sets the cut mark; what waits in a scheduler is told. True: the caller must call `finishCut`.
  ///
  /// False: the edge was cut already, or it is still starting. Whoever is attaching it still has its
  /// address in hand, so the edge must not be freed before: `attach` finds the mark and finishes the
  /// cut. Nothing waits in a scheduler then.
  func mark() -> Bool {
    // Retained: whoever is attaching the edge may free it as soon as it has its mark.
    let member = pointee.traits.has(.tellsMark) ? pointee.state?.takeUnretainedValue() : nil
    let before = pointee.insert(.cut)
    if let member, !before.has(.cut) { member.marked() }
    if before.has([.cut, .starting]) { return false }
    pointee.state?.takeUnretainedValue().end()
    return true
  }

  /// The second half of cutting: by the one who set the mark, which keeps the edge from being freed
  /// until then.
  func finishCut(in turn: TurnPointer) {
    if let down = pointee.down {
      if pointee.traits.has(.endsDownstream) { down.terminate() }
      noteCut()
      // What the edge of a flatten follows is let go at once, where nobody else is inside the result.
      if let state = pointee.state, down.claim(by: turn) {
        state.takeUnretainedValue().detached(turn)
      }
    }
    let up = pointee.up.unsafelyUnwrapped
    if up.holds(by: turn) {
      retire(.edge(self), turn)  // before the messages: the sets there need not look at it
    } else {
      up.send(isMaintenance: true, self, in: turn) { payload, turn in
        retire(.edge(takePayload(payload, EdgePointer.self)), turn)
      }
    }
  }
}

extension NodePointer {
  /// An upstream edge was lost: what computes from all of them says nothing any more.
  fileprivate func terminate() {
    pointee.join?.pointee.isTerminated.store(true, ordering: .releasing)
    pointee.sideTableIfAny()?.termination?.mark()
  }
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
      pointee.endsWithMessages = true
    }
  }

  /// A node that is gone, and that nothing follows, need not hear what waits before the message that ends
  /// it: nor the values of all the sets there.
  fileprivate func cutUnheard(in turn: TurnPointer) {
    if pointee.firstOut.load(ordering: .acquiring) != nil { return }
    // Marked under the lock, where no edge is freed. Who has marked one detaches it, so it stays.
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
  }
}

/// Holder of the upstream's region.
private func reclaim(_ edge: EdgePointer, _ turn: TurnPointer) {
  // Here, for the other half of a sync may outlive this one's upstream.
  if turn.pointee.isTraced { edge.traceEdge(made: false, in: turn) }
  let counted = edge.pointee.upHandle == nil ? edge.pointee.up : nil
  edge.unlinkFromUpstream()
  guard let down = edge.pointee.down else {
    edge.freeEdge()
    if let counted { counted.dropReference(in: turn) }
    return
  }
  // The other half belongs to the downstream's region: a join there may be reading this upstream's
  // storage. Until it is done the edge's transform may look at both ends.
  if down.holdsUnnamed(by: turn) { return edge.finishDetaching(counted, in: turn) }
  down.perform(in: turn) { turn in edge.finishDetaching(counted, in: turn) }
}

extension EdgePointer {
  /// Holder of the downstream's region. From here on nothing names the edge. `counted`: the upstream,
  /// if the edge keeps its storage.
  fileprivate func finishDetaching(_ counted: NodePointer?, in turn: TurnPointer) {
    let down = pointee.down!
    unlinkFromDownstream()
    pointee.state?.takeUnretainedValue().detached(turn)
    // A derived node that lives on without its upstream, be it only because other edges and messages
    // still name it, cannot stay in the region that the upstream keeps alive.
    if self == down.inEdgePointer(), down.pointee.references.load(ordering: .relaxed) > 1 {
      down.split(in: turn, evenUnwanted: true)
    }
    if self == down.inEdgePointer() { tearDown() } else { freeEdge() }
    down.dropReference(in: turn)
    if let counted { counted.perform(in: turn) { turn in counted.dropReference(in: turn) } }
  }

  /// Ends an edge that lies in its node's block; the block goes with the node.
  fileprivate func tearDown() {
    let handle = pointee.upHandle
    pointee.state?.release()
    pointee.step = { _, _, _ in false }  // the user's closure dies here, no lock held
    let publicObject = pointee.publicObject.exchange(nil, ordering: .acquiringAndReleasing)
    // One that somebody holds besides is told; from the others nothing is left behind.
    weak let observer = publicObject?.takeUnretainedValue() as? any EdgeObserver
    publicObject?.release()
    observer?.edgeEnded(self)
    pointee.upHandle = nil
    handle?.release()
  }

  func freeEdge() {
    tearDown()
    awaitTopology()
    deinitialize(count: 1)
    recycle(in: currentTurn())
  }
}

private func reclaim(_ storage: NodePointer, _ turn: TurnPointer) {
  storage.pointee.isUnwanted = true
  storage.cutIns(by: turn)
  // Nobody downstream keeps this node, so what still leads away are halves of a sync: it is over.
  for edge in storage.allEdges(.outs) { edge.cut(by: turn) }
  // And what still listens is the node's own: ended by its public object, which nobody cancels a second time.
  for edge in storage.allEdges(.listeners) {
    let publicObject = edge.pointee.publicObject.load(ordering: .acquiring)?.takeUnretainedValue()
    (publicObject as? any EdgeObserver)?.nodeIsGone()
  }
  storage.dropReference(in: turn)
}

extension NodePointer {
  /// Most nodes have one upstream, which needs no list. Who holds the region takes edges out here.
  fileprivate func cutIns(by turn: TurnPointer) {
    guard let first = firstEdge(.ins) else { return }
    if first.pointee.nextIn.load(ordering: .acquiring) == nil { return first.cut(by: turn) }
    for edge in edges(.ins) { edge.cut(by: turn) }
  }

  fileprivate func allEdges(_ list: EdgeListKind) -> [EdgePointer] {
    firstEdge(list) == nil ? [] : edges(list)
  }

  fileprivate func dropReference(in turn: TurnPointer) {
    if pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      if turn.pointee.isTraced { traceGone(in: turn) }
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

  /// The handle, unless it is going. The caller keeps the storage from being freed, and holds no short
  /// lock.
  func handle() -> AnyObject? {
    pointee.acquire()
    defer { pointee.releaseAfterCopying() }
    return handleLocked()
  }
}
