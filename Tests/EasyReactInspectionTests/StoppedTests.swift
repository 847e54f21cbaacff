import EasyReact
import EasyReactInspection
import EasyReactTesting
import Foundation
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  /// What a recorder kept stays as it was, whatever becomes of the graph.
  @Suite struct Stopped {
    private final class Shop: Sendable {
      let price = MutableNode(0).named("price")
      let total: Node<Int>
      init() { total = price.map { $0 + 1 }.named("total") }
    }

    @Test func `18.1 a stopped recorder keeps nodes that go while another one runs`() {
      let first = GraphRecorder(events: 40), second = GraphRecorder()
      var shop: Shop? = Shop()
      first.start()
      for value in 0..<1_000 { shop!.price.value = value }
      first.stop()
      func kept() -> [String] {
        let records = first.records
        return records.nodes.map(\.label) + records.edges.map(\.operation)
      }
      let before = kept()
      #expect(before == ["price", "total", "Map"])
      second.start()
      shop = nil
      second.stop()
      #expect(kept() == before)
    }

    @Test func `18.6 names are known when the graph goes behind the end of the recording`() throws {
      let recorder = GraphRecorder()
      recorder.start()
      var shop: Shop? = Shop()
      shop!.price.set(4)
      recorder.stop()
      let living = GraphSession(program: "Shop", saved: 0, records: recorder.records)
      shop = nil
      let dead = GraphSession(program: "Shop", saved: 0, records: recorder.records)
      #expect(dead.told == ["price": ["0", "4"], "total": ["1", "5"]])
      #expect(
        try SessionTest(dead, name: "x").source() == SessionTest(living, name: "x").source())
      #expect(dead.records.nodes.map(\.isMutable) == [true, false])
    }

    @Test func `18.6 the same where another recorder ended the recording`() {
      let first = GraphRecorder(), second = GraphRecorder()
      first.start()
      var shop: Shop? = Shop()
      second.start()
      second.stop()
      shop = nil
      #expect(shop == nil && first.records.nodes.map(\.name) == ["price", "total"])
    }

    @Test(arguments: [true, false])
    func `18.1 what is made behind the end is not among the records`(isReadBefore: Bool) {
      let a = MutableNode(0).named("a"), b = MutableNode<Int>().named("b")
      let listening = a.listen { _ in }, copy = a.map { $0 }.named("copy")
      let recorder = GraphRecorder()
      recorder.start()
      a.set(1)
      recorder.stop()
      if isReadBefore { _ = recorder.records }
      let late = a.map { $0 + 1 }.named("late"), link = b.link(to: a)
      let records = recorder.records
      #expect(records.nodes.map(\.name) == ["a", "copy"])
      #expect(records.edges.map(\.operation).sorted() == ["Listen", "Map"])
      #expect(records.node(a.id)?.listeners == 1)
      #expect(!recorder.whyNot(b).description.contains("Link"))
      withExtendedLifetime((listening, copy, late, link)) {}
    }

    @Test func `18.1 what is made while it ran is there, whoever looks when`() async {
      let recorder = GraphRecorder()
      recorder.start()
      let a = MutableNode(0).named("a")
      a.set(1)
      let copy = a.map { $0 }.named("copy"), listening = copy.listen { _ in }
      let next = GraphRecorder()
      next.start()
      let late = copy.map { $0 }.named("late")
      next.stop()
      #expect(recorder.records.nodes.map(\.name) == ["a", "copy"])
      #expect(recorder.records.node(copy.id)?.listeners == 1)
      withExtendedLifetime((late, listening)) {}
    }

    @Test func `18.1 each thread has a number, also where it makes nodes alone`() async {
      let recorder = GraphRecorder()
      recorder.start()
      defer { recorder.stop() }
      let made = Mutex<[AnyNode]>([])
      for _ in 0..<2 {
        await onThreads(1) { _ in
          let node = MutableNode(1)
          made.withLock { $0.append(node) }
        }
      }
      let records = recorder.records
      let threads = made.withLock { $0 }.flatMap { records.events(of: $0, .nodeMade) }.map(\.thread)
      #expect(threads.count == 2 && Set(threads).count == 2 && !threads.contains(0))
    }

    @Test func `18.1 a turn that began before the recording has no number in it`() {
      let first = GraphRecorder(), second = GraphRecorder()
      let a = MutableNode(0), made = Mutex<[UInt64]>([])
      first.start()
      for value in 1...4 { a.value = value }
      let listening = a.listen {
        if $0 != 100 { return }
        second.start()
        let node = MutableNode(1), copy = node.map { $0 }
        made.withLock { $0 = [node.id, copy.id] }
      }
      a.value = 100
      let records = second.records
      second.stop()
      // Of these two alone: nodes of the test before may go on its threads meanwhile, each in a turn of its own.
      let ids = made.withLock { $0 }
      let events = records.events.filter { ids.contains($0.node) && $0.kind != .edgeMade }
      #expect(events.filter { $0.kind == .nodeMade }.map(\.node) == ids)
      #expect(Set(events.map(\.kind)).isSuperset(of: [.nodeMade, .nodeGone]))
      #expect(events.map(\.turn).allSatisfy { $0 == 0 })
      withExtendedLifetime(listening) {}
    }

    @Test func `18.5 own time does not count what passed between two turns`() {
      recorded(measuresTime: true) { recorder in
        let time = VirtualScheduler()
        let a = MutableNode(0), late = a.delay(.seconds(1), on: time)
        let listening = late.listen { _ in }
        a.value = 1
        let passed = ContinuousClock().measure {
          for _ in 0..<2_000 { _ = (0..<100).map { "\($0)" }.joined() }
        }
        time.advance(by: .seconds(2))
        let own = Duration.nanoseconds(recorder.counts[late.id]?.ownNanoseconds ?? .max)
        #expect(own < passed / 2)
        withExtendedLifetime(listening) {}
      }
    }

    @Test
    func
      `12.4 where a set was called is not told of the next one, which a listener's start of the recorder cut off`()
    {
      let recorder = GraphRecorder()
      let x = MutableNode(0), y = MutableNode(0), trigger = MutableNode(0)
      let listening = trigger.listen {
        if $0 == 0 { return }
        recorder.start()
        x.set(5)
      }
      trigger.value = 1
      y.value = 7
      let sets = recorder.records.events(of: y, .set)
      recorder.stop()
      #expect(sets.map(\.callSite) == [nil])
      withExtendedLifetime(listening) {}
    }
  }
}
