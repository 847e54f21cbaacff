import Synchronization

// Listeners that live as long as their owner, which they do not keep.

extension Node {
  /// Calls `body` as long as `owner` lives. The owner is not retained, and comes as a parameter.
  ///
  ///     node.listen(by: panel) { panel, value in panel.show(value) }
  ///
  /// Any thread may call it, so the owner is `Sendable`; another object is handed to its listener on
  /// the main actor or a scheduler. When the owner is gone no call is made; what the listening kept is
  /// freed at once if the owner is a ``ListeningOwner``, else at the latest with the node's next value
  /// or the next `listen(by:)` to it, which looks at two others of that node.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    start(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) { owner, up, _, _ in
      up.withValue { body(owner, $0) }
    }
  }

  /// The same with the context of each set.
  @discardableResult
  @inlinable
  public final func listenWithContext<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, body)
  }

  /// The same with the nodes from the set to this one.
  @discardableResult
  public final func listenWithPath<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, [AnyNode]) -> Void
  ) -> any Cancelable {
    start(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) { owner, up, _, _ in
      body(owner, up.slot(Value.self).pointee, up.path())
    }
  }

  /// Calls a method of the owner, which is not retained: `node.listen(by: panel, calling:
  /// Panel.show)`.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner, calling method: @escaping @Sendable (Owner) -> (Value) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    start(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) { owner, up, _, _ in
      up.withValue { method(owner)($0) }
    }
  }

  /// The same for a method of the value and the context.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner,
    calling method: @escaping @Sendable (Owner) -> (Value, (any Sendable)?) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner) { owner, value, context in
      method(owner)(value, context)
    }
  }

  /// The same for a method without parameters.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner, calling method: @escaping @Sendable (Owner) -> () -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner) { owner, _, _ in method(owner)() }
  }

  /// Calls `body` on a scheduler, later and in order, as long as the owner lives.
  ///
  /// An owner that is not `Sendable` must be at home there: nobody else may touch it meanwhile.
  @discardableResult
  public final func listen<Owner: AnyObject>(
    by owner: Owner, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: scheduler) { owner, value, _ in
      body(owner, value)
    }
  }

  /// The same with the context.
  @discardableResult
  public final func listenWithContext<Owner: AnyObject>(
    by owner: Owner, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: scheduler, body)
  }

  /// Calls `body` on the main actor, later and in order, as long as the owner lives.
  @discardableResult
  public final func listenOnMain<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: MainScheduler()) {
      owner, value, _ in
      MainActor.assumeIsolated { body(owner, value) }
    }
  }

  /// The same with the context.
  @discardableResult
  public final func listenOnMainWithContext<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: MainScheduler()) {
      owner, value, context in
      MainActor.assumeIsolated { body(owner, value, context) }
    }
  }

  /// The same from the main actor, for an owner of its that is not `Sendable`.
  @discardableResult
  @MainActor
  public final func listenOnMain<Owner: AnyObject>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: MainScheduler()) {
      owner, value, _ in
      nonisolated(unsafe) let owner = owner  // the main actor's since it was given
      MainActor.assumeIsolated { body(owner, value) }
    }
  }

  /// The same with the context.
  @discardableResult
  @MainActor
  public final func listenOnMainWithContext<Owner: AnyObject>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    startListening(at: SourceLocation(file, line), by: owner, on: MainScheduler()) {
      owner, value, context in
      nonisolated(unsafe) let owner = owner  // as above
      MainActor.assumeIsolated { body(owner, value, context) }
    }
  }

  /// Makes `edge` hear values and emptiness as long as the owner lives.
  @discardableResult
  public final func listen(
    by owner: some AnyObject, with edge: ListenEdge<Value>, file: StaticString = #fileID,
    line: UInt = #line
  ) -> any Cancelable {
    let hear = step(of: edge)
    return start(
      at: SourceLocation(file, line), OwnedListening(owner: owner), owner, hearsEmptiness: true
    ) {
      _, up, life, turn in
      _ = hear(up, life, turn)
    }
  }

  /// Ends all listenings of this node by `owner`.
  /// - Complexity: O(1) and the listenings that end.
  public final func stopListening(by owner: some AnyObject) {
    let found = storage.attachmentsIfAny()?.owned.withLock { $0.all(of: owner) }
    for listening in found ?? [] { listening.cancel() }
  }

  @inlinable final func startListening<Owner: AnyObject>(
    at location: SourceLocation, by owner: Owner,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    start(at: location, OwnedListening(owner: owner), owner) { owner, up, _, turn in
      up.withValue { body(owner, $0, turn.currentContext) }
    }
  }

  private final func startListening<Owner: AnyObject>(
    at location: SourceLocation, by owner: Owner, on scheduler: some NodeScheduler,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    // The hop may outlive the edge, so it holds the listening; the listening holds nothing.
    let calls = ScheduledListener<Value>(scheduler) { value, context in
      if let owner = listening.owner {
        body(unsafeDowncast(owner, to: Owner.self), value, context?.value)
      } else {
        listening.cancel()
      }
    }
    let call = calls.step
    return start(at: location, listening, owner, state: calls) { _, up, life, turn in
      _ = call(up, life, turn)
    }
  }

  /// Each event looks for the owner first: if it is gone, the listening ends instead.
  @inlinable final func start<Owner: AnyObject>(
    at location: SourceLocation, _ listening: OwnedListening, _ owner: Owner,
    state: EdgeState? = nil,
    hearsEmptiness: Bool = false,
    _ body: @escaping (Owner, NodePointer, EdgePointer, TurnPointer) -> Void
  ) -> any Cancelable {
    // A node that listens to itself is not kept by that.
    let keepsNode = owner !== self as AnyObject
    let edge = makeListener(
      state: state, hearsEmptiness: hearsEmptiness, publicObject: listening, keepsNode: keepsNode
    ) { [listening = Unmanaged.passUnretained(listening)] up, life, turn in
      // It is the public object of the edge, which retains it.
      listening._withUnsafeGuaranteedRef { listening in
        if let owner = listening.owner {
          body(unsafeDowncast(owner, to: Owner.self), up, life, turn)
        } else {
          listening.cancel()
        }
      }
      return false
    }
    listening.edge = edge
    register(listening, owner: owner, of: storage)
    attachListener(edge, at: location)
    return listening
  }
}
