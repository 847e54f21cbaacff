import EasyReact
import Synchronization
import Testing

/// Contract, 15.4: wholes that are synced with parts of others, and parts of these that follow each other. `run_nests` of `Tests/Model/lens_model.py` makes
/// the same programs.
@Suite(.watched) struct `15 Wholes within wholes` {
  /// It stayed one set behind before the rule of decision 0006 about marks that are taken off.
  @Test(arguments: [false, true], [false, true])
  func `15.4 a whole where a part follows another one is synced with a part of another whole`(
    _ isSyncedFirst: Bool, _ isOrdersFirst: Bool
  ) {
    let order = MutableNode(Order(price: 1, total: 1)), app = MutableNode(App())
    let part = app[\.order], total = order[\.total]
    func sync() { if isOrdersFirst { order.sync(with: part) } else { part.sync(with: order) } }
    if isSyncedFirst { sync() }
    total.link(to: order[\.price].map { $0 * 2 })
    if !isSyncedFirst { sync() }
    for price in 2...4 {
      order[\.price].value = price
      #expect(order.value == Order(price: price, total: price * 2))
      #expect(app.value?.order == Order(price: price, total: price * 2))
    }
    app[\.order.price].value = 10
    #expect(order.value == Order(price: 10, total: 20))
    #expect(app.value?.order == Order(price: 10, total: 20))
    withExtendedLifetime((part, total)) {}
  }

  @Test func `15.4 the part follows the other one by way of the other whole`() {
    let order = MutableNode(Order()), app = MutableNode(App())
    let part = app[\.order], total = order[\.total], last = app[\.last]
    order.sync(with: part)
    last.sync(with: total)
    last.link(to: order[\.price].map { $0 * 2 })
    for price in 2...4 {
      order[\.price].value = price
      #expect(order.value == Order(price: price, total: price * 2))
      #expect(app.value == App(order: Order(price: price, total: price * 2), last: price * 2))
    }
    withExtendedLifetime((part, total, last)) {}
  }

  /// The last call went round for ever since marks are taken off.
  @Test func `5.1, 15.4 a sync ends that closes a ring through a part of a part`() {
    let order = MutableNode(Order()), app = MutableNode(App()), field = MutableNode(2)
    let part = app[\.order], priceOfPart = part[\.price]
    let price = order[\.price], total = order[\.total]
    let rounds = Rounds {
      order.wiring.removeUpstreamNodes()
      app.wiring.removeUpstreamNodes()
    }
    let listening = field.listen { _ in rounds.count() }
    part.sync(with: order)
    field.sync(with: total)
    price.link(to: total)
    field.link(to: priceOfPart)
    field.sync(with: priceOfPart)
    #expect(rounds.told < Rounds.limit)
    withExtendedLifetime((listening, part, priceOfPart, price, total)) {}
  }

  /// So did this one.
  @Test func `5.1, 15.4 a sync ends of what is synced with parts and with parts of parts`() {
    let one = MutableNode(Triple()), two = MutableNode(Triple())
    let middle = MutableNode(Holder()), other = MutableNode(Holder())
    let outer = MutableNode(Outer()), inOuter = outer[\.holder.triple], holder = outer[\.holder]
    let inMiddle = middle[\.triple], inOther = other[\.triple]
    let rounds = Rounds {
      for whole in [one, two] { whole.wiring.removeUpstreamNodes() }
      for whole in [middle, other] { whole.wiring.removeUpstreamNodes() }
      outer.wiring.removeUpstreamNodes()
    }
    let listening = one.listen { _ in rounds.count() }
    one.sync(with: inOther)
    one.link(to: inOuter)
    other.sync(with: middle)
    holder.sync(with: other)
    inMiddle.sync(with: one)
    inOuter.sync(with: one)
    one.sync(with: two)
    #expect(rounds.told < Rounds.limit)
    withExtendedLifetime((listening, inOuter, holder, inMiddle, inOther)) {}
  }

  /// It went round for ever under a number older than that of the whole.
  @Test func `5.1, 15.4 a link ends between parts that are synced, as are their wholes`() {
    let one = MutableNode(Holder()), two = MutableNode(Holder())
    let inOne = one[\.triple], inTwo = two[\.triple]
    let rounds = Rounds { for whole in [one, two] { whole.wiring.removeUpstreamNodes() } }
    let listening = one.listen { _ in rounds.count() }
    inOne.sync(with: inTwo)
    two.sync(with: one)
    inTwo.link(to: inOne)
    #expect(rounds.told < Rounds.limit)
    withExtendedLifetime((listening, inOne)) {}
  }

  @Test(arguments: 0..<25 as Range<UInt64>)
  func `15.4 random nests: each part is equal to what it follows or is synced with`(
    _ block: UInt64
  ) {
    for seed in block * 40..<block * 40 + 40 {
      let faults = Nest(seed).run()
      #expect(faults.isEmpty, "seed \(seed)")
    }
  }
}

/// Cuts what goes round.
private final class Rounds: Sendable {
  /// More than eight times as many as any of them tells now.
  static let limit = 100
  private let number = Atomic(0)
  private let cut: @Sendable () -> Void

  init(_ cut: @escaping @Sendable () -> Void) { self.cut = cut }

  var told: Int { number.load(ordering: .relaxed) }
  func count() {
    if number.wrappingAdd(1, ordering: .relaxed).newValue == Self.limit { cut() }
  }
}

private struct Order: Equatable { var price = 0, total = 0 }
private struct App: Equatable { var order = Order(), last = 0 }

private struct Triple: Equatable { var a = 0, b = 0, c = 0 }
private struct Holder: Equatable { var triple = Triple(), b = 0, c = 0 }
private struct Outer: Equatable { var holder = Holder(), b = 0, c = 0 }

/// Links and syncs, in no ring, between what has no parts.
private final class Nest {
  private let inner = MutableNode(Triple()), middle = MutableNode(Holder())
  private let outer = MutableNode(Outer()), fields = [MutableNode(0), MutableNode(0)]
  private var random: SeededGenerator
  private var ends: [(name: String, node: MutableNode<Int>)]
  private var wires: [(isSync: Bool, from: Int, to: Int)] = []
  /// What is synced for having parts.
  private var nested: [() -> Void] = [], areEqual: [(name: String, () -> Bool)] = []

  init(_ seed: UInt64) {
    random = SeededGenerator(seed: seed)
    ends = [("field", fields[0]), ("field2", fields[1])]
    ends += [("middle.b", middle[\.b]), ("middle.c", middle[\.c])]
    let hasOuter = random.below(3) == 0
    if hasOuter { ends += [("outer.b", outer[\.b]), ("outer.c", outer[\.c])] }
    if hasOuter && random.below(3) == 0 {
      nest(middle[\.triple], outer[\.holder.triple])
      let whole = random.below(2) == 0
      ends += whole ? parts(of: middle[\.triple]) : parts(of: outer[\.holder.triple])
    } else {
      nest(inner, middle[\.triple])
      ends += parts(of: inner)
      if hasOuter {
        switch random.below(3) {
        case 0: nest(inner, outer[\.holder.triple])
        case 1: nest(middle[\.triple], outer[\.holder.triple])
        default: nest(middle, outer[\.holder])
        }
      }
    }
    ends.shuffle(using: &random)
    ends.removeLast(max(0, ends.count - 2 - random.below(4)))
    for to in ends.indices.dropFirst() where random.below(10) != 0 {
      wires.append((random.below(10) < 3, max(0, to - 1 - random.below(2)), to))
    }
  }

  private func parts(of whole: MutableNode<Triple>) -> [(name: String, node: MutableNode<Int>)] {
    [("a", whole[\.a]), ("b", whole[\.b]), ("c", whole[\.c])]
  }

  private func nest<Value: Equatable>(_ one: MutableNode<Value>, _ other: MutableNode<Value>) {
    nested.append { one.sync(with: other) }
    areEqual.append(("nested", { one.value == other.value }))
  }

  /// What is not equal in the end.
  func run() -> [String] {
    var steps = nested
    for wire in wires {
      let (from, to) = (ends[wire.from], ends[wire.to])
      steps.append {
        if wire.isSync { to.node.sync(with: from.node) } else { to.node.link(to: from.node) }
      }
      areEqual.append(("\(from.name) \(to.name)", { from.node.value == to.node.value }))
    }
    steps.shuffle(using: &random)
    for step in steps { step() }
    var led = Set(wires.filter { !$0.isSync }.map(\.to))
    for _ in ends {
      for wire in wires {
        if led.contains(wire.from) { led.insert(wire.to) }
        if wire.isSync, led.contains(wire.to) { led.insert(wire.from) }
      }
    }
    let free = ends.indices.filter { !led.contains($0) }
    for value in 1...1 + random.below(4) {
      ends[free[random.below(free.count)]].node.value = value
    }
    return areEqual.filter { !$0.1() }.map(\.name)
  }
}
