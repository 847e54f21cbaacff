import CEasyReact
public import Observation
import Synchronization

extension ReadableNode {
  /// The node as an `@Observable` object of the main actor.
  ///
  ///     struct Total: View {
  ///       let total: Node<Int>
  ///       var body: some View { Text("\(total.observed.current)") }     // drawn again when it changes
  ///     }
  ///
  /// Whoever reads its ``ObservedNode/value`` in `withObservationTracking`, in a SwiftUI `body` or in
  /// `Observations` is told of changes, as long as the node lives. All observed nodes that one turn changed
  /// change in one step, so nobody sees a mixture of old and new: before `set` returns if the main actor sets,
  /// else later, and then with the newest of what came meanwhile. What another thread computes of the turn, because it
  /// is inside those nodes, is a step of its own. A tracker is told before the step; what it reads then is still the
  /// old value of every node.
  ///
  /// While somebody keeps the object it is the same one. It need not be kept: a node is listened to while its
  /// observed value is read again after changes. A node that nobody observes pays nothing.
  /// The first look at a node shows what it holds then, even if a step of the same change is still
  /// on its way to nodes that were looked at before.
  /// - Complexity: O(1); a change of an observed node allocates.
  @MainActor public var observed: ObservedNode<Value> {
    unsafeDowncast(self, to: MutableNode<Value>.self).observed
  }
}

extension MutableNode {
  /// The node as an `@Observable` object of the main actor that can be set.
  ///
  ///     @Bindable var name = model.name.observed        // in a SwiftUI view
  ///     TextField("Name", text: $name.current)
  ///
  /// It shows at once what is set through it: in a batch or a listener when that is over, and in a step of the main actor, as by a
  /// tracker, with the next step, which follows at once. For all else see ``ReadableNode/observed``.
  @MainActor public final var observed: ObservedMutableNode<Value> {
    if let present = observedState { return present.object(of: self) }
    let state = ObservedState<Value>()
    mainSteps.withoutSteps { state.follow(self) }
    // Whoever looked at it meanwhile, in code that this ran, was the first.
    if let first = observedState {
      state.end()
      return first.object(of: self)
    }
    storage.attachments().state.withLock { $0.observed = state }
    return state.object(of: self)
  }

  @MainActor private var observedState: ObservedState<Value>? {
    let present = storage.attachmentsIfAny()?.state.withLock { $0.observed }
    guard let state = present as? ObservedState<Value>, !state.hasEnded else { return nil }
    return state
  }
}

/// A node as an `@Observable` object: ``ReadableNode/observed``. It keeps the node.
@MainActor public class ObservedNode<Value: Sendable>: Observable {
  /// The node that is observed.
  nonisolated public let node: Node<Value>
  let state: ObservedState<Value>

  init(_ node: Node<Value>, _ state: ObservedState<Value>) {
    self.node = node
    self.state = state
  }

  /// The node's value as of the last step of the main actor; nil if the node was empty. Reading it is
  /// tracked.
  public var value: Value? { state.read() }

  /// The same if there always is a value: an empty node stops the program, with its name and place.
  public var current: Value { state.requireValue(of: node) }
}

/// A mutable node as an `@Observable` object, which can be set: ``MutableNode/observed``.
@MainActor public final class ObservedMutableNode<Value: Sendable>: ObservedNode<Value> {
  /// Setting it sets the node; nil cleans it, as with ``MutableNode/value``.
  public override var value: Value? {
    get { state.read() }
    set {
      let steps = state.steps
      (node as! MutableNode<Value>).value = newValue
      state.show(newValue, of: node, setAfter: steps)
    }
  }

  /// The same if there always is a value, for bindings: `$name.current`.
  public override var current: Value {
    get { state.requireValue(of: node) }
    set { value = .some(newValue) }
  }
}
