import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: joins of a dictionary and of a changing set, and the race.
@Suite("10.6 Combining many", .watched) struct CombiningSeveralTests {
  @Test func `10.6, 13 a key that is not equal to itself has its value`() {
    let node = MutableNode(1), rows = MutableNode<[Double: Node<Int>]>()
    let combined = Node.combine([Double.nan: node]), flat = rows.flattenCombine()
    rows.value = [.nan: node]
    node.value = 2
    #expect(combined.value?.map(\.value) == [2] && flat.value?.map(\.value) == [2])
  }

  private struct Key: Hashable, Sendable {
    let number: Int, dying: Dying?
    static func == (a: Key, b: Key) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `7.6 keys of a set that end and set the next one leave it with its own values`() {
    let empty = MutableNode<Int>(), other = MutableNode(0), ten = MutableNode(10)
    let twenty = MutableNode(20), rows = MutableNode<[Key: Node<Int>]>([:])
    let flat = rows.flattenCombine()
    rows.value = [
      Key(number: 8, dying: nil): other,
      Key(number: 9, dying: Dying(9) { rows.value = [Key(number: 2, dying: nil): twenty] }): empty,
    ]
    let late = MutableNode<Int>()
    late.link(to: other)
    whileInside(late, settingTo: 5, after: { other.value = 5 }) {
      rows.value = [Key(number: 1, dying: nil): ten]
    }
    #expect(rows.value?.map(\.key.number) == [2])
    #expect(flat.value?.map(\.key.number) == [2] && flat.value?.map(\.value) == [20])
  }

  @Test func `10.6 combine of a dictionary has the values under their keys, told once a turn`() {
    let tea = MutableNode(3), milk = MutableNode<Int>()
    let prices = Node.combine(["tea": tea, "milk": milk])
    #expect(prices.isEmpty)
    let told = Recorder(prices)
    milk.value = 2
    batch {
      tea.value = 4
      milk.value = 5
    }
    milk.clean()
    tea.value = 9
    #expect(told.values == [["tea": 3, "milk": 2], ["tea": 4, "milk": 5]])
    #expect(Node.combine([String: Node<Int>]()).value == [:])
    prices.wiring.removeUpstreamNode(tea)
    #expect(prices.isTerminated)
    #expect(checkInvariants([tea, milk, prices]) == [])
  }

  @Test func `10.6 flattenCombine has the values of the present set, in its order`() {
    let ada = MutableNode(1), grace = MutableNode(2), barbara = MutableNode<Int>()
    let rows = MutableNode([ada, grace] as [Node<Int>])
    let all = rows.flattenCombine()
    #expect(all.value == [1, 2])
    let told = Recorder(all)
    grace.value = 3
    rows.value = [grace, ada, grace]
    rows.value = [ada, barbara]  // silent: barbara is empty
    ada.value = 4
    grace.value = 5  // left the set
    barbara.value = 6
    rows.value = []
    rows.clean()
    ada.value = 7
    #expect(told.values == [[1, 2], [1, 3], [3, 1, 3], [4, 6], []])
    #expect(!grace.hasDownstreamNode && !ada.hasDownstreamNode)
    #expect(checkInvariants([rows, ada, grace, barbara]) == [])
  }

  @Test
  func `10.6 flattenCombine is one join: a turn that changes the set and its values tells once`() {
    let a = MutableNode(1)
    let tens = a.map { $0 * 10 }, sums = a.combine(tens).map { $0 + $1 }
    let sets = a.map { $0.isMultiple(of: 2) ? [a, tens] : [tens, sums] as [Node<Int>] }
    let told = Recorder(sets.flattenCombine())
    for value in 2...4 { a.value = value }
    #expect(told.values == [[10, 11], [2, 20], [30, 33], [4, 40]])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.6 flattenCombine of a dictionary keeps the edges of the nodes that stay`() {
    let one = MutableNode(1), two = MutableNode(2)
    let nodes = MutableNode(["one": one] as [String: Node<Int>])
    let all = nodes.flattenCombine()
    let before = one.downstreamTransforms
    nodes.value = ["uno": one, "two": two]
    #expect(all.value == ["uno": 1, "two": 2])
    #expect(one.downstreamTransforms.map { $0 === before[0] } == [true])
    #expect(checkInvariants([nodes, one, two]) == [])
  }

  @Test func `10.6 flattenCombine is silent after the loss of an inner edge until the next set`() {
    let one = MutableNode(1), two = MutableNode(2)
    let nodes = MutableNode([one, two] as [Node<Int>])
    let all = nodes.flattenCombine()
    let told = Recorder(all)
    all.wiring.removeUpstreamNode(one)
    #expect(!all.isTerminated)
    two.value = 3
    #expect(told.values == [[1, 2]])
    nodes.value = [one, two]
    #expect(told.values == [[1, 2], [1, 3]])
    all.wiring.removeUpstreamNode(nodes)
    #expect(all.isTerminated)
    one.value = 5
    #expect(told.values.count == 2)
    #expect(checkInvariants([nodes, one, two, all]) == [])
  }

  @Test func `10.6 race follows the node that tells first and lets the others go`() {
    let lives = LifetimeTracker()
    let near = MutableNode<Int>(), far = MutableNode<Int>()
    let race = near.race(lives.track(far.map { $0 }, "far's map"))
    let told = Recorder(race)
    #expect(lives.alive == ["far's map"])
    near.clean()
    near.set(1, context: "near")
    #expect(lives.alive == [])
    #expect(race.upstreamNodes == [near])
    far.value = 10
    near.value = 2
    #expect(told.values == [1, 2])
    #expect(told.contexts.map { $0 as? String } == ["near", nil])
    #expect(checkInvariants([near, far, race]) == [])
  }

  @Test func `10.6 race is won at once by the first node that holds a value`() {
    let empty = MutableNode<Int>(), first = MutableNode(1), second = MutableNode(2)
    let race = Node.race([empty, first, second])
    #expect(race.value == 1)
    #expect(race.upstreamNodes == [first])
    #expect(!empty.hasDownstreamNode && !second.hasDownstreamNode)
    #expect(Node<Int>.race([]).isEmpty)
    race.wiring.removeUpstreamNodes()
    first.value = 3
    #expect(race.value == 1)
    #expect(checkInvariants([empty, first, second, race]) == [])
  }

  @Test
  func
    `10.6 flattenCombine keeps its value where a node that left the set told an event in the same turn`()
  {
    let rows = MutableNode(true), value = MutableNode(10), event = MutableNode<Int>.eventNode()
    let both = rows.combine(rows).map { isWide, _ in isWide ? [value, event] : [value as Node<Int>]
    }
    let all = both.flattenCombine(), told = Recorder(all)
    batch {
      rows.value = false
      event.value = 5
    }
    #expect(told.values == [[10]] && all.value == [10])
  }

  @Test func `10.6 partition asks once a value and parts them`() {
    let number = MutableNode(1)
    let asked = Tally()
    let (even, odd) = number.partition { value in
      asked.add()
      return value.isMultiple(of: 2)
    }
    #expect(even.isEmpty && odd.value == 1)
    let evens = Recorder(even), odds = Recorder(odd)
    for value in 2...4 { number.value = value }
    number.clean()
    #expect(evens.values == [2, 4])
    #expect(odds.values == [1, 3])
    #expect(asked.count == 4)
    #expect(checkInvariants([number]) == [])
  }
}
