import EasyReact
import EasyReactTesting
import EasySequence
import EasySequenceBridge
import Synchronization
import Testing

private final class Calls: Sendable {
  let values = Mutex<[Int]>([])
  var all: [Int] { values.withLock { $0 } }
}

private func noted(_ calls: Calls) -> LazyStream<Int> {
  LazyStream(1...).map { number in
    calls.values.withLock { $0.append(number) }
    return number
  }
}

@Suite struct `Playing a stream into a node` {
  @Test func `at once: every element is heard in order`() {
    let node = MutableNode<Int>()
    let recorder = Recorder(node)
    LazyStream(1...3).play(into: node)
    #expect(recorder.values == [1, 2, 3])
  }

  /// Counts how many of its kind live.
  private final class Element: Sendable {
    static let living = Mutex(0)
    init() { Element.living.withLock { $0 += 1 } }
    deinit { Element.living.withLock { $0 -= 1 } }
  }

  @Test func `at once: what has been played is not kept`() {
    let node = MutableNode<Element>()
    let most = Mutex(0)
    let listening = node.listen { _ in
      let living = Element.living.withLock { $0 }
      most.withLock { $0 = max($0, living) }
    }
    LazyStream(1...1_000).map { _ in Element() }.play(into: node)
    #expect(most.withLock { $0 } <= 2 * 32 + 1)  // two chunks, and the one that the node holds
    listening.cancel()
  }

  @Test func `on a scheduler: one element a piece of work, computed then`() {
    let (clock, node, calls) = (VirtualScheduler(), MutableNode<Int>(), Calls())
    let recorder = Recorder(node)
    let playing = noted(calls).prefix(3).play(into: node, on: clock)
    #expect(calls.all == [])
    #expect(clock.pendingCount == 1)
    clock.run()
    #expect(recorder.values == [1, 2, 3])
    #expect(calls.all == [1, 2, 3])
    #expect(playing.isOver)
  }

  @Test func `nothing is computed while nobody listens`() {
    let (clock, node, calls) = (VirtualScheduler(), MutableNode<Int>(), Calls())
    let playing = noted(calls).play(into: node, on: clock)
    clock.run()
    #expect(playing.isOver)
    #expect(calls.all == [])
  }

  @Test func `it stops when the last listener downstream has gone`() {
    let (clock, node, calls) = (VirtualScheduler(), MutableNode<Int>(), Calls())
    let listening = Mutex<Listening?>(nil)
    let doubled = node.map { $0 * 2 }
    let made = doubled.listen { value in
      if value == 6 { listening.withLock { $0?.cancel() } }
    }
    listening.withLock { $0 = made }
    let playing = noted(calls).play(into: node, on: clock)
    clock.run()
    #expect(playing.isOver)
    #expect(calls.all == [1, 2, 3])
  }

  @Test func `cancel ends it, and the node is not kept`() {
    let (clock, calls) = (VirtualScheduler(), Calls())
    let node = Mutex<MutableNode<Int>?>(MutableNode())
    let recorder = Recorder(node.withLock { $0! })
    let playing = noted(calls).play(into: node.withLock { $0! }, on: clock)
    playing.cancel()
    clock.run()
    #expect(recorder.values == [])
    recorder.cancel()
    let other = node.withLock { noted(calls).play(into: $0!, on: clock) }
    node.withLock { $0 = nil }
    clock.run()
    #expect(other.isOver)
    #expect(calls.all == [])
  }

  @Test func `a hundred thousand elements on a scheduler that works at once`() {
    let node = MutableNode<Int>()
    let count = Mutex(0)
    let listening = node.listen { _ in count.withLock { $0 += 1 } }
    let playing = LazyStream(0..<100_000).play(into: node, on: .immediate)
    #expect(playing.isOver)
    #expect(count.withLock { $0 } == 100_000)
    listening.cancel()
  }

  @Test func `played twice, each closure runs once`() {
    let (node, calls) = (MutableNode<Int>(), Calls())
    let recorder = Recorder(node)
    let stream = noted(calls).prefix(2)
    stream.play(into: node)
    stream.play(into: node)
    #expect(recorder.values == [1, 2, 1, 2])
    #expect(calls.all == [1, 2])
  }
}

@Suite struct `Collecting a node's values` {
  @Test func `the present value and the later ones, up to the call`() {
    let node = MutableNode(1)
    let kept = node.collect()
    node.value = 2
    let values = kept.values
    node.value = 3
    #expect(values.array == [1, 2])
    #expect(kept.values.array == [1, 2, 3])
    kept.cancel()
    node.value = 4
    #expect(kept.values.array == [1, 2, 3])
  }

  @Test func `what is derived is computed when it is read`() {
    let (node, calls) = (MutableNode(1), Calls())
    let kept = node.collect()
    node.value = 2
    let derived = kept.values.map { number in
      calls.values.withLock { $0.append(number) }
      return number
    }
    #expect(calls.all == [])
    #expect(derived.head == 1)
    #expect(calls.all == [1])
  }
}
