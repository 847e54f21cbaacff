import EasyReact
import EasyReactTesting
import Testing

/// Tests with marbles: that they pass what is right, and how they show what is not.
@Suite struct MarbleTestTests {
  let test = MarbleTest()

  private func mismatch(_ body: () throws -> Void) -> MarbleMismatch? {
    #expect(throws: MarbleMismatch.self) { try body() }
  }

  // MARK: What is right

  @Test func `a test of a timed operator is three lines: inputs, expression, expected`() throws {
    let typed = try test.node("ab-c----de---")
    let quiet = typed.debounce(.seconds(2), on: test.clock)
    try test.expect(quiet, "-----c-----e-")
  }

  @Test func `an input holds its first column from the beginning, and is set later`() throws {
    let a = try test.node("1-2", as: Int.self, named: "a")
    let b = try test.node("-1", as: Int.self)
    #expect(a.value == 1 && a.name == "a" && b.isEmpty)
    #expect(a.created.file.hasSuffix("MarbleTestTests.swift"))
    try test.expect([.line(a, "1-2"), .line(b, "-1-")])
  }

  @Test func `several things in one instant come in order`() throws {
    let a = try test.node("[12]-[3~4]", as: Int.self)
    #expect(a.value == 1)
    try test.expect(a, "[12]-[3~4]")
  }

  @Test func `inputs of one instant come in order of their lines, before the clock's work`() throws
  {
    let a = try test.node("--a-")
    let b = try test.node("b-c-")
    let late = b.delay(.seconds(2), on: test.clock)
    try test.expect(a.merge(b, late), "b-[acb]-")
  }

  @Test func `what is scheduled before time runs comes after the inputs of its instant too`() throws
  {
    let a = try test.node("1-2--")
    // The present value's timer was scheduled before the inputs were.
    try test.expect(a.debounce(.seconds(2), on: test.clock), "----2")
  }

  @Test func `set plays a line into a node that is there already, which holds the first column`()
    throws
  {
    let a = MutableNode(9), b = MutableNode("z")
    try test.set(a, "-1-~2")
    try test.set(b, "x--y-", values: ["x": "cross", "y": "yes"], named: "letters")
    #expect(a.value == 9 && b.value == "cross")
    try test.expect([.line(a, "9 1-~2"), .line(b, "'cross'--'yes'-")])
    #expect(test.diagram.split(separator: "\n").map { $0.prefix { $0 != " " } }.first == "input")
    #expect(test.diagram.contains("letters"))
  }

  @Test func `set plays events into an event node, also those of the first column`() throws {
    let taps = MutableNode<Int>.eventNode(), pulses = MutableNode<Void>.eventNode()
    try test.set(taps, "1--[23]--")
    try test.set(pulses, "-x---x-", values: ["x": ()])
    #expect(taps.isEmpty)
    try test.expect([
      .line(taps, "         1--[23]--"), .line(taps.held(), "  1--[23]--"),
      .line(pulses.count(), "-1---2-"),
    ])
  }

  @Test func `emptied nodes are told as such`() throws {
    let a = try test.node("1-~-2", as: Int.self)
    let b = try test.node("-~--3", as: Int.self)
    let outer = MutableNode<Node<Int>>(a)
    try test.expect([.line(a, "1-~-2"), .line(b, "-~--3"), .line(outer.flatten(), "1---2")])
  }

  @Test func `an exclamation mark alone ends the listening before anything else of the instant`()
    throws
  {
    let a = try test.node("1-2-3-4", as: Int.self)
    try test.expect([.line(a, "1-2-!--"), .line(a.delay(.seconds(2), on: test.clock), "--1-2-!")])
    #expect(!a.hasListener)
  }

  @Test func `in a group it ends the listening at the end of the instant`() throws {
    let a = try test.node("1-[23]-4", as: Int.self)
    try test.expect(a, "1-[23!]-")
  }

  @Test func `a cancel line cancels what it is given`() throws {
    let a = try test.node("1--2--3", as: Int.self)
    let b = MutableNode<Int>()
    try test.cancel(b.link(to: a), "-----!")
    try test.expect(b, "1--2---")
  }

  @Test func `a cancel line cancels before the inputs of its instant, whichever was made first`()
    throws
  {
    let a = try test.node("1-2-", as: Int.self)
    let b = MutableNode<Int>()
    try test.cancel(b.link(to: a), "--!")
    try test.expect(b, "1---")
  }

  @Test func `a ~ empties a node of optionals, in which nil is a value`() throws {
    let values: [String: Int?] = ["1": 1, "n": nil]
    let a = MutableNode<Int?>()
    try test.set(a, "1-~-n~", values: values)
    let b = try test.node("~n-1~-", values: values)
    #expect(b.isEmpty)
    let told = test.watch(a)
    try test.expect(b, "~n-1~-", values: values)
    #expect(told.events.map { $0.value == nil } == [false, true, false, true])
    #expect(a.isEmpty && b.isEmpty)
  }

  @Test func `values of any type stand in a table`() throws {
    struct User: Equatable { let name: String }
    let users = ["a": User(name: "Ada"), "g": User(name: "Grace")]
    let user = try test.node("a-g-", values: users)
    try test.expect(user.delay(.seconds(1), on: test.clock), "-a-g", values: users)
  }

  @Test func `numbers are compared as numbers, tuples and optionals by their text`() throws {
    let a = try test.node("1-2", as: Double.self)
    let b = try test.node("-x", as: String.self)
    try test.expect([
      .line(a, "'1.0'-2"), .line(a.combine(b), "-'(1.0, \"x\")''(2.0, \"x\")'"),
      .line(a.map { $0 > 1 ? nil : Int($0) }, "1-'nil'"),
      .line(a, "<->", show: { $0 > 1 ? ">" : "<" }),
    ])
  }

  @Test func `a step can take any time`() throws {
    let test = MarbleTest(step: .milliseconds(100))
    let a = try test.node("1---2----", as: Int.self)
    #expect(test.steps(3) == .milliseconds(300))
    try test.expect(a.delay(test.steps(3), on: test.clock), "---1---2-")
    #expect(test.clock.now == .milliseconds(800))
  }

  @Test func `time ends with the longest line, later values are not seen`() throws {
    let a = try test.node("1--", as: Int.self)
    try test.expect(a.delay(.seconds(3), on: test.clock), "--")
    #expect(test.clock.now == .seconds(2) && test.clock.pendingCount == 1)
  }

  @Test func `watch records without expecting, and the diagram shows all lines`() throws {
    let a = try test.node("1-[23]-'forty'", named: "a")
    let told = test.watch(a.delay(.seconds(1), on: test.clock), named: "late")
    test.run()
    test.run()
    #expect(told.marbles == (try Marbles("-1-[23]-")))
    #expect(told.events.map(\.time) == [.seconds(1), .seconds(3), .seconds(3)])
    #expect(
      test.diagram == """
        a     1-[23]-   'forty'
        late  -1-   [23]-
        """)
  }

  @Test func `an empty test passes, at time zero`() throws {
    try test.expect(MutableNode<Int>(), "")
    #expect(test.clock.now == .zero)
  }

  @Test func `nothing of a test outlives it`() throws {
    try expectFreed {
      let test = MarbleTest()
      let a = try test.node("1-2-3", as: Int.self)
      try test.expect(a.delay(.seconds(1), on: test.clock), "-1-2-")
    }
    try expectFreed {
      let test = MarbleTest()
      let a = try test.node("1-2-3", as: Int.self)
      test.watch(a.debounce(.seconds(1), on: test.clock))
    }
  }

  // MARK: What is wrong

  @Test func `the failure shows inputs, expected and told below each other, and marks the steps`() {
    let line = #line + 4
    let error = mismatch {
      let typed = try test.node("ab-c--------")
      let quiet = typed.debounce(.seconds(3), on: test.clock)
      try test.expect(quiet, "-----c------")
    }
    #expect(
      error?.description == """
        other marbles than expected, at EasyReactTestingTests/MarbleTestTests.swift:\(line)
          input     ab-c--------
          expected  -----c------
          told      ------c-----
                         ^^
        """)
  }

  @Test func `the lines stay aligned where a step is wide`() {
    let error = mismatch {
      let a = try test.node("1-[23]-5-", as: Int.self, named: "a")
      let b = try test.node("-'12'-45", as: Int.self, named: "b")
      try test.expect([.line(a.merge(b), "1'12'-[45]-", named: "merged"), .line(b, "-'12'-45")])
    }
    #expect(
      error?.difference == """
          a                1-   [23]-   5   -
          b                -'12'-   4   5
          merged expected  1'12'-   [45]-
          merged told      1'12'[23]4   [55]-
                                ^   ^   ^
          b expected       -'12'-   4   5
          b told           -'12'-   4   5   -
        """)
  }

  @Test
  func `a value that is only written like the expected one is wrong, and is shown as another`() {
    struct Price: LosslessStringConvertible, Equatable {
      let cents: Int
      init(cents: Int) { self.cents = cents }
      init?(_ description: String) { self.init(cents: (Int(description) ?? 0) * 100) }
      var description: String { "\(cents / 100)" }
    }
    let byTable = mismatch {
      let a = MutableNode<Int>()
      try test.set(a, "-1-2", values: ["1": 1, "2": 20])
      try test.expect(a, "-1-2", values: ["1": 10, "2": 20])
    }
    #expect(
      byTable?.difference == """
          input     -1           -2
          expected  -1           -2
          told      -'1, not “1”'-2
                     ^
        """)
    let other = MarbleTest()
    #expect(throws: MarbleMismatch.self) {
      try other.expect(MutableNode(Price(cents: 150)), "1")
    }
  }

  @Test func `something too much, too little, in another order, or emptied is wrong`() throws {
    for (input, expected) in [
      ("1-2", "1--"), ("1--", "1-2"), ("[12]", "[21]"), ("1~", "1-"), ("1-", "1~"), ("1-", "[11]-"),
      ("11", "1-1"),
    ] {
      let test = MarbleTest()
      let a = try test.node(input, as: Int.self)
      let told = test.watch(a)
      #expect(throws: MarbleMismatch.self, "\(input) \(expected)") { try test.expect(a, expected) }
      #expect(told.marbles.trimmed == (try Marbles(input).trimmed))
    }
  }

  @Test func `what comes between two columns is wrong, and said`() {
    let error = mismatch {
      let a = try test.node("1---")
      try test.expect(a.delay(.milliseconds(1500), on: test.clock), "-1--")
    }
    #expect(
      error?.difference == """
          input     1---
          expected  -1--
          told      -1--
          “1” was told at 1.5 seconds, between columns 2 and 3: a step must divide every interval
        """)
  }

  @Test func `lines that cannot be read are refused with their column`() {
    func message(_ body: () throws -> Void) -> String {
      #expect(throws: MarbleError.self) { try body() }?.description ?? ""
    }
    #expect(
      message { _ = try test.node("1-x-", as: Int.self) }
        == "“x” is not of type Int; column 3\n  1-x-\n    ^")
    #expect(
      message { _ = try test.node("a-c", values: ["b": 2, "a": 1]) }
        == "“c” is not in values:, which has “a” “b”; column 3\n  a-c\n    ^")
    #expect(
      message { _ = try test.node("1-!") }
        == "an input has no !: it ends a listening or, with cancel(_:_:), something else; column 3\n  1-!\n    ^"
    )
    #expect(
      message { try test.set(MutableNode<String>.eventNode(), "a-~") }
        == "an event node has no ~: it holds nothing that could be emptied; column 3\n  a-~\n    ^")
    #expect(
      message { try test.cancel(CancelableBag(), "--1") }
        == "a line of cancel has only - and !; column 3\n  --1\n    ^")
    #expect(
      message { try test.expect(MutableNode(1), "--'one'") }
        == "“one” is not of type Int; column 3\n  --'one'\n    ^"
    )
    #expect(
      message { try test.expect(MutableNode(1), "-b", values: ["a": 1]) }
        == "“b” is not in values:, which has “a”; column 2\n  -b\n   ^")
    #expect(message { _ = try test.node("1-[") }.contains("the group is not closed"))
    #expect(message { try test.expect(MutableNode(1), "1-[") }.contains("the group is not closed"))
  }

  @Test func `a line that comes when time has passed stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let test = MarbleTest()
      let a = try test.node("1-2")
      try test.expect(a, "1-2")
      try test.expect(a.map { $0 }, "1-2")
    }
    #expect(
      message(result).contains(
        "MarbleTest: the time of this test has passed already. Make inputs and watch nodes before "
          + "the first expect or run; expect several nodes with expect([.line(…), .line(…)])."))
    let step = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MarbleTest(step: .zero)
    }
    #expect(
      message(step).contains(
        "MarbleTest(step: 0.0 seconds): the step is not positive. Pass more than zero."))
  }
}
