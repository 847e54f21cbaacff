/// How far along a call is: what ``Node/load(file:line:_:)`` tells.
///
///     let state = Loading.failed(TimeoutError(interval: .seconds(5)), previous: "page 1")
///     state.value            // page 1
///     state.isLoading        // false
public enum Loading<Output> {
  /// The call is under way. What was loaded before, if anything.
  case loading(previous: Output?)
  /// The call returned this.
  case loaded(Output)
  /// The call threw this. What was loaded before, if anything.
  case failed(any Error, previous: Output?)
}

extension Loading: Sendable where Output: Sendable {}

extension Loading {
  /// What was loaded last: now or before; nil if nothing has been yet.
  public var value: Output? {
    switch self {
    case .loaded(let output): output
    case .loading(let previous), .failed(_, let previous): previous
    }
  }

  /// Is a call under way?
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// What the call threw; nil unless it failed.
  public var error: (any Error)? { if case .failed(let error, _) = self { error } else { nil } }

  /// How the call ended; nil while it is under way.
  public var result: Result<Output, any Error>? {
    switch self {
    case .loading: nil
    case .loaded(let output): .success(output)
    case .failed(let error, _): .failure(error)
    }
  }

  /// The same state, with what `transform` makes of what was loaded, and of what was loaded before.
  ///
  ///     let count = page.map { $0.map(\.count) }       // Node<Loading<Int>> of a Node<Loading<String>>
  public func map<Other, Failure: Error>(
    _ transform: (Output) throws(Failure) -> Other
  ) throws(Failure) -> Loading<Other> {
    switch self {
    case .loading(let previous): .loading(previous: try previous.mapValue(transform))
    case .loaded(let output): .loaded(try transform(output))
    case .failed(let error, let previous):
      .failed(error, previous: try previous.mapValue(transform))
    }
  }
}

extension Optional {
  /// `map`, which does not keep the type of error where it is inferred.
  fileprivate func mapValue<Other, Failure: Error>(
    _ transform: (Wrapped) throws(Failure) -> Other
  ) throws(Failure) -> Other? {
    guard let self else { return nil }
    return try transform(self)
  }
}

extension Loading: Equatable where Output: Equatable {
  /// Errors are compared by `==` if they are `Equatable`, others by type and description.
  public static func == (a: Loading, b: Loading) -> Bool {
    switch (a, b) {
    case (.loading(let a), .loading(let b)): a == b
    case (.loaded(let a), .loaded(let b)): a == b
    case (.failed(let a, let old), .failed(let b, let other)): areEqual(a, b) && old == other
    case (.loading, _), (.loaded, _), (.failed, _): false
    }
  }
}

private func areEqual(_ a: any Error, _ b: any Error) -> Bool {
  func isEqual<Value: Equatable>(_ a: Value) -> Bool { a == b as? Value }
  if let a = a as? any Equatable { return isEqual(a) }
  return type(of: a) == type(of: b) && String(reflecting: a) == String(reflecting: b)
}
