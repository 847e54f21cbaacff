import CEasyReact
import Synchronization

// How a value flows from `set` to a listener. Read from top to bottom, in the order of the calls:
//
//  1. `setValue`    claims the node's region (or leaves the value by mail), gives the wave its
//                   number, stores, and propagates; unusual cases go by `apply` and step 2.
//  2. `arrive`      a value comes to a node: it waits if the node is busy, is dropped if a filtered
//                   wave has been here, else it is stored.
//  3. `propagate`   the loop: a node that stored a value tells its listeners in order, then its
//                   edges are followed in order, each branch to its end before the next.
//  4. `notify`      calls the listeners.
//  5. `pass`        an edge's step (a closure, made by the operator: see `map` in Mapping.swift)
//                   reads the stored value, computes, and brings the result to the next node:
//                   directly, over a claim, or by mail.
//  6. `takeNext`    what waited at a busy node is told when the node has finished with its present
//                   value.
//  7. `finish`      (Turn.swift, by the outermost `leave`) joins run when no plain edge is left,
//                   then the dead are freed, then regions are given back, each after its mail.
//
// Words. *Turn*: from the outermost set on a thread until it returns. *Wave*: everything that one
// set causes; its number is in `Turn.wave` while it is under way and in `Core.wave` where it has
// been. *Busy*: a node that still has something to do for its present value. *Holder*: the thread
// that has claimed a region.
//
// Invariants (Engine+Invariants.swift checks those that hold between turns).
//  - A value is stored only into a node that is not busy, so all receivers of a node hear one
//    sequence.
//  - The stack of busy nodes is linked through the cores (`caller`): a chain of any length needs no
//    memory and no recursion. A node is in it at most once.
//  - `Turn.wave`, `.flags` and `.context` are those of the node on top, except inside user code,
//    where a nested set saves and restores them.
//  - No lock is held while a closure, `==`, a listener or a `deinit` of the user runs.

// MARK: 1 A set

/// Sets a node: the first line of every wave.
@inlinable @inline(__always) func setValue<Value: Sendable>(
  _ core: CorePointer, _ value: Value, context: ContextBox?, _ turn: TurnPointer
) {
  enter(turn)
  if claim(core, turn) || claimSoon(core, turn) {
    if context == nil, core.pointee.bits == 0, !turn.pointee.isTraced {
      let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
      let wave = newWave()
      (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = (wave, 0, nil)
      store(core, value)
      core.pointee.wave.store(wave, ordering: .releasing)
      core.pointee.sender.store(nil, ordering: .relaxed)
      propagate(core, turn)
      (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
    } else {
      apply(core, .value(value), context: context, turn)
    }
  } else {
    postSet(core, .value(value), context: context, turn)
  }
  leave(turn)
}

/// A set, a clean or an update with a wave of its own, by the holder.
/// - Parameter wave: Its number, if it had to wait; zero: a new one.
@inlinable @inline(never) func apply<Value: Sendable>(
  _ core: CorePointer, _ arrival: Arrival<Value>, context: ContextBox?, wave: UInt64 = 0,
  _ turn: TurnPointer
) {
  let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
  var crossing = Crossing(context: context)
  crossing.wave = wave
  if turn.pointee.isTraced { traceSet(core, turn) }
  if arrive(core, arrival, crossing, sender: nil, turn) { propagate(core, turn) }
  (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
  _ = consume context
}

// MARK: 2 A value arrives

/// True: stored, propagate from here. False: it waits in the node's queue, or it was dropped.
@inlinable @inline(never) func arrive<Value: Sendable>(
  _ core: CorePointer, _ arrival: consuming Arrival<Value>, _ crossing: Crossing,
  sender: CorePointer?, _ turn: TurnPointer
) -> Bool {
  if core.pointee.bits & Bits.busy != 0 {
    waitForTurn(core, arrival, crossing, sender: sender, turn)
    return false
  }
  return storeArrival(core, arrival, crossing, sender: sender, turn)
}

/// The rules of numbers (contract 5.2), tested when the value is stored. Holder; the node is not
/// notifying.
@inlinable func storeArrival<Value: Sendable>(
  _ core: CorePointer, _ arrival: consuming Arrival<Value>, _ crossing: Crossing,
  sender: CorePointer?, _ turn: TurnPointer
) -> Bool {
  if crossing.isFiltered && isReached(core, by: crossing) {
    if turn.pointee.isTraced { traceStop(.reachedAlready, core, turn) }
    return false
  }
  var flags = crossing.flags & ~Bits.late
  switch consume arrival {
  case .value(let value):
    if core.pointee.bits & Bits.eventNode != 0 { flags |= Bits.event }
    if flags & Bits.event != 0 { storeEvent(core, value) } else { store(core, value) }
  case .empty:
    clearValue(core, Value.self)
    flags = flags & ~Bits.event | Bits.emptied
  case .change(let body):
    guard let value = changed(core, Value.self, by: body) else { return false }
    store(core, value)
  }
  // The frequent cases of `stamp`: a set that had not to wait, and what comes over an ordinary edge.
  let (wave, sequence) =
    crossing.wave == 0
    ? (newWave(), 0)
    : !crossing.isFiltered && !crossing.waited
      && core.pointee.wave.load(ordering: .relaxed) < crossing.wave
      ? (crossing.wave, crossing.sequence) : stamp(crossing, at: core)
  if sequence != 0 {
    flags |= Bits.late
    noteSequence(core, wave, sequence)
  }
  core.pointee.wave.store(wave, ordering: .releasing)
  core.pointee.sender.store(sender, ordering: .relaxed)
  core.pointee.bits |= flags
  if let context = crossing.context { keepContext(core, context) }
  turn.pointee.wave = wave
  turn.pointee.flags = flags
  turn.pointee.context = crossing.context
  if turn.pointee.isTraced {
    if crossing.isSet {
      core.pointee.bits |= Bits.context  // so `dropTravelling` looks
      extras(of: core).isTracedStart.store(true, ordering: .relaxed)
      traceWave(wave, began: true, core)
    }
    traceStored(core, turn)
  }
  return true
}

// MARK: 3 The loop

/// `start` has stored a value. Returns when everything that follows from it without joins has been
/// told.
@usableFromInline func propagate(_ start: CorePointer, _ turn: TurnPointer) {
  let base = turn.pointee.top
  var node = start
  var hasNewValue = true
  while true {
    if hasNewValue {
      if node.pointee.bits & Bits.busy == 0 {
        node.pointee.caller = turn.pointee.top
        turn.pointee.top = node
        node.pointee.bits |= Bits.busy
      }
      // Taken before the listeners run: what is linked meanwhile lies behind it and gets its own
      // first push.
      node.pointee.end = node.pointee.lastOut.load(ordering: .acquiring)
      node.pointee.cursor =
        node.pointee.end == nil ? nil : node.pointee.firstOut.load(ordering: .acquiring)
      if node.pointee.firstListener.load(ordering: .acquiring) != nil { notify(node, turn) }
    }
    if let edge = node.pointee.cursor {
      node.pointee.cursor =
        edge == node.pointee.end ? nil : edge.pointee.next.load(ordering: .acquiring)
      let flags = edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.flags
      if flags == 0 || mayPass(edge, turn) {
        hasNewValue = edge.pointee.run(node, edge, turn)
        if hasNewValue { node = edge.pointee.down.unsafelyUnwrapped }
      } else {
        hasNewValue = false
      }
      continue
    }
    // All edges are done. The next value that waits here, or back to the node below.
    if node.pointee.bits & ~Bits.busy != 0 { dropTravelling(node) }
    if node.pointee.queue != nil, node.pointee.operations(node, .takeNext, turn) {
      hasNewValue = true
      continue
    }
    node.pointee.bits &= ~Bits.busy
    turn.pointee.top = node.pointee.caller
    if turn.pointee.top == base { return }
    node = turn.pointee.top.unsafelyUnwrapped
    resume(node, turn)
    hasNewValue = false
  }
}

/// The wave of the node that is on top again.
@inline(__always) private func resume(_ node: CorePointer, _ turn: TurnPointer) {
  turn.pointee.wave = node.pointee.wave.load(ordering: .relaxed)
  turn.pointee.flags = node.pointee.bits & Bits.travelling
  if turn.pointee.flags & Bits.context != 0 {
    turn.pointee.context = node.pointee.extrasIfAny()?.context.map { Unmanaged.passUnretained($0) }
  } else {
    turn.pointee.context = nil
  }
}

/// The rare cases of an edge in the loop: cut, starting, filtered, or the node was emptied.
private func mayPass(_ edge: EdgePointer, _ turn: TurnPointer) -> Bool {
  let flags = edge.pointee.flags.load(ordering: .acquiring)
  if flags & (EdgeFlags.cut | EdgeFlags.starting) != 0 {
    if turn.pointee.isTraced { traceStop(.cut, edge, turn) }
    return false
  }
  if turn.pointee.flags & Bits.emptied != 0, !edge.pointee.hearsEmptiness { return false }
  let crossing = Crossing(edge, turn)
  if crossing.isFiltered && isReached(edge.pointee.down.unsafelyUnwrapped, by: crossing) {
    if turn.pointee.isTraced { traceStop(.reachedAlready, edge, turn) }
    return false
  }
  return true
}

// MARK: 4 Listeners

/// In order of attachment, up to the last one that was there when the notification began.
@inline(__always) private func notify(_ node: CorePointer, _ turn: TurnPointer) {
  // Empty, or another thread is appending the first one.
  guard let last = node.pointee.lastListener.load(ordering: .acquiring) else { return }
  var next = node.pointee.firstListener.load(ordering: .acquiring)
  while let edge = next {
    if edge.pointee.flags.load(ordering: .relaxed) == 0,
      turn.pointee.flags & Bits.emptied == 0 || edge.pointee.hearsEmptiness
    {
      if turn.pointee.isTraced { traceListener(edge, turn) }
      _ = edge.pointee.run(node, edge, turn)
    } else if turn.pointee.isTraced, edge.pointee.has(EdgeFlags.cut) {
      traceStop(.cut, edge, turn)
    }
    if edge == last { return }
    next = edge.pointee.next.load(ordering: .acquiring)  // unlinking waits for the end of the turn
  }
}

// MARK: 5 Over an edge

/// The end of every step: brings `value` to the edge's other node. True: it was stored, the loop
/// goes on there.
@inlinable @inline(__always) func pass<Value: Sendable>(
  _ value: Value, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
) -> Bool {
  passQuickly(value, over: edge, from: up, turn)
    || passSlowly(.value(value), over: edge, from: up, turn)
}

/// The usual case: a node at rest that an ordinary wave reaches. False: nothing was done, but for a
/// claim.
@inlinable @inline(__always) func passQuickly<Value: Sendable>(
  _ value: Value, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
) -> Bool {
  let down = edge.pointee.down.unsafelyUnwrapped
  let wave = turn.pointee.wave
  // The edge is looked at again behind a claim: see `isOver`.
  guard edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.flags == 0,
    sharesRegion(up, down)
      || claimOther(down, turn) && edge.pointee.flags.load(ordering: .relaxed) == 0,
    down.pointee.bits == 0, down.pointee.wave.load(ordering: .relaxed) < wave,
    !turn.pointee.isTraced
  else { return false }
  store(down, value)
  down.pointee.wave.store(wave, ordering: .releasing)
  down.pointee.sender.store(up, ordering: .relaxed)
  return true
}

/// Another thread's region, a busy node, a filtered edge, a context, a wave that comes late, or emptiness.
@inlinable @inline(never) func passSlowly<Value: Sendable>(
  _ arrival: consuming Arrival<Value>, over edge: EdgePointer, from up: CorePointer,
  _ turn: TurnPointer
) -> Bool {
  let down = edge.pointee.down.unsafelyUnwrapped
  let crossing = Crossing(edge, turn)
  if sharesRegion(up, down) || claim(down, turn) {
    if edge.pointee.isOver() { return stop(.cut, edge, turn) }
    return arrive(down, arrival, crossing, sender: up, turn)
  }
  typealias Payload = (EdgePointer, Arrival<Value>, Crossing, CorePointer)
  let payload: Payload = (edge, consume arrival, crossing.retained(), up)
  post(
    makeLetter(to: down, payload) { payload, turn in
      let (edge, arrival, crossing, sender) = takePayload(payload, Payload.self)
      let context = crossing.takeContext()
      if !edge.pointee.isOver() {
        let down = edge.pointee.down.unsafelyUnwrapped
        let saved = (turn.pointee.wave, turn.pointee.flags, turn.pointee.context)
        if arrive(down, arrival, crossing.afterWaiting(context), sender: sender, turn) {
          propagate(down, turn)
        }
        (turn.pointee.wave, turn.pointee.flags, turn.pointee.context) = saved
      }
      _ = consume context
    }, turn)
  return false
}

// MARK: 6 What waits at a busy node

/// Stores the next value that waits here and may be told. The node stays on the stack.
@inlinable func takeNext<Value: Sendable>(
  _ core: CorePointer, _: Value.Type, _ turn: TurnPointer
) -> Bool {
  guard let queue = core.pointee.queue else { return false }
  let waiting = unsafeDowncast(queue.takeUnretainedValue(), to: Waiting<Value>.self)
  while let item = waiting.takeFirst() {
    switch item {
    case .arrival(let arrival, let waited, let sender):
      let context = waited.takeContext()
      let crossing = waited.afterWaiting(context)
      if storeArrival(core, arrival, crossing, sender: sender, turn) { return true }
    case .work(let body):
      let bits = core.pointee.bits & Bits.busy
      core.pointee.bits |= Bits.busy
      body(turn)
      core.pointee.bits = core.pointee.bits & ~Bits.busy | bits
    }
  }
  return false
}
