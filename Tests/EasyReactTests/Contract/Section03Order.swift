import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 3.
@Suite("3 Order", .watched) struct Section3 {
  private let journal = Journal<String>()

  private func hear<Value>(_ node: Node<Value>, _ name: String) -> Listening {
    node.listen { [journal] in journal.note("\(name):\($0)") }
  }

  @Test
  func
    `3.1 a set stores the value, calls the listeners in order of attachment, then follows edges in order of linking`()
  {
    let a = MutableNode(1)
    let b = a.map { [journal] value in
      journal.note("map b")
      return value * 10
    }
    let c = a.map { $0 * 100 }
    let listenings = [hear(b, "B"), hear(a, "A1"), hear(c, "C"), hear(a, "A2"), hear(b, "B2")]
    _ = journal.take()
    a.value = 2
    #expect(journal.take() == ["A1:2", "A2:2", "map b", "B:20", "B2:20", "C:200"])
    #expect(checkInvariants([a]) == [])
    keepAlive(listenings as AnyObject)
  }

  @Test func `3.1 each branch is followed to its end before the next`() {
    //      a
    //    b   c          the order of linking: b, c; d, e below b
    //   d e   f
    let a = MutableNode(0)
    let b = a.fork(), c = a.fork()
    let d = b.fork(), e = b.fork(), f = c.fork(), g = d.fork()
    let listenings = zip([a, b, c, d, e, f, g], ["a", "b", "c", "d", "e", "f", "g"])
      .map { hear($0, $1) }
    _ = journal.take()
    a.value = 1
    #expect(journal.take() == ["a:1", "b:1", "d:1", "g:1", "e:1", "c:1", "f:1"])
    keepAlive(listenings as AnyObject)
  }

  @Test func `3.1 an edge that is cut and linked again is the last in order`() {
    let a = MutableNode(0), x = Node<Int>(), y = Node<Int>()
    let first = x.wiring.link(to: a)
    y.wiring.link(to: a)
    let listenings = [hear(x, "x"), hear(y, "y")]
    _ = journal.take()
    a.value = 1
    first.cancel()
    x.wiring.link(to: a)
    a.value = 2
    #expect(journal.take() == ["x:1", "y:1", "x:1", "y:2", "x:2"])
    keepAlive(listenings as AnyObject)
  }

  @Test func `3.1 the value is stored before the listeners are called`() {
    let a = MutableNode(0)
    let seen = Journal<Int?>()
    let listening = a.listen { _ in seen.note(a.value) }
    a.value = 1
    #expect(seen.entries == [0, 1])
    keepAlive(listening)
  }

  @Test func `3.2 what is attached during a notification sees each value exactly once`() {
    let a = MutableNode<Int>()
    let kept = Journal<Listening>()
    let first = a.listen { [journal] value in
      journal.note("L1:\(value)")
      if value == 1 { kept.note(a.listen { journal.note("new:\($0)") }) }
    }
    a.value = 1
    a.value = 2
    #expect(journal.entries == ["L1:1", "new:1", "L1:2", "new:2"])
    #expect(checkInvariants([a]) == [])
    keepAlive(first)
  }

  @Test func `3.2 edges made during a notification get the value by their own push, once`() {
    let a = MutableNode<Int>(), linked = Node<Int>(), early = a.fork()
    let kept = Journal<Node<Int>>()
    let first = a.listen { value in
      if value == 1 {
        linked.wiring.link(to: a)
        kept.note(a.map { $0 * 10 })
      }
    }
    let told = Recorder(linked), toEarly = Recorder(early)
    a.value = 1
    let toMap = Recorder(kept.entries[0])
    a.value = 2
    #expect(told.values == [1, 2])
    #expect(toMap.values == [10, 20])
    #expect(toEarly.values == [1, 2])
    #expect(checkInvariants([a]) == [])
    keepAlive(first)
  }

  @Test
  func
    `3.2 what is attached below, where the wave comes later, sees the old value and then the new one`()
  {
    let a = MutableNode(1)
    let b = a.map { $0 * 10 }
    let kept = Journal<Listening>()
    let first = a.listen { [journal] value in
      if value == 2 { kept.note(b.listen { journal.note("B:\($0)") }) }
    }
    a.value = 2
    a.value = 3
    #expect(journal.entries == ["B:10", "B:20", "B:30"])
    keepAlive(first)
  }

  @Test func `3.2 a listener attached by the last edge's branch is not visited either`() {
    let a = MutableNode<Int>()
    let b = a.fork()
    let kept = Journal<Listening>()
    let inBranch = b.listen { [journal] value in
      if value == 1 { kept.note(a.listen { journal.note("late:\($0)") }) }
    }
    a.value = 1
    #expect(journal.take() == ["late:1"])
    a.value = 2
    #expect(journal.take() == ["late:2"])
    keepAlive(inBranch)
  }

  @Test func `3.3 inside a listener, node.value is the value that it is being told`() {
    let a = MutableNode(0)
    let b = a.map { $0 * 10 }, c = a.combine(b)
    let wrong = Journal<String>()
    let check = { @Sendable (name: String, told: Int, read: Int?) in
      if told != read { wrong.note("\(name) told \(told), reads \(read ?? -1)") }
    }
    let listenings = [
      a.listen { if $0 == 1 { a.value = 2 } },
      a.listen { check("a", $0, a.value) },
      b.listen { check("b", $0, b.value) },
      c.listen { check("c", $0.0, c.value?.0) },
      b.listen { if $0 == 20 { a.value = 3 } },
      a.listen { check("a last", $0, a.value) },
    ]
    let told = Recorder(a)
    a.value = 1
    batch { a.value = 5 }
    #expect(told.values == [0, 1, 2, 3, 5])
    #expect(wrong.entries == [])
    #expect(checkInvariants([a]) == [])
    keepAlive(listenings as AnyObject)
  }

  @Test func `3.4 a chain of 1,000,000 nodes is built, propagates and is freed on a 512 KiB stack`()
  {
    let lives = LifetimeTracker()
    let told = Journal<Int>(), length = Sanitizer.part(of: 1_000_000)
    onThread(stackSize: 512 << 10) {
      let a = MutableNode(0)
      var end: Node<Int> = a
      for number in 1...length {
        end = end.map { $0 + 1 }
        if number % (length / 4) == 0 { end = lives.track(end, "\(number)") }
      }
      var listening: Listening? = end.listen { told.note($0) }
      a.value = 1
      #expect(lives.alive.count == 4)
      end = a
      a.value = 2
      #expect(lives.alive.count == 4)
      keepAlive(listening)
      listening = nil
      #expect(lives.alive == [])
      #expect(!a.hasDownstreamNode)
    }
    #expect(told.entries == [length, length + 1, length + 2])
  }

  @Test func `3.4 a chain of links is cut and freed on a 512 KiB stack, from either end`() {
    let lives = LifetimeTracker()
    onThread(stackSize: 512 << 10) {
      for isFromTop in [true, false] {
        var nodes = (0..<20_000).map { _ in Node<Int>() }
        let top = MutableNode(1)
        if isFromTop { nodes[0].wiring.link(to: top) }
        for index in nodes.indices.dropFirst() { nodes[index].wiring.link(to: nodes[index - 1]) }
        if !isFromTop { nodes[0].wiring.link(to: top) }
        #expect(nodes.last?.value == 1)
        let last = nodes.removeLast()
        nodes = [lives.track(nodes[100], "inner")]
        top.value = 2
        #expect(last.value == 2)
        nodes = []
        #expect(lives.alive == ["inner"])
        last.wiring.removeUpstreamNodes()
        #expect(lives.alive == [])
        #expect(last.value == 2)
      }
    }
  }
}
