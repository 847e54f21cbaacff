import CEasyReact
import Synchronization

// How a value flows from `set` to a listener, joins included. Read from top to bottom, in the order of the calls:
//
//  1. `setValue`     claims the node's region (or leaves the value by message), gives the wave its number, stores,
//                    and propagates; unusual cases go by `apply` and step 2.
//  2. `arrive`       a value comes to a node: it waits if the node is busy, else it is stored, unless a filtered
//                    wave has been here (Flow/Storing.swift).
//  3. `propagate`    the loop: a node that stored a value tells its listeners in order, then its edges are followed
//                    in order, each branch to its end before the next.
//  4. `notify`       calls the listeners.
//  5. `pass`         an edge's step (a closure, made by the operator: see `map` in Mapping.swift) reads the stored
//                    value, computes, and brings the result to the next node: directly, over a claim, or by message.
//  6. `takeNext`     what waited at a busy node is told when the node has finished with its present value.
//  7. `noteArrival`  the step of an edge into a join: the join is only noted.
//  8. `settle`       the outermost call ends: joins run by rank, each once for all that reached it, then what was
//                    retired is freed, then regions are given back, each after its messages.
//
// The usual cases have quick ways, which do the same in fewer instructions: Flow/Passing.swift, and `noteQuickly`.
//
// Words. *Turn*: from the outermost set on a thread until it returns. *Wave*: everything that one set causes; it is in
// `Turn.wave` while it is under way, and its number is in `NodeStorage.wave` of each node that it has reached. *Busy*: a node that
// still has something to do for its present value. *Holder*: the thread that has claimed a region. In the comments on functions
// "Holder." says that only the holder of the node's region may call this; "True: …" and "Nil: …" say what a result means.
//
// Invariants (Invariants.swift checks those that hold between turns).
//  - A value is stored only into a node that is not busy, so all receivers of a node hear one sequence.
//  - The stack of busy nodes is linked through the nodes (`caller`): a chain of any length needs no memory and no
//    recursion. A node is in it at most once.
//  - `Turn.wave` is that of the node on top, except inside user code, where a nested set saves and restores it.
//  - No lock is held while a closure, `==`, a listener or a `deinit` of the user runs.

// MARK: 1 A set

extension NodePointer {
  /// Sets a node: the first line of every wave.
  @inlinable @inline(__always) func setValue<Value: Sendable>(
    _ value: Value, context: ContextBox?, in turn: TurnPointer
  ) {
    turn.enter()
    var number = newWave()
    if claim(by: turn) || spinClaim(by: turn, &number) {
      if context == nil, pointee.flags.isEmpty, !hasReached(number), !turn.pointee.isTraced {
        beginWave(number, in: turn) { store(value, under: number) }
      } else {
        apply(.value(value), number, context: context, in: turn)
      }
    } else {
      sendSet(.value(value), number, context: context, in: turn)
    }
    turn.leave()
  }

  /// A set, a clean or an update with a wave of its own, by the holder.
  /// - Parameter number: The wave's, given when the set was made: before the claim, and before any user code runs.
  ///   So whatever other threads leave once it is claimed is newer.
  @inlinable @inline(never) func apply<Value: Sendable>(
    _ arrival: Arrival<Value>, _ number: UInt64, context: ContextBox?, in turn: TurnPointer
  ) {
    if context == nil, pointee.flags.has(.eventNode), isReadyForEvent, !hasReached(number),
      !turn.pointee.isTraced, case .value(let value) = arrival
    {
      return beginWave(number, .event, in: turn) { storeNextEvent(value, under: number) }
    }
    let saved = turn.pointee.wave
    let delivery = Delivery(number, context: context)
    if turn.pointee.isTraced { traceSet(context, number: number, in: turn) }
    if arrive(arrival, delivery, sender: nil, in: turn) { propagate(in: turn) }
    turn.pointee.wave = saved
    _ = consume context
  }
}

// MARK: 2 A value arrives

extension NodePointer {
  /// True: stored, propagate from here. False: it waits in the node's queue, or it was dropped.
  @inlinable @inline(never) func arrive<Value: Sendable>(
    _ arrival: consuming Arrival<Value>, _ delivery: Delivery, sender: NodePointer?,
    in turn: TurnPointer
  ) -> Bool {
    if pointee.flags.has(.busy) {
      waitForTurn(arrival, delivery, sender: sender, in: turn)
      return false
    }
    if storeArrival(arrival, delivery, sender: sender, in: turn) { return true }
    tellWhatWaits(in: turn)  // set here by a change that found nothing to do
    return false
  }
}

// MARK: 3 The loop

extension NodePointer {
  /// This node has stored a value. Returns when everything that follows from it without joins has been
  /// told.
  @usableFromInline func propagate(in turn: TurnPointer) {
    let base = turn.pointee.top
    var node = self
    var hasNewValue = true
    while true {
      if hasNewValue { node.beginNotification(in: turn) }
      if let edge = node.pointee.cursor {
        node.pointee.cursor =
          edge == node.pointee.end ? nil : edge.pointee.next.load(ordering: .acquiring)
        // No edge has the bit that marks an event.
        let flags = edge.pointee.flags.load(ordering: .relaxed) | turn.pointee.wave.flags.rawValue
        if flags & ~NodeFlags.event.rawValue == 0 || edge.mayPass(in: turn) {
          hasNewValue = edge.pointee.run(node, edge, turn)
          if hasNewValue { node = edge.pointee.down.unsafelyUnwrapped }
        } else {
          hasNewValue = false
        }
        continue
      }
      // All edges are done: on to the next value that waits here, or back to the node below.
      node.endTelling()
      if node.hasQueue, node.takeNext(in: turn) {
        hasNewValue = true
        continue
      }
      node.pointee.flags.remove(.busy)
      turn.pointee.top = node.pointee.caller
      if turn.pointee.top == base { return }
      node = turn.pointee.top.unsafelyUnwrapped
      node.resume(in: turn)
      hasNewValue = false
    }
  }

  /// The node goes on the stack, its listeners hear the value, and its edges are next.
  @inline(__always) fileprivate func beginNotification(in turn: TurnPointer) {
    if !pointee.flags.has(.untold) {
      push(in: turn)
    } else {
      if !pointee.flags.has(.busy) { push(in: turn) }
      if pointee.flags.only(.holdsNoValue.with(.event)) == .holdsNoValue,
        let audience = takeAudience()
      {
        return notify(audience, in: turn)
      }
    }
    // Taken before the listeners run: what is linked meanwhile lies behind it and gets its own
    // initial push.
    pointee.end = pointee.lastOut.load(ordering: .acquiring)
    pointee.cursor = pointee.end == nil ? nil : pointee.firstOut.load(ordering: .acquiring)
    if pointee.firstListener.load(ordering: .acquiring) != nil {
      notifyOneByOne(to: pointee.lastListener.load(ordering: .acquiring), in: turn)
    }
  }

  @inline(__always) private func push(in turn: TurnPointer) {
    pointee.caller = turn.pointee.top
    turn.pointee.top = self
    pointee.flags.insert(.busy)
  }

  @inline(never) private func notify(_ audience: Audience, in turn: TurnPointer) {
    if audience.number > turn.pointee.wave.number {
      pointee.wave.store(audience.number, ordering: .releasing)
      pointee.flags.remove(.late)
      turn.pointee.wave.number = audience.number
      turn.pointee.wave.flags.remove(.late)
    }
    pointee.end = audience.lastOut
    pointee.cursor = pointee.end == nil ? nil : pointee.firstOut.load(ordering: .acquiring)
    notifyOneByOne(to: audience.lastListener, in: turn)
  }
}

// MARK: 4 Listeners

extension NodePointer {
  /// In order of attachment, up to the last one that was there when the notification began. Nil: there was none; perhaps
  /// another thread is appending the first one.
  @inline(__always) fileprivate func notifyOneByOne(to last: EdgePointer?, in turn: TurnPointer) {
    guard let last else { return }
    if turn.pointee.isTraced { return notifyTraced(to: last, in: turn) }
    var next = pointee.firstListener.load(ordering: .acquiring)
    while let edge = next {
      if edge.pointee.flags.load(ordering: .relaxed) == 0,
        !turn.pointee.wave.flags.has(.emptied) || edge.pointee.hearsEmptiness
      {
        _ = edge.pointee.run(self, edge, turn)
      }
      if edge == last { return }
      // Unlinking waits for the end of the turn.
      next = edge.pointee.next.load(ordering: .acquiring)
    }
  }
}

// MARK: 5 Over an edge

extension EdgePointer {
  /// The end of every step: brings `value` to the edge's other node. True: it was stored, the loop
  /// goes on there.
  @inlinable @inline(__always) func pass<Value: Sendable>(
    _ value: consuming Value, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    if isWord(Value.self) {
      if passCopy(copy value, from: up, in: turn) { return true }
      return passOtherwise(value, from: up, in: turn)
    }
    // The value is moved into its place: a copy on the way would cost a string two atomic operations.
    if !isQuick(from: up, in: turn) { return passOtherwise(value, from: up, in: turn) }
    storeQuickly(value, from: up, in: turn)
    return true
  }

  /// For another thread's region, a busy node, a filtered edge, a context, a wave that comes late, or emptiness.
  @inlinable @inline(never) func passSlowly<Value: Sendable>(
    _ arrival: consuming Arrival<Value>, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    passSlowly(arrival, delivery(in: turn), from: up, in: turn)
  }

  @inlinable @inline(__always) func passSlowly<Value: Sendable>(
    _ arrival: consuming Arrival<Value>, _ delivery: Delivery, from up: NodePointer,
    in turn: TurnPointer
  ) -> Bool {
    // What flows within a region does not queue behind its messages.
    if up.sharesRegion(pointee.down.unsafelyUnwrapped) {
      return passHeld(arrival, delivery, from: up, in: turn)
    }
    return deliver(ArrivalCrossing(arrival, from: up), delivery, in: turn)
  }

  /// By the holder of the downstream's region: nothing is left for later.
  @inlinable @inline(__always) func passHeld<Value: Sendable>(
    _ arrival: consuming Arrival<Value>, _ delivery: Delivery, from up: NodePointer,
    in turn: TurnPointer
  ) -> Bool {
    if pointee.isOver() { return stop(.cut, in: turn) }
    return pointee.down.unsafelyUnwrapped.arrive(arrival, delivery, sender: up, in: turn)
  }
}

// MARK: 6 What waits at a busy node

extension NodePointer {
  /// Stores the next value that waits here and may be told. The node stays on the stack.
  @inline(never) func takeNext(in turn: TurnPointer) -> Bool {
    guard let queue = pointee.sideTableIfAny()?.queue else { return false }
    while true {
      var item = queue.takeFirst()
      guard let isStored = item?(self, turn) else { return false }
      whileStored(isStored, in: turn) { item = nil }
      if isStored { return true }
    }
  }
}

// MARK: 7 At a join

extension NodePointer {
  /// Notes that the join is to run, as part of this wave. Holder of its region. False: the wave has been here already.
  @discardableResult func noteArrival(
    at join: JoinPointer, _ delivery: Delivery, over edge: EdgePointer, sender: NodePointer,
    in turn: TurnPointer
  ) -> Bool {
    if pointee.life == .unwanted || join.pointee.isTerminated.load(ordering: .relaxed) {
      return refuseArrival(.cut, delivery, from: sender, in: turn)
    }
    var (wave, tiebreak) = (delivery.wave.number, delivery.tiebreak & ~toldAgain)
    let isReached = isReached(by: delivery)
    var isFiltered = delivery.isFiltered
    if isFiltered, isReached, !join.hasSkipped(wave) {
      isFiltered = refuses(delivery, join, over: edge)
      if isFiltered { return refuseArrival(.reachedAlready, delivery, from: sender, in: turn) }
    }
    if turn.pointee.isTraced { traceArrival(wave: delivery.wave.number, from: sender, in: turn) }
    if isFiltered ? isReached : delivery.rules.has(.waited) {
      (wave, tiebreak) = (join.renumber(from: pointee.wave.load(ordering: .relaxed)), 0)
    } else if isReached {
      (wave, tiebreak) = (newWave(), 0)
    }
    // Ranks rise along edges, so a join that is not above the running one was reached by a listener's
    // set. Only ranks of one count can be compared.
    if pointee.rank.load(ordering: .acquiring) <= turn.pointee.runningRank, turn.hasNewestRanks {
      countReentrantSet(in: turn)
    }
    var flags = delivery.wave.flags.only(.inFlight).without(.late)
    // What it computes is told again if all that made it run was.
    let again =
      delivery.tiebreak & toldAgain & (join.pointee.isWaiting ? join.pointee.tiebreak : toldAgain)
    if tiebreak | again != 0 { flags.insert(.late) }
    if !join.pointee.isWaiting {
      pushJoin(join, in: turn)
    } else if !join.isOlder(than: wave, tiebreak, flags) {
      join.pointee.tiebreak &= ~toldAgain | again
      return true
    }
    join.note(wave, tiebreak | again, flags, from: sender)
    join.noteContext(of: delivery.wave)
    return true
  }
}

// MARK: 8 The end of a turn

extension TurnPointer {
  /// Goes on until nothing is left to do: joins by rank, then what died, then messages, each a turn of its own; then
  /// the regions are given back.
  @inline(__always) func settle() {
    while true {
      if pointee.joinCount > 0 {
        runJoin()
      } else if pointee.retiredCount > 0 {
        reclaimOne()
      } else if let region = pointee.held {
        if pointee.ending != nil { tellSettled() }
        if region.hasMessages { openNext(of: region) } else { release(region) }
      } else {
        return
      }
    }
  }

  /// The waiting join of lowest rank computes once, and what it tells is followed.
  func runJoin() {
    guard let waiting = popJoin() else { return }
    let (storage, join) = (waiting.storage, waiting.join)
    let context = join.endWait()
    if storage.pointee.life == .unwanted || join.pointee.isTerminated.load(ordering: .relaxed) {
      if pointee.isTraced { storage.traceStop(.cut, in: self) }
      return
    }
    pointee.wave = Wave(number: join.pointee.wave, flags: join.pointee.flags, context: context)
    (pointee.running, pointee.runningRank) = (storage, waiting.rank)
    (pointee.runningSender, pointee.runningTiebreak) = (join.pointee.sender, join.pointee.tiebreak)
    if join.pointee.run(storage, self) {
      pointee.toldJoins &+= 1
      storage.propagate(in: self)
    } else if pointee.isTraced, !join.pointee.isWaiting {
      storage.traceSilentRun(in: self)
    }
    (pointee.running, pointee.runningRank) = (nil, .min)
    pointee.wave.context = nil
    _ = consume context
  }
}
