import CTestSupport
import EasySequence
import Synchronization
import Testing

private let million = 1_000_000
private final class Counter: Sendable { let count = Atomic(0) }

@Suite(
  .serialized, .disabled(if: testsupport_sanitizer() != 0, "this measures the stack and memory"))
struct `2.6 Depth and memory` {
  @Test func `a million elements are walked, folded and freed on a small stack`() {
    onSmallStack {
      let stream = LazyStream(0..<million).map { $0 + 1 }.filter { $0 > 0 }
      #expect(stream.reduce(0, +) == million * (million + 1) / 2)
      #expect(stream.count() == million)
      #expect(stream.reduceRight(0) { $0 - $1 } == -million / 2)
    }
  }

  @Test func `a stream that is watched by 10,000 is freed on a small stack, and tells each`() {
    onSmallStack {
      let told = Counter()
      var stream: LazyStream = [1, 2]
      for _ in 0..<10_000 {
        stream = stream.watched { _ in told.count.wrappingAdd(1, ordering: .relaxed) }
      }
      #expect(stream.head == 1)
      #expect(told.count.load(ordering: .relaxed) == 20_000)
      stream = []
      #expect(stream.isEmpty)
    }
  }

  @Test func `a million heads and tails, the walk holding the tail only`() {
    onSmallStack {
      var (rest, count) = (LazyStream(0..<million), 0)
      while let (_, tail) = rest.uncons() {
        rest = tail
        count += 1
      }
      #expect(count == million)
    }
  }

  @Test func `a million streams concatenated to the left are walked, and freed unevaluated`() {
    onSmallStack {
      var walked = LazyStream<Int>()
      for number in 0..<million { walked = walked + [number] }
      #expect(walked.reduce(0, +) == million * (million - 1) / 2)
      var freed = LazyStream<Int>()
      for number in 0..<million { freed = freed + [number] }
      freed = []
      #expect(freed.isEmpty)
    }
  }

  @Test func `a million appended while the head is read each time`() {
    onSmallStack {
      var stream: LazyStream = [0]
      var wrong = 0
      for number in 1..<million {
        stream = stream + [number]
        if stream.head != 0 { wrong += 1 }
      }
      #expect(wrong == 0)
      #expect(stream.count() == million)
    }
  }

  @Test func `a million prepended, read half way, and freed so`() {
    onSmallStack {
      var stream = LazyStream<Int>()
      for number in 0..<million { stream = stream.prepending(number) }
      #expect(stream[million / 2] == million - 1 - million / 2)
      stream = []
    }
  }

  @Test func `a queue: a million taken from the front while a million are appended`() {
    onSmallStack {
      var queue = LazyStream(0..<1_000)
      var wrong = 0
      for number in 0..<million {
        if queue.head != number { wrong += 1 }
        queue = queue.tail + [number + 1_000]
      }
      #expect(wrong == 0)
      #expect(queue.elementsEqual(million..<(million + 1_000)))
    }
  }

  @Test func `a million evaluated elements are freed from their head, in each kind of stream`() {
    onSmallStack {
      func free(_ make: () -> LazyStream<Int>) {
        let stream = make()
        #expect(stream.evaluated()[million - 1] != nil)
      }
      free { LazyStream(0..<million) }
      free { LazyStream(0..<million) + [1] }
      free { .iterate(0) { $0 + 1 }.prefix(million) }
      free { LazyStream(0..<million).flatMap { LazyStream.just($0) } }
      free { zip(LazyStream(0..<million), LazyStream(0...)).map { $0 + $1 } }
      free { LazyStream(0..<1_000).cycled().prefix(million) }
      free { LazyStream.recursive { all in [0] + all.map { $0 + 1 } }.prefix(million) }
    }
  }

  @Test func `a million heads with tails by closures, walked, and freed unevaluated`() {
    @Sendable func numbers(from start: Int, to end: Int) -> LazyStream<Int> {
      LazyStream(head: { start }, tail: { start == end ? [] : numbers(from: start + 1, to: end) })
    }
    onSmallStack {
      #expect(numbers(from: 1, to: million).count() == million)
      var stream = LazyStream<Int>()
      for number in 0..<million {
        let tail = stream
        stream = LazyStream(head: { number }, tail: { tail })
      }
      #expect(stream.head == million - 1)
    }
  }

  @Test
  func `a hundred thousand definitions by themselves, one in the other, are freed unevaluated`() {
    onSmallStack {
      var stream: LazyStream = [1]
      for _ in 0..<100_000 {
        let inner = stream
        stream = .recursive { _ in inner }
      }
      stream = []
      #expect(stream.isEmpty)
    }
  }

  @Test func `a million stacked operators are freed unevaluated`() {
    onSmallStack {
      var stream = LazyStream(0...)
      for _ in 0..<million { stream = stream.map { $0 } }
      stream = []
    }
  }

  @Test func `a filter over a million rejects is a loop`() {
    onSmallStack { #expect(LazyStream(0...).filter { $0 == million }.head == million) }
  }

  @Test func `walking holds a few elements only`() {
    let before = Tracked.count
    var most = 0
    for _ in LazyStream(0..<10_000).map({ Tracked($0) }) {
      most = max(most, Tracked.count - before)
    }
    #expect(most <= 64)
    #expect(Tracked.count == before)
  }

  @Test func `holding a tail frees what lies before`() {
    let before = Tracked.count
    var stream = LazyStream(0..<10_000).map { Tracked($0) }
    stream = stream.dropFirst(9_990)
    #expect(stream.head?.value == 9_990)
    stream = stream.tail
    #expect(stream.head?.value == 9_991)
    #expect(Tracked.count - before <= 64)
    stream = []
    #expect(Tracked.count == before)
  }

  @Test func `cycles and definitions by themselves leak nothing, unlike the original's self-tail`()
  {
    let before = Tracked.count
    do {
      let cycle = LazyStream(0..<3).map { Tracked($0) }.cycled()
      #expect(cycle.prefix(7).count() == 7)
      let recursive = LazyStream.recursive { all in
        LazyStream(0..<3).map { Tracked($0) } + all.map { Tracked($0.value) }
      }
      #expect(recursive.prefix(100).count() == 100)
      #expect(recursive.dropFirst(50).head?.value == 2)
    }
    #expect(Tracked.count == before)
  }
}
