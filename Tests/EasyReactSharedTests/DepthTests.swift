import EasyReact
import EasyReactTesting
import Foundation
import Testing

@testable import EasyReactShared

/// Recursion by the length of a chain would end the process, so each is one of its own.
@Suite("3.4 Chains of shared nodes", .watched)
struct SharedDepthTests {
  /// Ten times what a recursion could do on this stack.
  private static let count = 10_000

  private static func isFreed(_ make: @escaping @Sendable (AnyNode, MemoryStore, String) -> AnyNode)
  {
    let isOver = DispatchSemaphore(value: 0)
    let thread = Thread {
      let clock = VirtualScheduler(), store = MemoryStore(on: clock)
      var last: AnyNode = MutableNode(0)
      weak let first = last
      for index in 0..<count { last = make(last, store, "\(index)") }
      clock.run()
      last = MutableNode(0)
      clock.run()
      precondition(first == nil)
      isOver.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    isOver.wait()
  }

  @Test func `3.4 shared nodes whose coding keeps the next are freed on a 512 KiB stack`() async {
    await #expect(processExitsWith: .success) {
      SharedDepthTests.isFreed { last, store, key in
        let coding = SharedCoding<Int>(
          encode: { _ in withExtendedLifetime(last) { Data() } }, decode: { _ in 0 })
        return store.node(key, of: Int.self, coding: coding)
      }
    }
  }

  @Test func `3.4 shared nodes whose merge keeps the next are freed on a 512 KiB stack`() async {
    await #expect(processExitsWith: .success) {
      SharedDepthTests.isFreed { last, store, key in
        store.node(key, of: Int.self, merge: { _, mine, _ in withExtendedLifetime(last) { mine } })
      }
    }
  }
}
