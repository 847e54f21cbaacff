import Synchronization

// A join refuses what comes round a cycle and is older than what it has told, for two such waves would go round for ever. But it may
// have told that without this: on two threads, or where something older comes late. As long as the cycle is there, the next set
// mends it (Limits). But where a derivation or a flatten closes a cycle for a moment, because it runs before what it turns to, and opens it
// again, nobody means that cycle: then the join runs once more.

extension NodePointer {
  /// Asked by whoever has found out that the join has got further than this, which comes over a filtered edge. True: it is refused, and if it is
  /// older, that is noted; the very number of what the node has says that the wave has been here. False: the edge lies on no cycle any
  /// more. Any thread.
  ///
  /// Whoever opens the cycle looks at the note after that, by an exchange too: so either he finds it, or this finds the cycle open.
  func refuses(_ delivery: Delivery, _ join: JoinPointer, over edge: EdgePointer) -> Bool {
    let isOlder = delivery.wave.number != pointee.wave.load(ordering: .acquiring)
    if !isOlder || join.pointee.tellsEachOnce { return true }
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

  /// Its joins to which these edges lead run once more, each under a number of its own. Holder.
  fileprivate func runAgain(for missed: Set<EdgePointer>, in turn: TurnPointer) {
    if !isInUse() || !hasMissedSomething() { return }
    // A run that stays silent has read it too.
    _ = sideTable().missedAt.exchange(0, ordering: .acquiringAndReleasing)
    // Some may be cut by now, and another's edges: so they are looked for among its own.
    for edge in edges(.ins) where missed.contains(edge) && !edge.pointee.has(.starting) {
      guard let join = edge.pointee.joinBelow(), !join.pointee.tellsEachOnce else { continue }
      let delivery = Delivery(newWave(), context: nil)
      if turn.pointee.isTraced {
        turn.pointee.wave = delivery.wave
        edge.tracePush(in: turn)
      }
      noteArrival(at: join, delivery, over: edge, sender: edge.pointee.up!, in: turn)
    }
  }
}

/// These lie on no cycle any more. When all joins have run, those that have still not told what they refused run again. Under the
/// topology lock.
func tellMissed(over edges: Set<EdgePointer>, in turn: TurnPointer) {
  let missed = Dictionary(grouping: edges) { $0.pointee.down! }
    .sorted { $0.key.pointee.id < $1.key.pointee.id }
  // One without a handle is over.
  let kept = missed.compactMap { down, edges in
    down.handle().map { (down: down, edges: Set(edges), handle: $0) }
  }
  turn.putOff { turn in
    for (down, edges, handle) in kept {
      down.perform(in: turn) { turn in
        down.runAgain(for: edges, in: turn)
        _ = consume handle
      }
    }
  }
}
