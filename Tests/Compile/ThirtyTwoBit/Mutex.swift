// Swift's own is not there without an operating system.
struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
  init(_ value: consuming sending Value) {}
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result { fatalError() }
}
