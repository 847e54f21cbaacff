import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: operators that count or remember.
@Suite("10.6 Counting and collecting", .watched) struct AccumulatingTests {
  @Test func `10.6 scan(into:) tells the total that it changes in place, and begins anew`() throws {
    let a = MutableNode(1)
    let sums = a.scan(into: [10]) { $0.append($1) }
    let told = Recorder(sums)
    a.value = 2
    a.clean()
    a.value = 3
    #expect(told.take() == [[10, 1], [10, 1, 2], [10, 1, 2, 3]])
    try Operators.repoint(sums, to: MutableNode(7))
    #expect(told.values == [[10, 7]])
    #expect(checkInvariants([a, sums]) == [])
  }

  @Test func `10.6 scan without a first total tells the first value as it is, and begins anew`()
    throws
  {
    let a = MutableNode<Int>()
    let calls = Tally()
    let highest = a.scan { before, value in
      calls.add()
      return max(before, value)
    }
    #expect(highest.isEmpty)
    let told = Recorder(highest)
    for value in [3, 1, 5] { a.value = value }
    #expect(told.take() == [3, 3, 5])
    #expect(calls.take() == 2)
    try Operators.repoint(highest, to: MutableNode(2))
    #expect(told.values == [2])
    #expect(calls.count == 0)
    #expect(checkInvariants([a, highest]) == [])
  }

  @Test func `10.6 count numbers the values, the present one first; emptying does not count`()
    throws
  {
    let a = MutableNode("a")
    let count = a.count()
    #expect(count.value == 1)
    #expect(MutableNode<Int>().count().isEmpty)
    let told = Recorder(count)
    a.value = "a"
    a.clean()
    #expect(count.value == 2)
    a.value = "b"
    #expect(told.take() == [1, 2, 3])
    try Operators.repoint(count, to: MutableNode("z"))
    #expect(told.values == [1])
    #expect(checkInvariants([a, count]) == [])
  }

  @Test func `10.6 enumerated numbers from zero and keeps the value`() throws {
    let a = MutableNode("a")
    let numbered = a.enumerated()
    let told = Recorder(numbered.map { "\($0.offset)\($0.element)" })
    a.value = "b"
    a.clean()
    a.value = "c"
    #expect(told.take() == ["0a", "1b", "2c"])
    try Operators.repoint(numbered, to: MutableNode("z"))
    #expect(told.values == ["0z"])
    #expect(checkInvariants([a, numbered]) == [])
  }

  @Test func `10.6 pairwise tells each value with the one before, not the first alone`() throws {
    let a = MutableNode(1)
    let pairs = a.pairwise()
    #expect(pairs.isEmpty)
    let told = Recorder(pairs.map { [$0.0, $0.1] })
    a.value = 3
    a.clean()
    a.value = 6
    #expect(told.take() == [[1, 3], [3, 6]])
    let other = MutableNode(20)
    try Operators.repoint(pairs, to: other)
    #expect(told.take() == [])
    other.value = 21
    #expect(told.values == [[20, 21]])
    #expect(checkInvariants([a, pairs]) == [])
  }

  @Test func `10.6 pairwise(startingWith:) has a value before the first, in each life`() throws {
    let a = MutableNode<Int?>(nil)
    let pairs = a.pairwise(startingWith: 0)
    let told = Recorder(pairs.map { [$0.0, $0.1] })
    a.value = .some(2)
    #expect(told.take() == [[0, nil], [nil, 2]])
    try Operators.repoint(pairs, to: MutableNode<Int?>(9))
    #expect(told.values == [[0, 9]])
    let empty = MutableNode<Int>().pairwise(startingWith: 0)
    #expect(empty.isEmpty)
    #expect(checkInvariants([a, pairs]) == [])
  }

  @Test func `10.6 collect(count:) tells full arrays; what is not enough waits`() throws {
    let a = MutableNode(1)
    let threes = a.collect(count: 3)
    let told = Recorder(threes)
    for value in [2, 3, 4] { a.value = value }
    a.clean()
    for value in [5, 6, 7] { a.value = value }
    #expect(told.take() == [[1, 2, 3], [4, 5, 6]])
    let other = MutableNode(20)
    try Operators.repoint(threes, to: other)  // 7 is dropped
    for value in [21, 22, 23] { other.value = value }
    #expect(told.values == [[20, 21, 22]])
    let ones = Recorder(MutableNode(1).collect(count: 1))
    #expect(ones.values == [[1]])
    #expect(checkInvariants([a, other, threes]) == [])
  }

  @Test func `10.6 collect(count:) carries the context of the value that fills the array`() {
    let a = MutableNode<Int>()
    let told = Recorder(a.collect(count: 2))
    a.set(1, context: "first")
    a.set(2, context: "second")
    #expect(told.contexts.map { $0 as? String } == ["second"])
  }

  @Test func `10.6 collect(count:) of no value stops with a message`() async {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").collect(count: 0)
    }
    Operators.expectMessage(
      zero, "collect(count:): the count 0 is not positive", "Pass one or more.")
  }

  @Test func `10.6 startWith holds the first value until there is one, and not again`() throws {
    let a = MutableNode<Int>()
    let begun = a.startWith(0)
    #expect(begun.value == 0)
    let told = Recorder(begun)
    a.value = 1
    a.clean()
    #expect(begun.value == 1)
    #expect(told.take() == [0, 1])
    #expect(MutableNode(5).startWith(0).value == 5)
    try Operators.repoint(begun, to: MutableNode<Int>())
    #expect(begun.value == 1)
    #expect(checkInvariants([a, begun]) == [])
  }
}
