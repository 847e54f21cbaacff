import CTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Runs `body` on a thread with a stack of 512 KiB and waits for it: anything that recurses by the
/// length of a chain ends the process there.
func onSmallStack<Result: Sendable>(
  bytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Result
) -> Result {
  let place = ResultPlace<Result>()
  let work = ThreadBody {
    let result = body()
    place.result.withLock { $0 = result }
  }
  let error = testsupport_run_on_stack(
    bytes, { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run() },
    Unmanaged.passRetained(work).toOpaque())
  precondition(error == 0, "no thread with a stack of \(bytes) bytes: \(error)")
  return place.result.withLock { $0! }
}

/// Runs `body` on some threads at once, and waits for all of them; fails after minutes.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    startThread {
      body(number)
    } whenOver: {
      done.signal()
    }
  }
  for _ in 0..<count { wait(for: done) }
}

private final class ResultPlace<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Bytes that the allocator has given out and not got back, in the whole process; nil where it
/// cannot tell.
func allocatedBytes() -> Int? {
  let bytes = testsupport_allocated_bytes()
  return bytes < 0 ? nil : bytes
}

/// An address on the stack of the frame that calls: it falls with depth.
@inline(never) func stackAddress() -> UInt {
  var local = 0
  return withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
}
