import Synchronization

extension Node {
  /// Sets a property of an object of the main actor to each value, as long as the object lives.
  ///
  ///     @MainActor func show(_ name: Node<String>, in label: Label) {
  ///       name.assign(to: \.text, of: label)
  ///     }
  ///
  /// The present value is set at once, unless the node is empty. The object is not kept. A set on the main
  /// actor sets the property before it returns, except for one that is made while properties are being set, whose
  /// turn comes next; a set on another thread sets it later, in order, and if several came meanwhile, to the newest value
  /// alone, whether an event or a value that stays. What one turn changes is changed in one step, after what is
  /// ``ReadableNode/observed``. What `listen(by:)` says of the owner's end holds for the object. Cancel
  /// the result to end it earlier; dropping it ends nothing.
  ///
  /// Known as `assign(to:on:)` in Combine, which keeps the object, `bind(to:)` in RxSwift, `<~` in ReactiveSwift.
  @discardableResult
  @MainActor public final func assign<Root: AnyObject>(
    to path: ReferenceWritableKeyPath<Root, Value>, of object: Root,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    follow(object, at: SourceLocation(file, line)) { $0[keyPath: path] = $1 }
  }

  /// The same for a property that may be nil.
  @discardableResult
  @MainActor public final func assign<Root: AnyObject>(
    to path: ReferenceWritableKeyPath<Root, Value?>, of object: Root,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    follow(object, at: SourceLocation(file, line)) { $0[keyPath: path] = $1 }
  }

  /// Sets a property of an object that any thread may use to each value, as long as the object lives.
  ///
  ///     let board = Board()                       // final class Board: Sendable, with a lock
  ///     price.assign(to: \.price, of: board)
  ///
  /// As `listen(by:)` does: on the thread that sets the node, before `set` returns, for each value.
  @discardableResult
  public final func assign<Root: AnyObject & Sendable>(
    to path: any ReferenceWritableKeyPath<Root, Value> & Sendable, of object: Root,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    listen(by: object, file: file, line: line) { $0[keyPath: path] = $1 }
  }

  /// The same for a property that may be nil.
  @discardableResult
  public final func assign<Root: AnyObject & Sendable>(
    to path: any ReferenceWritableKeyPath<Root, Value?> & Sendable, of object: Root,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    listen(by: object, file: file, line: line) { $0[keyPath: path] = $1 }
  }

  @MainActor private final func follow<Root: AnyObject>(
    _ object: Root, at location: SourceLocation,
    _ assign: @escaping @MainActor (Root, Value) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: object)
    let property = AssignedProperty(listening, assign)
    return start(at: location, listening, object, state: EdgeState(), property.step())
  }
}

private final class AssignedProperty<Root: AnyObject, Value: Sendable>: MainFollower,
  @unchecked Sendable
{
  // Unchecked: adds constants, and `coming`, which is the main actor's.
  private let listening: OwnedListening
  private let assign: @MainActor (Root, Value) -> Void
  @MainActor private var coming: Told<Value>?

  init(_ listening: OwnedListening, _ assign: @escaping @MainActor (Root, Value) -> Void) {
    self.listening = listening
    self.assign = assign
  }

  func step() -> Step {
    { [self] up, _, turn in
      note(Told<Value>(up, turn), in: turn)
      return false
    }
  }

  @MainActor override func willChange(to told: AnyObject) {
    coming = unsafeDowncast(told, to: Told<Value>.self)
  }

  @MainActor override func didChange() {
    let value = coming?.value
    coming = nil
    guard let value, !listening.hasEnded, let object = listening.owner else { return }
    assign(unsafeDowncast(object, to: Root.self), value)
  }
}
