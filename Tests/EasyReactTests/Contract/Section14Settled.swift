import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, 14.6: the core's wait for quiet.
@Suite(.watched) struct `14 Settled` {
  @Test func `14.6 settled returns when no hop waits, nor what hops cause`() async {
    let queues = (0..<2).map { DispatchQueue(label: "settled \($0)", attributes: .concurrent) }
    let source = MutableNode(0)
    let last = source.deliver(on: .queue(queues[0])).map { $0 + 1 }.deliver(on: .queue(queues[1]))
    for value in 1...100 {
      source.value = value
      #expect(await settled())
      #expect(last.value == value + 1)
    }
  }

  @Test func `14.6 settled waits for a thread that is inside, and for what was left with it`() async
  {
    let node = MutableNode(0), heard = Heard<Int>()
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = node.listen { value in
      heard.hear(value)
      if value != 1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    DispatchQueue.global().async { node.value = 1 }
    wait(for: isInside)
    node.value = 2
    let told = Task {
      await settled()
      return heard.values
    }
    mayGo.signal()
    #expect(await told.value == [0, 1, 2])
    listening.cancel()
  }

  /// For ThreadSanitizer: what others look at was the first field of a thread's turn, and whoever changes the turn changes that.
  @Test func `14.6 whoever asks whether it is quiet looks at counts alone`() async {
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      let left = MutableNode(0), right = MutableNode(1)
      let chosen = left.combine(right).flattenMap { $0 < $1 ? left : right }
      for value in 1...500 {
        left.value = value
        let dropped = left.map { $0 }
        right.value = value + 1
        _ = dropped.value
      }
      #expect(chosen.value == 500)
      isOver.signal()
    }
    for _ in 1...500 { _ = isQuiet() }
    wait(for: isOver)
    #expect(await settled())
  }

  @Test func `14.6 settled waits for a timer that is due, not for one of the future`() async {
    let queue = DispatchQueue(label: "settled timers"), source = MutableNode(7)
    let late = source.delay(.seconds(3_600), on: .queue(queue))
    let soon = source.delay(.nanoseconds(1), on: .queue(queue))
    #expect(await settled())
    #expect(soon.value == 7 && late.value == nil)
  }

  @Test func `14.6 a cancelled task does not wait: settled says that it was not`() async {
    let queue = DispatchQueue(label: "settled cancelled"), source = MutableNode(0)
    let mayGo = DispatchSemaphore(value: 0)
    queue.async { wait(for: mayGo) }
    let delivered = source.deliver(on: .queue(queue))
    let task = Task { await settled() }
    task.cancel()
    #expect(await !task.value)
    #expect(delivered.isEmpty)
    mayGo.signal()
    #expect(await settled())
    #expect(delivered.value == 0)
  }

  @Test @MainActor func `14.6 on the main actor the main queue runs meanwhile`() async {
    let source = MutableNode(0), heard = Heard<Int>()
    let listening = source.listenOnMain { heard.hear($0) }
    source.value = 1
    #expect(heard.values == [])
    await settled()
    #expect(heard.values == [0, 1])
    listening.cancel()
  }
}
