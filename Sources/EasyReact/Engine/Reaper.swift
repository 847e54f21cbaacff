import CEasyReact
import Synchronization

// Attaching, detaching and death. Consumers own providers: an edge retains its upstream's handle, a
// listener its node's. Freeing is a loop over the turn's list of the dead, never recursion: a
// handle that is released here only puts its core on that list.

/// What a turn frees when no frame is left on its stack.
struct Dead {
  enum Body {
    /// A node whose handle is gone.
    case node(CorePointer)
    /// An edge or a listener that was cut, to be taken out of its upstream's list.
    case edge(EdgePointer)
  }
  let body: Body
  /// Another thread ended it, so what its closures' deinits set is no part of this thread's batch.
  let isForeign: Bool
}

func bury(_ body: Dead.Body, _ turn: TurnPointer) {
  if turn.pointee.deadCount == turn.pointee.deadCapacity {
    grow(&turn.pointee.dead, &turn.pointee.deadCapacity)
  }
  (turn.pointee.dead + turn.pointee.deadCount).initialize(
    to: Dead(body: body, isForeign: turn.pointee.isForeign))
  turn.pointee.deadCount &+= 1
}

// MARK: - Attaching

/// An edge in the lists becomes one that the loop follows, and the present value is pushed through
/// it once: a notification of the upstream restricted to the newcomer. Holder of the upstream's
/// region.
@usableFromInline func attach(
  _ edge: EdgePointer, _ turn: TurnPointer, context: ContextBox? = nil
) {
  let up = edge.pointee.up.unsafelyUnwrapped
  if !attachWithoutPush(edge, turn) { return }
  if !up.pointee.hasValue.load(ordering: .relaxed) { return }
  if edge.pointee.has(EdgeFlags.filtered) {
    tellFirst(over: edge, turn, context: context)
  } else {
    push(edge, turn, context: context)
  }
}

/// For an edge whose first value is told in another way. False: it was cut meanwhile, and by now
/// may be freed.
@discardableResult
@usableFromInline func attachWithoutPush(_ edge: EdgePointer, _ turn: TurnPointer) -> Bool {
  let before = edge.pointee.flags.bitwiseAnd(~EdgeFlags.starting, ordering: .acquiringAndReleasing)
  if before.oldValue & EdgeFlags.cut == 0 {
    attachToUpstream(edge)
    edge.pointee.hop?.takeUnretainedValue().attached(edge)
    return true
  }
  edge.pointee.hop?.takeUnretainedValue().end()
  finishCut(edge, turn)
  return false
}

/// Sends the upstream's value through one edge, under a new number; without context, unless the edge
/// was made for a value that came with one.
///
/// - Parameter number: One given before; the value keeps its own where that is as high.
@usableFromInline func push(
  _ edge: EdgePointer, _ turn: TurnPointer, context: ContextBox? = nil, number: UInt64 = 0
) {
  let up = edge.pointee.up.unsafelyUnwrapped
  let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
  turn.pointee.wave =
    number == 0 ? newWave() : max(number, up.pointee.wave.load(ordering: .relaxed))
  turn.pointee.flags = context == nil ? 0 : Bits.context
  if turn.pointee.wave == up.pointee.wave.load(ordering: .relaxed), sequence(of: up) != 0 {
    turn.pointee.flags |= Bits.late
  }
  turn.pointee.context = context.map { Unmanaged.passUnretained($0) }
  whileBusy(up, turn) {
    if turn.pointee.isTraced {
      traceWave(turn.pointee.wave, began: true, up)
      if edge.pointee.down == nil { traceListener(edge, turn) }
    }
    let wave = turn.pointee.wave
    if edge.pointee.run(up, edge, turn) { propagate(edge.pointee.down!, turn) }
    if turn.pointee.isTraced { traceWave(wave, began: false, up) }
  }
  (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
  _ = consume context
}

/// The first value over an edge that is filtered is a set of its end (decision 0002). It keeps its own
/// number where that is the newer one, so that nothing goes back; else, or where it is to come back, it
/// has a new one. Holder of the upstream's region.
func tellFirst(
  over edge: EdgePointer, _ turn: TurnPointer, context: ContextBox? = nil, comesBack: Bool = false
) {
  let (up, down) = (edge.pointee.up.unsafelyUnwrapped, edge.pointee.down.unsafelyUnwrapped)
  let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
  let keepsNumber =
    !comesBack && holds(down, turn) && down.pointee.bits & Bits.busy == 0
    && (areFromTheStart(up, down) || isOlder(down, than: up))
  turn.pointee.wave = keepsNumber ? up.pointee.wave.load(ordering: .relaxed) : newWave()
  turn.pointee.flags = keepsNumber && sequence(of: up) != 0 ? Bits.late : 0
  if context != nil { turn.pointee.flags |= Bits.context }
  turn.pointee.context = context.map { Unmanaged.passUnretained($0) }
  let wave = turn.pointee.wave
  if turn.pointee.isTraced { traceWave(wave, began: true, up) }
  // Busy for the user's transform alone: what comes back finds it at rest.
  let wasBusy = up.pointee.bits & Bits.busy
  up.pointee.bits |= Bits.busy
  let isStored = edge.pointee.run(up, edge, turn)
  up.pointee.bits = up.pointee.bits & ~Bits.busy | wasBusy
  if isStored { propagate(down, turn) }
  whileBusy(up, turn) {}  // what the transform set
  if turn.pointee.isTraced { traceWave(wave, began: false, up) }
  (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
  _ = consume context
}

/// Neither value came by a wave. Such values are older than any wave; the upstream's becomes the newest
/// of them.
private func areFromTheStart(_ up: CorePointer, _ down: CorePointer) -> Bool {
  if up.pointee.wave.load(ordering: .relaxed) > 1 || down.pointee.wave.load(ordering: .relaxed) > 1
  {
    return false
  }
  noteSequence(up, 1, newWave())
  up.pointee.wave.store(1, ordering: .releasing)
  return true
}

/// What comes to the node while `body` runs waits, and is told after.
@inline(__always) func whileBusy(_ core: CorePointer, _ turn: TurnPointer, _ body: () -> Void) {
  let wasBusy = core.pointee.bits & Bits.busy != 0
  core.pointee.bits |= Bits.busy
  body()
  if wasBusy { return }
  core.pointee.bits &= ~Bits.busy
  if core.pointee.queue != nil, core.pointee.operations(core, .takeNext, turn) {
    propagate(core, turn)
  }
}

/// An edge or a listener of an existing node, made by any thread. The thread that is inside the node
/// attaches at once; others leave a letter, which tells the value present then, and return false.
@discardableResult
@usableFromInline func attachNow(
  _ edge: EdgePointer, _ turn: TurnPointer, context: ContextBox? = nil
) -> Bool {
  let up = edge.pointee.up.unsafelyUnwrapped
  if turn.pointee.isTraced { traceEdge(edge, made: true, turn) }
  if holds(up, turn) {
    attach(edge, turn, context: context)
    return true
  }
  post(
    makeLetter(to: up, (edge, context)) { payload, turn in
      let (edge, context) = takePayload(payload, (EdgePointer, ContextBox?).self)
      attach(edge, turn, context: context)
    },
    turn)
  return false
}

/// Links two nodes that exist already, but for the first push. The edge has both ends; it counts on
/// its downstream. No user code runs.
@usableFromInline func prepareLink(_ edge: EdgePointer, _ turn: TurnPointer) {
  let down = edge.pointee.down.unsafelyUnwrapped
  down.pointee.references.wrappingAdd(1, ordering: .relaxed)
  countOnUpstream(edge)
  // A derived node with a second upstream is no longer its first one's alone.
  if down.pointee.firstIn.load(ordering: .relaxed) != nil { makeHead(down, turn) }
  insert(edge)
}

/// An edge or a listener that does not keep its upstream's handle keeps the core until it is taken
/// out of its list.
func countOnUpstream(_ edge: EdgePointer) {
  if edge.pointee.upHandle == nil {
    edge.pointee.up!.pointee.references.wrappingAdd(1, ordering: .relaxed)
  }
}

@usableFromInline func makeHead(_ core: CorePointer, _ turn: TurnPointer) {
  // A closure is made only where it has to wait.
  if claim(core, turn) { return split(core, turn) }
  perform(on: core, turn) { turn in split(core, turn) }
}

// MARK: - Cutting

/// From here on nothing passes. An edge that was cut already stays as it is.
@usableFromInline func cut(_ edge: EdgePointer, _ turn: TurnPointer) {
  if mark(edge) { finishCut(edge, turn) }
}

/// Sets the cut mark; what waits in a scheduler is told. True: the caller must call `finishCut`.
///
/// False: the edge was cut already, or it is still starting. Whoever is attaching it still has its
/// address in hand, so the edge must not be freed before: `attach` finds the mark and finishes the
/// cut. Nothing waits in a scheduler then.
func mark(_ edge: EdgePointer) -> Bool {
  // Retained: whoever is attaching the edge may free it as soon as it has its mark.
  let member = edge.pointee.kind == .member ? edge.pointee.hop?.takeUnretainedValue() : nil
  let before = edge.pointee.flags.bitwiseOr(EdgeFlags.cut, ordering: .sequentiallyConsistent)
  if let member, before.oldValue & EdgeFlags.cut == 0 { member.marked() }
  if before.oldValue & (EdgeFlags.cut | EdgeFlags.starting) != 0 { return false }
  edge.pointee.hop?.takeUnretainedValue().end()
  return true
}

/// The second half of cutting: by the one who set the mark, which keeps the edge from being freed
/// until then.
func finishCut(_ edge: EdgePointer, _ turn: TurnPointer) {
  if let down = edge.pointee.down {
    if let join = down.pointee.join, edge.pointee.kind.endsJoin {
      join.pointee.isTerminated.store(true, ordering: .releasing)
    }
    if edge.pointee.kind == .zip {
      down.pointee.extrasIfAny()?.zipEnd?.end.store(true, ordering: .releasing)
    }
    noteCut(edge)
    // What the edge of a flatten follows is let go at once, where nobody else is inside the result.
    if let hop = edge.pointee.hop, claim(down, turn) { hop.takeUnretainedValue().detached(turn) }
  }
  let up = edge.pointee.up.unsafelyUnwrapped
  if holds(up, turn) {
    bury(.edge(edge), turn)  // before the mail: the sets there need not look at it
  } else {
    post(
      makeLetter(to: up, isQuiet: true, edge) { payload, turn in
        bury(.edge(takePayload(payload, EdgePointer.self)), turn)
      }, turn)
  }
}

// MARK: - Death

/// The handle's deinit, on any thread, perhaps in mid-propagation. Only the holder frees.
@usableFromInline func nodeIsGone(_ core: CorePointer) {
  core.pointee.acquire()
  core.pointee.handle.store(nil, ordering: .relaxed)
  core.pointee.release()
  let turn = currentTurn()
  enter(turn)
  if claim(core, turn) {
    bury(.node(core), turn)
  } else {
    cutUnheard(core, turn)
    post(
      makeLetter(to: core, isQuiet: true, core) { payload, turn in
        bury(.node(takePayload(payload, CorePointer.self)), turn)
      }, turn)
  }
  leave(turn)
}

/// A node that is gone, and that nothing follows, need not hear what waits before the letter that ends
/// it: nor the values of all the sets there.
private func cutUnheard(_ core: CorePointer, _ turn: TurnPointer) {
  if core.pointee.firstOut.load(ordering: .acquiring) != nil { return }
  // Marked under the lock, where no edge is freed. Who has marked one detaches it, so it stays.
  var marked: [EdgePointer] = []
  forEachEdge(core, .ins) { if mark($0) { marked.append($0) } }
  for edge in marked { finishCut(edge, turn) }
}

/// No frame is left on the stack, so lists may change.
func reapOne(_ turn: TurnPointer) {
  turn.pointee.deadCount &-= 1
  let dead = (turn.pointee.dead + turn.pointee.deadCount).move()
  if !dead.isForeign { return reap(dead, turn) }
  let batch = turn.pointee.batch
  (turn.pointee.batch, turn.pointee.isForeign) = (nil, true)
  reap(dead, turn)
  while turn.pointee.joinCount > 0 { runJoin(turn) }
  (turn.pointee.batch, turn.pointee.isForeign) = (batch, false)
}

private func reap(_ dead: Dead, _ turn: TurnPointer) {
  switch dead.body {
  case .edge(let edge): reap(edge, turn)
  case .node(let core): reap(core, turn)
  }
}

/// Holder of the upstream's region.
private func reap(_ edge: EdgePointer, _ turn: TurnPointer) {
  // Here, for the other half of a sync may outlive this one's upstream.
  if turn.pointee.isTraced { traceEdge(edge, made: false, turn) }
  let counted = edge.pointee.upHandle == nil ? edge.pointee.up : nil
  unlinkFromUpstream(edge)
  guard let down = edge.pointee.down else {
    freeEdge(edge)
    if let counted { dropReference(counted, turn) }
    return
  }
  // The other half belongs to the downstream's region: a join there may be reading this upstream's
  // core. Until it is done the edge's transform may look at both ends.
  if claim(down, turn) { return finishDetaching(edge, counted, turn) }
  perform(on: down, turn) { turn in finishDetaching(edge, counted, turn) }
}

/// Holder of the downstream's region. From here on nothing names the edge. `counted`: the upstream,
/// if the edge keeps its core.
private func finishDetaching(
  _ edge: EdgePointer, _ counted: CorePointer?, _ turn: TurnPointer
) {
  let down = edge.pointee.down!
  unlinkFromDownstream(edge)
  edge.pointee.hop?.takeUnretainedValue().detached(turn)
  // A derived node that lives on without its upstream, be it only because other edges and letters
  // still name it, cannot stay in the region that the upstream keeps alive.
  if edge == inEdgePointer(down), down.pointee.references.load(ordering: .relaxed) > 1 {
    split(down, turn, evenUnwanted: true)
  }
  if edge == inEdgePointer(down) { hollow(edge) } else { freeEdge(edge) }
  dropReference(down, turn)
  if let counted { perform(on: counted, turn) { turn in dropReference(counted, turn) } }
}

/// Ends an edge that lies in its node's block; the block goes with the node.
private func hollow(_ edge: EdgePointer) {
  let handle = edge.pointee.upHandle
  edge.pointee.hop?.release()
  edge.pointee.step = { _, _, _ in false }  // the user's closure dies here, no lock held
  let face = edge.pointee.face.exchange(nil, ordering: .acquiringAndReleasing)
  // A transform that somebody holds besides is told; from the others nothing is left behind.
  weak let transform = face?.takeUnretainedValue() as? AnyTransform
  face?.release()
  transform?.lifeEnded(edge)
  edge.pointee.upHandle = nil
  handle?.release()
}

func freeEdge(_ edge: EdgePointer) {
  hollow(edge)
  awaitSurgery()
  edge.deinitialize(count: 1)
  giveBack(edge, currentTurn())
}

private func reap(_ core: CorePointer, _ turn: TurnPointer) {
  core.pointee.isUnwanted = true
  for edge in allEdges(core, .ins) { cut(edge, turn) }
  // Nobody downstream keeps this node, so what still leads away are halves of a sync: it is over.
  for edge in allEdges(core, .outs) { cut(edge, turn) }
  // And what still listens is the node's own: ended by its face, which nobody cancels a second time.
  for edge in allEdges(core, .listeners) {
    let face = edge.pointee.face.load(ordering: .acquiring)?.takeUnretainedValue()
    (face as? OwnedListening)?.cancel()
  }
  dropReference(core, turn)
}

private func allEdges(_ core: CorePointer, _ list: EdgeListKind) -> [EdgePointer] {
  firstEdge(core, list) == nil ? [] : edges(core, list)
}

private func dropReference(_ core: CorePointer, _ turn: TurnPointer) {
  if core.pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
    if turn.pointee.isTraced { traceGone(core, turn) }
    freeCore(core, turn)
  }
}

// MARK: - Handles

/// The node of a core, unless its handle is going. The caller keeps the core from being freed, and
/// holds no short lock.
func node(of core: CorePointer) -> AnyNode? {
  core.pointee.acquire()
  defer { core.pointee.releaseAfterCopying() }
  return nodeLocked(core)
}

/// The caller holds the core's lock; the handle's deinit takes it before anything else.
func nodeLocked(_ core: CorePointer) -> AnyNode? {
  guard let handle = core.pointee.handle.load(ordering: .acquiring),
    swift_tryRetain(UnsafeMutableRawPointer(mutating: handle)) != nil
  else { return nil }
  return Unmanaged<AnyNode>.fromOpaque(handle).takeRetainedValue()
}
