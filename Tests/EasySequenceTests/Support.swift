import CTestSupport
import EasySequence
import Synchronization
import Testing

/// Counts calls, by what they were called with.
final class Calls: Sendable {
  private let values = Mutex<[Int]>([])
  var all: [Int] { values.withLock { $0 } }
  var count: Int { all.count }
  func note(_ value: Int) { values.withLock { $0.append(value) } }
}

extension LazyStream where Element == Int {
  /// The same elements; notes each when it is computed.
  func noting(_ calls: Calls) -> LazyStream {
    map {
      calls.note($0)
      return $0
    }
  }
}

/// Tells how many of it live.
final class Tracked: Sendable {
  static let living = Atomic(0)
  let value: Int
  init(_ value: Int) {
    self.value = value
    Tracked.living.add(1, ordering: .relaxed)
  }
  deinit { Tracked.living.subtract(1, ordering: .relaxed) }
  static var count: Int { living.load(ordering: .relaxed) }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a thread with a stack of 512 KiB: what recurses by the length of a stream ends the process there.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let error = testsupport_run_on_stack(
    512 << 10, { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() },
    Unmanaged.passRetained(Body(body)).toOpaque())
  #expect(error == 0)
}

/// The largest number that was noted.
final class Most: Sendable {
  private let most = Mutex(0)
  var value: Int { most.withLock { $0 } }
  func note(_ number: Int) { most.withLock { $0 = max($0, number) } }
}
