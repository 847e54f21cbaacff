// Listeners that are called on an actor, or on the main one.

/// When a listener on the main actor is called.
public enum MainTiming: Sendable {
  /// Later and in order, even when the main actor sets.
  case later
  /// At once if the set is made on the main actor and nothing waits for this listener: before `set`
  /// returns, as a plain listener is, so what is shown is never behind what was set. Else later, in
  /// order. Known as `UIScheduler` in ReactiveSwift and in extensions of Combine.
  case immediately
}

extension Node {
  /// Calls `body` on an actor, later and in order, the first value included.
  ///
  ///     let listening = price.listen(isolatedTo: archive) { archive, price in
  ///       archive.note(price)                          // no await: this is the actor's own code
  ///     }
  ///
  /// The actor is not kept, so it may keep the result: when it is gone no call is made. After `cancel()`
  /// on the actor none is made either; after `cancel()` elsewhere, at most the one that had passed its check. There is
  /// no limit to what waits.
  /// - Complexity: One task for all values that come while it runs.
  public final func listen<Isolation: Actor>(
    isolatedTo actor: Isolation, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, Value) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Value>(isolatedTo: actor, body)
    return startListening(at: SourceLocation(file, line), state: calls, calls.stepOfValues())
  }

  /// Calls `body` with each change on an actor, later and in order, the first value's included.
  public final func listenToChanges<Isolation: Actor>(
    isolatedTo actor: Isolation, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, Change<Value>) -> Void
  ) -> Listening {
    let calls = ScheduledListener<Change<Value>>(isolatedTo: actor, body)
    return startListening(at: SourceLocation(file, line), state: calls, calls.stepOfChanges())
  }
}

// MARK: - The main actor

extension Node {
  /// Calls `body` on the main actor, later and in order, even when the main thread sets.
  ///
  ///     let listening = name.listenOnMain { label.text = $0 }
  public final func listenOnMain(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) -> Void
  ) -> Listening {
    listenOnMain(.later, file: file, line: line, body)
  }

  /// Calls `body` on the main actor; with `.immediately` at once if the set is made there.
  ///
  ///     let shown = name.listenOnMain(.immediately) { label.text = $0 }
  ///     name.value = "Grace"                           // on the main actor: the label shows it
  public final func listenOnMain(
    _ timing: MainTiming, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) -> Void
  ) -> Listening {
    let call = onMain(body)
    let calls = ScheduledListener<Value>(MainScheduler(), call)
    return startListening(
      at: SourceLocation(file, line), state: calls, calls.stepOfValues(timing, call))
  }

  /// Calls `body` with each change on the main actor, later and in order.
  public final func listenToChangesOnMain(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Change<Value>) -> Void
  ) -> Listening {
    listenToChangesOnMain(.later, file: file, line: line, body)
  }

  /// Calls `body` with each change on the main actor; with `.immediately` at once if the set is made there.
  public final func listenToChangesOnMain(
    _ timing: MainTiming, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Change<Value>) -> Void
  ) -> Listening {
    let call = onMain(body)
    let calls = ScheduledListener<Change<Value>>(MainScheduler(), call)
    return startListening(
      at: SourceLocation(file, line), state: calls, calls.stepOfChanges(timing, call))
  }

  /// Calls `body` on the main actor, later and in order, as long as the owner lives.
  ///
  ///     name.listenOnMain(by: label) { label, name in label.text = name }
  @discardableResult
  public final func listenOnMain<Owner: AnyObject & Sendable>(
    _ timing: MainTiming = .later, by owner: Owner, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let call = listening.whileOwned { (owner: Owner, value: Value) in
      MainActor.assumeIsolated { body(owner, value) }
    }
    let calls = ScheduledListener<Value>(MainScheduler(), call)
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls,
      calls.stepOfValues(timing, call))
  }

  /// The same from the main actor, for an owner of its own that is not `Sendable`.
  @discardableResult
  @MainActor
  public final func listenOnMain<Owner: AnyObject>(
    _ timing: MainTiming = .later, by owner: Owner, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor @Sendable (Owner, Value) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let call = listening.whileOwned { (owner: Owner, value: Value) in
      // Unsafe: it belongs to the main actor, which gave it, and where this is called.
      nonisolated(unsafe) let owner = owner
      MainActor.assumeIsolated { body(owner, value) }
    }
    let calls = ScheduledListener<Value>(MainScheduler(), call)
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls,
      calls.stepOfValues(timing, call))
  }

  /// Calls `body` with each change on the main actor, later and in order, as long as the owner lives.
  @discardableResult
  public final func listenToChangesOnMain<Owner: AnyObject & Sendable>(
    _ timing: MainTiming = .later, by owner: Owner, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor @Sendable (Owner, Change<Value>) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let call = listening.whileOwned { (owner: Owner, change: Change<Value>) in
      MainActor.assumeIsolated { body(owner, change) }
    }
    let calls = ScheduledListener<Change<Value>>(MainScheduler(), call)
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls,
      calls.stepOfChanges(timing, call))
  }

  /// The same from the main actor, for an owner of its own that is not `Sendable`.
  @discardableResult
  @MainActor
  public final func listenToChangesOnMain<Owner: AnyObject>(
    _ timing: MainTiming = .later, by owner: Owner, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor @Sendable (Owner, Change<Value>) -> Void
  ) -> any Cancelable {
    let listening = OwnedListening(owner: owner)
    let call = listening.whileOwned { (owner: Owner, change: Change<Value>) in
      // Unsafe: it belongs to the main actor, which gave it, and where this is called.
      nonisolated(unsafe) let owner = owner
      MainActor.assumeIsolated { body(owner, change) }
    }
    let calls = ScheduledListener<Change<Value>>(MainScheduler(), call)
    return start(
      at: SourceLocation(file, line), listening, owner, state: calls,
      calls.stepOfChanges(timing, call))
  }
}

/// For a scheduler that runs work on the main queue.
private func onMain<Item: Sendable>(_ body: @escaping @MainActor @Sendable (Item) -> Void)
  -> @Sendable (Item) -> Void
{
  { item in MainActor.assumeIsolated { body(item) } }
}

// MARK: - At once, or later

extension ScheduledListener {
  /// - Parameter call: What the queue calls too.
  fileprivate func stepOfValues(
    _ timing: MainTiming, _ call: @escaping @Sendable (Item) -> Void
  ) -> Step {
    let later = stepOfValues()
    if timing == .later { return later }
    return { up, edge, turn in
      guard edge.isIdleOnMain(Item.self) else { return later(up, edge, turn) }
      up.withValue(call)
      return false
    }
  }

  fileprivate func stepOfChanges<Value>(
    _ timing: MainTiming, _ call: @escaping @Sendable (Item) -> Void
  ) -> Step where Item == Change<Value> {
    let later = stepOfChanges()
    if timing == .later { return later }
    return { up, edge, turn in
      guard edge.isIdleOnMain(Item.self) else { return later(up, edge, turn) }
      call(Change(up, edge, turn))
      return false
    }
  }
}
