import EasyReact
import EasyReactTesting
import Testing

// MARK: - Deliver

extension Section10 {
  @Test
  func
    `10 deliver hops for every value, the present one too; the result is empty until the hop runs`()
    throws
  {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let delivered = a.deliver(on: clock)
    let told = Recorder(delivered)
    #expect(delivered.isEmpty)
    a.value = 2
    a.clean()
    a.value = 3
    #expect(told.values == [])
    clock.run()
    #expect(told.values == [1, 2, 3])
    let other = MutableNode(9)
    a.value = 4  // waits on the edge that is re-pointed: dropped
    try Self.repoint(delivered, to: other)
    clock.run()
    #expect(told.values == [1, 2, 3, 9])
    #expect(checkInvariants([a, other]) == [])
  }

  @Test func `10 deliver of an empty node delivers nothing until there is a value`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let delivered = a.deliver(on: clock)
    clock.run()
    #expect(delivered.isEmpty)
    a.value = 1
    clock.run()
    #expect(delivered.value == 1)
  }

  @Test func `10 deliver on the immediate scheduler arrives before set returns`() {
    let a = MutableNode(1)
    let told = Recorder(a.deliver(on: .immediate))
    a.value = 2
    #expect(told.values == [1, 2])
  }
}

// MARK: - Delay

extension Section10 {
  @Test func `10 delay tells each value once, that much later, in order`() throws {
    let clock = VirtualScheduler()
    let a = MutableNode(100)
    let late = a.delay(.seconds(2), on: clock)
    let told = Recorder(late, clock: clock)
    clock.advance(by: .seconds(1))
    a.value = 200
    #expect(late.isEmpty)
    clock.advance(by: .seconds(1))
    a.value = 300
    a.clean()
    clock.run()
    #expect(told.values == [100, 200, 300])
    #expect(told.times == [.seconds(2), .seconds(3), .seconds(4)])
    a.value = 400
    try Self.repoint(late, to: MutableNode<Int>())
    clock.run()
    #expect(told.values == [100, 200, 300])
  }

  @Test func `10 delay: what waits when the edge is cut is dropped`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let late = a.delay(.seconds(1), on: clock)
    late.wiring.removeUpstreamNodes()
    clock.run()
    #expect(late.isEmpty)
  }
}

// MARK: - Debounce

extension Section10 {
  @Test func `10.2 debounce: a value passes when no newer one came for the interval`() {
    let clock = VirtualScheduler()
    let text = MutableNode<String>()
    let told = Recorder(text.debounce(.milliseconds(100), on: clock), clock: clock)
    // "r" and "re" 30 ms apart, "res" and "resu" 40 ms apart, the rest alone or together.
    for (time, value) in [
      (120, "r"), (150, "re"), (800, "res"), (840, "resu"), (1200, "resul"), (1220, "result"),
    ] {
      clock.advance(to: .milliseconds(time))
      text.value = value
    }
    clock.run()
    #expect(told.values == ["re", "resu", "result"])
    #expect(told.times == [.milliseconds(250), .milliseconds(940), .milliseconds(1320)])
    #expect(checkInvariants([text]) == [])
  }

  @Test func `10.2 debounce: the present value waits too, and equal values begin the wait anew`() {
    let clock = VirtualScheduler()
    let a = MutableNode(100)
    let told = Recorder(a.debounce(.milliseconds(100), on: clock), clock: clock)
    #expect(told.values == [])
    clock.advance(to: .milliseconds(60))
    a.value = 100
    clock.advance(to: .milliseconds(159))
    #expect(told.values == [])
    clock.advance(to: .milliseconds(160))
    #expect(told.values == [100])
    clock.run()
    #expect(told.values == [100])
  }

  @Test func `10.2 rate limits are throttleFirst and throttleLatest`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let quiet = Recorder(a.debounce(.seconds(1), on: clock), clock: clock)
    let first = Recorder(a.throttleFirst(.seconds(1), on: clock), clock: clock)
    let latest = Recorder(a.throttleLatest(.seconds(1), on: clock), clock: clock)
    for value in 1...10 {
      a.value = value
      clock.advance(by: .milliseconds(300))
    }
    clock.run()
    // Never quiet for a second before the end; the others tell one a second meanwhile.
    #expect(quiet.values == [10])
    #expect(quiet.times == [.milliseconds(3700)])
    #expect(first.values == [1, 5, 9])
    #expect(first.times == [.zero, .milliseconds(1200), .milliseconds(2400)])
    #expect(latest.values == [1, 4, 7, 10])
    #expect(latest.times == [.zero, .seconds(1), .seconds(2), .seconds(3)])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.2 clean() upstream drops the pending value`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let told = Recorder(a.debounce(.seconds(1), on: clock))
    a.clean()
    clock.run()
    #expect(told.values == [])
    #expect(clock.pendingCount == 0)
    a.value = 2
    clock.run()
    #expect(told.values == [2])
  }

  @Test func `10.2 no user code runs under a lock: a listener of the result may set the source`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let quiet = a.debounce(.seconds(1), on: clock)
    let told = Recorder(quiet)
    let listening = quiet.listen { if $0 < 4 { a.value = $0 + 1 } }
    clock.run()
    #expect(told.values == [1, 2, 3, 4])
    #expect(clock.now == .seconds(4))
    #expect(checkInvariants([a]) == [])
    _ = listening
  }

  @Test func `10.2 a debounce that is cut or re-pointed drops what is pending`() throws {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let quiet = a.debounce(.seconds(1), on: clock)
    let told = Recorder(quiet)
    try Self.repoint(quiet, to: MutableNode(2))
    clock.run()
    #expect(told.values == [2])
    quiet.wiring.removeUpstreamNodes()
    clock.run()
    #expect(told.values == [2])
  }

  @Test func `10.2 a pending value dies with the node`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    weak var gone: Node<Int>?
    do {
      let quiet = a.debounce(.seconds(1), on: clock)
      gone = quiet
    }
    #expect(gone == nil)
    #expect(!a.hasDownstreamNode)
    clock.run()
    #expect(checkInvariants([a]) == [])
  }

  @Test func `8.1 timed and queue edges carry the context of the set`() {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>()
    let told = [
      Recorder(a.deliver(on: clock)), Recorder(a.delay(.seconds(1), on: clock)),
      Recorder(a.debounce(.seconds(1), on: clock)),
    ]
    a.set(1, context: "c1")
    a.set(2, context: "c2")
    clock.run()
    #expect(told[0].contexts.map { $0 as? String } == ["c1", "c2"])
    #expect(told[1].contexts.map { $0 as? String } == ["c1", "c2"])
    #expect(told[2].contexts.map { $0 as? String } == ["c2"])
    #expect(told[2].values == [2])
  }
}
