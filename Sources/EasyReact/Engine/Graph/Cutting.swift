import CEasyReact
import Synchronization

// The end of an edge: marked by any thread, at once; taken out of its lists at the end of a turn (Reclamation.swift).

extension EdgePointer {
  /// From here on nothing passes. An edge that was cut already stays as it is.
  @usableFromInline func cut(by turn: TurnPointer) {
    if isNotedAtOnce(in: turn) ? markOnCycle() : mark() { finishCut(in: turn) }
  }

  /// On a cycle, and starting, or dropped by the join that runs: another thread's cut must not find the mark first, and open the cycle in
  /// the join's stead (Flow/Missed.swift).
  private func isNotedAtOnce(in turn: TurnPointer) -> Bool {
    guard let down = pointee.down, pointee.up!.component() != nil else { return false }
    return (pointee.has(.starting) || turn.pointee.running == down) && liesOnCycle()
  }

  /// The cut is noted at once, and not by whoever attaches the edge: else what this turn tells next would be filtered because of a cycle that
  /// is no more, and might lose against an older value that had to wait. Under the topology lock no edge is freed (`awaitTopology`).
  private func markOnCycle() -> Bool {
    underTopologyLock {
      let isAttached = mark()
      openCycles()
      return isAttached
    }
  }

  /// Sets the cut mark, and tells what waits in a scheduler. True: the caller must call `finishCut`.
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

  /// The second half of cutting: done by the thread that set the mark. Until then the mark keeps the edge from being
  /// freed.
  func finishCut(in turn: TurnPointer) {
    if turn.pointee.isTraced { traceCut(in: turn) }
    if let down = pointee.down {
      if pointee.has(.intoWhole) || pointee.traits.has(.keepsVersion) { endOrder(in: turn) }
      if pointee.traits.has(.endsDownstream) { down.terminate() }
      noteCut()
      // What the edge of a flatten follows is let go of at once, if nobody else is inside the result.
      if let state = pointee.state, down.claim(by: turn) {
        state.takeUnretainedValue().detached(turn)
      }
    }
    let up = pointee.up.unsafelyUnwrapped
    if up.holds(by: turn) {
      retire(.edge(self), turn)  // before messages are opened: their sets need not look at it
    } else {
      up.send(isMaintenance: true, self, in: turn) { payload, turn in
        retire(.edge(takePayload(payload, EdgePointer.self)), turn)
      }
    }
  }
}

extension EdgePointer {
  /// A part comes behind its inlet as long as that leads into the whole, and the whole to the part: else what orders them might close a cycle that nothing
  /// goes round.
  @inline(never) private func endOrder(in turn: TurnPointer) {
    let (node, list) =
      pointee.has(.intoWhole) ? (pointee.up!, EdgeListKind.outs) : (pointee.down!, .ins)
    // Marked under the lock, while no edge is freed.
    var marked: [EdgePointer] = []
    node.forEachEdge(list, areAllMeant: true) {
      if $0.pointee.has(.ordersOnly), $0.mark() { marked.append($0) }
    }
    for edge in marked { edge.finishCut(in: turn) }
  }
}

extension NodePointer {
  /// An upstream edge was lost: a node that computes from all of them tells nothing any more.
  fileprivate func terminate() {
    pointee.join?.pointee.isTerminated.store(true, ordering: .releasing)
    pointee.sideTableIfAny()?.termination?.mark()
  }
}
