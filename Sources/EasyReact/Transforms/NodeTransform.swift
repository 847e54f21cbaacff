import CEasyReact
import Synchronization

/// An edge that computes: what reaches it at ``from`` it may change, drop or multiply on its way to
/// ``to``.
///
/// As it is, a `NodeTransform` forwards what it receives. An operator of your own is a subclass of a
/// few lines:
///
///     final class Doubled: NodeTransform<Int, Int>, @unchecked Sendable {  // Unchecked: it has no state.
///       override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
///         send(value * 2)
///       }
///     }
///     let a = MutableNode(1), b = MutableNode<Int>()
///     b.link(to: a, through: Doubled())
///     b.value                                  // 2
///
/// When it gets its second end and `from` is not empty, that value is pushed through it once, at
/// once, without context. Re-pointing an end begins a new life: the push is repeated, and counters
/// begin anew (`begin()`). `receive` is called by one thread at a time for one life. Known as
/// `EZRTransform` in EasyReact.
open class NodeTransform<Input: Sendable, Output: Sendable>: AnyNodeTransform, Receiver,
  @unchecked Sendable
{
  // Unchecked: adds a constant; a subclass answers for its own state.

  /// Makes the step of a life in which this object receives. It is made in the initialiser, which is
  /// specialised in the subclass's module; nil: `makeStep` does.
  @usableFromInline final let makeReceiver: (@Sendable (NodeTransform<Input, Output>) -> Step)?

  /// A transform for a subclass, or one that forwards.
  @inlinable public init() {
    makeReceiver = { transform in
      // It is the public object of its life's edge, which retains it.
      let transform = Unmanaged.passUnretained(transform)
      return { up, edge, turn in
        transform._withUnsafeGuaranteedRef { $0.take(up, edge, turn) }
      }
    }
    super.init(kind: .transform, hearsEmptiness: true, makeStep: nil)
  }

  @usableFromInline init(
    _ kind: OperatorKind, hearsEmptiness: Bool = false,
    makeStep: @escaping @Sendable () -> EdgeParts
  ) {
    makeReceiver = nil
    super.init(kind: kind, hearsEmptiness: hearsEmptiness, makeStep: makeStep)
  }

  /// Where values come from. Setting it re-points the transform, nil cuts it; the other end keeps
  /// its value. While `to` is nil the transform keeps this node, which does not keep the transform.
  public final var from: Node<Input>? {
    get { fromNode.map { unsafeDowncast($0, to: Node<Input>.self) } }
    set { setEnds { from, _ in from = newValue } }
  }

  /// Where values go. Setting it re-points the transform, nil cuts it; the other end keeps its
  /// value. While `from` is nil this node keeps the transform, and is not kept by it.
  public final var to: Node<Output>? {
    get { toNode.map { unsafeDowncast($0, to: Node<Output>.self) } }
    set { setEnds { _, to in to = newValue } }
  }

  /// What happens to a value: send none, one or many. By default it is sent on, if the types
  /// allow it; a transform of the library's own does its work with it, as if `from` had told it.
  ///
  /// What is sent is followed when `receive` returns, under the same wave and context.
  open func receive(_ value: Input, from sender: AnyNode?, context: (any Sendable)?) {
    if makeStep != nil { return runStep(value, context) }
    guard let output = value as? Output else {
      misuse(
        "NodeTransform", "\(type(of: self)) does not say what becomes of a value", toNode,
        "Override receive(_:from:context:).")
    }
    send(output, context: context)
  }

  /// What happens when `from` is emptied: by default nothing passes.
  open func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {}

  /// A new life begins: reset counters here. No thread is inside the life before it any more; if one
  /// is, that thread calls this, and pushes the first value, when it is out.
  open func begin() {}

  /// Sends a value to `to`. Inside `receive` the value goes with the wave that is being received;
  /// outside, and from any thread, as a wave of its own with `context`. What still waits for a
  /// thread that is inside `to` when the transform is cut is dropped. From outside it is a set of `to`: a batch
  /// stages it, and in the closure of a derivation it stops with a message.
  @inlinable public final func send(_ value: Output, context: (any Sendable)?) {
    deliverSent(.value(value), context)
  }

  /// The same without context.
  @inlinable public final func send(_ value: Output) {
    let turn = currentTurn()
    if let edge = turn.pointee.receiving, isAsked(over: edge), turn.pointee.sent == .busy,
      turn.pointee.receivedNumber == turn.pointee.wave.number,
      edge.isQuick(from: edge.pointee.up.unsafelyUnwrapped, in: turn)
    {
      let down = edge.pointee.down.unsafelyUnwrapped
      edge.storeQuickly(value, from: edge.pointee.up.unsafelyUnwrapped, in: turn)
      // See `take`. It was at rest; but where a value died, somebody may follow it by now.
      turn.pointee.sent = down.beginUntold(_isPOD(Output.self) ? [] : down.pointee.flags)
    } else {
      deliverSent(.value(value), nil)
    }
  }

  /// Empties `to`.
  public final func sendEmpty(context: (any Sendable)? = nil) { deliverSent(.empty, context) }

  // MARK: Engine

  @usableFromInline override class func adopting(_ edge: EdgePointer) -> AnyNodeTransform {
    let shared = SharedStep(step: edge.pointee.step)
    let transform = NodeTransform<Input, Output>(
      edge.pointee.kind, hearsEmptiness: edge.pointee.hearsEmptiness
    ) { EdgeParts(shared.step) }
    let life = EdgeReference(edge)
    transform.ends.withLock { $0.life = life }
    return transform
  }

  /// The step of a life whose transform is this object.
  @inlinable func parts() -> EdgeParts {
    if let makeStep { return makeStep() }
    return EdgeParts(makeReceiver!(self))
  }

  @inlinable final func take(_ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer) -> Bool {
    let saved = (turn.pointee.receiving, turn.pointee.sent)
    let savedNumber = turn.pointee.receivedNumber
    (turn.pointee.receiving, turn.pointee.sent) = (edge, .busy)
    turn.pointee.receivedNumber = turn.pointee.wave.number
    let handle = up.pointee.handle.load(ordering: .relaxed).unsafelyUnwrapped  // the edge keeps it
    Unmanaged<AnyNode>.fromOpaque(handle)._withUnsafeGuaranteedRef { sender in
      if !turn.pointee.wave.flags.has(.emptied.with(.context)) {
        receive(up.slot(Input.self).pointee, from: sender, context: noContext)
      } else if turn.isEmptied {
        receiveEmpty(from: sender, context: turn.currentContext)
      } else {
        receive(up.slot(Input.self).pointee, from: sender, context: turn.currentContext)
      }
    }
    let sent = turn.pointee.sent
    (turn.pointee.receiving, turn.pointee.sent) = saved
    turn.pointee.receivedNumber = savedNumber
    // The first value was stored, and the others wait there: true, the loop takes it up.
    return edge.endSending(sent, in: turn)
  }

  @inlinable final func deliverSent(_ arrival: Arrival<Output>, _ context: (any Sendable)?) {
    let turn = currentTurn()
    guard let edge = turn.pointee.receiving, isAsked(over: edge), !edge.pointee.has(.cut)
    else {
      return deliverFromOutside(arrival, context)
    }
    let up = edge.pointee.up.unsafelyUnwrapped
    // Sending changes the turn's wave if it comes late; a second value starts from the received
    // one. So does what is sent by a listener that the transform makes run, which is inside another wave.
    let (saved, number) = (turn.pointee.wave, turn.pointee.receivedNumber)
    let isInside = saved.number != number
    if isInside { up.resume(number, in: turn) }
    let isStored = edge.passSlowly(arrival, from: up, in: turn)
    if isStored, turn.pointee.sent == .busy {
      let before = edge.pointee.down.unsafelyUnwrapped.beginUntold()
      turn.pointee.sent = isInside ? before.with(.sentInside) : before
    }
    if isInside || !isStored { turn.pointee.wave = saved }
  }

  /// A value from outside, for a transform that is no subclass.
  private final func runStep(_ value: Input, _ context: (any Sendable)?) {
    guard let up = from else { return }
    let box = context.map { ContextBox($0) }
    let turn = currentTurn()
    if turn.openBatch?.refuses == true { up.refuseEffect("receive") }
    turn.enter()
    up.storage.perform(in: turn) { turn in
      let body: (TurnPointer) -> Void = { self.runStep(of: up, value, box, $0) }
      if up.storage.pointee.flags.has(.busy) {
        up.storage.waitForTurn(body, in: turn)  // the step may be running
      } else {
        up.storage.whileBusy(in: turn) { body(turn) }
      }
    }
    turn.leave()
  }

  /// Holder of the upstream's region, which is busy.
  private final func runStep(
    of up: Node<Input>, _ value: Input, _ context: ContextBox?, _ turn: TurnPointer
  ) {
    // An edge that is not cut stays as long as its upstream's region is held.
    let life = ends.withLock { ends -> EdgeReference? in
      guard let life = ends.life, life.edge.pointee.up == up.storage,
        !life.edge.pointee.has(.cut)
      else { return nil }
      return life
    }
    guard let edge = life?.edge else { return }
    let (hand, source) = takeHand()
    let saved = (turn.pointee.wave, source.pointee.region.load(ordering: .relaxed))
    source.store(value)
    // So the result does not queue behind what waits in the region of both ends: see `passSlowly`.
    source.pointee.region.store(
      up.storage.pointee.region.load(ordering: .relaxed), ordering: .relaxed)
    turn.pointee.wave.number = newWave()
    turn.pointee.wave.flags = context == nil ? [] : .context
    turn.pointee.wave.context = context.map { Unmanaged.passUnretained($0) }
    if edge.pointee.run(source, edge, turn) { edge.pointee.down!.propagate(in: turn) }
    turn.pointee.wave = saved.0
    source.pointee.region.store(saved.1, ordering: .relaxed)
    source.clearValue(Input.self)
    ends.withLock { $0.hands[hand].isFree = true }
  }

  /// Where what a user hands to the step lies while it runs: the step of an earlier life may still be running. It lives as long as this
  /// object, for messages name it as the sender.
  private final func takeHand() -> (place: Int, storage: NodePointer) {
    let free = ends.withLock { ends -> (Int, AnyNode)? in
      guard let place = ends.hands.firstIndex(where: \.isFree) else { return nil }
      ends.hands[place].isFree = false
      return (place, ends.hands[place].node)
    }
    if let (place, node) = free { return (place, node.storage) }
    let new = MutableNode<Input>()
    return ends.withLock { ends in
      ends.hands.append((new, false))
      return (ends.hands.count - 1, new.storage)
    }
  }

  /// The edge of a transform that receives has no other state.
  @inlinable final func isAsked(over edge: EdgePointer) -> Bool {
    UInt(bitPattern: edge.pointee.object.load(ordering: .relaxed)?.toOpaque())
      == UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
  }

  @usableFromInline final func deliverFromOutside(
    _ arrival: Arrival<Output>, _ context: (any Sendable)?
  ) {
    guard let target = to else { return }
    let box = context.map { ContextBox($0) }
    let turn = currentTurn()
    if let batch = turn.openBatch { return stage(arrival, box, for: target, in: batch) }
    let landing = target.landing(isLinked: false), storage = landing.storage
    defer { withExtendedLifetime(landing) {} }
    turn.enter()
    // Looked at again by the holder: another thread may have cut it, and set its end since.
    func bring(_ wave: UInt64, _ turn: TurnPointer) {
      if to === target { storage.apply(arrival, wave, context: box, in: turn) }
    }
    let wave = newWave()
    // A closure is made only where it has to wait.
    if storage.claim(by: turn) {
      bring(wave, turn)
    } else {
      storage.perform(in: turn) { bring(wave, $0) }
    }
    turn.leave()
  }

  /// As a set of the node, though it may be one that only transforms can set.
  private final func stage(
    _ arrival: Arrival<Output>, _ context: ContextBox?, for target: Node<Output>, in batch: Batch
  ) {
    if batch.refuses { target.refuseEffect("send") }
    let node = unsafeDowncast(target, to: MutableNode<Output>.self)
    if let lens = target.lens {
      lens.set(arrival, of: node, context: context)
    } else {
      node.stage(arrival, context, in: batch)
    }
  }

  @usableFromInline final func requireFree(_ operation: String, _ node: AnyNode) {
    if from == nil, to == nil { return }
    misuse(
      operation, "the transform “\(name)” already joins nodes", node,
      "Use one transform a link, or set its `from` and `to`.")
  }

  /// Attaches the edge of a new life. One of a subclass begins when nobody is inside the life before it;
  /// whoever is there holds the upstream of that one.
  override func start(_ edge: EdgePointer, _ turn: TurnPointer) {
    if makeReceiver == nil {
      edge.attachNow(in: turn)
      return
    }
    let before = ends.withLock { $0.receivesAt }
    if let before, !before.storage.holds(by: turn) {
      before.storage.perform(in: turn) { self.beginLife(edge, $0) }
    } else {
      beginLife(edge, turn)
    }
  }

  /// Nobody is inside the life before.
  private final func beginLife(_ edge: EdgePointer, _ turn: TurnPointer) {
    let up = edge.pointee.up!
    if !up.holds(by: turn) { return up.perform(in: turn) { self.beginLife(edge, $0) } }
    let isPresent = ends.withLock { ends in
      if ends.life?.edge != edge || edge.pointee.has(.cut) { return false }
      ends.receivesAt = edge.pointee.upNode
      return true
    }
    if isPresent { begin() }
    edge.attachNow(in: turn)
  }
}

extension NodeFlags {
  /// Of `Turn.sent`: inside of another wave.
  @inlinable static var sentInside: NodeFlags { .late }
}

extension EdgePointer {
  /// The transform has returned.
  @inlinable @inline(__always) func endSending(_ sent: NodeFlags, in turn: TurnPointer) -> Bool {
    if !sent.isEmpty { return endSendingSlowly(sent, in: turn) }
    pointee.down.unsafelyUnwrapped.endUntold([])
    return true
  }

  @usableFromInline @inline(never) func endSendingSlowly(
    _ sent: NodeFlags, in turn: TurnPointer
  ) -> Bool {
    if sent == .busy { return false }
    let down = pointee.down.unsafelyUnwrapped
    down.endUntold(sent)
    if sent.has(.sentInside) { down.resume(in: turn) }
    return true
  }
}

extension NodePointer {
  /// The wave of that number which the node tells: its own, or what is pushed over one edge, without context.
  @usableFromInline @inline(never) func resume(_ number: UInt64, in turn: TurnPointer) {
    resume(in: turn)
    if turn.pointee.wave.number != number { turn.pointee.wave = Wave(number: number) }
  }
}

/// A nil that is passed by its address: one made at the call would be destroyed at run time.
@usableFromInline let noContext: (any Sendable)? = nil
