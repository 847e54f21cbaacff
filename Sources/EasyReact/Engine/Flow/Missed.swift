import Synchronization

// A join refuses what comes round a cycle and is older than what it has told, for two such waves would go round for ever. But it may
// have told that without this: on two threads, or where something older comes late. As long as the cycle is there, the next set
// mends it (Limits). But where a derivation or a flatten closes a cycle for a moment, because it runs before what it turns to, and opens it
// again, nobody means that cycle: then what was refused meanwhile is told after all.

extension EdgePointer {
  /// Does this wave, which crosses the edge, pass it only to a node with an older version? See contract 5.2.
  /// - Parameter flags: The edge's.
  @inline(__always) func filters(_ wave: Wave, _ flags: EdgeFlags) -> Bool {
    flags.has(.filtered) || wave.flags.has(.crossedBackEdge) && liesOnCycle()
  }
}

extension NodePointer {
  /// Called by whoever has found out that this is to be refused. Notes that something older was; the number of this very wave says that the
  /// node has it. False: the edge lies on no cycle any more, so it is not to be refused. Any thread.
  ///
  /// Whoever opens the cycle looks at the note after that, by an exchange, too: so either he finds it, or this finds the cycle open.
  func misses(_ delivery: Delivery, over edge: EdgePointer) -> Bool {
    if delivery.wave.number == pointee.wave.load(ordering: .acquiring) { return true }
    _ = sideTable().missedAt.max(newWave(), ordering: .acquiringAndReleasing)
    return edge.filters(delivery.wave, edge.pointee.allFlags)
  }

  /// Has it refused something, and told nothing since? What has a greater number than the note set out after that, and so was computed
  /// from what had come by then. Any thread; exact for the holder.
  func hasMissedSomething() -> Bool {
    guard let sideTable = pointee.sideTableIfAny() else { return false }
    let missedAt = sideTable.missedAt.bitwiseOr(0, ordering: .acquiringAndReleasing).newValue
    return missedAt > pointee.wave.load(ordering: .acquiring)
  }

  /// Sends its value once more over those of the edges that need it. Holder.
  fileprivate func pushMissed(over missed: Set<EdgePointer>, in turn: TurnPointer) {
    // It may have lost some meanwhile, which are another's now, or nobody's: so they are looked for among its own.
    for edge in edges(.outs) where missed.contains(edge) {
      if !pointee.hasValue.load(ordering: .relaxed) { return }
      if edge.pointee.has([.cut, .starting, .filtered]) || edge.pointee.joinBelow() == nil {
        continue
      }
      let down = edge.pointee.down!
      if down.isInUse(), down.hasMissedSomething() { edge.pushValue(in: turn) }
    }
  }
}

/// These lie on no cycle any more. When all joins have run, those that have still not told what they refused will hear of it. Under the
/// topology lock.
func tellMissed(over edges: Set<EdgePointer>, in turn: TurnPointer) {
  let ups = Set(edges.map { $0.pointee.up! }).sorted { $0.pointee.id < $1.pointee.id }
  // One without a handle is nobody's upstream any more.
  let kept = ups.compactMap { up in up.handle().map { (up: up, handle: $0) } }
  turn.putOff { turn in
    for (up, handle) in kept {
      up.perform(in: turn) { turn in
        up.pushMissed(over: edges, in: turn)
        _ = consume handle
      }
    }
  }
}
