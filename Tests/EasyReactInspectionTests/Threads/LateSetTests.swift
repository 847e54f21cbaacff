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

    /// Sets 1, and then 10 and 20 in this order; but 20 is told first, for 10 waits for the thread that tells 1.
    /// - Parameter then: Runs on the thread that sets 10, while 20 is told.
    private func setLate(_ a: MutableNode<Int>, then: @escaping @Sendable () -> Void) async {
      let isInside = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
      let listening = a.listen { value in
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
        then()
        goOn.signal()
      }
      withExtendedLifetime(listening) {}
    }

    @Test func `5.2 a set that comes behind a later one does not win over what was set after that`()
      async
    {
      let recorder = GraphRecorder()
      recorder.start()
      let a = MutableNode(0), b = MutableNode(0), bond = b.sync(with: a)
      let heard = Mutex<[Int]>([])
      let listening = a.listen { value in heard.withLock { $0.append(value) } }
      await setLate(a) { b.value = 30 }
      #expect(await settle())
      recorder.stop()
      #expect(heard.withLock { $0 } == [0, 1, 20, 10, 30])
      #expect(a.value == 30 && b.value == 30)
      withExtendedLifetime((listening, bond)) {}
    }

    /// A thread waits in it until it is opened.
    private final class Gate: Sendable {
      private let isReached = DispatchSemaphore(value: 0), isOpen = DispatchSemaphore(value: 0)
      private let isFirst = Atomic(true)
      /// Does nothing from the second time on.
      func pass() {
        if !isFirst.exchange(false, ordering: .relaxed) { return }
        isReached.signal()
        isOpen.wait()
      }
      func waitForIt() { isReached.wait() }
      func open() { isOpen.signal() }
    }

    /// The other part's late set gives the whole a later sequence than the field's late value has, which was refused therefore.
    @Test func `5.2, 7.6, 15.4 a late set reaches the part, whatever came late to another part`()
      async
    {
      struct Two: Sendable, Equatable { var x = 1, y = 2 }
      let recorder = GraphRecorder()
      recorder.start()
      let whole = MutableNode(Two()), field = MutableNode(0), x = whole[\.x], y = whole[\.y]
      let bond = field.sync(with: x)
      let inField = Gate(), fieldIsLate = Gate(), yIsLate = Gate(), lateIsTold = Gate()
      let isSet = (0..<3).map { _ in DispatchSemaphore(value: 0) }
      let listening = field.listen { value in
        if value == 10 {
          inField.pass()
          field.value = 30
        } else if value == 20 {
          lateIsTold.pass()
        }
      }
      await onThreads(4) { thread in
        switch thread {
        case 0:
          x.value = 10
          isSet[0].signal()
        case 1:
          inField.waitForIt()
          field.set(20, context: Slow { fieldIsLate.pass() })
        case 2:
          fieldIsLate.waitForIt()
          y.set(7, context: Slow { yIsLate.pass() })
          isSet[2].signal()
        default:
          yIsLate.waitForIt()
          inField.open()
          isSet[0].wait()
          fieldIsLate.open()
          lateIsTold.waitForIt()
          yIsLate.open()
          isSet[2].wait()
          lateIsTold.open()
        }
      }
      #expect(await settle())
      recorder.stop()
      #expect(whole.value == Two(x: 20, y: 7) && x.value == 20 && field.value == 20)
      withExtendedLifetime((listening, bond)) {}
    }

    /// 10 is left behind 20, and so is told under its number: of the two that the edge has, the last waits on.
    @Test(arguments: ["debounce", "throttleLatest", "sample", "delay"])
    func
      `18.2 what a timer holds is not taken for another set's that is told under the same number`(
        _ operation: String
      ) async
    {
      let recorder = GraphRecorder(), clock = VirtualScheduler(), interval = Duration.seconds(1)
      recorder.start()
      let a = MutableNode(0)
      let held =
        switch operation {
        case "debounce": a.debounce(interval, on: clock)
        case "throttleLatest": a.throttleLatest(interval, on: clock)
        case "sample": a.sample(every: interval, on: clock)
        default: a.delay(interval, on: clock)
        }
      await setLate(a) {}
      #expect(await settle())
      clock.advance(by: interval)
      recorder.stop()
      #expect(a.value == 10 && held.value == 10)
      let answers = recorder.whyNot(held, since: 0).answers.filter { $0.set.node == a.id }
      // 1, 20 and 10.
      let before: WhyNot.Outcome = operation == "delay" ? .arrived : .stopped
      #expect(answers.map(\.outcome) == [before, before, .arrived])
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
