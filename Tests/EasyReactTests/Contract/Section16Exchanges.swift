import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract 16.2 and 4.5 where derivations and flattens follow each other in another order each turn: told
/// once, the value that a plain recursive definition gives.
@Suite(.watched) struct Section16Exchanges {
  @Test func `16.2 two that change places are told once`() {
    let isTurned = MutableNode(false), x = MutableNode(1)
    let pair = Pair()
    pair.first = .derived { try isTurned.get() ? pair.second!.get() * 10 : x.get() }
    pair.second = .derived { try isTurned.get() ? x.get() + 1 : pair.first!.get() * 100 }
    let first = Recorder(pair.first!), second = Recorder(pair.second!)
    for _ in 0..<3 {
      isTurned.value = true
      isTurned.value = false
    }
    #expect(first.values == [1, 20, 1, 20, 1, 20, 1])
    #expect(second.values == [100, 2, 100, 2, 100, 2, 100])
    #expect(checkInvariants([isTurned, x]) == [])
    pair.first = nil
    pair.second = nil
  }

  private final class Pair: @unchecked Sendable {
    // Unchecked: one thread.
    var first: Node<Int>?, second: Node<Int>?
  }

  /// The other one by a derivation, a flatten, or a set; with a choice that comes at once, or behind other joins.
  @Test(arguments: ["derived", "flattenMap", "flattenCombine"], [false, true])
  func `4.1, 10.6.4.2 a set and another join that change places are told once`(
    _ way: String, isLate: Bool
  ) {
    let isTurned = MutableNode(false), x = MutableNode(1)
    let late = isTurned.combine(isTurned).map { $0.0 }.combine(isTurned).map { $0.0 }
    let choice = isLate ? late : isTurned, pair = Pair()
    pair.first = isTurned.map { $0 ? [pair.second!] : [x] }.flattenCombine().map { $0[0] * 10 }
    let first = pair.first!
    pair.second =
      switch way {
      case "derived": .derived { try (choice.get() ? x : first).get() + 1 }
      case "flattenMap": choice.flattenMap { $0 ? x : first }.map { $0 + 1 }
      default: choice.map { [$0 ? x : first] }.flattenCombine().map { $0[0] + 1 }
      }
    let told = Recorder(first), other = Recorder(pair.second!)
    for _ in 0..<3 {
      isTurned.value = true
      isTurned.value = false
    }
    #expect(told.values == [10, 20, 10, 20, 10, 20, 10])
    #expect(other.values == [11, 2, 11, 2, 11, 2, 11])
    #expect(checkInvariants([isTurned, x]) == [])
    isTurned.wiring.removeDownstreamNodes()
    (pair.first, pair.second) = (nil, nil)
  }

  @Test func `16.2 one that had nothing to tell when it had waited waits in a later turn, too`() {
    let choice = MutableNode(0), x = MutableNode(1), empty = MutableNode<Int>()
    let y = MutableNode(5), pair = Pair()
    let result = Node.derived {
      switch try choice.get() {
      case 0: try x.get()
      case 1: try pair.first!.get()
      default: try pair.second!.get()
      }
    }
    pair.first = choice.combine(empty).map { $0.0 }
    var deep: Node<Int> = y
    for _ in 0..<50 { deep = deep.map { $0 } }
    pair.second = deep.combine(deep).map { $0.0 * 10 + $0.1 }
    let told = Recorder(result)
    choice.value = 1
    batch {
      choice.value = 2
      y.value = 7
    }
    #expect(told.values == [1, 77])
    (pair.first, pair.second) = (nil, nil)
  }

  @Test func `7.6 the last value is told last where another thread is inside what lies between`() {
    let choice = MutableNode(2), x = MutableNode(0), y = MutableNode(2)
    let between = MutableNode<Int>(), pair = Pair()
    // Both ways first → between. By 0: between → upper → lower, x → first. By 1: y → upper → lower → first.
    let upper = choice.flattenMap { $0 == 0 ? between : y }
    let lower = choice.flattenMap { _ in upper }
    pair.first = lower
    let first = choice.flattenMap { $0 == 1 ? pair.first! : x }
    let link = between.link(to: first)
    choice.value = 0
    choice.value = 2
    let told = Recorder(between)
    whileInside(between, settingTo: -5) {
      choice.value = 0  // the edge to the upper one is not there before the other thread is through
      x.value = 1
      choice.value = 1
    }
    #expect([upper.value, lower.value, first.value] == [2, 2, 2])
    #expect(told.values == [0, -5, 0, 1, 2])
    #expect(checkInvariants([choice, x, y, between]) == [])
    keepAlive(link)
    pair.first = nil
  }

  @Test func `16.2 where they come to follow each other in a ring, each is told once too`() {
    let isRing = MutableNode(false), x = MutableNode(1)
    let pair = Pair()
    pair.first = .derived { try isRing.get() ? x.get() + pair.second!.get() : x.get() }
    pair.second = .derived { try x.get() + pair.first!.get() }
    let first = Recorder(pair.first!), second = Recorder(pair.second!)
    isRing.value = true
    x.value = 2
    #expect(first.values.count == 3 && second.values.count == 3)
    isRing.value = false
    #expect(first.values.last == 2 && second.values.last == 4)
    #expect(checkInvariants([isRing, x]) == [])
    pair.first = nil
    pair.second = nil
  }

  @Test(arguments: 0..<UInt64(8))
  func `16.2 random graphs in another order each turn tell once what they are to hold`(part: UInt64)
    throws
  {
    for seed in Sanitizer.part(of: part * 100..<(part + 1) * 100) {
      let graph = ExchangeGraph(seed: seed)
      for turn in 0..<12 {
        let difference = graph.turn()
        try #require(difference == nil, "seed \(seed), turn \(turn): \(difference!)")
      }
    }
  }

  /// Found by random programs: who does not hear of a change keeps its place behind those that move.
  @Test(arguments: 0..<UInt64(4))
  func
    `16.2 rows that each hear of what they read themselves alone tell once what they are to hold`(
      part: UInt64
    ) throws
  {
    for seed in Sanitizer.part(of: part * 25..<(part + 1) * 25) {
      let rows = Rows(seed: seed)
      for turn in 0..<25 {
        let difference = rows.turn()
        try #require(difference == nil, "seed \(seed), turn \(turn): \(difference!)")
      }
    }
  }

  private final class Rows: @unchecked Sendable {
    // Unchecked: one thread.
    private var random: SeededGenerator
    private let reads: MutableNode<[[Int]]>, most: Int
    private var rows: [Node<Int>] = [], told: [Recorder<Int>] = []

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...30, using: &random)
      most = Int.random(in: 1...3, using: &random)
      reads = MutableNode(Array(repeating: [], count: count))
      for place in 0..<count {
        let own = reads.map { $0[place] }.distinctUntilChanged()
        rows.append(
          .derived { [unowned self] in
            try own.get().reduce(place) { try max($0, rows[$1].get() + 1 + $1 % 3) }
          })
      }
      told = rows.map { Recorder($0) }
    }

    deinit { for node in rows { node.wiring.removeUpstreamNodes() } }

    /// Each reads some of the three before it in a new order. Nil: all as it is to be.
    func turn() -> String? {
      let order = rows.indices.shuffled(using: &random), before = told.map(\.values.count)
      var reads: [[Int]] = Array(repeating: [], count: order.count), expected = Array(order.indices)
      for (place, row) in order.enumerated() {
        for _ in 0..<most where place > 0 && Int.random(in: 0..<5, using: &random) > 0 {
          reads[row].append(order[Int.random(in: max(0, place - 3)..<place, using: &random)])
        }
        expected[row] = reads[row].reduce(row) { max($0, expected[$1] + 1 + $1 % 3) }
      }
      self.reads.value = reads
      let values = rows.map { $0.value! }
      if values != expected { return "they hold \(values) in place of \(expected)" }
      let often = zip(told, before).map { $0.values.count - $1 }
      if often.contains(where: { $0 > 1 }) { return "told \(often) times" }
      let broken = checkInvariants([self.reads])
      return broken.isEmpty ? nil : "\(broken)"
    }
  }

  /// The rule of the model's `exchanges`, on the library.
  private final class ExchangeGraph: @unchecked Sendable {
    // Unchecked: one thread.
    private var random: SeededGenerator
    private let mode = MutableNode(0), x = MutableNode(1)
    private let orders: [[Int]]
    /// How each of them hears of the order: some late.
    private var modes: [Node<Int>] = []
    private enum Kind { case derived, flattenMap, flattenCombine }
    private let kinds: [Kind]
    private var movers: [Node<Int>] = []
    /// What can be read: movers, maps and combines of them; and whose place counts.
    private var ways: [Node<Int>] = [], needs: [[Int]] = []
    /// By mover and mode.
    private let picks: [[[Int]]]
    private var told: [Recorder<Int>] = []

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...6, using: &random)
      orders = (0..<Int.random(in: 2...4, using: &random)).map { _ in
        (0..<count).shuffled(using: &random)
      }
      kinds = (0..<count).map { _ in
        [.derived, .derived, .flattenMap, .flattenCombine].randomElement(using: &random)!
      }
      picks = (0..<count).map { [orders] _ in
        orders.map { _ in
          Array(
            (0..<3 * count).shuffled(using: &random).prefix(Int.random(in: 0..<3, using: &random)))
        }
      }
      self.random = random
      for _ in 0..<count { addMode() }
      for place in 0..<count { addMover(place) }
      for place in 0..<3 * count { addWay(place) }
      mode.value = 0
      told = (movers + ways).map { Recorder($0) }
    }

    deinit {
      for node in movers + ways { node.wiring.removeUpstreamNodes() }
    }

    private func addMode() {
      var node: Node<Int> = mode
      for _ in 0..<max(0, Int.random(in: -2...2, using: &random)) {
        let up = node
        node = Bool.random(using: &random) ? up.map { $0 } : .derived { try up.get() }
      }
      modes.append(node)
    }

    private func addMover(_ place: Int) {
      let mode = modes[place]
      switch kinds[place] {
      case .derived:
        movers.append(
          .derived { [unowned self] in
            try value(place, x.get(), reads(place, mode.get()).map { try ways[$0].get() })
          })
      case .flattenMap: movers.append(mode.flattenMap { [unowned self] in chosen(place, $0) })
      case .flattenCombine:
        let set = mode.map { [unowned self] in [x] + reads(place, $0).map { ways[$0] } }
        movers.append(
          set.flattenCombine().map { [unowned self] in value(place, $0[0], Array($0.dropFirst())) })
      }
    }

    private func addWay(_ place: Int) {
      let count = movers.count
      let a = Int.random(in: 0..<count, using: &random),
        b = Int.random(in: 0..<count, using: &random)
      switch place < count ? 0 : Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        ways.append(movers[place % count])
        needs.append([place % count])
      case 2:
        ways.append(movers[a].map { $0 + 1 })
        needs.append([a])
      default:
        ways.append(movers[a].combine(movers[b]).map { ($0 + 2 * $1) % 97 })
        needs.append([a, b])
      }
    }

    private func value(_ place: Int, _ x: Int, _ read: [Int]) -> Int {
      (place + x * (place % 2) + 3 * read.reduce(0, +)) % 97
    }

    /// Those ways that lead from what comes earlier in this order.
    private func reads(_ place: Int, _ mode: Int) -> [Int] {
      let order = orders[mode]
      func rank(_ mover: Int) -> Int { order.firstIndex(of: mover)! }
      return ways.isEmpty
        ? [] : picks[place][mode].filter { needs[$0].allSatisfy { rank($0) < rank(place) } }
    }

    private func chosen(_ place: Int, _ mode: Int) -> Node<Int> {
      reads(place, mode).first.map { ways[$0] } ?? x
    }

    private func expected(_ mode: Int, _ x: Int) -> [Int] {
      var values = [Int](repeating: 0, count: movers.count)
      for place in orders[mode] {
        let read = reads(place, mode).map { way -> Int in
          let got = needs[way].map { values[$0] }
          if ways[way] == movers[needs[way][0]] { return got[0] }
          return got.count == 1 ? got[0] + 1 : (got[0] + 2 * got[1]) % 97
        }
        values[place] = kinds[place] == .flattenMap ? read.first ?? x : value(place, x, read)
      }
      return values
    }

    /// Nil: all as it is to be.
    func turn() -> String? {
      let mode = Int.random(in: 0..<orders.count, using: &random)
      let before = told.map(\.values.count)
      batch {
        self.mode.value = mode
        if Bool.random(using: &random) { x.value = Int.random(in: 0..<97, using: &random) }
      }
      let values = movers.map { $0.value! }
      if values != expected(mode, x.value!) {
        return "they hold \(values) in place of \(expected(mode, x.value!))"
      }
      let often = zip(told, before).map { $0.values.count - $1 }
      if often.contains(where: { $0 > 1 }) { return "told \(often) times" }
      let broken = checkInvariants([self.mode, x])
      return broken.isEmpty ? nil : "\(broken)"
    }
  }
}
