import Synchronization

// Listening comes in two ownerships: a `Listening` that the caller keeps, or `by:` an owner whose
// life it shares; and in two places: on the thread that sets, or on a scheduler. All are one edge
// with one closure. Those by an owner are in Node+ListeningByOwner.swift.

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

  /// The same, with the context of each set; nil for plain sets and for the first value.
  @inlinable
  public final func listenWithContext(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    startListening(at: SourceLocation(file, line)) { up, _, turn in
      up.withValue { body($0, turn.currentContext) }
      return false
    }
  }

  /// The same, with the nodes from the set to this one. The path is built for such listeners only.
  public final func listenWithPath(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, [AnyNode]) -> Void
  ) -> Listening {
    startListening(at: SourceLocation(file, line)) { up, _, _ in
      body(up.slot(Value.self).pointee, up.path())
      return false
    }
  }

  /// Calls `body` on a scheduler, later and in order, the first value included.
  ///
  /// What waits there when the listening ends is not called.
  @inlinable
  public final func listen(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Value>(scheduler) { value, _ in body(value) }
    return startListening(at: SourceLocation(file, line), state: calls, calls.step)
  }

  /// The same with the context.
  public final func listenWithContext(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Value>(scheduler) { value, context in body(value, context?.value)
    }
    return startListening(at: SourceLocation(file, line), state: calls, calls.step)
  }

  /// Calls `body` on the main actor, later and in order, also when the main thread sets.
  public final func listenOnMain(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) -> Void
  )
    -> Listening
  {
    listen(on: MainScheduler(), file: file, line: line) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }

  /// The same with the context.
  public final func listenOnMainWithContext(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    listenWithContext(on: MainScheduler(), file: file, line: line) { value, context in
      MainActor.assumeIsolated { body(value, context) }
    }
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
    at location: SourceLocation, state: EdgeState? = nil, hearsEmptiness: Bool = false,
    _ step: @escaping Step
  ) -> Listening {
    let edge = makeListener(state: state, hearsEmptiness: hearsEmptiness, publicObject: nil, step)
    let listening = Listening(edge)
    attachListener(edge, at: location)
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
    if let publicObject {
      edge.pointee.publicObject.store(Unmanaged.passRetained(publicObject), ordering: .relaxed)
    }
    edge.countOnUpstream()
    return edge
  }

  @usableFromInline final func attachListener(_ edge: EdgePointer, at location: SourceLocation) {
    let turn = currentTurn()
    turn.enter()
    if turn.pointee.isTraced { turn.pointee.callSite = location }
    edge.appendToUpstream()
    edge.attachNow(in: turn)
    turn.leave()
  }
}

extension NodePointer {
  /// The handle of a node that an edge in use retains.
  func inUse() -> AnyNode? { node() }
}
