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
  /// or the next `listen(by:)` to it, which looks at two other listenings of that node. Neither comes if the
  /// owner alone kept the node: such an owner should be a ``ListeningOwner``, or keep what this returns in
  /// a ``CancelableBag``.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    startHandingOwner(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) {
      owner, up, _, _ in
      up.withValue { body(owner, $0) }
    }
  }

  /// Calls `body` with each change, as long as `owner` lives.
  ///
  ///     node.listenToChanges(by: log) { log, change in log.note(change.value, by: change.context) }
  @discardableResult
  @inlinable
  public final func listenToChanges<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Change<Value>) -> Void
  ) -> any Cancelable {
    startHandingOwner(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) {
      owner, up, edge, turn in
      body(owner, Change(up, edge, turn))
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
    startHandingOwner(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) {
      owner, up, _, _ in
      up.withValue { method(owner)($0) }
    }
  }

  /// The same for a method without parameters.
  @discardableResult
  @inlinable
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner, calling method: @escaping @Sendable (Owner) -> () -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    startHandingOwner(at: SourceLocation(file, line), OwnedListening(owner: owner), owner) {
      owner, _, _, _ in
      method(owner)()
    }
  }

  /// Calls `body` on a scheduler, later and in order, as long as the owner lives.
  ///
  /// An owner that is not `Sendable` must belong there: nobody else may touch it meanwhile.
  @discardableResult
  public final func listen<Owner: AnyObject>(
    by owner: Owner, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let calls = ScheduledListener<Value>(scheduler, listening.whileOwned(body))
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls, calls.stepOfValues())
  }

  /// Calls `body` with each change on a scheduler, later and in order, as long as the owner lives.
  @discardableResult
  public final func listenToChanges<Owner: AnyObject>(
    by owner: Owner, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Change<Value>) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let calls = ScheduledListener<Change<Value>>(scheduler, listening.whileOwned(body))
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls, calls.stepOfChanges())
  }

  /// Makes `edge` hear values and emptiness as long as the owner lives.
  @discardableResult
  public final func listen(
    by owner: some AnyObject, with edge: ListenEdge<Value>, file: StaticString = #fileID,
    line: UInt = #line
  ) -> any Cancelable {
    start(
      at: SourceLocation(file, line), OwnedListening(owner: owner), owner, hearsEmptiness: true,
      step(of: edge))
  }

  /// Ends all listenings of this node by `owner`.
  /// - Complexity: O(1) and the listenings that end.
  public final func stopListening(by owner: some AnyObject) {
    let found = storage.attachmentsIfAny()?.owned.withLock { $0.all(of: owner) }
    for listening in found ?? [] { listening.cancel() }
  }

  /// Each event looks for the owner first: if it is gone, the listening ends instead.
  final func start(
    at location: SourceLocation, _ listening: OwnedListening, _ owner: some AnyObject,
    state: EdgeState? = nil, hearsEmptiness: Bool = false, _ step: @escaping Step
  ) -> any Cancelable {
    attach(
      listening, owner, at: location, state: state, hearsEmptiness: hearsEmptiness,
      listening.unlessOwnerIsGone(step))
  }

  /// The same with an owner that any thread may retain: each event hands it on.
  @inlinable final func startHandingOwner<Owner: AnyObject & Sendable>(
    at location: SourceLocation, _ listening: OwnedListening, _ owner: Owner,
    _ body: @escaping (Owner, NodePointer, EdgePointer, TurnPointer) -> Void
  ) -> any Cancelable {
    // The edge's public object, which it retains.
    let unretained = Unmanaged.passUnretained(listening)
    return attach(listening, owner, at: location) { up, edge, turn in
      unretained._withUnsafeGuaranteedRef { listening in
        if let owner = listening.owner {
          body(unsafeDowncast(owner, to: Owner.self), up, edge, turn)
        } else {
          listening.cancel()
        }
      }
      return false
    }
  }

  @usableFromInline final func attach(
    _ listening: OwnedListening, _ owner: some AnyObject, at location: SourceLocation,
    state: EdgeState? = nil, hearsEmptiness: Bool = false, _ step: @escaping Step
  ) -> any Cancelable {
    // A node that listens to itself is not kept by that.
    let keepsNode = owner !== self as AnyObject
    let edge = makeListener(
      state: state, hearsEmptiness: hearsEmptiness, publicObject: listening, keepsNode: keepsNode,
      step)
    listening.edge = edge
    register(listening, owner: owner, of: storage)
    attachListener(edge, at: location)
    return listening
  }
}

extension OwnedListening {
  /// The owner is looked for without being retained: it may be none of this thread's, and must not die here.
  final func unlessOwnerIsGone(_ step: @escaping Step) -> Step {
    // The edge's public object, which it retains.
    let unretained = Unmanaged.passUnretained(self)
    return { up, edge, turn in
      unretained._withUnsafeGuaranteedRef { listening in
        if !listening.isOwnerGone { return step(up, edge, turn) }
        listening.cancel()
        return false
      }
    }
  }

  /// Looks for the owner when the call is made, which may be long after it was scheduled. The call
  /// may outlive the edge, so it holds the listening; the listening holds nothing.
  final func whileOwned<Owner: AnyObject, Item>(
    _ body: @escaping @Sendable (Owner, Item) -> Void
  ) -> @Sendable (Item) -> Void {
    { item in
      if let owner = self.owner {
        body(unsafeDowncast(owner, to: Owner.self), item)
      } else {
        self.cancel()
      }
    }
  }
}
