import Synchronization

/// A place in the order of what is left with the threads that are inside a node.
final class Mark: @unchecked Sendable {
  // Unchecked: both lie under the lock of `marks` of the one `Replica` that has it.
  var isReached = false
  var isLeft = false
}

/// A value that the one who asked takes, if it is there when he looks.
final class HandOff<Value: Sendable>: Sendable {
  private enum State { case empty, given(Value), over }
  private let state = Mutex(State.empty)

  /// False: he has looked already.
  func give(_ value: Value) -> Bool {
    state.withLock { state in
      if case .over = state { return false }
      state = .given(value)
      return true
    }
  }

  func take() -> Value? {
    state.withLock { state in
      defer { state = .over }
      if case .given(let value) = state { return value }
      return nil
    }
  }
}
