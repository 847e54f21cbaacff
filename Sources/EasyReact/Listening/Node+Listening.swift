import Synchronization

// Listening comes in two words: `listen` hears values, `listenToChanges` hears each value's context and
// path too. Both in two ownerships: a `Listening` that the caller keeps, or `by:` an owner whose life
// it shares; and in two places: on the thread that sets, or `on:` a scheduler, of which the main actor
// has a form of its own. All are one edge with one closure. Those by an owner are in
// Node+ListeningByOwner.swift, those of actors in Node+ListeningOnActors.swift.

/// What a listener is called with: the present value of the node, and the context of the wave.
extension TurnPointer {
  @inlinable var currentContext: (any Sendable)? {
    pointee.wave.context?.takeUnretainedValue().value
  }
  /// For a step that hears emptiness: the upstream was emptied, there is no value.
  @inlinable var isEmptied: Bool { pointee.wave.flags.has(.emptied) }
  /// What is told is an event: it is not kept.
  @inlinable var isEvent: Bool { pointee.wave.flags.has(.event) }
}

extension Node {
  /// Calls `body` with the present value at once, unless the node is empty, and with every later
  /// one.
  ///
  ///     let listening = node.listen { print($0) }
  ///
  /// Listeners are called in order of attachment, on the thread that sets, before `set` returns;
  /// one attached during a notification is not visited by it. Keep the result: releasing it ends
  /// the listening.
  @inlinable
  public final func listen(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Value) -> Void
  ) -> Listening {
    startListening(at: SourceLocation(file, line)) { up, _, _ in
      up.withValue(body)
      return false
    }
  }

  /// Calls `body` with each value, its context and its path: the present value at once, unless the
  /// node is empty, and every later one.
  ///
  ///     let listening = price.listenToChanges { change in
  ///       print(change.value, change.context ?? "-")       // 1 -
  ///     }
  ///     price.set(2, context: "import")                    // 2 import
  ///
  /// In all other respects it is ``listen(file:line:_:)``. What ``Change/path`` tells is worked out when it is
  /// asked for.
  @inlinable
  public final func listenToChanges(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Change<Value>) -> Void
  ) -> Listening {
    startListening(at: SourceLocation(file, line)) { up, edge, turn in
      body(Change(up, edge, turn))
      return false
    }
  }

  /// Calls `body` on a scheduler, later and in order, the first value included.
  ///
  ///     let listening = node.listen(on: .queue(storage)) { store($0) }
  ///
  /// Calls that wait there when the listening ends are not made.
  @inlinable
  public final func listen(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Value>(scheduler, body)
    return startListening(at: SourceLocation(file, line), state: calls, calls.stepOfValues())
  }

  /// Calls `body` with each change on a scheduler, later and in order, the first value's included.
  ///
  /// Each change brings its path along, so each costs O(n) in the nodes of its path.
  public final func listenToChanges(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Change<Value>) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Change<Value>>(scheduler, body)
    return startListening(at: SourceLocation(file, line), state: calls, calls.stepOfChanges())
  }

  /// Makes `edge` hear values and emptiness. Keep the result.
  public final func listen(
    with edge: ListenEdge<Value>, file: StaticString = #fileID, line: UInt = #line
  ) -> Listening {
    startListening(at: SourceLocation(file, line), hearsEmptiness: true, step(of: edge))
  }

  final func step(of edge: ListenEdge<Value>) -> Step {
    { up, _, turn in
      let sender = up.inUse()
      if !turn.isEmptied {
        edge.receive(up.slot(Value.self).pointee, from: sender, context: turn.currentContext)
      } else {
        edge.receiveEmpty(from: sender, context: turn.currentContext)
      }
      return false
    }
  }

  @usableFromInline final func startListening(
    at location: SourceLocation?, state: EdgeState? = nil, hearsEmptiness: Bool = false,
    hearsPresent: Bool = true, _ step: @escaping Step
  ) -> Listening {
    let edge = makeListener(state: state, hearsEmptiness: hearsEmptiness, publicObject: nil, step)
    let listening = Listening(edge)
    attachListener(edge, at: location, hearsPresent: hearsPresent)
    return listening
  }

  @usableFromInline final func makeListener(
    state: EdgeState?, hearsEmptiness: Bool, publicObject: AnyObject?, keepsNode: Bool = true,
    _ step: @escaping Step
  ) -> EdgePointer {
    let edge = makeEdge(
      EdgeStorage(
        kind: .listen, up: storage,
        handle: keepsNode ? Unmanaged.passRetained(self as AnyNode) : nil,
        hearsEmptiness: hearsEmptiness, flags: .starting, state: state, step: step))
    if let publicObject { edge.pointee.setPublicObject(publicObject) }
    edge.countOnUpstream()
    return edge
  }

  /// - Parameter hearsPresent: Is the present value the first that it is called with?
  @usableFromInline final func attachListener(
    _ edge: EdgePointer, at location: SourceLocation?, hearsPresent: Bool = true
  ) {
    let turn = currentTurn()
    turn.enter()
    if turn.pointee.isTraced { turn.pointee.callSite = location }
    edge.appendToUpstream()
    if hearsPresent {
      edge.attachNow(in: turn)
    } else {
      if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
      storage.perform(in: turn) { turn in edge.attachWithoutPush(in: turn) }
    }
    turn.leave()
  }
}

extension NodePointer {
  /// The handle of a node that an edge in use retains.
  @usableFromInline func inUse() -> AnyNode? { node() }
}
