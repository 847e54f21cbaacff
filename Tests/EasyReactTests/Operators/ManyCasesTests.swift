import EasyReact
import EasyReactTesting
import Testing

/// Contract 10.3, where a `switch` has more cases than come from its node directly.
@Suite(.watched) struct ManyCasesTests {
  private struct Case {
    let key: Int
    let told: Recorder<Int>
    var expected: [Int]
  }

  @Test(arguments: UInt64(1)...6)
  func `10.3 each of many cases hears the values of its key, and a late one no older value`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let keys = 60
    let a = MutableNode(-1)
    let lines = a.switch { $0 < 0 ? nil : $0 % keys }
    var cases: [Case] = []
    for _ in 0..<800 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let key = Int.random(in: 0..<keys, using: &random), present = a.value!
        let isMeant = present >= 0 && present % keys == key
        cases.append(
          Case(
            key: key, told: Recorder(lines.case(key)), expected: isMeant ? [present] : []))
      case 4 where !cases.isEmpty:
        cases.remove(at: Int.random(in: cases.indices, using: &random))
      default:
        let value = Int.random(in: -100..<1_000, using: &random)
        a.value = value
        for place in cases.indices where value >= 0 && value % keys == cases[place].key {
          cases[place].expected.append(value)
        }
      }
    }
    for one in cases { #expect(one.told.values == one.expected, "seed \(seed), key \(one.key)") }
    #expect(checkInvariants([a]) == [])
    cases = []
    #expect(!lines.node.hasDownstreamNode)
    #expect(checkInvariants([a]) == [])
  }

  private struct CountedKey: Hashable, Sendable {
    let number: Int
    let compared: Tally
    static func == (a: CountedKey, b: CountedKey) -> Bool {
      a.compared.add()
      return a.number == b.number
    }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `10.3 a value is compared with few of many cases`() {
    let size = 1_000, compared = Tally()
    let a = MutableNode(0)
    let lines = a.switch { CountedKey(number: $0, compared: compared) }
    let told = (0..<size).map {
      Recorder(lines.case(CountedKey(number: $0, compared: compared)))
    }
    let before = compared.count
    for value in 0..<size { a.value = value }
    #expect(compared.count - before <= 100 * size)
    #expect(told.dropFirst().allSatisfy { $0.values.count == 1 })
  }

  @Test func `10.3 many cases of one key, among others, hear a value in the order of their making`()
  {
    let a = MutableNode(-1), heard = Journal<Int>()
    let lines = a.switch { $0 }
    var listenings: [Listening] = []
    var others: [Node<Int>] = []
    for number in 0..<200 {
      others.append(lines.case(number))
      if number % 8 == 7 { others.removeFirst(5) }  // of those that came from the node itself
      listenings.append(lines.case(7).listen { _ in heard.note(number) })
    }
    a.value = 7
    #expect(heard.entries == Array(0..<200))
    keepAlive(listenings as AnyObject, others as AnyObject)
  }

  @Test func `10.3 cases made while another thread is inside hear what comes behind them`() {
    let a = MutableNode(0)
    let lines = a.switch { $0 % 100 }
    let told = Journal<(Int, Recorder<Int>)>()
    whileInside(a, settingTo: 1) {
      for key in 0..<100 {
        told.note((key, Recorder(lines.case(key))))
        a.value = 100 + key
      }
    }
    #expect(settle())
    for (key, recorder) in told.entries where key > 1 { #expect(recorder.values == [100 + key]) }
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.3 cases that are made after the others were cut off hear their values`() {
    let a = MutableNode(0)
    let lines = a.switch { $0 }
    let cut = (0..<100).map { Recorder(lines.case($0)) }
    lines.node.wiring.removeDownstreamNodes()
    let told = (0..<100).map { Recorder(lines.case($0)) }
    for value in 1..<100 { a.value = value }
    #expect(told.dropFirst().map(\.values) == (1..<100).map { [$0] })
    #expect(cut.dropFirst().allSatisfy { $0.values.isEmpty })
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.3 an emptied switch leaves its cases, and a case made then is empty`() {
    let a = MutableNode(50)
    let lines = a.switch { $0 }
    let told = (0..<100).map { Recorder(lines.case($0)) }
    lines.node.mutablify().clean()
    #expect(told[50].values == [50])
    #expect(lines.case(50).isEmpty)
    a.value = 50
    #expect(told[50].values == [50, 50])
    #expect(lines.case(50).value == 50)
  }

  @Test func `10.3 the cases of an event node are told each event once`() {
    let a = MutableNode<Int>.eventNode()
    let lines = a.switch { $0 }
    let told = (0..<100).map { Recorder(lines.case($0)) }
    for value in [3, 60, 60, 99] { a.value = value }
    #expect(told[3].values == [3] && told[60].values == [60, 60] && told[99].values == [99])
    #expect(told.map(\.values.count).reduce(0, +) == 4)
    #expect(lines.case(99).isEmpty)
  }

  @Test func `10.3 a case that is handed over again and again stays as near as it was`() {
    let a = MutableNode(1), lines = a.switch { $0 % 40 }
    let others = (2..<40).map { Recorder(lines.case($0)) }
    func depth(of node: AnyNode) -> Int { node.reachable.map { -$0.depth }.max() ?? 0 }
    var one = lines.case(1)
    let before = depth(of: one)
    for _ in 0..<200 { one = lines.case(1) }
    #expect(depth(of: one) <= before + 1)
    let told = Recorder(one)
    a.value = 41
    #expect(told.values == [1, 41])
    #expect(others.allSatisfy { $0.values.isEmpty })
  }

  @Test func `10.3 those of one key keep the order of their making when others have gone`() {
    let a = MutableNode(0), lines = a.switch { $0 }
    let told = Journal<Int>()
    var early = (0..<9).map { _ in lines.case(7).listen { _ in told.note(0) } }
    let ninth = lines.case(7).listen { _ in told.note(9) }
    early.removeAll()
    let tenth = lines.case(7).listen { _ in told.note(10) }
    let others = (0..<9).map { _ in Recorder(lines.case(8)) }  // where the first ones were
    let last = lines.case(7).listen { _ in told.note(11) }
    a.value = 7
    #expect(told.entries == [9, 10, 11])
    #expect(others.allSatisfy { $0.values.isEmpty })
    keepAlive([ninth, tenth, last] as AnyObject)
  }
}
