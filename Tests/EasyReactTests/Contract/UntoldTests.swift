import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 2.2, 3.2, 5.3: who begins to follow a node between a value's being stored and its being told is treated as in a
/// listener of that node: told at once, and not again.
@Suite(.watched) struct UntoldTests {
  @Test(arguments: Newcomer.all, Moment.allCases)
  func `2.2, 3.2, 5.3 who comes before a value is told hears what it would hear in a listener`(
    newcomer: Newcomer, moment: Moment
  ) {
    let expected = newcomer.heard(at: .listener), found = newcomer.heard(at: moment)
    #expect(found == expected)
    #expect(expected.count > 3, "nothing was heard")
  }

  @Test func `2.2, 8.1 the first value of who comes before it is told has no context`() {
    let node = MutableNode<Dying>(), heard = Journal<String>(), kept = Journal<Listening>()
    let before = node.listenToChanges { heard.note("\($0.value.number) \($0.context ?? "-")") }
    node.value = Dying(1) {
      kept.note(node.listenToChanges { heard.note("new \($0.value.number) \($0.context ?? "-")") })
    }
    node.set(Dying(2), context: "who")
    node.set(Dying(3), context: "me")
    #expect(heard.entries == ["1 -", "new 2 -", "2 who", "3 me", "new 3 me"])
    keepAlive([before] + kept.entries as AnyObject)
  }

  /// A set that has to wait keeps its older number, also for a sync that is made when its value is stored.
  @Test func `5.3 a sync that a deinit makes with what had to wait leaves both equal`() {
    let a = MutableNode<Dying>(), b = MutableNode(Dying(100))
    let listening = a.listen { value in
      if value.number != 1 { return }
      a.value = Dying(2)
      b.value = Dying(7)
    }
    a.value = Dying(0)
    a.value = Dying(1) { b.sync(with: a) }
    #expect(a.value?.number == 2 && b.value?.number == 2)
    b.value = Dying(3)
    #expect(a.value?.number == 3)
    keepAlive(listening)
  }

  @Test(arguments: [false, true])
  func `7.6 a sync that a deinit makes while another thread sets its side leaves both equal`(
    isInside: Bool
  ) {
    Stress.rounds(200) { round in
      let a = MutableNode<Dying>(), b = MutableNode(Dying(100))
      let listening = b.listen { if isInside, $0.number == 6 { letOthersRun() } }
      a.value = Dying(1) {
        if isInside { b.value = Dying(5) }
        b.sync(with: a)
      }
      round.threads(2) { member in
        if member == 0 { a.value = Dying(2) } else { b.value = Dying(6) }
      }
      round.expect(
        a.value?.number == b.value?.number,
        "\(a.value?.number ?? -1) and \(b.value?.number ?? -1)")
      keepAlive(listening)
    }
  }
}

/// Contract, 3.2, 6.1, 7.2: what a queue, a step or an operator has used up ends before what it stored is told, and its deinit is user code.
/// What that sets waits, and nothing is lost.
@Suite(.watched) struct UsedUpTests {
  @Test func `7.2 a waiting update whose closure ends and sets the node is told first`() {
    let node = MutableNode(1), heard = Recorder(node)
    let listening = node.listen { value in
      if value != 1 { return }
      let dying = Dying(0) { node.value = 99 }
      node.update { [dying] in $0 = 2 + dying.number }
    }
    #expect(heard.values == [1, 2, 99])
    keepAlive(listening)
  }

  @Test func `3.2 who begins to listen when a waiting update's closure ends hears its value once`()
  {
    let node = MutableNode(1), heard = Journal<String>(), kept = Journal<Listening>()
    let listening = node.listen { value in
      if value == 2 {
        let dying = Dying(1) { kept.note(node.listen { heard.note("late \($0)") }) }
        node.update { [dying] in $0 += dying.number }
      }
      heard.note("first \(value)")
    }
    node.value = 2
    #expect(heard.entries == ["first 1", "first 2", "late 3", "first 3"])
    keepAlive([listening] + kept.entries as AnyObject)
  }

  @Test
  func `6.1 what ends without having stored anything sets the node after what waits there already`()
  {
    let node = MutableNode(Dying(1)), heard = Journal<Int>(), mapped = node.map { $0.number }
    let map = mapped.upstreamTransforms[0] as! NodeTransform<Dying, Int>
    let listening = node.listen { value in
      heard.note(value.number)
      if value.number != 1 { return }
      map.receive(Dying(50) { node.value = Dying(99) }, from: nil, context: nil)
      node.value = Dying(2)
    }
    #expect(heard.entries == [1, 2, 99])
    keepAlive([listening, mapped] as AnyObject)
  }

  @Test(arguments: [false, true])
  func `4.5 an input that ends when its inner node's value is stored loses none`(isSetting: Bool) {
    let outer = MutableNode<Dying>(), first = MutableNode(1)
    let result = outer.concatMap(until: { $0 != 1 }) {
      $0.number == 1 ? first : MutableNode($0.number * 10)
    }.mutablify()
    let heard = Journal<String>(), kept = Journal<Listening>()
    let listening = result.listen { heard.note("\($0)") }
    outer.value = Dying(1)
    outer.value = Dying(2) { [unowned result] in
      if isSetting {
        result.value = 99
      } else {
        kept.note(result.listen { heard.note("late \($0)") })
      }
    }
    outer.value = Dying(3)
    result.wiring.removeUpstreamNode(first)
    #expect(
      heard.entries
        == (isSetting ? ["1", "20", "99", "30"] : ["1", "late 20", "20", "30", "late 30"]))
    keepAlive([listening] + kept.entries as AnyObject)
  }

  @Test func `7.2 a total that ends when the next one is stored sets the node after that`() {
    let node = MutableNode<Int>()
    let kept = Journal<MutableNode<Dying>>()
    let totals = node.scanIndexed(Dying(0)) { _, value, _ in
      Dying(value * 10) { if value == 1 { kept.entries.first?.value = Dying(99) } }
    }.mutablify()
    kept.note(totals)
    let heard = Journal<Int>()
    let listening = totals.listen { heard.note($0.number) }
    for value in 1...3 { node.value = value }
    #expect(heard.entries == [10, 20, 99, 30])
    keepAlive(listening)
  }
}

/// When somebody comes.
enum Moment: String, CaseIterable, Sendable {
  case listener, deinitOfTheOld, deinitInSend, afterSend, tracer
}

/// Somebody who comes to follow a node when that holds 2; then it is set to 3.
struct Newcomer: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// What the node of the tests is, something older, something that is set later, a tick; what is kept.
  let begin:
    @Sendable (_ node: Node<Dying>, _ side: MutableNode<Dying>, _ keep: Kept) -> Node<Dying>

  init(
    _ name: String,
    _ begin: @escaping @Sendable (Node<Dying>, MutableNode<Dying>, Kept) -> Node<Dying>
  ) {
    (testDescription, self.begin) = (name, begin)
  }

  static let all: [Newcomer] = [
    Newcomer("listen") { node, _, _ in node },
    Newcomer("map") { node, _, _ in node.map { $0 } },
    Newcomer("chain") { node, _, _ in node.map { $0 }.filter { _ in true }.fork() },
    Newcomer("scan") { node, _, _ in node.scan(10) { $0 + $1.number }.map { Dying($0) } },
    Newcomer("zip") { node, side, _ in node.zip(side).map { Dying($0.number * 1_000 + $1.number) }
    },
    Newcomer("merge") { node, side, _ in Node.merge([node, side]) },
    Newcomer("combine") { node, side, _ in
      node.combine(side).map { Dying($0.number * 1_000 + $1.number) }
    },
    Newcomer("sample") { node, side, _ in node.sample(on: side) },
    Newcomer("withLatest") { node, side, _ in
      node.withLatest(from: side).map { Dying($0.number * 1_000 + $1.number) }
    },
    Newcomer("race") { node, side, _ in Node.race([node.map { $0 }, side]) },
    Newcomer("startWith") { node, _, _ in node.map { $0 }.startWith(Dying(77)) },
    Newcomer("mergeMap") { node, _, kept in
      let outer = MutableNode<Node<Dying>>()
      let result = outer.mergeMap { $0 }
      kept.add(outer)
      outer.value = node
      return result
    },
    Newcomer("flatten") { node, _, kept in
      let outer = MutableNode<Node<Dying>>()
      let result = outer.flatten(mode: .everyValue)
      kept.add(outer)
      outer.value = node
      return result
    },
    Newcomer("sync") { node, side, _ in
      side.sync(with: node)
      return side
    },
    Newcomer("sync of what was set just before") { node, side, _ in
      side.value = Dying(5)
      side.sync(with: node)
      return side
    },
    Newcomer("sync from the other side") { node, side, _ in
      side.value = Dying(5)
      node.wiring.sync(with: side)
      return side
    },
    Newcomer("sync through transforms that are not inverse") { node, side, _ in
      side.sync(
        with: node, transform: { Dying($0.number * 2) }, revert: { Dying(min($0.number, 3)) })
      return side
    },
    Newcomer("link that leads back") { node, side, _ in
      node.wiring.link(to: side.filter { _ in false })
      side.value = Dying(5)
      side.link(to: node)
      return side
    },
  ]

  /// What is heard of what it makes of the node, and what the nodes hold in the end.
  func heard(at moment: Moment) -> [Int] {
    let side = MutableNode(Dying(0)), journal = Journal<Int>(), kept = Kept()
    let isFirst = Atomic(true)
    let come: @Sendable (Node<Dying>) -> Void = { node in
      if !isFirst.exchange(false, ordering: .relaxed) { return }
      let result = begin(node, side, kept)
      kept.add(result)
      kept.add(result.listen { journal.note($0.number) } as AnyObject)
    }
    let (node, set) = moment.node(come, kept)
    for value in 2...3 { set(value) }
    side.value = Dying(9)
    set(4)
    return journal.entries + [-1, node.value?.number ?? -2, side.value?.number ?? -2]
  }
}

/// What lives as long as the test.
final class Kept: Sendable {
  private let objects = Mutex<[Box]>([])
  func add(_ object: some AnyObject) {
    let box = Box(object)
    objects.withLock { $0.append(box) }
  }
  private final class Box: @unchecked Sendable {
    // Unchecked: a constant that nobody touches.
    private let object: AnyObject
    init(_ object: AnyObject) { self.object = object }
  }
}

extension Moment {
  /// A node, and how it is set: the first time that it holds 2 somebody comes at this moment.
  fileprivate func node(_ come: @escaping @Sendable (Node<Dying>) -> Void, _ kept: Kept) -> (
    Node<Dying>, (Int) -> Void
  ) {
    let source = MutableNode<Int>()
    let node = MutableNode<Dying>()
    switch self {
    case .listener:
      kept.add(node.listen { [unowned node] in if $0.number == 2 { come(node) } } as AnyObject)
      return (node, { node.value = Dying($0) })
    case .deinitOfTheOld:
      node.value = Dying(1) { [unowned node] in come(node) }
      return (node, { node.value = Dying($0) })
    case .deinitInSend:
      node.link(to: source, through: Forwarder { [unowned node] in come(node) })
      source.value = 1
      return (node, { source.value = $0 })
    case .afterSend:
      node.link(to: source, through: Sender(come))
      return (node, { source.value = $0 })
    case .tracer:
      node.name = "untold"
      let comer = Comer { [unowned node] in come(node) }
      return (node, { number in traced(by: comer) { node.value = Dying(number) } })
    }
  }

  private final class Sender: NodeTransform<Int, Dying>, @unchecked Sendable {
    // Unchecked: adds a constant.
    private let come: @Sendable (Node<Dying>) -> Void
    init(_ come: @escaping @Sendable (Node<Dying>) -> Void) {
      self.come = come
      super.init()
    }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      send(Dying(value))
      if value == 2 { come(to!) }
    }
  }

  private final class Forwarder: NodeTransform<Int, Dying>, @unchecked Sendable {
    // Unchecked: adds a constant.
    private let come: @Sendable () -> Void
    init(_ come: @escaping @Sendable () -> Void) {
      self.come = come
      super.init()
    }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      if value == 1 { send(Dying(1, come)) } else { send(Dying(value)) }
    }
  }

  private struct Comer: GraphTracer {
    let come: @Sendable () -> Void
    func trace(_ event: GraphEvent) {
      if event.name == "untold", case .valueStored = event.kind { come() }
    }
  }
}

/// A value whose end may do something.
final class Dying: Sendable {
  let number: Int
  private let dies: @Sendable () -> Void
  init(_ number: Int, _ dies: @escaping @Sendable () -> Void = {}) {
    (self.number, self.dies) = (number, dies)
  }
  deinit { dies() }
}
