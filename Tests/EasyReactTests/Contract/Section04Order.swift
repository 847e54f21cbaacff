import EasyReact
import EasyReactTesting
import Testing

// MARK: - 4.4 Sets made by listeners

extension Section4 {
  @Test
  func `4.4 sets made by listeners belong to the running turn: plain edges are followed at once`() {
    let a = MutableNode(0)
    let b = MutableNode(0)
    let journal = Journal<String>()
    var bag: [Listening] = []
    a.listen { value in
      journal.note("a \(value)")
      b.value = value
      journal.note("b is \(b.value!)")
    }.store(in: &bag)
    b.map { $0 * 10 }.listen { journal.note("b mapped \($0)") }.store(in: &bag)
    _ = journal.take()
    a.value = 1
    #expect(journal.entries == ["a 1", "b mapped 10", "b is 1"])
  }

  @Test func `4.4 joins wait until no plain edge is left`() {
    let a = MutableNode(1)
    let b = MutableNode(1)
    let journal = Journal<String>()
    var bag: [Listening] = []
    a.combine(b).listen { journal.note("join \($0) \($1)") }.store(in: &bag)
    // Attached after the join's edge, to plain nodes before and behind it.
    a.map { $0 }.listen { value in
      journal.note("map \(value)")
      b.value = value
      journal.note("set b \(value)")
    }.store(in: &bag)
    b.map { $0 }.listen { journal.note("b \($0)") }.store(in: &bag)
    _ = journal.take()
    a.value = 2
    #expect(journal.entries == ["map 2", "b 2", "set b 2", "join 2 2"])
  }

  @Test func `4.4 when the outermost set returns, everything has settled`() {
    let a = MutableNode(0)
    let b = MutableNode(0)
    let c = MutableNode(0)
    let sum = a.combine(b, c).map { $0 + $1 + $2 }
    var bag: [Listening] = []
    // Each listener sets the next node, from the join itself too.
    a.listen { b.value = $0 * 2 }.store(in: &bag)
    b.listen { c.value = $0 * 2 }.store(in: &bag)
    let total = MutableNode<Int>()
    sum.listen { total.value = $0 }.store(in: &bag)
    let told = Recorder(total)
    told.clear()
    a.value = 1
    #expect(sum.value == 7)
    #expect(told.values == [7])
    #expect(checkInvariants([a, total]) == [])
  }

  @Test func `4.1 joins that are ready run by rank, then by creation`() {
    let a = MutableNode(0)
    let journal = Journal<String>()
    var bag: [Listening] = []
    let first = a.combine(a)
    let second = a.combine(a)
    // Listened in the other order: creation decides, not attachment or linking.
    second.listen { _ in journal.note("second") }.store(in: &bag)
    first.listen { _ in journal.note("first") }.store(in: &bag)
    let above = first.combine(second)
    above.listen { _ in journal.note("above") }.store(in: &bag)
    let third = a.combine(a)
    third.listen { _ in journal.note("third") }.store(in: &bag)
    _ = journal.take()
    a.value = 1
    #expect(journal.entries == ["first", "second", "third", "above"])
  }
}

// MARK: - 4.5 Event operators

extension Section4 {
  @Test func `4.5 merge is not a join: each arriving value counts, in order`() {
    let a = MutableNode(1)
    let merged = a.map { $0 + 1 }.merge(a.map { $0 * 10 })
    let told = Recorder(merged)
    told.clear()
    a.value = 2
    #expect(told.values == [3, 20])
  }

  @Test func `4.5 scan is not a join: each arriving value counts, in order`() {
    let a = MutableNode(1)
    let tens = a.map { $0 * 10 }  // linked to `a` before the merge, so it arrives first
    let total = a.merge(tens).scan(0) { $0 + $1 }
    let told = Recorder(total)
    #expect(told.values == [10])  // the merged node held its last value when the scan was made
    a.value = 2
    #expect(told.values == [10, 30, 32])
  }

  @Test func `4.5 zip is not a join: each arriving value counts, in order`() {
    let a = MutableNode(1)
    let pairs = a.map { $0 + 1 }.zip(a.merge(a.map { $0 * 10 }))
    let told = Recorder(pairs)
    a.value = 2
    a.value = 3
    // Left: 2, 3, 4. Right: 10, then 20, 2, 30, 3.
    #expect(told.values.map { "\($0)" } == ["(2, 10)", "(3, 20)", "(4, 2)"])
  }

  @Test func `4.5 flatten is not a join: each arriving value counts, in order`() {
    let inner = MutableNode(1)
    let outer = MutableNode(0)
    let flat = outer.flattenMap { _ in inner }
    let told = Recorder(flat)
    outer.value = 1
    inner.value = 2
    inner.value = 2
    #expect(told.values == [1, 1, 2, 2])
  }
}

// MARK: - 4.6 Every value

extension Section4 {
  @Test func `4.6 combine(b, as everyValue) runs for every arriving value, as the original did`() {
    let a = MutableNode(1)
    let b = a.map { $0 + 1 }
    let c = a.map { $0 * 10 }
    let d = b.combine(c, mode: .everyValue)
    let told = Recorder(d)
    a.value = 2
    #expect(told.values.map { "\($0)" } == ["(2, 10)", "(3, 10)", "(3, 20)"])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `4.6 everyValue of a node with itself tells every mixture`() {
    let a = MutableNode(1)
    let told = Recorder(a.combine(a, mode: .everyValue))
    a.value = 2
    #expect(told.values.map { "\($0)" } == ["(1, 1)", "(2, 2)", "(2, 2)"])
  }

  @Test func `4.6 everyValue of three nodes and of an array tells each arrival`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let c = MutableNode(3)
    let three = Recorder(a.combine(b, c, mode: .everyValue))
    let many = Recorder(Node.combine([a, b, c], mode: .everyValue))
    batch {
      a.value = 10
      c.value = 30
    }
    #expect(three.values.map { "\($0)" } == ["(1, 2, 3)", "(10, 2, 3)", "(10, 2, 30)"])
    #expect(many.values == [[1, 2, 3], [10, 2, 3], [10, 2, 30]])
  }
}
