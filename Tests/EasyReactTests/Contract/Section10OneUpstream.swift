import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10: each operator with empty upstreams, its first value, re-pointing and its
/// decisions.
@Suite("10 Operators", .watched) struct Section10 {
  /// Points the edge that leads to `node` to another upstream.
  static func repoint<Input, Output>(_ node: Node<Output>, to other: Node<Input>) throws {
    let transform = try #require(node.upstreamTransforms.first as? NodeTransform<Input, Output>)
    transform.from = other
  }
}

// MARK: - Mapping

extension Section10 {
  @Test
  func
    `10 fork has the same values, the present one at once, and keeps the last when upstream is emptied`()
    throws
  {
    let a = MutableNode(1)
    let copy = a.fork()
    let told = Recorder(copy)
    #expect(copy.value == 1)
    a.value = 2
    a.clean()
    #expect(copy.value == 2)
    a.value = 2
    #expect(told.values == [1, 2, 2])
    try Self.repoint(copy, to: MutableNode(9))
    #expect(told.values == [1, 2, 2, 9])
    a.value = 3
    #expect(copy.value == 9)
    #expect(checkInvariants([a, copy]) == [])
  }

  @Test func `10 map computes one output per value, the present one's at once, none of emptiness`()
    throws
  {
    let a = MutableNode(1)
    let runs = Tally()
    let doubled = a.map { value in
      runs.add()
      return value * 2
    }
    let told = Recorder(doubled)
    a.value = 6
    a.clean()
    a.value = 8
    #expect(told.values == [2, 12, 16])
    #expect(runs.count == 3)
    try Self.repoint(doubled, to: MutableNode(50))
    #expect(told.values == [2, 12, 16, 100])
    #expect(MutableNode<Int>().map { $0 + 1 }.isEmpty)
  }

  @Test func `10 map of an optional passes nil on as a value`() {
    let a = MutableNode<Int?>(nil)
    let text = a.map { $0.map { "\($0)" } }
    #expect(text.value == .some(nil))
    a.value = 3
    #expect(text.value == "3")
  }

  @Test func `10 mapReplace tells its value once for each value`() {
    let a = MutableNode(3)
    let told = Recorder(a.mapReplace("x"))
    a.value = 1
    a.clean()
    a.value = 2
    a.value = 2
    #expect(told.values == ["x", "x", "x", "x"])
    #expect(MutableNode<Int>().mapReplace("x").isEmpty)
  }

  @Test func `10 compactMap leaves out the values of which it makes nil`() {
    let a = MutableNode("1")
    let numbers = a.compactMap { Int($0) }
    let told = Recorder(numbers)
    a.value = "x"
    #expect(numbers.value == 1)
    a.value = "3"
    #expect(told.values == [1, 3])
    #expect(MutableNode("y").compactMap { Int($0) }.isEmpty)
  }

  @Test func `10 then runs at once with the same node, and returns the same node`() {
    let a = MutableNode(1)
    let seen = Journal<ObjectIdentifier>()
    let same = a.then { seen.note(ObjectIdentifier($0)) }
    #expect(same === a)
    #expect(seen.entries == [ObjectIdentifier(a)])
    #expect(a.downstreamTransforms.isEmpty)
  }
}

// MARK: - Filtering

extension Section10 {
  @Test func `10 filter keeps the last value that it accepted, and is empty before the first`()
    throws
  {
    let a = MutableNode(1)
    let big = a.filter { $0 > 2 }
    let told = Recorder(big)
    #expect(big.isEmpty)
    for value in [8, 0, 5, 2] { a.value = value }
    a.clean()
    #expect(told.values == [8, 5])
    #expect(big.value == 5)
    try Self.repoint(big, to: MutableNode(1))
    #expect(big.value == 5)
    try Self.repoint(big, to: MutableNode(7))
    #expect(told.values == [8, 5, 7])
  }

  @Test func `10 ignore leaves out one value, select takes it alone; nil is a value for both`() {
    let a = MutableNode<Int?>(100)
    let ignored = Recorder(a.ignore(nil))
    let selected = Recorder(a.select(nil))
    a.value = .some(nil)
    a.value = 200
    a.clean()
    #expect(ignored.values == [100, 200])
    #expect(selected.values == [nil])
  }

  @Test
  func
    `10 skip counts the present value, does not count emptiness, and begins anew when re-pointed`()
    throws
  {
    let a = MutableNode(1)
    let later = a.skip(2)
    let told = Recorder(later)
    for value in [2, 3, 4] { a.value = value }
    #expect(told.values == [3, 4])
    let empty = MutableNode<Int>()
    try Self.repoint(later, to: empty)
    empty.clean()
    empty.clean()
    for value in [1, 2, 3] { empty.value = value }
    #expect(told.values == [3, 4, 3])
    let all = Recorder(a.skip(0))
    a.value = 5
    #expect(all.values == [4, 5])
  }

  @Test func `10 take counts the present value, keeps the last, and begins anew when re-pointed`()
    throws
  {
    let a = MutableNode(1)
    let first = a.take(5)
    let told = Recorder(first)
    a.clean()
    for value in 2...9 { a.value = value }
    #expect(told.values == [1, 2, 3, 4, 5])
    #expect(first.hasUpstreamNode)
    let other = MutableNode(21)
    try Self.repoint(first, to: other)
    for value in 22...26 { other.value = value }
    #expect(told.values == [1, 2, 3, 4, 5, 21, 22, 23, 24, 25])
    #expect(a.take(0).isEmpty)
  }

  @Test func `10 a negative count is a programmer's error that names the operator`() async {
    let skip = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("counted").skip(-1)
    }
    let take = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("counted").take(-1)
    }
    for (result, name) in [(skip, "skip"), (take, "take")] {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\(name): the count -1 is negative"))
      #expect(text.contains("“counted”"))
      #expect(text.contains("Pass zero or more."))
    }
  }

  @Test func `10.1 distinctUntilChanged compares with the last value that it passed on, per edge`()
    throws
  {
    let a = MutableNode(1)
    let distinct = a.distinctUntilChanged()
    let told = Recorder(distinct)
    for value in [1, 2, 2, 1, 2] { a.value = value }
    #expect(told.values == [1, 2, 1, 2])
    // What others set the result to changes nothing.
    let result = distinct.mutablify()
    result.value = 5
    a.value = 2
    result.clean()
    a.value = 2
    #expect(told.values == [1, 2, 1, 2, 5])
    // Nor does emptying the upstream.
    a.clean()
    a.value = 2
    #expect(told.values == [1, 2, 1, 2, 5])
    // Another edge has a memory of its own; a re-pointed one begins anew.
    #expect(a.distinctUntilChanged().value == 2)
    try Self.repoint(distinct, to: MutableNode(2))
    #expect(told.values == [1, 2, 1, 2, 5, 2])
    #expect(checkInvariants([a, distinct]) == [])
  }

  @Test func `10.1 distinctUntilChanged passes a first nil, which is not emptiness`() {
    let a = MutableNode<Int?>()
    let told = Recorder(a.distinctUntilChanged())
    a.value = .some(nil)
    a.value = .some(nil)
    a.value = 1
    a.value = 1
    a.clean()
    a.value = 1
    a.value = 2
    #expect(told.values == [nil, 1, 2])
  }

  @Test func `10.1 distinctUntilChanged compares by a closure, or on a property`() {
    let a = MutableNode((name: "x", age: 1))
    let byClosure = Recorder(a.distinctUntilChanged { $0.age == $1.age })
    let onName = Recorder(a.distinctUntilChanged(on: \.name))
    a.value = ("y", 1)
    a.value = ("y", 2)
    #expect(byClosure.values.map(\.age) == [1, 2])
    #expect(byClosure.values.map(\.name) == ["x", "y"])
    #expect(onName.values.map(\.name) == ["x", "y"])
    #expect(onName.values.map(\.age) == [1, 1])
  }
}

// MARK: - Accumulating

extension Section10 {
  @Test
  func `10 scan begins with its initial value, does not tell it, and begins anew when re-pointed`()
    throws
  {
    let a = MutableNode<Int>()
    let sum = a.scan(10) { $0 + $1 }
    let told = Recorder(sum)
    #expect(sum.isEmpty)
    for value in [1, 2] { a.value = value }
    a.clean()
    a.value = 3
    #expect(told.values == [11, 13, 16])
    try Self.repoint(sum, to: MutableNode(100))
    #expect(told.values == [11, 13, 16, 110])
  }

  @Test func `10 scanIndexed counts the index from zero, anew when re-pointed`() throws {
    let a = MutableNode(1)
    let sum = a.scanIndexed(10) { $0 * $1 + $2 }
    let told = Recorder(sum)
    a.value = 1
    a.value = 3
    #expect(told.values == [10, 11, 35])
    let other = MutableNode(20)
    try Self.repoint(sum, to: other)
    other.value = 21
    other.value = 23
    #expect(told.values == [10, 11, 35, 200, 4201, 96625])
  }
}
