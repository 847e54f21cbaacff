// Nodes that tell events: values that are told and not kept. Documentation/Decisions/0003.

extension NodeFactory {
  /// Makes a node whose values are events: told to whoever listens at the moment, and not kept.
  ///
  ///     let taps = MutableNode<Void>.eventNode()
  ///     let first = taps.listen { print("tapped") }
  ///     taps.fire()                                   // tapped
  ///     let second = taps.listen { print("also") }    // nothing: there is no value to begin with
  ///
  /// An event node is always empty: `value` is nil, even while an event is told; attaching a listener
  /// or deriving a node tells nothing, even in the midst of an event. Order, threads, contexts and
  /// the queue of a busy node are those of any node; in a batch the last event that was staged is
  /// told.
  ///
  /// What is derived from it passes the event on and keeps nothing either, until something says that
  /// a value is to be kept: ``Node/held(file:line:)``, ``Node/startWith(_:file:line:)``, `scan`,
  /// `count`, `link(to:)` or `sync(with:)` into a node of your own. `combine` reads the latest
  /// values, of which an event node has none, so it stays silent: use `withLatest(from:)`, `zip` or
  /// `merge`. Documentation/Operators.md says this for each operator.
  ///
  /// Known as `PublishRelay` in RxSwift, `PassthroughSubject` in Combine, `Signal.pipe` in
  /// ReactiveSwift.
  public static func eventNode<Value: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> MutableNode<Value> where Self == MutableNode<Value> {
    let node = MutableNode<Value>(
      unpublished: makeSourceStorage(nil as Value?, isMutable: true, SourceLocation(file, line)))
    node.storage.markEventNode()
    node.publish()
    return node
  }
}

extension Node {
  /// Returns an event node of this node's values: none is told on attaching, none is kept.
  ///
  ///     let changes = price.events()          // the present price is not told
  ///
  /// Known as `changes` or `signal` of a `Property` in ReactiveSwift, `skip(1)` with `share()` in Rx.
  public final func events(file: StaticString = #fileID, line: UInt = #line) -> Node<Value> {
    let turn = currentTurn()
    turn.enter()
    let node = makeHead(Value.self, SourceLocation(file, line), turn)
    node.storage.markEventNode()
    let edge = connect(self, node.storage, kind: .events) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
    node.publish()
    if turn.pointee.isTraced { edge.traceEdge(made: true, in: turn) }
    storage.perform(in: turn) { turn in edge.attachWithoutPush(in: turn) }
    turn.leave()
    return node
  }

  /// Returns a node that keeps the last event, and tells it on attaching like any value.
  ///
  ///     let lastKey = keys.held()             // empty until the first key
  ///
  /// For a node that keeps its values it is ``fork(file:line:)``. Known as `share(replay: 1)` in
  /// RxSwift, `Property(initial:then:)` in ReactiveSwift (with a first value:
  /// ``startWith(_:file:line:)``).
  public final func held(file: StaticString = #fileID, line: UInt = #line) -> Node<Value> {
    derive(.held, SourceLocation(file, line), Value.self) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
  }
}

extension NodePointer {
  /// Before the node is published.
  fileprivate func markEventNode() {
    sideTable().isEventNode = true
    pointee.flags.insert(.eventNode)
  }
}
