import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import EasyReactShared

/// What comes to shared nodes over edges, where several processes compute the same: contract 20.1.
@Suite(.watched) struct SharedEdgesTests {
  /// A value with many ways to write it, as a set has, whose order is another one in each instance.
  private struct Bag: Codable, Sendable, Equatable {
    private static let turns = Atomic(0)
    var items: [Int]
    init(_ items: [Int]) { self.items = items }
    init(from decoder: any Decoder) throws {
      items = try decoder.singleValueContainer().decode([Int].self)
    }
    func encode(to encoder: any Encoder) throws {
      let turn = Self.turns.wrappingAdd(1, ordering: .relaxed).newValue % items.count
      var container = encoder.singleValueContainer()
      try container.encode(Array(items[turn...] + items[..<turn]))
    }
    static func == (a: Bag, b: Bag) -> Bool { a.items.sorted() == b.items.sorted() }
  }

  /// By two processes, one of which sets `value`.
  /// - Returns: How many revisions that makes.
  private func revisions<Value: Sendable>(
    of value: Value, with coding: SharedCoding<Value>
  ) -> UInt64 {
    let clock = VirtualScheduler(bound: 20_000), memory = MemoryStore(on: clock)
    let stores = [memory, MemoryStore(sharing: memory, on: clock)]
    let a = stores.map { $0.node("a", of: Value.self, coding: coding) }
    let b = stores.map { $0.node("b", of: Value.self, coding: coding) }
    clock.run()
    let syncs = zip(a, b).map { $0.sync(with: $1) }
    a[0].value = value
    clock.run()
    #expect((a + b).allSatisfy { $0.status.current.isSettled && !$0.isEmpty })
    withExtendedLifetime(syncs) {}
    return (a + b).map { $0.status.current.revision }.max()!
  }

  @Test
  func `20.1 two processes that sync the same nodes rest, in however many ways it is written`() {
    #expect(revisions(of: [1, 2, 3], with: .standard) <= 4)
    #expect(revisions(of: Bag([1, 2, 3]), with: .standard) <= 4)
  }

  /// Such a value has no `==`, its parts have.
  private struct Tagged: Codable, Sendable {
    enum Kind: Codable, Sendable { case plain(Bag), named(String, Bag) }
    struct Part: Codable, Sendable { var name: String, bag: Bag }
    var number = 1
    var kind = Kind.plain(Bag([1, 2, 3]))
    var part: Part? = Part(name: "a", bag: Bag([4, 5]))
    var parts = [Part(name: "b", bag: Bag([6, 7, 8]))]
    var none: Part?
    var named = [1: Part(name: "e", bag: Bag([9, 10])), 2: Part(name: "f", bag: Bag([11, 12]))]
  }

  @Test func `20.1 two processes that sync the same nodes rest, where the value has no ==`() {
    #expect(revisions(of: Tagged(), with: .standard) <= 4)
    #expect(revisions(of: [Tagged(), Tagged(number: 2)], with: .standard) <= 4)
  }

  @Test
  func `20.1 what comes over an edge and differs in any part is written, where there is no ==`() {
    let world = World()
    let here = world.store().node("key", of: Tagged.self)
    let there = world.store().node("key", of: Tagged.self)
    let source = MutableNode(Tagged())
    here.link(to: source)
    world.settle()
    let changes: [(inout Tagged) -> Void] = [
      { $0.number = 2 }, { $0.kind = .plain(Bag([3, 2])) }, { $0.kind = .named("a", Bag([3, 2])) },
      { $0.kind = .named("b", Bag([3, 2])) }, { $0.part?.name = "c" }, { $0.part?.bag.items = [5] },
      { $0.part = nil }, { $0.none = .init(name: "d", bag: Bag([1, 2])) }, { $0.parts = [] },
      { $0.parts = [.init(name: "b", bag: Bag([1, 2])), .init(name: "c", bag: Bag([1, 2]))] },
      { $0.parts.swapAt(0, 1) }, { $0.named[1]?.name = "g" },
      { $0.named[3] = $0.named.removeValue(forKey: 1) },
    ]
    for change in changes {
      let before = there.status.current.revision
      var value = source.current
      change(&value)
      source.value = value
      world.settle()
      #expect(there.status.current.revision == before + 1)
    }
    // And what does not is not.
    let before = there.status.current.revision
    source.value = source.current
    world.settle()
    #expect(there.status.current.revision == before)
  }

  private struct Apple: Sendable {}
  private struct Pear: Sendable {}
  /// Shows a part of itself, and says that it is an optional.
  private struct Veiled: CustomReflectable {
    let hidden: Int
    var customMirror: Mirror { Mirror(self, children: ["some": 1], displayStyle: .optional) }
  }

  /// Found by a hostile review.
  @Test func `20.2 values that differ in what does not show are not taken for the same`() {
    let (apples, pears): (Any, Any) = ([Apple](), [Pear]())
    #expect(!isSame(apples, pears) && isSame(apples, [Apple]()))
    #expect(!isSame([1: Apple()], [Int: Pear]()) && !isSame([Int: Apple](), [Int: Pear]()))
    #expect(!isSame(["a": Apple()], [AnyHashable("a"): Apple()]))
    #expect(!isSame(Veiled(hidden: 1), Veiled(hidden: 2)))
    let (none, some): (Any, Any) = (Pear?.none as Any, Pear?(Pear()) as Any)
    #expect(!isSame(none, some) && isSame(none, Pear?.none as Any))
    #expect(!isSame(none, Apple?.none as Any))
  }

  @Test func `20.1 two processes that sync the same nodes rest, where the value is not itself`() {
    let bits = SharedCoding<Double>(
      encode: { withUnsafeBytes(of: $0.bitPattern) { Data($0) } },
      decode: { bytes in
        Double(bitPattern: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
      })
    #expect(revisions(of: 1.5, with: bits) <= 4)
    #expect(revisions(of: .nan, with: bits) <= 4)
  }

  private struct Point: Codable, Sendable, Equatable { var x: Int, y: Int }

  @Test(arguments: ["link", "sync"])
  func `20.1, 15.4 what comes over an edge to a part, and is in the store, is told and not written`(
    _ kind: String
  ) {
    let world = World()
    let stores = [world.store(), world.store()]
    let points = stores.map { $0.node("point", of: Point.self) }
    points[0].value = Point(x: 1, y: 1)
    world.settle()
    let sources = [MutableNode<Int>(), MutableNode<Int>()], parts = points.map { $0[\.x] }
    let told = points.map { Recorder($0) }
    for (part, source) in zip(parts, sources) {
      if kind == "link" { part.link(to: source) } else { source.sync(with: part) }
    }
    let before = world.newest("point")!.revision
    for x in 2...4 {
      for source in sources {
        source.value = x
        world.settle()
      }
    }
    #expect(world.newest("point")!.revision == before + 3)
    #expect(points.allSatisfy { $0.value == Point(x: 4, y: 1) && $0.status.current.isSettled })
    if kind == "link" { #expect(told[1].values.map(\.x) == [1, 2, 2, 3, 3, 4, 4]) }
    // What is set is written, also where it is what the store has.
    parts[1].value = 4
    world.settle()
    #expect(world.newest("point")!.revision == before + 4)
    // And it is a change: of what others have set meanwhile, too.
    points[0].value = Point(x: 5, y: 5)
    sources[1].value = 6
    world.settle()
    #expect(points.allSatisfy { $0.value == Point(x: 6, y: 5) })
  }

  @Test func `12.1, 20.1 a shared node that nobody hears has no listener`() {
    let world = World(), here = world.store().node("key", of: Int.self)
    world.settle()
    #expect(!here.hasListener && here.listenerCount == 0 && here.snapshot().nodes[0].listeners == 0)
    let listening = here.listen { _ in }
    #expect(here.hasListener && here.listenerCount == 1)
    listening.cancel()
    #expect(!here.hasListener && here.listenerCount == 0)
    // Who else has it does: a set of it is not in vain.
    let stops = Stops(here.id)
    GraphTracing.install(stops)
    here.value = 1
    GraphTracing.install(nil)
    #expect(stops.count.load(ordering: .relaxed) == 0)
  }

  private final class Stops: GraphTracer {
    let node: UInt64
    let count = Atomic(0)
    init(_ node: UInt64) { self.node = node }
    func trace(_ event: GraphEvent) {
      if case .stopped = event.kind, event.node == node {
        count.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }
}
