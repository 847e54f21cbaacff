import Dispatch
import EasyReact
import EasyReactInspection
import EasyReactTesting
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  @Suite struct LateSets_ {
    /// Described between the moment at which the set gets its number and that at which it is left.
    private struct Slow: CustomStringConvertible, Sendable {
      let body: @Sendable () -> Void
      var description: String {
        body()
        return "slow"
      }
    }

    /// 10, 20 and 30 are set in this order; 10 is left behind 20, which another thread tells meanwhile.
    @Test func `5.2 a set that comes behind a later one does not win over what was set after that`()
      async
    {
      let recorder = GraphRecorder()
      recorder.start()
      let a = MutableNode(0), b = MutableNode(0), bond = b.sync(with: a)
      let isInside = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
      let heard = Mutex<[Int]>([])
      let listening = a.listen { value in
        heard.withLock { $0.append(value) }
        if value != 1 && value != 20 { return }
        isInside.signal()
        goOn.wait()
      }
      let isDescribed = Atomic(false)
      let slow = Slow {
        if isDescribed.exchange(true, ordering: .relaxed) { return }
        goOn.signal()
        isInside.wait()
      }
      await onThreads(2) { thread in
        if thread == 0 {
          a.value = 1
          return a.value = 20
        }
        isInside.wait()
        a.set(10, context: slow)
        b.value = 30
        goOn.signal()
      }
      #expect(await settle())
      recorder.stop()
      #expect(heard.withLock { $0 } == [0, 1, 20, 10, 30])
      #expect(a.value == 30 && b.value == 30)
      withExtendedLifetime((listening, bond)) {}
    }

    @Test
    func `18.3 of several recorders that are started at once the one that runs is the current`()
      async
    {
      for _ in 0..<200 {
        let recorders = (0..<2).map { _ in GraphRecorder(events: 8) }
        await onThreads(2) { recorders[$0].start() }
        #expect(recorders.filter(\.isRunning).count == 1)
        #expect(GraphRecorder.current?.isRunning == true)
        for recorder in recorders { recorder.stop() }
      }
    }
  }
}
