import CEasyReact
import Synchronization

/// A node that holds one current value, or is empty, and tells its listeners and the nodes
/// downstream of each change.
///
///     let price = MutableNode(2), count = MutableNode(3)
///     let total = price.combine(count).map { $0 * $1 }      // Node<Int>
///     let listening = total.listen { print($0) }            // 6
///     price.value = 4                                       // 12
///
/// `Node` is the reading side; only a ``MutableNode`` can be set, and writing to a `Node` does not
/// compile. Any thread may use any member. Listeners run on the thread that sets, in order of
/// attachment, before `set` returns, unless another thread is inside the node: that thread then
/// tells them (contract 7.3).
///
/// Known as `EZRNode` in EasyReact, `BehaviorRelay` in RxSwift, `CurrentValueSubject` in Combine,
/// `Property` in ReactiveSwift.
public class Node<Value: Sendable>: AnyNode, ReadableNode, NodeFactory, @unchecked Sendable {
  // Unchecked: adds no state.

  // A large value in an `any` is on the heap, so it is not asked whether there is one (contract 16.5).
  public final override var isEmpty: Bool { storage.readValue(Value.self) == nil }
  public final override var anyValue: (any Sendable)? { storage.readValue(Value.self) }
  public final override var valueType: Any.Type { Value.self }

  final override func described(isEvent: Bool, _ limit: Int) -> Described? {
    if isEvent { return Described(storage.slot(Value.self).pointee, limit: limit) }
    return storage.readStored(Value.self).map { Described($0, limit: limit) }
  }
  final override func traceManner(isEvent: Bool) -> TraceManner {
    let value = isEvent ? storage.slot(Value.self).pointee : storage.readStored(Value.self)
    return value.map { TraceLayout.manner(of: $0) } ?? .undecided
  }
  final override func copyStored(to place: UnsafeMutableRawPointer) {
    guard let value = storage.readStored(Value.self) else { return }
    place.storeBytes(of: value, as: Value.self)
  }

  final override class func transformType(from up: AnyNode.Type) -> AnyNodeTransform.Type {
    up.transformType(to: Value.self)
  }
  final override class func transformType<Output: Sendable>(
    to _: Output.Type
  ) -> AnyNodeTransform.Type { NodeTransform<Value, Output>.self }

  /// Makes the node one that can be set, for good, and returns the very same object.
  ///
  ///     let node = Node(33)
  ///     node.mutablify().value = 34
  ///     node.value                      // 34
  ///
  /// Every holder of the node sees it become mutable. O(n) in the nodes that only this one can
  /// reach.
  public final func mutablify() -> MutableNode<Value> {
    // A lens can be set already, and what it shows stays its whole's.
    if storage.anyLens == nil,
      storage.pointee.insert(.isMutable)
    {
      let turn = currentTurn()
      turn.enter()
      storage.makeHead(in: turn)
      turn.leave()
    }
    return unsafeDowncast(self, to: MutableNode<Value>.self)
  }

  /// Names the node and returns it: `let sum = a.combine(b).map(+).named("sum")`.
  @discardableResult
  public final func named(_ name: String) -> Self {
    self.name = name
    return self
  }
}

/// A node that can be set.
///
///     let name = MutableNode("Ada")
///     name.value = "Grace"
///     name.set("Barbara", context: "import")     // the context goes to every listener of the wave
///     name.clean()                               // empty: nobody is told
///
/// Known as `EZRMutableNode` in EasyReact.
public class MutableNode<Value: Sendable>: Node<Value>, @unchecked Sendable {
  // Unchecked: adds no state. Every node is one underneath, so that `mutablify` keeps the object;
  // `SharedNode` answers for its own.

  /// What keeps the value elsewhere too; nil: nobody, it is an ordinary node. The only member that is not final: ``SharedNode``, the
  /// only subclass, overrides it.
  package var keeperIfAny: (any ValueKeeper<Value>)? { nil }

  /// The present value; nil when the node is empty. Assigning nil empties it, like ``clean()``; but a
  /// node of optionals then holds the value nil, which is not empty.
  ///
  /// This thread reads what it has set, even while the set waits for another thread to tell it.
  /// Inside a notification of the node it is the value that is being told.
  public final var value: Value? {
    @inlinable get { storage.readValue(Value.self) }
    @inlinable set {
      if let newValue { setUnnoted(newValue) } else { setNil() }
    }
  }

  /// Stores a value, tells the listeners in order of attachment, and follows the edges in order of
  /// linking.
  ///
  /// There is no equality filter: setting 1 twice is heard twice. When the outermost set of a
  /// thread returns, everything that follows from it has settled, unless another thread is inside a
  /// node that it reaches. Inside a notification of this node the value waits until that
  /// notification ends, first in, first out.
  /// - Complexity: O(1) and the edges that the wave runs; no allocation.
  /// - Parameters file, line: The call, for a tracer.
  @inlinable @inline(__always) public final func set(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) {
    if easyreact_is_traced() { noteCallSite(SourceLocation(file, line)) }
    setUnnoted(value)
  }

  /// The same with a context, which goes unchanged to every edge and listener of the wave.
  @inlinable public final func set(
    _ value: Value, context: (any Sendable)?, file: StaticString = #fileID, line: UInt = #line
  ) {
    if easyreact_is_traced() { noteCallSite(SourceLocation(file, line)) }
    let box = context.map { ContextBox($0) }
    let turn = currentTurn()
    if isOrdinary(turn) {
      storage.setValue(value, context: box, in: turn)
    } else {
      setSlowly(.value(value), context: box)
    }
  }

  /// The same as a function of the value alone: `b.listen(by: a, calling: MutableNode.set)`.
  @_disfavoredOverload
  @inlinable public final func set(_ value: Value) { self.value = value }

  /// Empties the node. Its listeners are not told, and default edges do not pass emptiness on.
  @inlinable public final func clean() { setSlowly(.empty, context: nil) }

  /// Reads, changes and sets the value as one step: no set of another thread falls in between.
  ///
  ///     counter.update { $0 += 1 }       // from many threads: the exact total
  ///
  /// Nothing happens while the node is empty. Inside a notification of the node, or while another
  /// thread is inside it, the closure runs later: when the values before it have been told, on the
  /// thread that tells them. In a ``batch(_:)`` the closure runs at once, on what this thread
  /// reads there; the result is set at the batch's end, so what another thread sets meanwhile is
  /// overwritten.
  ///
  /// - Complexity: That of `body`, and of copying the value: a thread that reads meanwhile reads the old one, so a collection
  ///   that is changed in place is copied once per update.
  @inlinable public final func update(_ change: @escaping @Sendable (inout Value) -> Void) {
    let turn = currentTurn()
    if isOrdinary(turn), !storage.pointee.traits.has(.isKept) {
      storage.changeValue(change, in: turn)
    } else {
      setSlowly(.change(change), context: nil)
    }
  }

  /// `node.value = nil` names the outermost optional, which nobody means with a node of optionals.
  @usableFromInline final func setNil() {
    if let none = noValue(Value.self) { setUnnoted(none) } else { clean() }
  }

  /// A set whose call cannot say where it is.
  @inlinable @inline(__always) final func setUnnoted(_ value: Value) {
    let turn = currentTurn()
    if isOrdinary(turn) {
      storage.setValue(value, context: nil, in: turn)
    } else {
      setUnusually(value, turn)
    }
  }

  /// In a batch, or for a node that cannot be set.
  @inlinable @inline(never) final func setUnusually(_ value: Value, _ turn: TurnPointer) {
    let isStaged =
      storage.pointee.has(.isMutable)
      && turn.withOpenBatch { batch in
        if batch.refuses { return false }
        stage(value, nil, in: batch)
        return true
      }
    if !isStaged { setSlowly(.value(value), context: nil) }
  }

  /// Can be set, and this thread is in no batch.
  @inlinable @inline(__always) final func isOrdinary(_ turn: TurnPointer) -> Bool {
    storage.pointee.has(.isMutable) && turn.pointee.batch == nil
  }

  /// A cast reached a setter of a node that cannot be set.
  final func refuse(_ operation: String) -> Never {
    misuse(
      operation, "the node cannot be set", self,
      "Call mutablify() on it first, or set the node that it is computed from.")
  }

  @inlinable @inline(never) final func setSlowly(_ arrival: Arrival<Value>, context: ContextBox?) {
    if !storage.pointee.has(.isMutable) { return setPart(arrival, context) }
    let turn = currentTurn()
    if let batch = turn.openBatch { return stage(arrival, context, in: batch) }
    storage.bring(
      storage.pointee.traits.has(.isKept) ? kept(arrival) : arrival, context: context, in: turn)
  }

  /// For a node that the engine cannot set: a lens, or a mistake.
  @usableFromInline final func setPart(_ arrival: Arrival<Value>, _ context: ContextBox?) {
    if let lens { return lens.set(arrival, of: self, context: context) }
    refuse(arrival.operation)
  }
}

/// An optional whose type is not known.
private protocol NilValue { static var nilValue: Self { get } }
extension Optional: NilValue { fileprivate static var nilValue: Self { nil } }

/// The nil of a type of optionals; other types have none.
func noValue<Value>(_: Value.Type) -> Value? {
  (Value.self as? any NilValue.Type).map { $0.nilValue as! Value }
}

// MARK: - Reading

/// What every node can tell. It exists so that `value` can be read-only on a `Node` and settable on
/// a `MutableNode` without being overridden, which would cost a dynamic call.
public protocol ReadableNode<Value>: AnyNode {
  associatedtype Value: Sendable
}

extension ReadableNode {
  /// The present value; nil when the node is empty.
  ///
  /// Any thread may read. `Node<Int?>` can hold nil as a value, which is not empty: `value` is then
  /// `.some(nil)`.
  @inlinable public var value: Value? { storage.readValue(Value.self) }
}

// MARK: - Making

/// Lets `Node(15)` make an object that can become a `MutableNode` in place.
public protocol NodeFactory {}

extension NodeFactory {
  /// A node that holds `value` and cannot be set.
  @inlinable public init<Value>(_ value: Value, file: StaticString = #fileID, line: UInt = #line)
  where Self == Node<Value> {
    self = makeSource(value, isMutable: false, SourceLocation(file, line))
  }

  /// An empty node that cannot be set: to be linked, or made mutable later.
  @inlinable public init<Value>(file: StaticString = #fileID, line: UInt = #line)
  where Self == Node<Value> {
    self = makeSource(nil, isMutable: false, SourceLocation(file, line))
  }

  /// A node that holds `value` and can be set.
  @inlinable public init<Value>(_ value: Value, file: StaticString = #fileID, line: UInt = #line)
  where Self == MutableNode<Value> {
    self = makeSource(value, isMutable: true, SourceLocation(file, line))
  }

  /// An empty node that can be set.
  @inlinable public init<Value>(file: StaticString = #fileID, line: UInt = #line)
  where Self == MutableNode<Value> {
    self = makeSource(nil, isMutable: true, SourceLocation(file, line))
  }
}

@inlinable func makeSource<Value: Sendable>(
  _ value: Value?, isMutable: Bool, _ location: SourceLocation
) -> MutableNode<Value> {
  MutableNode(adopting: makeSourceStorage(value, isMutable: isMutable, location))
}

@inlinable func makeSourceStorage<Value: Sendable>(
  _ value: Value?, isMutable: Bool, _ location: SourceLocation
) -> NodePointer {
  let storage = makeStorage(
    of: Value.self, region: nil, location: location,
    inEdge: EdgeStorage(kind: .link, flags: .detached) { _, _, _ in false })
  if let value { storage.store(value) }
  if isMutable { storage.pointee.insert(.isMutable) }
  return storage
}

extension Arrival {
  /// What the user called.
  var operation: String {
    switch self {
    case .value: "set"
    case .empty: "clean"
    case .change, .attempt, .decision: "update"
    }
  }
}

// MARK: - Misuse

/// Stops with a message: what, where, and the remedy.
@usableFromInline func misuse(
  _ operation: String, _ problem: String, _ node: AnyNode?, _ remedy: String
) -> Never {
  stop(operation, problem, node.map { " (\($0.whereabouts))" } ?? "", remedy)
}

/// The same where the node is not made yet.
func misuse(_ operation: String, _ problem: String, at location: SourceLocation, _ remedy: String)
  -> Never
{
  stop(
    operation, problem, " (a node that would be made at \(location.file):\(location.line))", remedy)
}

private func stop(
  _ operation: String, _ problem: String, _ place: String, _ remedy: String
) -> Never {
  fatalError("EasyReact: \(operation): \(problem)\(place). \(remedy)")
}
