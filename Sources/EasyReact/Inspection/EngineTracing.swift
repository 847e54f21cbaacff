import CEasyReact
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// What the engine reports to a tracer. None of it is inlined into the engine: the room for an event would be part of the loop's frame, of
// which there is one for each listener that sets another node.

private func emit(
  _ kind: GraphEvent.Kind, _ storage: NodePointer?, _ wave: UInt64,
  _ context: Unmanaged<ContextBox>? = nil, at location: SourceLocation? = nil
) {
  emit(kind, storage?.pointee.id ?? 0, storage.flatMap { $0.name }, wave, context, at: location)
}

/// Of the wave under way, where a node or an edge is at it: elsewhere its context may be gone.
private func emit(_ kind: GraphEvent.Kind, _ storage: NodePointer, in turn: TurnPointer) {
  emit(kind, storage, turn.pointee.wave.number, turn.pointee.wave.context)
}

private func emit(
  _ kind: GraphEvent.Kind, _ node: UInt64, _ name: @autoclosure () -> String?, _ wave: UInt64,
  _ context: Unmanaged<ContextBox>?, at location: SourceLocation? = nil
) {
  GraphTracing.emit(
    of: node,
    GraphEvent(
      kind: kind, node: node, name: name(), wave: wave,
      context: context?.takeUnretainedValue().value,
      thread: UInt64(UInt(bitPattern: easyreact_turn_get())), time: GraphTracing.elapsed,
      callSite: location.map { "\($0.file):\($0.line)" }))
}

extension NodePointer {
  @usableFromInline @inline(never) func traceMade() {
    if let creationRecorder = CreationRecorder.current, let node = self.node() {
      creationRecorder.add(node)
    }
    emit(.nodeMade, self, 0)
  }

  @inline(never) func traceGone(in turn: TurnPointer) {
    emit(.nodeGone, self, 0)
    GraphTracing.forget(pointee.id)
  }

  @usableFromInline @inline(never) func traceWave(_ wave: UInt64, began: Bool) {
    whileDescribed { emit(began ? .waveBegan : .waveEnded, self, wave) }
  }

  /// A value that is stored, but not told yet, must not be overwritten: what the user's `description`,
  /// or a tracer, sets meanwhile waits at the node until that value has been told. Holder.
  fileprivate func whileDescribed(_ body: () -> Void) {
    let wasBusy = pointee.flags.only(.busy)
    pointee.flags.insert(.busy)
    body()
    pointee.flags = pointee.flags.without(.busy).with(wasBusy)
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceEdge(made: Bool, in turn: TurnPointer) {
    let down = pointee.down?.pointee.id
    // Where a listener was attached is noted by the call; see `set` for the same.
    let location = made && down == nil ? turn.pointee.callSite : nil
    if location != nil { turn.pointee.callSite = nil }
    if made {
      CreationRecorder.current?.add(self, at: location)
    } else {
      CreationRecorder.remove(self)
    }
    emit(made ? .edgeMade(to: down) : .edgeGone(to: down), pointee.up, 0, at: location)
  }
}

@usableFromInline @inline(never) func traceTurn(began: Bool, _ turn: TurnPointer) {
  emit(began ? .turnBegan : .turnEnded, nil, 0)
}

@usableFromInline func noteCallSite(_ location: SourceLocation) {
  currentTurn().pointee.callSite = location
}

extension NodePointer {
  @usableFromInline @inline(never) func traceSet(in turn: TurnPointer) {
    // Between turns the number of the last wave is left behind.
    let wave = turn.pointee.depth.load(ordering: .relaxed) > 1 ? turn.pointee.wave.number : 0
    emit(.set, self, wave, at: turn.pointee.callSite)
    turn.pointee.callSite = nil
    if let node = self.node(), !node.hasListener, edges(.outs).isEmpty {
      emit(.stopped(.noConsumer), self, wave)
    }
  }

  @usableFromInline @inline(never) func traceStored(in turn: TurnPointer) {
    if !GraphTracing.hears(pointee.id) { return }
    whileDescribed {
      let node = self.node()
      let value =
        if turn.pointee.wave.flags.has(.event) {
          "event: \(node?.describedEvent ?? "")"
        } else {
          untracked { node?.anyValue.map { String(describing: $0) } } ?? "empty"
        }
      emit(.valueStored(value), self, in: turn)
    }
  }
}

extension AnyNode {
  /// Does it tell events, of its own or of a node upstream, that nothing on the way keeps?
  fileprivate final var tellsEvents: Bool {
    var seen: Set<AnyNode> = []
    var waiting = [self]
    while let node = waiting.popLast() {
      if node.isEventNode { return true }
      if !seen.insert(node).inserted { continue }
      let next = node.lookAtEdges(.ins) { edge, up in
        edge.pointee.traits.has(.keepsEvents) ? nil : up
      }
      waiting += next.compactMap { $0 }
    }
    return false
  }
}

extension EdgePointer {
  @inline(never) func traceListener(in turn: TurnPointer) {
    let owned =
      pointee.publicObject.load(ordering: .relaxed)?.takeUnretainedValue() as? OwnedListening
    if let owned, owned.isOwnerGone { return }
    emit(.listenerCalled, pointee.up!, in: turn)
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    emit(.stopped(reason), self, turn.pointee.wave.number)
  }

  /// A join of latest values says nothing, for an upstream has none.
  @usableFromInline @inline(never) func traceWaiting(in turn: TurnPointer) {
    if !turn.pointee.isTraced { return }
    let upstreams = node()?.lookAtEdges(.ins) { edge, up in
      edge.pointee.kind.readsLatest ? up : nil
    }
    let isForEver =
      upstreams?.contains { $0.map { $0.isEmpty && $0.tellsEvents } ?? false } ?? false
    traceStop(isForEver ? .eventsAreNotKept : .waitsForAnotherUpstream, in: turn)
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    emit(.stopped(reason), (pointee.down ?? pointee.up)!, in: turn)
  }
}

/// What is told of a message that is left with another thread, read before it is left.
@usableFromInline struct MessageNote {
  private let node: UInt64
  private let name: String?
  private let wave: UInt64

  @usableFromInline init(_ storage: NodePointer, _ turn: TurnPointer) {
    node = storage.pointee.id
    name = storage.name
    wave = turn.pointee.wave.number
  }

  @usableFromInline func trace() { emit(.stopped(.leftInMailbox), node, name, wave, nil) }
}

extension NodePointer {
  /// A set had to wait in a node's queue.
  @usableFromInline @inline(never) func countReentrantSet(in turn: TurnPointer) {
    turn.pointee.reentrantSets &+= 1
    if turn.pointee.reentrantSets == GraphLimits.reentrantSets {
      warnOfEndlessSets(turn.pointee.reentrantSets, turn)
    }
  }
}

/// Names the nodes that are on the stack: those that the sets go round.
private func warnOfEndlessSets(_ count: Int, _ turn: TurnPointer) {
  var names: [String] = []
  var next = turn.pointee.top
  while let storage = next, names.count < 20 {
    if let node = storage.node() { names.append(node.whereabouts) }
    next = storage.pointee.caller
  }
  if easyreact_is_traced() {
    emit(.endlessSets(count: count, names: names), turn.pointee.top, turn.pointee.wave.number)
  }
  let message =
    "EasyReact: \(count) sets waited in queues in one turn; listeners set each other in a circle of: "
    + names.joined(separator: ", ")
    + ". Set only on a change, or raise GraphLimits.reentrantSets.\n"
  _ = message.withCString { write(2, $0, strlen($0)) }
}

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.current { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { $0.node()?.whereabouts }
}

/// Whose timer is being set, where that is not the node being told: a source that ticks.
enum TimerOwner {
  @TaskLocal static var current: AnyNode?
}

// MARK: - Where something goes no further

extension EdgePointer {
  /// Reports why, if anybody listens.
  @inlinable @inline(__always) func stop(_ reason: GraphEvent.Stop, in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, in: turn) }
    return false
  }
}

extension NodePointer {
  @inlinable @inline(__always) func stop(_ reason: GraphEvent.Stop, in turn: TurnPointer) -> Bool {
    if turn.pointee.isTraced { traceStop(reason, in: turn) }
    return false
  }
}
