import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 6.
@Suite("6 Re-entrance", .watched) struct Section6 {
  private let journal = Journal<String>()

  private func hear<Value>(_ node: Node<Value>, _ name: String) -> Listening {
    node.listen { [journal] in journal.note("\(name):\($0)") }
  }

  @Test func `6.3 changes that find nothing to change wait without recursion`() {
    let told = onSmallStack { () -> [[Int]] in
      let rows = MutableNode([1]), fifth = rows[index: 5], told = Recorder(rows)
      let count = Sanitizer.part(of: 100_000)
      let listening = rows.listen { _ in
        for value in 0..<count { fifth.value = value }
      }
      rows.update { _ in
        for value in 0..<count { fifth.value = value }
      }
      keepAlive(listening)
      return told.values
    }
    #expect(told == [[1], [1]])
  }

  @Test func `6.1 listener L1 sets a to 2 on hearing 1, L2 attached later: L1:1 L2:1 L1:2 L2:2`() {
    let a = MutableNode<Int>()
    let first = a.listen { [journal] value in
      journal.note("L1:\(value)")
      if value == 1 { a.value = 2 }
    }
    let second = hear(a, "L2")
    a.value = 1
    #expect(journal.entries == ["L1:1", "L2:1", "L1:2", "L2:2"])
    #expect(a.value == 2)
    #expect(checkInvariants([a]) == [])
    keepAlive(first, second)
  }

  @Test
  func
    `6.1 a waiting value is delivered whole when the running notification ends, first in first out`()
  {
    let a = MutableNode<Int>()
    let first = a.listen { [journal] value in
      journal.note("L1:\(value)")
      if value == 1 {
        a.value = 2
        a.set(3, context: "third")
        a.value = 4
      }
      if value == 2 { a.value = 5 }
    }
    let mapped = a.map { -$0 }
    let second = a.listenToChanges { [journal] in
      journal.note("L2:\($0.value) \($0.context as? String ?? "-")")
    }
    let third = hear(mapped, "M")
    a.value = 1
    #expect(
      journal.entries == [
        "L1:1", "L2:1 -", "M:-1", "L1:2", "L2:2 -", "M:-2", "L1:3", "L2:3 third", "M:-3", "L1:4",
        "L2:4 -", "M:-4", "L1:5", "L2:5 -", "M:-5",
      ])
    #expect(checkInvariants([a]) == [])
    keepAlive(first, second, third)
  }

  @Test func `6.1 the value waits: inside the listener the node still holds what is being told`() {
    let a = MutableNode(0)
    let read = Journal<Int?>()
    let listening = a.listen { value in
      if value == 1 {
        a.value = 2
        read.note(a.value)
      }
    }
    a.value = 1
    #expect(read.entries == [1])
    #expect(a.value == 2)
    keepAlive(listening)
  }

  @Test
  func `6.1 a value that comes back through a derived node waits too: other branches finish first`()
  {
    let a = MutableNode<Int>()
    let b = a.map { $0 }, c = a.map { $0 }
    let listenings = [
      hear(a, "A"), hear(b, "B"), b.listen { if $0 < 3 { a.value = $0 + 1 } }, hear(c, "C"),
    ]
    a.value = 1
    #expect(
      journal.entries == ["A:1", "B:1", "C:1", "A:2", "B:2", "C:2", "A:3", "B:3", "C:3"])
    #expect(checkInvariants([a]) == [])
    keepAlive(listenings as AnyObject)
  }

  @Test func `6.1 it holds for every node: a derived one, a link's end, a join`() {
    let a = MutableNode<Int>()
    let derived = a.map { $0 }.mutablify()
    let linked = MutableNode<Int>()
    linked.link(to: a)
    let join = a.combine(a).map { $0 + $1 }.mutablify()
    for (node, first, heard) in [
      (derived, 1, [1, 50]), (linked, 2, [2, 50]), (join, 6, [6, 50]),
    ] {
      let setter = node.listen { if $0 != 50 && $0 == first { node.value = 50 } }
      let (one, two) = (Recorder(node), Recorder(node))
      one.clear()
      two.clear()
      a.value = node === join ? 3 : first
      #expect(one.values == heard)
      #expect(two.values == heard)
      keepAlive(setter)
    }
    #expect(checkInvariants([a]) == [])
  }

  @Test func `6.1 clean waits in the queue like a value`() {
    let a = MutableNode<Int>()
    let log = Section2.Log()
    let first = a.listen { value in
      if value == 1 {
        a.clean()
        a.value = 2
      }
    }
    let second = a.listen(with: log)
    a.value = 1
    #expect(log.journal.entries == ["1 -", "empty", "2 -"])
    keepAlive(first, second)
  }

  @Test func `6.1 a set made by an attached listener's first call waits until that call is over`() {
    let a = MutableNode(1)
    let before = hear(a, "before")
    let listening = a.listen { [journal] value in
      journal.note("begin:\(value)")
      if value == 1 { a.value = 2 }
      journal.note("end:\(value)")
    }
    #expect(journal.entries == ["before:1", "begin:1", "end:1", "before:2", "begin:2", "end:2"])
    #expect(checkInvariants([a]) == [])
    keepAlive(before, listening)
  }

  @Test func `6.2 a set of another node inside a listener is followed at once`() {
    let a = MutableNode<Int>(), b = MutableNode<Int>()
    let c = b.map { $0 * 10 }
    let first = a.listen { [journal] value in
      journal.note("begin:\(value)")
      b.value = value
      journal.note("end:\(value) c:\(c.value ?? -1)")
    }
    let others = [hear(a, "A"), hear(b, "B"), hear(c, "C")]
    a.value = 1
    a.value = 2
    #expect(
      journal.entries == [
        "begin:1", "B:1", "C:10", "end:1 c:10", "A:1", "begin:2", "B:2", "C:20", "end:2 c:20",
        "A:2",
      ])
    #expect(checkInvariants([a, b]) == [])
    keepAlive(first)
    keepAlive(others as AnyObject)
  }

  @Test func `6.3 1,000,000 re-entrant sets use no more stack than one`() {
    let told = Tally(), count = Sanitizer.part(of: 1_000_000)
    onThread(stackSize: 512 << 10) {
      let a = MutableNode(0)
      let listening = a.listen { value in
        told.add()
        if value > 0 && value < count { a.value = value + 1 }
      }
      a.value = 1
      #expect(a.value == count)
      #expect(checkInvariants([a]) == [])
      keepAlive(listening)
    }
    #expect(told.count == count + 1)
  }

  @Test func `6.3 1,000,000 sets that wait at once are told in order, and the queue is given back`()
  {
    onThread(stackSize: 512 << 10) {
      let lives = LifetimeTracker()
      let a = MutableNode<Token?>()
      let told = Tally(), count = Sanitizer.part(of: 1_000_000)
      let listening = a.listen { token in
        told.add()
        if token == nil {
          for number in 1...count {
            a.set(number % (count / 10) == 0 ? lives.track(Token(), "\(number)") : Token())
          }
        }
      }
      a.set(nil)
      #expect(told.count == count + 1)
      #expect(lives.alive == ["\(count)"])
      keepAlive(listening)
    }
  }

  @Test func `6.3 two listeners that set each other's node use constant stack`() {
    onThread(stackSize: 512 << 10) {
      let a = MutableNode(0), b = MutableNode(0)
      let listenings = [
        a.listen { if $0 > 0 && $0 < 100_000 { b.value = $0 + 1 } },
        b.listen { if $0 > 0 && $0 < 100_000 { a.value = $0 + 1 } },
      ]
      a.value = 1
      #expect([a.value, b.value] == [99_999, 100_000])
      #expect(checkInvariants([a, b]) == [])
      keepAlive(listenings as AnyObject)
    }
  }
}
