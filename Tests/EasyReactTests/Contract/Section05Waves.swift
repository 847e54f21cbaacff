import Dispatch
import EasyReact
import EasyReactTesting
import Testing

// MARK: - 5 The numbers of waves

extension Section5 {
  /// The waves that began on this thread, in order.
  private func waves(_ log: TraceLog) -> [UInt64] {
    log.events.compactMap { if case .waveBegan = $0.kind { $0.wave } else { nil } }
  }

  @Test func `5 every wave has a number, greater than those given before it`() {
    let a = MutableNode(1), b = MutableNode(1)
    let below = a.map { $0 }
    let listening = a.listen { if $0 == 3 { b.value = 9 } }
    let log = traced {
      a.value = 2
      a.value = 3  // its listener sets `b`
      a.update { $0 += 1 }
      a.clean()
      batch {
        b.value = 4
        a.value = 5
      }
      below.wiring.link(to: b)  // a first push
    }
    let found = waves(log)
    #expect(found.count == 8)
    #expect(found == found.sorted() && Set(found).count == found.count)
    #expect(checkInvariants([a, b]) == [])
    listening.cancel()
  }

  @Test
  func
    `5 a node remembers the newest wave that reached it: an older one that comes later is filtered`()
  {
    let clock = VirtualScheduler()
    let a = MutableNode(0)
    let late = a.delay(.seconds(10), on: clock)
    a.link(to: late)  // leads back
    clock.run()
    let told = Recorder(a)
    let log = traced {
      a.value = 1
      a.value = 2
      clock.advance(by: .seconds(5))
      a.value = 3
      clock.run()
    }
    #expect(told.values == [0, 1, 2, 3])
    #expect(log.stops(a) == [.reachedAlready, .reachedAlready, .reachedAlready])
    #expect(log.stops(late).allSatisfy { $0 == .heldBackByTimer })
    #expect(checkInvariants([a]) == [])
    a.wiring.removeUpstreamNodes()
  }
}

// MARK: - 5.2 What is filtered, and what is not

extension Section5 {
  @Test func `5.2 an edge off the cycle is not filtered after the wave was led back`() {
    let a = MutableNode(0), b = MutableNode(0)
    a.sync(with: b)
    let both = a.merge(b), told = Recorder(both)
    told.clear()
    a.value = 1
    b.value = 2
    #expect(told.values == [1, 1, 2, 2])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test
  func `5.2 after an edge led the wave back, an edge that lies on a cycle is filtered`() {
    // x → y → z → x; the last edge leads back, the others are ordinary. A set of `z` comes home by
    // y → z, an ordinary edge.
    let (x, y, z) = (MutableNode(0), MutableNode(0), MutableNode(0))
    y.link(to: x)
    z.link(to: y)
    x.link(to: z)
    let told = [x, y, z].map { Recorder($0) }
    told.forEach { $0.clear() }
    let log = traced { z.value = 1 }
    #expect(told.map(\.values) == [[1], [1], [1]])
    #expect(log.stops(z) == [.reachedAlready])
    x.wiring.removeUpstreamNodes()
  }

  @Test func `5.2 a delivery that waited in a node's queue goes on under a new number`() throws {
    let a = MutableNode(0).named("a"), b = MutableNode(0).named("b")
    b.link(to: a)
    let told = Recorder(b)
    let listening = b.listen { if $0 == 1 { a.value = 2 } }
    // `a` is busy when its second value is set, and `b` when the value would arrive.
    let second = b.listen { _ in }
    let log = traced { a.value = 1 }
    #expect(told.values == [0, 1, 2])
    let stored = log.events(of: a, b).filter { $0.line.contains("stored") }
    #expect(stored.map(\.line) == ["a: stored 1", "b: stored 1", "a: stored 2", "b: stored 2"])
    try #require(stored.count == 4)
    #expect(stored[0].wave == stored[1].wave)
    #expect(stored[2].wave == stored[3].wave && stored[2].wave > stored[0].wave)
    keepAlive(listening, second)
  }

  @Test
  func `5.2 a delivery that was left with another thread goes on under a new number`() throws {
    let a = MutableNode(0).named("a"), b = MutableNode(0).named("b")
    b.link(to: a)
    let told = Recorder(b)
    let log = traced {
      whileInside(b, settingTo: 10) { a.value = 1 }
    }
    #expect(told.values == [0, 10, 1])
    let set = try #require(log.events(of: a).first { $0.line == "a: stored 1" })
    let delivered = try #require(log.events(of: b).first { $0.line == "b: stored 1" })
    #expect(delivered.thread != set.thread)
    #expect(delivered.wave > set.wave)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `5.2 a filtered wave is tested when it is stored, also by another thread`() {
    let a = MutableNode(0).named("a"), b = MutableNode(0).named("b")
    a.sync(with: b)
    let told = [Recorder(a), Recorder(b)]
    told.forEach { $0.clear() }
    let first = b.listen { if $0 == 1 { a.value = 20 } }  // before the 1 goes over the sync
    let log = traced {
      // Both are left with the thread inside `a`.
      whileInside(a, settingTo: 10) { b.value = 1 }
    }
    #expect(told.map(\.values) == [[10, 20], [1, 20]])
    // The echo of 20 over the sync, and the 1 that was left.
    #expect(log.stops(a) == [.leftInMailbox, .leftInMailbox, .reachedAlready, .reachedAlready])
    #expect(checkInvariants([a, b]) == [])
    keepAlive(first)
  }

  @Test func `5.2 a filtered wave that waited keeps its number: a newer one is not undone`() throws
  {
    let a = MutableNode(0).named("a"), b = MutableNode(0).named("b")
    a.sync(with: b)
    let log = traced {
      whileInside(b, settingTo: 10) { a.value = 1 }
    }
    let stored = try #require(log.events(of: a).first { $0.line == "a: stored 1" })
    let delivered = try #require(log.events(of: b).first { $0.line == "b: stored 1" })
    #expect(delivered.thread != stored.thread)
    #expect(delivered.wave == stored.wave)
    // And a set that waits has its number from the start.
    let second = traced {
      whileInside(b, settingTo: 11) {
        b.value = 2
        a.value = 3
      }
    }
    let last = try #require(second.events(of: a).last { $0.line == "a: stored 3" })
    let left = try #require(second.events(of: b).first { $0.line == "b: stored 2" })
    #expect(left.wave < last.wave)
    #expect(a.value == 3 && b.value == 3)
  }

  /// Two sets of `p` have one number, the second a sequence: it was made in a listener, behind a later one's.
  @Test(arguments: ["map", "deliver", "delay"])
  func `5.2 what waits for a scheduler keeps the sequence of what had to wait`(_ edge: String) {
    let clock = VirtualScheduler()
    let p = MutableNode<Int>(), a = MutableNode<Int>(), between = MutableNode<Int>()
    let back =
      switch edge {
      case "deliver": a.deliver(on: clock)
      case "delay": a.delay(.seconds(1), on: clock)
      default: a.map { $0 }
      }
    p.link(to: back)
    a.link(to: p)  // leads back
    p.link(to: between)
    let told = [Recorder(p), Recorder(a), Recorder(back)]
    let listening = p.listen {
      if $0 != 9 { return }
      between.value = 1
      p.value = 2
    }
    p.value = 9
    clock.run()
    #expect(told.map { $0.values } == [[9, 1, 2], [9, 1, 2], [9, 1, 2]])
    #expect(checkInvariants([p, a, between, back]) == [])
    p.wiring.removeUpstreamNodes()
    keepAlive(listening)
  }

  /// `join` lies on a cycle: join → n → feedback → join. `n → feedback` leads back, so that
  /// `join → n` is an ordinary edge. Nothing passes the feedback but negative values.
  private struct JoinOnCycle {
    let synced = MutableNode(0), p = MutableNode(0), q = MutableNode(0)
    let feedback = MutableNode(0), n = Node<Int>()
    let told: Recorder<Int>

    /// - Parameter direct: What leads straight to `n` as well.
    init(direct: KeyPath<JoinOnCycle, MutableNode<Int>>) {
      told = Recorder(n)
      synced.sync(with: p)  // synced → p is the second of the two, so it leads back
      let sum = p.combine(q, feedback).map { $0 + $1 + $2 }
      n.wiring.link(to: self[keyPath: direct])
      n.wiring.link(to: sum)
      feedback.link(to: n.filter { $0 < 0 })
      told.clear()
    }
  }

  @Test
  func `5.2 a join counts as led back only if the newest arrival was: here it was not`() {
    let graph = JoinOnCycle(direct: \.q)
    batch {
      graph.synced.value = 10  // comes to the join over a sync
      graph.q.value = 1  // comes over plain edges, to `n` first
    }
    #expect(graph.told.values == [1, 11])
    #expect(checkInvariants([graph.p, graph.q]) == [])
    graph.feedback.wiring.removeUpstreamNodes()
  }

  @Test
  func `5.2 a join counts as led back only if the newest arrival was: here it was`() {
    let graph = JoinOnCycle(direct: \.synced)
    batch {
      graph.q.value = 1
      graph.synced.value = 10  // comes to `n`, and over a sync to the join
    }
    #expect(graph.told.values == [10])
    #expect(checkInvariants([graph.p, graph.q]) == [])
    graph.feedback.wiring.removeUpstreamNodes()
  }
}
