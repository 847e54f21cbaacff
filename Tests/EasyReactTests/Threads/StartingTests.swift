import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What is attached while another thread is inside the node misses nothing and hears nothing twice.
@Suite(.watched) struct StartingTests {
  /// A receiver that begins in the middle hears a run to the end of what the node told, each value
  /// once.
  @Test(arguments: StampKind.allCases)
  func `listeners and derivations made while threads set hear a run without a gap or a repetition`(
    kind: StampKind
  ) {
    switch kind {
    case .word: attachWhileSet(WordStamp.self)
    case .text: attachWhileSet(TextStamp.self)
    }
  }

  private struct Attached<Value: Sendable>: Sendable {
    let name: String
    let heard = Heard<Value>(letsOthersRunEvery: 5)
    var listenings: [Listening] = []
    init(_ name: String) { self.name = name }
  }

  private func attachWhileSet<Value: Stamp>(_: Value.Type) {
    let count = 50
    Stress.rounds(40) { round in
      let node = MutableNode(Value(0, 0)), kept = Heard<Value>(letsOthersRunEvery: 2)
      let listening = node.listen { kept.hear($0) }
      let place = Place<Value>()
      round.threads(5) { member in
        if member < 2 {
          for number in 1...count { node.value = Value(member + 1, number) }
          return
        }
        var generator = round.generator(member)
        for _ in 0..<12 { place.add(attach(to: node, &generator)) }
      }
      for one in place.all {
        round.expectRun(one.heard.values, of: kept.values, toTheEnd: true, one.name)
        round.expect(one.heard.overlaps == 0, "\(one.name): calls overlapped")
      }
      round.expectAll(kept.values, of: 1...2, count: count, "the first listener")
      round.expectRest([node])
      listening.cancel()
    }
  }

  private final class Place<Value: Sendable>: Sendable {
    private let items = Mutex<[Attached<Value>]>([])
    func add(_ item: Attached<Value>) { items.withLock { $0.append(item) } }
    var all: [Attached<Value>] { items.withLock { $0 } }
  }

  private func attach<Value: Stamp>(to node: MutableNode<Value>, _ generator: inout SeededGenerator)
    -> Attached<Value>
  {
    func attached(_ name: String, _ derived: Node<Value>) -> Attached<Value> {
      var one = Attached<Value>(name)
      let heard = one.heard
      one.listenings.append(derived.listen { heard.hear($0) })
      return one
    }
    switch generator.below(7) {
    case 0: return attached("a listener", node)
    case 1: return attached("a map", node.map { $0 })
    case 2: return attached("a chain", node.map { $0 }.filter { _ in true }.fork())
    case 3: return attached("a merge", Node.merge([node]))
    case 4: return attached("a mutable map", node.map { $0 }.mutablify())
    case 5:
      let linked = Node<Value>()
      linked.wiring.link(to: node)
      return attached("a link", linked)
    default: return attached("a zip", Node.zip([node]).map { $0[0] })
    }
  }

  /// Joins tell the latest, so they may leave values out, but end with the last.
  @Test func `joins made while threads set end with their definition`() {
    Stress.rounds(40) { round in
      let a = MutableNode(0), b = MutableNode(0)
      let made = Made()
      round.threads(4) { member in
        switch member {
        case 0: for number in 1...60 { a.value = number }
        case 1: for number in 1...60 { b.value = number }
        default: for _ in 0..<10 { made.add(a.combine(b.map { $0 }).map { [$0, $1] }) }
        }
      }
      for node in made.nodes {
        round.expect(node.value == [60, 60], "a join holds \(node.value as Any)")
      }
      round.expectRest([a, b])
    }
  }

  private final class Made: Sendable {
    private let items = Mutex<[Node<[Int]>]>([])
    func add(_ node: Node<[Int]>) { items.withLock { $0.append(node) } }
    var nodes: [Node<[Int]>] { items.withLock { $0 } }
  }

  // MARK: What `listen` and `map` return with

  @Test func `a listener made by the thread that is inside hears at once, whatever waits there`() {
    let node = MutableNode(0), log = Journal<String>()
    let keeper = Keeper()
    let listening = node.listen { value in
      log.note("outer \(value)")
      if value != 1 { return }
      // Another thread leaves a value here.
      onThread { node.value = 2 }
      let derived = node.map { $0 * 10 }
      log.note("derived \(derived.value as Any)")
      keeper.keep(node.listen { log.note("inner \($0)") })
      log.note("attached")
      keeper.keep(derived.listen { log.note("derived tells \($0)") })
    }
    node.value = 1
    #expect(
      log.entries == [
        "outer 0", "outer 1", "derived Optional(10)", "inner 1", "attached", "derived tells 10",
        "outer 2", "inner 2", "derived tells 20",
      ])
    listening.cancel()
    keeper.end()
    #expect(checkInvariants([node]) == [])
  }

  private final class Keeper: Sendable {
    private let items = Mutex<[Listening]>([])
    func keep(_ listening: Listening) { items.withLock { $0.append(listening) } }
    func end() {
      let ended = items.withLock { items in
        defer { items = [] }
        return items
      }
      for listening in ended { listening.cancel() }
    }
  }

  @Test
  func `what is made while another thread is inside starts when that thread opens its mailbox`() {
    let node = MutableNode(0), log = Journal<String>(), keeper = Keeper()
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = node.listen { value in
      log.note("first \(value)")
      if value != 1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return node.value = 1 }
      wait(for: isInside)
      keeper.keep(node.listen { log.note("second \($0)") })
      let derived = node.map { $0 * 10 }
      #expect(derived.value == nil)
      keeper.keep(derived.listen { log.note("third \($0)") })
      node.value = 2
      #expect(node.value == 2)
      mayGo.signal()
    }
    #expect(
      log.entries == [
        "first 0", "first 1", "second 1", "third 10", "first 2", "second 2", "third 20",
      ])
    listening.cancel()
    keeper.end()
    #expect(checkInvariants([node]) == [])
  }
}
