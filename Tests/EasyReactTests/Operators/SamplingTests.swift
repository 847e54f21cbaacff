import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: joins that one of their upstreams makes run.
@Suite("10.6 Sampling", .watched) struct SamplingTests {
  @Test func `10.6 withLatest tells a pair for each value of its node, none for the other`() {
    let a = MutableNode(1), other = MutableNode<String>()
    let pairs = a.withLatest(from: other)
    #expect(pairs.isEmpty)
    let told = Recorder(pairs.map { "\($0)\($1)" })
    a.value = 2  // dropped: the other is empty
    other.value = "x"
    #expect(told.values == [])
    a.value = 3
    other.value = "y"
    a.value = 3
    other.clean()
    a.value = 4
    #expect(told.values == ["3x", "3y"])
    #expect(checkInvariants([a, other, pairs]) == [])
  }

  @Test func `10.6 withLatest holds a pair at once if both nodes hold a value`() throws {
    let pair = try #require(MutableNode(1).withLatest(from: MutableNode("x")).value)
    #expect(pair == (1, "x"))
  }

  @Test func `10.6 withLatest is a join: a set that reaches both tells the new value with the new`()
  {
    let a = MutableNode(1)
    let tens = a.map { $0 * 10 }
    let early = Recorder(a.withLatest(from: tens).map { [$0, $1] })
    let late = Recorder(tens.withLatest(from: a.combine(tens).map { $0 + $1 }).map { [$0, $1] })
    a.value = 2
    #expect(early.values == [[1, 10], [2, 20]])
    #expect(late.values == [[10, 11], [20, 22]])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.6 withLatest runs once a turn, and as .everyValue for each value`() {
    let a = MutableNode(0), b = MutableNode(0)
    let either = a.merge(b)
    let once = Recorder(either.withLatest(from: b).map { [$0, $1] })
    let each = Recorder(either.withLatest(from: b, mode: .everyValue).map { [$0, $1] })
    once.clear()
    each.clear()
    batch {
      a.value = 1
      b.value = 2
    }
    #expect(once.values == [[2, 2]])
    // 2 came over the merge before `b` was asked: its edge was linked first, its value stored.
    #expect(each.values == [[1, 0], [2, 2]])
  }

  /// One that is built in the middle of a turn begins with a mixture, and is told again.
  @Test(arguments: ["withLatest", "sample"])
  func `4.1 one that a listener builds in mid-turn is told what the turn tells after it`(
    name: String
  ) {
    let a = MutableNode(1), b = MutableNode(10)
    let sum = a.combine(b).map { $0 + $1 }
    let told = Journal<[Int]>(), keeping = CancelableBag()
    let building = a.listen { value in
      if value != 2 { return }
      let made =
        name == "sample"
        ? sum.sample(on: a).map { [$0] } : a.withLatest(from: sum).map { [$0, $1] }
      keeping.add(made.listen { told.note($0) })
    }
    a.value = 2
    #expect(told.entries == (name == "sample" ? [[11], [12]] : [[2, 11], [2, 12]]))
    b.value = 20  // of a turn of its own: it makes neither run
    #expect(told.entries.count == 2)
    a.value = 3
    #expect(told.entries.last == (name == "sample" ? [23] : [3, 23]))
    #expect(told.entries.count == 3)
    keepAlive(building, keeping)
  }

  @Test func `4.1, 4.5 as an inner node that is built in mid-turn it tells no mixture`() {
    let a = MutableNode(1), b = MutableNode(10), base = Node([0])
    let deep = a.map { $0 }.combine(b).map { $0 + $1 }.combine(b).map { $0 + $1 }
    let ofOwn = Recorder(
      a.flattenMap { x in
        x < 2 ? base : Node(x).withLatest(from: deep).map { [$0, $1] }
      })
    let ofSame = Recorder(
      a.flattenMap { x in x < 2 ? base : a.withLatest(from: deep).map { [$0, $1] } })
    a.value = 2
    #expect(ofOwn.values == [[0], [2, 22]])
    #expect(ofSame.values == [[0], [2, 22]])
    batch {
      a.value = 3
      b.value = 30
    }
    #expect(ofOwn.values.last == [3, 63] && ofSame.values.last == [3, 63])
  }

  @Test func `4.3 what a batch has staged is no tick for a sample that is made in it`() throws {
    struct Wrong: Error {}
    let a = MutableNode(1), ticks = MutableNode<Int>(), ticked = MutableNode(5)
    var samples: [Node<Int>] = []
    #expect(throws: Wrong.self) {
      try batch {
        ticks.value = 7
        ticked.clean()
        samples = [a.sample(on: ticks), a.sample(on: ticked)]
        throw Wrong()
      }
    }
    #expect(ticks.isEmpty && samples.map(\.value) == [nil, 1])
    let told = Recorder(samples[0])
    batch { ticks.value = 7 }
    #expect(told.values == [1])
    #expect(checkInvariants([a, ticks, ticked]) == [])
  }

  @Test func `10.6 withLatest passes on the context of its node's wave`() {
    let a = MutableNode<Int>(), other = MutableNode<Int>()
    let told = Recorder(a.withLatest(from: other).map { $0 + $1 })
    other.set(1, context: "other")
    a.set(1, context: "mine")
    batch {
      a.set(2, context: "mine again")
      other.set(2, context: "newer")
    }
    #expect(told.values == [2, 4])
    #expect(told.contexts.map { $0 as? String } == ["mine", "mine again"])
  }

  @Test func `10.6 withLatest and sample are over when they lose either edge`() {
    for keepsFirst in [true, false] {
      let a = MutableNode(1), other = MutableNode(2)
      let pairs = a.withLatest(from: other), samples = a.sample(on: other)
      #expect(!pairs.isTerminated && !samples.isTerminated)
      let lost = keepsFirst ? other : a
      pairs.wiring.removeUpstreamNode(lost)
      samples.wiring.removeUpstreamNode(lost)
      #expect(pairs.isTerminated && samples.isTerminated)
      let told = Recorder(pairs), sampled = Recorder(samples)
      (a.value, other.value) = (3, 4)
      #expect(told.values.count == 1 && sampled.values.count == 1)
      #expect(checkInvariants([a, other, pairs, samples]) == [])
    }
  }

  @Test func `10.6 sample(on:) takes the latest value at a tick, if there was a new one`() {
    let a = MutableNode<Int>(), ticks = MutableNode<Void>()
    let told = Recorder(a.sample(on: ticks))
    ticks.value = ()
    a.value = 1
    a.value = 2
    #expect(told.values == [])
    ticks.value = ()
    ticks.value = ()
    a.value = 2
    ticks.value = ()
    a.value = 3
    a.clean()
    ticks.value = ()
    #expect(told.values == [2, 2])
    #expect(checkInvariants([a, ticks]) == [])
  }

  @Test func `10.6 sample(on:) of two present values is told at once, and not again`() {
    let a = MutableNode(1), ticks = MutableNode(0)
    let samples = a.sample(on: ticks)
    #expect(samples.value == 1)
    let told = Recorder(samples)
    ticks.value = 1
    #expect(told.values == [1])
    let waiting = MutableNode(5), later = MutableNode<Int>()
    let late = waiting.sample(on: later)
    #expect(late.isEmpty)
    later.value = 1
    #expect(late.value == 5)
  }

  @Test func `10.6 sample(on:) is a join: a tick that comes of the same set samples the new value`()
  {
    let a = MutableNode(1)
    let even = a.filter { $0.isMultiple(of: 2) }  // linked before the edge of the samples
    let told = Recorder(a.sample(on: even))
    for value in 2...5 { a.value = value }
    #expect(told.values == [2, 4])
  }

  @Test func `10.6 sample(on:) passes on the context of the tick`() {
    let a = MutableNode<Int>(), ticks = MutableNode<Int>()
    let told = Recorder(a.sample(on: ticks))
    a.set(1, context: "value")
    ticks.set(1, context: "tick")
    #expect(told.contexts.map { $0 as? String } == ["tick"])
  }

  @Test func `10.6 a value that sample(on:) has told is not kept, nor is one that was emptied`() {
    let lives = LifetimeTracker()
    let a = MutableNode<Token>(), ticks = MutableNode<Int>()
    let samples = a.sample(on: ticks)
    a.value = lives.track(Token(), "emptied")
    a.clean()
    #expect(lives.alive == [])
    a.value = lives.track(Token(), "told")
    ticks.value = 1
    samples.wiring.removeUpstreamNode(ticks)
    a.clean()
    #expect(lives.alive == ["told"])  // by the samples
    samples.mutablify().clean()
    #expect(lives.alive == [])
  }
}
