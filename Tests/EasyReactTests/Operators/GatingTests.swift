import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: operators that let values pass for a time.
@Suite("10.6 Taking and skipping", .watched) struct GatingTests {
  @Test func `10.6 takeWhile ends with the first value that is not wanted, and asks no more`()
    throws
  {
    let a = MutableNode(1)
    let asked = Tally()
    let small = a.takeWhile { value in
      asked.add()
      return value < 5
    }
    let told = Recorder(small)
    for value in [4, 7, 2] { a.value = value }
    #expect(told.take() == [1, 4])
    #expect(small.value == 4)
    #expect(asked.take() == 3)
    try Operators.repoint(small, to: MutableNode(3))
    #expect(told.values == [3])
    #expect(MutableNode(9).takeWhile { $0 < 5 }.isEmpty)
    #expect(checkInvariants([a, small]) == [])
  }

  @Test func `10.6 takeWhile(inclusive:) passes the value that ends it`() {
    let a = MutableNode<Int>()
    let told = Recorder(a.takeWhile(inclusive: true) { $0 < 5 })
    for value in [1, 4, 7, 2] { a.value = value }
    #expect(told.values == [1, 4, 7])
  }

  @Test func `10.6 skipWhile opens with the first value that is wanted, and asks no more`() throws {
    let a = MutableNode(18)
    let asked = Tally()
    let warm = a.skipWhile { value in
      asked.add()
      return value < 20
    }
    #expect(warm.isEmpty)
    let told = Recorder(warm)
    a.clean()
    for value in [21, 19] { a.value = value }
    #expect(told.take() == [21, 19])
    #expect(asked.take() == 2)
    let other = MutableNode(1)
    try Operators.repoint(warm, to: other)
    #expect(told.take() == [])
    other.value = 30
    #expect(told.values == [30])
    #expect(checkInvariants([a, warm]) == [])
  }

  @Test func `10.6 takeUntil passes values until the other node tells something`() throws {
    let a = MutableNode(1), stop = MutableNode<String>()
    let taken = a.takeUntil(stop)
    let told = Recorder(taken)
    a.value = 2
    stop.clean()
    a.value = 3
    stop.value = "now"
    a.value = 4
    #expect(told.take() == [1, 2, 3])
    #expect(taken.value == 3)
    try Operators.repoint(taken, to: MutableNode(9))
    #expect(told.values == [9])
    #expect(checkInvariants([a, stop, taken]) == [])
  }

  @Test func `10.6 takeUntil of a node that holds a value passes nothing, not even the present`() {
    let a = MutableNode(1), stop = MutableNode("told already")
    let taken = a.takeUntil(stop)
    a.value = 2
    #expect(taken.isEmpty)
  }

  @Test func `10.6 a gate that was turned before its first value stays turned`() {
    let a = MutableNode<Int>(), signal = MutableNode<Int>()
    let until = Recorder(a.takeUntil(signal)), from = Recorder(a.skipUntil(signal))
    signal.value = 1
    a.value = 5
    #expect(until.values == [])
    #expect(from.values == [5])
  }

  @Test func `10.6 skipUntil passes values once the other node has told something`() throws {
    let a = MutableNode(1), start = MutableNode<String>()
    let late = a.skipUntil(start)
    let told = Recorder(late)
    a.value = 2
    start.value = "now"
    #expect(told.values == [])
    a.value = 3
    a.value = 4
    #expect(told.take() == [3, 4])
    let other = MutableNode(9)
    try Operators.repoint(late, to: other)  // closed again
    #expect(told.values == [])
    start.value = "again"
    other.value = 10
    #expect(told.values == [10])
    #expect(MutableNode(1).skipUntil(MutableNode("told already")).value == 1)
    #expect(checkInvariants([a, start, late]) == [])
  }

  @Test func `10.6 a gate counts each value of a turn, in the order of linking`() {
    let a = MutableNode(1)
    let big = a.filter { $0 > 2 }
    let until = Recorder(a.takeUntil(big)), from = Recorder(a.skipUntil(big))
    let listening = a.listen { if $0 == 2 { a.value = 3 } }
    a.value = 2
    // `big` was linked first, so it has told 3 before the gates are asked.
    #expect(until.values == [1, 2])
    #expect(from.values == [3])
    keepAlive(listening)
  }

  @Test func `10.6 cutting the edge of the other node leaves a gate as it is`() {
    let a = MutableNode(1), stop = MutableNode<Int>()
    let taken = a.takeUntil(stop)
    taken.wiring.removeUpstreamNode(stop)
    stop.value = 1
    a.value = 2
    #expect(taken.value == 2)
  }

  @Test func `10.6 a gate that lies on a cycle tells each set once`() {
    let a = MutableNode(0), stop = MutableNode<Int>()
    let taken = a.takeUntil(stop)
    a.link(to: taken)
    let told = Recorder(a)
    a.value = 1
    taken.mutablify().value = 2
    #expect(told.values == [0, 1, 2])
    #expect(taken.value == 2)
    a.wiring.removeUpstreamNodes()
    #expect(checkInvariants([a, taken]) == [])
  }

  @Test func `10.6 a gate set by two threads passes every value before it, none after`() {
    let a = MutableNode<Int>(), stop = MutableNode<Int>()
    let told = Recorder(a.takeUntil(stop))
    let done = DispatchSemaphore(value: 0)
    for setter in 0..<2 {
      DispatchQueue.global().async {
        for value in 1...500 { a.value = value + 1_000 * setter }
        done.signal()
      }
    }
    for _ in 0..<2 { wait(for: done) }
    #expect(waitForBackgroundWork())
    #expect(told.values.count == 1_000)
    for setter in 0..<2 {
      #expect(
        told.values.filter { $0 / 1_001 == setter }.map { $0 - 1_000 * setter } == Array(1...500))
    }
    stop.value = 0
    a.value = 1
    #expect(told.values.count == 1_000)
    #expect(checkInvariants([a, stop]) == [])
  }
}
