import Synchronization

/// Something that can be ended: a link, a sync, a listening, a timer.
///
/// Cancelling twice is harmless. Any thread may cancel. Unless its type says otherwise
/// (``Listening`` does), dropping a `Cancelable` cancels nothing.
public protocol Cancelable: AnyObject, Sendable {
  /// Ends it. After it returns nothing more passes on this thread.
  func cancel()
}

/// A `Cancelable` that calls a closure, once.
///
///     let cancelable = ClosureCancelable { print("over") }
///     cancelable.cancel()          // over
///     cancelable.cancel()
public final class ClosureCancelable: Cancelable {
  private let body: Mutex<(@Sendable () -> Void)?>

  public init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

  public func cancel() {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  /// One that has nothing to cancel.
  static var over: ClosureCancelable { ClosureCancelable {} }
}
