import Dispatch
import EasyReact
import EasyReactInspection
import EasyReactTesting
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  @Suite struct SwitchesLeftToAnotherThread {
    /// A switch that is left with the thread inside the new inner node. Its run was brought about by the former inner node too,
    /// which nobody keeps any more.
    @Test func `12.4 a switch that another thread makes says that it came from the outer node`()
      async
    {
      let outer = MutableNode(0), slow = MutableNode(5), source = MutableNode(1)
      let former = Mutex<UInt64>(0)
      let result = outer.flattenMap { value -> Node<Int> in
        if value == 1 { return slow }
        let node = source.map { $0 + 1 }
        former.withLock { $0 = node.id }
        return node
      }
      let isInside = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
      let listening = slow.listen { value in
        if value != 6 { return }
        isInside.signal()
        goOn.wait()
      }
      let recorder = GraphRecorder()
      recorder.start()
      await onThreads(2) { thread in
        if thread == 0 { return slow.value = 6 }
        isInside.wait()
        batch {
          outer.value = 1
          source.value = 2  // the newer wave
        }
        goOn.signal()
      }
      #expect(await settle())
      recorder.stop()
      #expect(result.value == 6)
      let senders = recorder.records.events(of: result).compactMap(\.other)
      #expect(!senders.isEmpty)
      let known = [outer.id, slow.id, source.id, result.id, former.withLock { $0 }]
      #expect(senders.allSatisfy { known.contains($0) }, "\(senders), known: \(known)")
      withExtendedLifetime(listening) {}
    }
  }
}
