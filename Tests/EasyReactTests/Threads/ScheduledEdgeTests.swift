import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Edges and listeners that go through a queue, while several threads set.
@Suite(.watched) struct ScheduledEdgeTests {
  /// Counts how often it was asked.
  private struct Counting: NodeScheduler {
    let queue: QueueScheduler
    let asked = Shared()
    var now: Duration { queue.now }
    func schedule(_ work: @escaping @Sendable () -> Void) {
      asked.tally.add()
      queue.schedule(work)
    }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
      asked.tally.add()
      return queue.schedule(after: delay, work)
    }
    final class Shared: Sendable { let tally = Tally() }
  }

  @Test(arguments: [false, true])
  func `order is kept for each edge, on serial and on concurrent queues`(isConcurrent: Bool) {
    Stress.rounds(30) { round in
      let queue = DispatchQueue(label: "hop", attributes: isConcurrent ? .concurrent : [])
      let source = MutableNode(TextStamp(0, 0)), here = Heard<TextStamp>()
      let there = (0..<3).map { _ in Heard<TextStamp>(letsOthersRunEvery: 3) }
      let delivered = source.deliver(on: .queue(queue))
      let listenings = [
        source.listen { here.hear($0) }, delivered.listen { there[0].hear($0) },
        source.listen(on: .queue(queue)) { there[1].hear($0) },
        delivered.map { $0 }.deliver(on: .queue(queue)).listen { there[2].hear($0) },
      ]
      round.threads(3) { member in
        for number in 1...50 { source.value = TextStamp(member + 1, number) }
      }
      round.expect(settle(), "it does not come to rest")
      round.expectAll(here.values, of: 1...3, count: 50, "the source")
      for (number, receiver) in there.enumerated() {
        round.expect(receiver.values == here.values, "receiver \(number) heard something else")
        round.expect(receiver.overlaps == 0, "receiver \(number): calls overlapped")
      }
      round.expectRest([source, delivered])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `7.5 what a scheduler brings keeps its place among what waits for the target`() {
    let clock = VirtualScheduler(), target = MutableNode(0)
    let source = MutableNode<Int>()
    let delivered = source.deliver(on: clock)
    (delivered.upstreamTransforms[0] as! NodeTransform<Int, Int>).to = target
    source.value = 1
    whileInside(target, settingTo: 100) {
      clock.run()
      target.value = 2
    }
    #expect(target.value == 2)
  }

  @Test(arguments: [false, true])
  func
    `2.1, 7.2 an edge that is pointed elsewhere while its values wait ends with those of the new end`(
      isTimed: Bool
    )
  {
    Stress.rounds(100) { round in
      let queue = DispatchQueue(label: "hop"), clock = VirtualScheduler()
      let sources = [MutableNode("a"), MutableNode("b")]
      let delivered =
        isTimed
        ? sources[0].delay(.milliseconds(2), on: clock)
        : sources[0].deliver(on: .queue(queue))
      let edge = delivered.upstreamTransforms[0] as! NodeTransform<String, String>
      round.threads(3) { member in
        for number in 1...100 {
          switch member {
          case 0: sources[number % 2].value = "\(number)"
          case 1: edge.from = sources[number / 3 % 2]
          default: clock.advance(by: .milliseconds(1))
          }
        }
      }
      clock.run()
      round.expect(settle(), "it does not come to rest")
      round.expect(delivered.value == edge.from?.value, "\(delivered.value ?? "-")")
      round.expectRest([delivered] + sources)
    }
  }

  @Test func `what waits for a queue is drained in one piece of work`() {
    let queue = DispatchQueue(label: "hop"), scheduler = Counting(queue: .queue(queue))
    let source = MutableNode(0), heard = Heard<Int>()
    let listening = source.listen(on: scheduler) { heard.hear($0) }
    let delivered = source.deliver(on: scheduler)
    #expect(settle())
    _ = scheduler.asked.tally.take()
    // The queue is busy until all is set.
    let mayGo = DispatchSemaphore(value: 0)
    queue.async { wait(for: mayGo) }
    for value in 1...1_000 { source.value = value }
    mayGo.signal()
    #expect(settle())
    #expect(heard.values == Array(0...1_000))
    #expect(delivered.value == 1_000)
    #expect(scheduler.asked.tally.count == 2)
    listening.cancel()
  }

  @Test func `nothing is called on a queue after it was cancelled there`() {
    Stress.rounds(60) { round in
      let queue = DispatchQueue(label: "hop")
      let source = MutableNode(0), late = Tally(), heard = Heard<Int>()
      let isOver = Flags()
      let listening = source.listen(on: .queue(queue)) { value in
        heard.hear(value)
        if isOver.isSet { late.add() }
      }
      round.threads(3) { member in
        if member < 2 {
          for number in 1...60 { source.value = number }
          return
        }
        // On the serial queue no call is under way, so from here on there is none.
        queue.sync {
          listening.cancel()
          isOver.set()
        }
      }
      round.expect(settle(), "it does not come to rest")
      round.expect(late.count == 0, "\(late.count) calls after cancel")
      round.expect(!source.hasListener, "a listener is left")
      round.expectRest([source])
    }
  }

  @Test func `an edge over a queue is cut while values wait there, and brings none of them`() {
    Stress.rounds(60) { round in
      let queue = DispatchQueue(label: "hop")
      let source = MutableNode(0), result = Node<Int>(), mayGo = DispatchSemaphore(value: 0)
      let delivered = source.deliver(on: .queue(queue))
      result.wiring.link(to: delivered)
      round.expect(settle(), "it does not come to rest")
      queue.async { wait(for: mayGo) }
      round.threads(2) { member in
        if member == 0 {
          for number in 1...20 { source.value = number }
        } else {
          delivered.wiring.removeUpstreamNodes()
        }
      }
      mayGo.signal()
      round.expect(settle(), "it does not come to rest")
      round.expect(delivered.value == 0 && result.value == 0, "\(delivered.value!) came over")
      round.expectRest([source, delivered, result])
    }
  }

  private final class Flags: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
  }
}
