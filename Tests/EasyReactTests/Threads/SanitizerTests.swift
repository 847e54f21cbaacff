import Foundation
import Synchronization
import Testing

/// That ThreadSanitizer sees what it shall see here, and only that: see `CTestSupport/Sanitizer.c`.
@Suite(.enabled(if: Sanitizer.present == .thread, "for swift test --sanitize=thread"), .watched)
struct SanitizerTests {
  private struct Shared: @unchecked Sendable {
    // Unchecked: the first test wants the race, the others write different fields of the block.
    struct Pair {
      var first = 0
      var second = 0
    }
    let pair = UnsafeMutablePointer<Pair>.allocate(capacity: 1)
    init() { pair.initialize(to: Pair()) }
  }

  /// Twice, each on a thread of its own.
  private static func twice(_ body: @escaping @Sendable (_ number: Int) -> Void) {
    onThreads(2, body)
  }

  @Test func `a race of two stores is reported and ends the run as failed`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      let shared = Shared()
      Self.twice { _ in for _ in 0..<1_000 { shared.pair.pointee.second += 1 } }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("ThreadSanitizer: data race"))
  }

  @Test func `two threads that write two fields of one block are no race`() async {
    await #expect(processExitsWith: .success) {
      let shared = Shared()
      Self.twice { number in
        for _ in 0..<1_000 {
          if number == 0 { shared.pair.pointee.first += 1 } else { shared.pair.pointee.second += 1 }
        }
      }
      #expect(shared.pair.pointee.first + shared.pair.pointee.second == 2_000)
    }
  }

  @Test func `a Mutex that threads wait for is no race`() async {
    await #expect(processExitsWith: .success) {
      final class Count: Sendable { let value = Mutex([0]) }
      let count = Count()
      Self.twice { _ in
        for _ in 0..<20_000 {
          count.value.withLock {
            $0[0] += 1
            // Whoever holds it is found holding it.
            if $0[0] % 50 == 0 { letOthersRun() }
          }
        }
      }
      #expect(count.value.withLock { $0 } == [40_000])
    }
  }
}
