import CEasyReact
import Synchronization

// An edge becomes one that the loop follows, and hears the present value. This is done by the holder of the upstream's
// region; another thread leaves a message.

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
      pushValue(
        in: turn, context: context,
        as: pointee.traits.has(.keepsVersion) ? max(up.version(), (1, 0)) : (0, 0))
    }
  }

  /// For an edge whose first value is told in another way. False: it was cut meanwhile, and may have been
  /// freed by now.
  @discardableResult
  @usableFromInline func attachWithoutPush(in turn: TurnPointer) -> Bool {
    let before = pointee.remove(.starting)
    if !before.has(.cut) {
      pointee.up.unsafelyUnwrapped.settleAudience()
      attachToUpstream()
      pointee.state?.takeUnretainedValue().attached(self)
      return true
    }
    pointee.state?.takeUnretainedValue().end()
    finishCut(in: turn)
    return false
  }

  /// Sends the upstream's value through one edge, under a new number; without a context, unless the edge
  /// was made for a value that came with one.
  ///
  /// - Parameter version: One that was given before; zero: there is none.
  @usableFromInline func pushValue(
    in turn: TurnPointer, context: ContextBox? = nil, as version: Version = (0, 0)
  ) {
    let up = pointee.up.unsafelyUnwrapped
    let saved = turn.pointee.wave
    turn.pointee.wave.number = version.number == 0 ? newWave() : version.number
    turn.pointee.wave.flags = context == nil ? [] : .context
    if version.tiebreak != 0 { turn.pointee.wave.flags.insert(.late) }
    turn.pointee.wave.context = context.map { Unmanaged.passUnretained($0) }
    if pointee.has(.filtered) { up.noteToldEarly(under: turn.pointee.wave.number) }
    up.whileBusy(in: turn) {
      if turn.pointee.isTraced {
        up.traceWave(turn.pointee.wave.number, began: true)
        tracePush(in: turn)
      }
      let wave = turn.pointee.wave.number
      if pointee.run(up, self, turn) { pointee.down!.propagate(in: turn) }
      if turn.pointee.isTraced { up.traceWave(wave, began: false) }
    }
    turn.pointee.wave = saved
    _ = consume context
  }

  /// The first value over an edge that leads back is a set of its downstream (decision 0002). It keeps its own
  /// number if that is the newer one, so that nothing goes back; else it gets a new one. Holder of the upstream's region.
  func tellFirst(in turn: TurnPointer, context: ContextBox? = nil) {
    let (up, down) = (pointee.up.unsafelyUnwrapped, pointee.down.unsafelyUnwrapped)
    let mayKeepNumber = !up.hasAudience && down.holds(by: turn) && !down.pointee.flags.has(.busy)
    let areFromTheStart = mayKeepNumber && up.areFromTheStart(down)
    let present = up.version()
    let keepsNumber = mayKeepNumber && (areFromTheStart || down.version() < present)
    let number = keepsNumber ? present.number : newWave()
    up.noteToldEarly(under: number)
    tellFirst(
      number, keepsNumber && present.tiebreak != 0 ? .late : [], in: turn, context: context)
  }

  /// The same, under a number that is known.
  func tellFirst(
    _ number: UInt64, _ flags: NodeFlags = [], in turn: TurnPointer, context: ContextBox? = nil
  ) {
    let (up, down) = (pointee.up.unsafelyUnwrapped, pointee.down.unsafelyUnwrapped)
    let saved = turn.pointee.wave
    turn.pointee.wave = Wave(number: number, flags: flags, context: context)
    if context != nil { turn.pointee.wave.flags.insert(.context) }
    // Busy only while a tracer hears of it and during the user's transform: what comes back finds it at rest.
    let wasBusy = up.pointee.flags.only(.busy)
    up.pointee.flags.insert(.busy)
    if turn.pointee.isTraced {
      up.traceWave(number, began: true)
      tracePush(in: turn)
    }
    let isStored = pointee.run(up, self, turn)
    up.pointee.flags = up.pointee.flags.without(.busy).with(wasBusy)
    if isStored { down.propagate(in: turn) }
    if turn.pointee.isTraced { up.traceWave(number, began: false) }
    up.tellWhatWaits(in: turn)  // set by the transform, or by a tracer
    turn.pointee.wave = saved
    _ = consume context
  }
}

extension NodePointer {
  /// True: neither value came by a wave. Such values are older than any wave; the upstream's becomes the newest
  /// of them.
  fileprivate func areFromTheStart(_ down: NodePointer) -> Bool {
    if pointee.wave.load(ordering: .relaxed) > 1 || down.pointee.wave.load(ordering: .relaxed) > 1 {
      return false
    }
    noteTiebreak(1, newSequence())
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
    tellWhatWaits(in: turn)
  }

  /// Tells what waits at the node. Nothing happens while it is busy: it does this itself then. The turn's wave stays as it is.
  @usableFromInline func tellWhatWaits(in turn: TurnPointer) {
    if pointee.flags.has(.busy) || !hasQueue { return }
    let saved = turn.pointee.wave
    pointee.flags.insert(.busy)
    let isStored = takeNext(in: turn)
    pointee.flags.remove(.busy)
    if isStored { propagate(in: turn) }
    turn.pointee.wave = saved
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

  /// Links two nodes that exist already, without the initial push. The edge has both ends; it is counted as a reference of
  /// its downstream. No user code runs.
  @usableFromInline func prepareLink(in turn: TurnPointer) {
    let down = pointee.down.unsafelyUnwrapped
    down.pointee.references.wrappingAdd(1, ordering: .relaxed)
    countOnUpstream()
    // A derived node with a second upstream no longer belongs to the first one alone.
    if down.hasUpstream { down.makeHead(in: turn) }
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
    // A closure is made only if this has to wait.
    if holds(by: turn) { return split(in: turn) }
    perform(in: turn) { turn in split(in: turn) }
  }
}
