// Old names. Each says what to write now; Documentation/Migration.md has the table. Nothing of ours uses them.

// MARK: - Listening

@available(*, deprecated, renamed: "CancelableBag")
public typealias Listenings = CancelableBag

extension Cancelable {
  @available(*, deprecated, message: "A bag is passed as it is: `store(in: bag)`.")
  public func store(in bag: inout CancelableBag) { bag.add(self) }
}

extension Node {
  @available(
    *, deprecated, message: "Use listenToChanges: its Change has the value and the context."
  )
  public final func listenWithContext(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    listenToChanges(file: file, line: line) { body($0.value, $0.context) }
  }

  @available(
    *, deprecated, message: "Use listenToChanges(on:): its Change has the value and the context."
  )
  public final func listenWithContext(
    on scheduler: some NodeScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    listenToChanges(on: scheduler, file: file, line: line) { body($0.value, $0.context) }
  }

  @available(
    *, deprecated, message: "Use listenToChanges(by:): its Change has the value and the context."
  )
  @discardableResult
  public final func listenWithContext<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    listenToChanges(by: owner, file: file, line: line) { body($0, $1.value, $1.context) }
  }

  @available(
    *, deprecated, message: "Use listenToChanges(by:on:): its Change has the value and the context."
  )
  @discardableResult
  public final func listenWithContext<Owner: AnyObject>(
    by owner: Owner, on scheduler: some NodeScheduler,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    listenToChanges(by: owner, on: scheduler, file: file, line: line) {
      body($0, $1.value, $1.context)
    }
  }

  @available(
    *, deprecated, message: "Use listenToChangesOnMain: its Change has the value and the context."
  )
  public final func listenOnMainWithContext(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value, (any Sendable)?) -> Void
  ) -> Listening {
    listenToChangesOnMain(file: file, line: line) { body($0.value, $0.context) }
  }

  @available(
    *, deprecated,
    message: "Use listenToChangesOnMain(by:): its Change has the value and the context."
  )
  @discardableResult
  public final func listenOnMainWithContext<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Owner, Value, (any Sendable)?) -> Void
  ) -> any Cancelable {
    listenToChangesOnMain(by: owner, file: file, line: line) { body($0, $1.value, $1.context) }
  }

  @available(
    *, deprecated, message: "Use listenToChanges(by:) and call the method with what its Change has."
  )
  @discardableResult
  public final func listen<Owner: AnyObject & Sendable>(
    by owner: Owner,
    calling method: @escaping @Sendable (Owner) -> (Value, (any Sendable)?) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Cancelable {
    listenToChanges(by: owner, file: file, line: line) { method($0)($1.value, $1.context) }
  }

  @available(*, deprecated, message: "Use listenToChanges: its Change has the value and the path.")
  public final func listenWithPath(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value, [AnyNode]) -> Void
  ) -> Listening {
    listenToChanges(file: file, line: line) { body($0.value, $0.path) }
  }

  @available(
    *, deprecated, message: "Use listenToChanges(by:): its Change has the value and the path."
  )
  @discardableResult
  public final func listenWithPath<Owner: AnyObject & Sendable>(
    by owner: Owner, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Owner, Value, [AnyNode]) -> Void
  ) -> any Cancelable {
    listenToChanges(by: owner, file: file, line: line) { body($0, $1.value, $1.path) }
  }
}

// MARK: - Time

extension Node {
  @available(
    *, deprecated, renamed: "debounce(_:on:file:line:)",
    message: "It is debounce; a rate limit is throttleFirst or throttleLatest."
  )
  public final func throttle(
    _ interval: Duration, on scheduler: some NodeScheduler, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Value> {
    debounce(interval, on: scheduler, file: file, line: line)
  }
}
