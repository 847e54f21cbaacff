import EasyReact
import EasyReactTesting
import Synchronization
import Testing

extension `12 Looking at the graph` {
  @Suite struct Tracing {
    @Test func `12.4 a tracer hears: node and edge made and gone, with ids`() throws {
      let log = traced {
        let a = MutableNode(1)
        var b: Node<Int>? = a.map { $0 }
        b = nil
        _ = (a, b)
      }
      let ids = log.events.compactMap { event in
        if case .nodeMade = event.kind { event.node } else { nil }
      }
      try #require(ids.count == 2)
      let kinds = log.events.compactMap { event -> String? in
        switch event.kind {
        case .nodeMade: "made \(event.node == ids[0] ? "a" : "b")"
        case .nodeGone: "gone \(event.node == ids[0] ? "a" : "b")"
        case .edgeMade(let to): "edge \(event.node == ids[0]) \(to == ids[1])"
        case .edgeGone(let to): "edge gone \(event.node == ids[0]) \(to == ids[1])"
        default: nil
        }
      }
      #expect(
        kinds == ["made a", "made b", "edge true true", "edge gone true true", "gone b", "gone a"])
    }

    @Test func `12.4 a tracer hears: edges of every kind and listeners, made and gone`() {
      let a = MutableNode(1).named("a")
      let b = MutableNode(2).named("b")
      func count(_ body: () -> Void) -> [String] {
        traced(body).lines.filter { $0.contains("edge") || $0.contains("listener ") }.filter {
          !$0.contains("called")
        }
      }
      #expect(count { b.link(to: a).cancel() } == ["a: edge made", "a: edge gone"])
      #expect(count { a.listen { _ in }.cancel() } == ["a: listener made", "a: listener gone"])
      #expect(
        count { _ = a.combine(b) }
          == ["a: edge made", "b: edge made", "b: edge gone", "a: edge gone"])
      #expect(
        count { _ = a.combine(b, mode: .everyValue) }.sorted()
          == ["a: edge gone", "a: edge made", "b: edge gone", "b: edge made"])
      #expect(count { _ = a.zip(b) }.filter { $0.contains("made") }.count == 2)
      #expect(count { _ = a.merge(b) }.filter { $0.contains("gone") }.count == 2)
      #expect(
        count { a.sync(with: b).cancel() }.sorted()
          == ["a: edge gone", "a: edge made", "b: edge gone", "b: edge made"])
      let transform = NodeTransform<Int, Int>()
      #expect(
        count {
          transform.from = a
          transform.to = b
          transform.from = nil
        } == ["a: edge made", "a: edge gone"])
      #expect(
        count { _ = a.flattenMap { _ in b } }.sorted()
          == ["a: edge gone", "a: edge made", "b: edge gone", "b: edge made"])
      #expect(checkInvariants([a, b]) == [])
    }

    @Test
    func
      `12.4 a tracer hears: set, value stored, listener called, wave and turn begun and ended, in order`()
    {
      let a = MutableNode(1).named("a")
      let b = a.map { $0 * 2 }.named("b")
      let recorder = Recorder(b)
      let log = traced { a.value = 2 }
      #expect(
        log.lines == [
          "-: turn began", "a: set", "a: wave began", "a: stored 2", "b: stored 4",
          "b: listener called", "a: wave ended", "-: turn ended",
        ])
      #expect(recorder.values == [2, 4])
      let waves = log.events.map(\.wave)
      #expect(waves[0] == 0 && waves[1] == 0 && waves[7] == 0)
      #expect(waves[2] > 0 && waves[2...6].allSatisfy { $0 == waves[2] })
    }

    @Test func `12.4 a tracer hears: set, with its call site where the call can tell`() {
      let a = MutableNode(1).named("a")
      let first = #line + 2
      let log = traced {
        a.set(2)
        a.set(3, context: "who")
        a.value = 4
        [5].forEach(a.set)
      }
      let sets = log.events.filter { if case .set = $0.kind { true } else { false } }
      let file = "EasyReactTests/Section12Tracing.swift"
      #expect(sets.map(\.callSite) == ["\(file):\(first)", "\(file):\(first + 1)", nil, nil])
      #expect(a.value == 5)
    }

    @Test
    func `12.4 a tracer hears: set, also by clean, update, set with context, receive and batch`() {
      let a = MutableNode(1).named("a")
      let b = MutableNode(1).named("b")
      let recorder = Recorder(a)
      let log = traced {
        a.set(2, context: "who")
        a.clean()
        a.update { $0 += 1 }  // empty: nothing happens
        a.receive(4, from: nil, context: nil)
        a.update { $0 += 1 }
        batch {
          a.value = 6
          a.value = 7
          b.value = 1
        }
      }
      #expect(log.lines.filter { $0 == "a: set" }.count == 6)
      #expect(
        log.lines.filter { $0.contains("stored") }
          == [
            "a: stored 2", "a: stored empty", "a: stored 4", "a: stored 5", "a: stored 7",
            "b: stored 1",
          ])
      #expect(recorder.values == [1, 2, 4, 5, 7])
    }

    @Test func `12.4 a set by a listener tells the wave that the listener heard`() throws {
      let a = MutableNode(1).named("a")
      let b = MutableNode(1).named("b")
      let listening = a.listen { b.value = $0 }
      let recorder = Recorder(b)
      let log = traced { a.value = 2 }
      let began = try #require(log.events(of: a).first { $0.line == "a: wave began" })
      let set = try #require(log.events(of: b).first { $0.line == "b: set" })
      let stored = try #require(log.events(of: b).first { $0.line == "b: stored 2" })
      #expect(set.wave == began.wave)
      #expect(stored.wave > began.wave)
      #expect(log.lines.last { $0.contains("wave") } == "a: wave ended")
      #expect(recorder.values == [1, 2])
      listening.cancel()
    }

    @Test func `12.4 a value that waited in a node's queue has a wave of its own`() {
      let a = MutableNode(1).named("a")
      let first = a.listen { if $0 == 2 { a.value = 3 } }
      let log = traced { a.value = 2 }
      #expect(
        log.lines.filter { !$0.contains("turn") } == [
          "a: set", "a: wave began", "a: stored 2", "a: listener called", "a: set", "a: wave ended",
          "a: wave began", "a: stored 3", "a: listener called", "a: wave ended",
        ])
      first.cancel()
      #expect(checkInvariants([a]) == [])
    }

    @Test func `12.4 an initial push is a wave without a set`() {
      let a = MutableNode(1).named("a")
      let log = traced {
        let b = a.map { $0 }
        b.name = "b"
      }
      #expect(!log.lines.contains("a: set"))
      let wave = log.events.first { $0.line == "a: wave began" }?.wave
      #expect(wave != nil && wave! > 0)
      #expect(log.events.first { $0.line == "unnamed: stored 1" }?.wave == wave)
    }

    @Test func `12.4 events come with thread and time`() throws {
      let a = MutableNode(1)
      let recorder = Recorder(a)
      let log = traced {
        a.value = 2
        onSmallStack { a.value = 3 }
      }
      let stored = log.events(of: a).filter {
        if case .valueStored = $0.kind { true } else { false }
      }
      try #require(stored.count == 2)
      #expect(stored[0].thread == log.thread && stored[1].thread != log.thread)
      #expect(stored.allSatisfy { $0.thread != 0 })
      let times = log.events.map(\.time)
      #expect(times == times.sorted() && times.allSatisfy { $0 >= .zero })
      #expect(recorder.values == [1, 2, 3])
    }

    /// Found by a hostile review: it was described whole, in all graphs of the process.
    @Test func `12.4 of a long value a tracer gets the beginning, and no more is described`() {
      struct Element: CustomStringConvertible, Sendable {
        static let described = Tally()
        var description: String {
          Self.described.add()
          return "element"
        }
      }
      let log = TraceLog(), a = MutableNode<[Element]>([])
      let taps = MutableNode<String>.eventNode(), listening = taps.listen { _ in }
      traced(by: log) {
        a.value = [Element](repeating: Element(), count: 100_000)
        taps.value = String(repeating: "x", count: 5_000)
      }
      func stored(_ node: AnyNode) -> [String] {
        log.events(of: node).compactMap {
          if case .valueStored(let text) = $0.kind { text } else { nil }
        }
      }
      #expect(stored(a).map(\.count) == [1_001] && Element.described.count < 1_100)
      #expect(stored(a)[0].hasPrefix("[element, element") && stored(a)[0].hasSuffix("…"))
      #expect(stored(taps) == ["event: " + String(repeating: "x", count: 1_000) + "…"])
      keepAlive(listening)
    }

    @Test func `12.4 not installed, a tracer hears nothing more`() {
      let a = MutableNode(1)
      let recorder = Recorder(a)
      let log = traced { a.value = 2 }
      let count = log.events(of: a).count
      #expect(count > 0)
      a.value = 3
      #expect(log.events(of: a).count == count)
      #expect(recorder.values == [1, 2, 3])
    }

    @Test func `12.4 the tracer may touch the graph: what it does is not traced`() {
      /// Sets a node at each event of one thread, from the first that is about one node: other
      /// tests run meanwhile.
      final class Meddler: GraphTracer {
        let state = Mutex((count: 0, thread: nil as UInt64?))
        let heard = MutableNode<Int>()
        let subject: UInt64
        init(_ subject: AnyNode) { self.subject = subject.id }
        var count: Int { state.withLock { $0.count } }
        func trace(_ event: GraphEvent) {
          let number = state.withLock { state -> Int? in
            if state.thread == nil, event.node == subject { state.thread = event.thread }
            if event.thread != state.thread { return nil }
            state.count += 1
            return state.count
          }
          if let number { heard.value = number }
        }
      }
      let a = MutableNode(1)
      let recorder = Recorder(a)
      let meddler = Meddler(a)
      traced(by: meddler) { a.value = 2 }
      // Set, wave began, stored, listener called, wave ended, turn ended.
      #expect(meddler.count == 6)
      #expect(meddler.heard.value == 6)
      #expect(recorder.values == [1, 2])
      #expect(checkInvariants([a, meddler.heard]) == [])
    }

    /// Sets nodes when it is first described, which only a tracer asks for.
    private struct Described: Sendable, CustomStringConvertible {
      let number: Int
      let act: @Sendable () -> Void
      private let described = Tally()
      init(number: Int, act: @escaping @Sendable () -> Void = {}) {
        self.number = number
        self.act = act
      }
      var description: String {
        if described.add() == 1 { act() }
        return "\(number)"
      }
    }

    @Test func `12.4 a value whose description sets the node: each value is told, once, in order`()
    {
      let node = MutableNode<Described>(), heard = Journal<Int>()
      let listening = node.listen { heard.note($0.number) }
      let log = traced {
        node.value = Described(number: 1) { node.value = Described(number: 2) }
      }
      #expect(heard.entries == [1, 2])
      #expect(node.value?.number == 2)
      #expect(checkInvariants([node]) == [])
      withExtendedLifetime((log, listening)) {}
    }

    @Test func `12.4 the same for what a map, a link and a join store, and for their sources`() {
      let source = MutableNode(0), back = MutableNode(0)
      let heard = Journal<String>()
      let mapped = source.map { value in
        Described(number: value) { if value == 1 { source.value = 2 } }
      }
      let linked = Node<Described>()
      linked.wiring.link(to: mapped)
      let joined = source.combine(back).map { a, b in
        Described(number: a + b) { if a == 2, b == 0 { back.value = 10 } }
      }
      let listenings = [("mapped", mapped), ("linked", linked), ("joined", joined)].map {
        name, node in node.listen { heard.note("\(name) \($0.number)") }
      }
      _ = heard.take()
      let log = traced { source.value = 1 }
      for (name, expected) in [
        ("mapped", ["mapped 1", "mapped 2"]), ("linked", ["linked 1", "linked 2"]),
        ("joined", ["joined 2", "joined 12"]),
      ] { #expect(heard.entries.filter { $0.hasPrefix(name) } == expected) }
      #expect(checkInvariants([source, back, mapped, linked, joined]) == [])
      withExtendedLifetime((log, listenings)) {}
    }

    @Test
    func `12.4 past the limit of re-entrant sets the tracer names the nodes that they go round`()
      throws
    {
      final class Endless: GraphTracer {
        let events = Mutex<[GraphEvent]>([])
        func trace(_ event: GraphEvent) {
          // Other tests set for ever meanwhile, and there is one tracer.
          if case .endlessSets(_, let names) = event.kind,
            names.contains(where: { $0.contains("“ping of 12.4”") })
          {
            events.withLock { $0.append(event) }
          }
        }
      }
      let a = MutableNode<Int>().named("ping of 12.4")
      let b = MutableNode<Int>().named("pong of 12.4")
      // A set of the other one waits each second time.
      let bound = 2 * GraphLimits.reentrantSets + 10
      let first = a.listen { if $0 < bound { b.value = $0 + 1 } }
      let second = b.listen { if $0 < bound { a.value = $0 + 1 } }
      let tracer = Endless()
      traced(by: tracer) { a.value = 1 }
      let events = tracer.events.withLock { $0 }
      #expect(events.count == 1)
      guard case .endlessSets(let count, let names) = try #require(events.first).kind else {
        return
      }
      #expect(count == GraphLimits.reentrantSets)
      #expect(
        names.contains { $0.contains("“ping of 12.4”") }
          && names.contains { $0.contains("“pong of 12.4”") })
      first.cancel()
      second.cancel()
    }
  }
}
