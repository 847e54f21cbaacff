import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

// A cycle that nobody means: a derivation closes it for a moment, or opens it again. Found by hostile reviews.

/// The derivation `fed` follows a node below a join as long as the ring is closed, and says nothing when it opens it.
private final class Ring: @unchecked Sendable {
  // Unchecked: one thread uses it.
  let isClosed = MutableNode(false), x = MutableNode(0)
  private var below: Node<Int>?
  private(set) lazy var fed = Node<Int>.derived { [unowned self] in
    try isClosed.get() ? below?.get() ?? 0 : below == nil ? 0 : nil
  }

  /// What is over a hundred, or below zero, goes no further.
  func close(over join: Node<Int>) {
    below = x.combine(join.filter { 0..<100 ~= $0 }).map { $0 + $1 }
    isClosed.value = true
  }

  /// `x` comes to the join last, round the ring, and is older than what `others` make it tell.
  func setLate(_ value: Int, _ others: () -> Void) {
    batch {
      x.value = value
      others()
    }
  }

  func expectInvariants(_ others: AnyNode...) {
    #expect(checkInvariants([isClosed, x] + others) == [])
    below = nil
  }
}

/// Contract 16: cycles of a moment.
@Suite(.watched) struct Section16Momentary {
  private final class Pair: @unchecked Sendable {
    // Unchecked: written by one thread, before others are begun.
    var first: Node<Int>?
  }

  /// The first turns for a moment, by a join that has not run yet, to a node below itself. What another thread brings round just then is
  /// refused, as on a cycle, and so the second first holds 1,001,000.
  @Test
  func
    `16.2 one that another thread reaches while it lies on a cycle for a moment hears of it when that is open again`()
  {
    let direction = MutableNode(0), base = MutableNode(1), x = MutableNode(0), z = MutableNode(0)
    let pair = Pair(), late = direction.map { $0 }.combine(MutableNode(0)).map { $0 + $1 }
    let first = Node<Int>.derived {
      try direction.get() == 1 && late.get() == 0 ? pair.first!.get() : base.get()
    }
    let between = first.distinctUntilChanged().combine(z).map { $0 * 1_000 + $1 }
    let second = Node<Int>.derived { try between.get() + x.get() * 1_000_000 }
    pair.first = second.map { $0 }
    let isInside = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    let stops = z.listen {
      if $0 == 0 { return }
      isInside.signal()
      wait(for: goOn)
    }
    let letsGoOn = pair.first!.listen {
      if $0 != 1_001_000 { return }
      goOn.signal()
      wait(for: isOver)
    }
    onThreads(2) { thread in
      if thread == 0 {
        z.value = 7
        isOver.signal()
      } else {
        wait(for: isInside)
        batch {
          x.value = 1
          direction.value = 1
        }
      }
    }
    #expect(settle())
    #expect(between.value == 1_007)
    #expect(second.value == 1_001_007)
    letsGoOn.cancel()
    x.value = 2
    #expect(second.value == 2_001_007)
    #expect(checkInvariants([direction, x, z, between]) == [])
    keepAlive(stops)
    pair.first = nil
  }

  @Test
  func
    `16.2 a join runs again for what it refused round a cycle that a derivation opens, if the next set has not mended it`()
  {
    let ring = Ring(), a = MutableNode(0)
    let join = a.combine(ring.fed).map { $0 + $1 }
    let told = Recorder(join)
    ring.close(over: join)
    func closeAndSet(_ value: Int) {
      ring.isClosed.value = true
      told.clear()
      ring.setLate(value) { a.value = 100 * value }
    }
    closeAndSet(5)
    #expect(told.values == [500] && ring.fed.value == 5)
    ring.isClosed.value = false
    #expect(told.values == [500, 505])
    closeAndSet(7)
    #expect(told.values == [705] && ring.fed.value == 7)
    a.value = 800
    #expect(told.values == [705, 807])
    ring.isClosed.value = false
    #expect(told.values == [705, 807])
    ring.expectInvariants(a)
  }

  /// Also if it has told something since, by the node that it followed before; and where what refuses it is a set of nodes.
  @Test(arguments: ["flattenMap", "flattenCombine"], [false, true])
  func `4.5, 16.2 what is chosen round a cycle is followed when a derivation opens that`(
    _ way: String, isSetMeanwhile: Bool
  ) {
    let ring = Ring(), a = MutableNode(0), b = MutableNode(-1)
    let chosen =
      way == "flattenMap"
      ? ring.fed.flattenMap { $0 == 5 ? b : a }
      : ring.fed.map { $0 == 5 ? [b] : [a] }.flattenCombine().map { $0[0] }
    let told = Recorder(chosen)
    ring.close(over: chosen)
    ring.setLate(5) { a.value = 500 }
    #expect(ring.fed.value == 5 && chosen.value == 500)
    told.clear()
    if isSetMeanwhile { a.value = 600 }
    ring.isClosed.value = false
    #expect(told.values == [-1])
    b.value = -2
    a.value = 700
    #expect(told.values == [-1, -2])
    ring.expectInvariants(a, b)
  }

  @Test func `10.6, 16.2 a value of one node is not told twice because a derivation opens a cycle`()
  {
    let ring = Ring(), a = MutableNode(0)
    let never = ring.fed.filter { _ in false }
    // On the ring, too, but for its values.
    let own = Node<Int>.derived {
      _ = never.value
      return try a.get()
    }
    let pairs = own.withLatest(from: ring.fed.map { $0 }).map { $0 * 1_000 + $1 }
    let told = Recorder(pairs)
    ring.close(over: pairs.filter { $0 < 0 }.merge(MutableNode(0)))
    told.clear()
    ring.setLate(5) { a.value = 500 }
    ring.isClosed.value = false
    #expect(ring.fed.value == 5 && told.values == [500_000])
    ring.expectInvariants(a)
  }

  /// As a join says nothing for want of a value, its note is not told again and again.
  @Test func `16.2 a join that says nothing runs again once for what it refused`() {
    let ring = Ring(), a = MutableNode(0), lacking = MutableNode(0)
    let runs = Atomic(0)
    let join = Node<Int>.derived {
      runs.add(1, ordering: .relaxed)
      return try a.get() + ring.fed.get() + lacking.get()
    }
    ring.close(over: join)
    ring.setLate(5) { a.value = 500 }
    lacking.clean()
    for expected in [1, 0, 0] {
      let before = runs.load(ordering: .relaxed)
      ring.isClosed.value = false
      #expect(runs.load(ordering: .relaxed) == before + expected)
      ring.isClosed.value = true
    }
    ring.expectInvariants(a, lacking)
  }
}
