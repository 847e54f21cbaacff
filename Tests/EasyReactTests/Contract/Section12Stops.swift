import EasyReact
import EasyReactTesting
import Synchronization
import Testing

extension `12 Looking at the graph` {
  /// Why a value went no further: one test a reason.
  @Suite struct Stops {
    let a = MutableNode(1).named("a")

    @Test func `12.4 filtered: by filter, ignore, select, skip, take, compactMap and case`() {
      let nodes: [AnyNode] = [
        a.filter { $0 > 5 }, a.ignore(2), a.select(7), a.skip(5), a.take(1),
        a.compactMap { _ in nil as Int? }, a.switch { "\($0)" }.case("7"),
      ]
      let log = traced { a.value = 2 }
      for node in nodes { #expect(log.stops(node) == [.filtered], "\(node.upstreamTransforms)") }
    }

    @Test func `12.4 filtered: by default and unmatched, and the other branch of an if`() {
      let parted = a.switch { $0 > 0 ? "plus" : nil }
      let plus = parted.case("plus")
      let (rest, lost) = (parted.default, parted.unmatched)
      let signs = a.if { $0 > 0 }
      let log = traced { a.value = 2 }
      #expect(log.stops(rest) == [.filtered] && log.stops(lost) == [.filtered])
      #expect(log.stops(plus) == [])
      #expect(log.stops(signs.thenNode) == [] && log.stops(signs.elseNode) == [.filtered])
    }

    @Test func `12.4 equal: distinctUntilChanged found it equal`() {
      let changes = a.distinctUntilChanged()
      let log = traced {
        a.value = 1
        a.value = 2
        a.value = 2
      }
      #expect(log.stops(changes) == [.equal, .equal])
      #expect(changes.value == 2)
    }

    @Test func `12.4 reached already: a wave that comes back over a sync and round a ring`() {
      let b = MutableNode<Int>().named("b")
      let sync = a.sync(with: b)
      let log = traced { a.value = 2 }
      #expect(log.stops(a) == [.reachedAlready])
      #expect(log.stops(b) == [])
      sync.cancel()
      let (c, d) = (MutableNode(0), Node<Int>())
      d.wiring.link(to: c)
      c.link(to: d)
      let ring = traced { c.value = 5 }
      #expect(ring.stops(c) == [.reachedAlready])
      #expect(d.value == 5)
      c.wiring.removeUpstreamNodes()
    }

    @Test func `12.4 cut: an edge and a listening that are cut in mid-notification`() {
      let b = Node<Int>()
      let place = Mutex<[any Cancelable]>([])
      let killer = a.listen { _ in place.withLock { $0 }.forEach { $0.cancel() } }
      let link = b.wiring.link(to: a)
      let recorder = Recorder(a)
      place.withLock { $0 = [link, recorder] }
      let log = traced { a.value = 2 }
      #expect(log.stops(b) == [.cut])
      #expect(log.stops(a) == [.cut])  // a listener has no other node than the one it hears
      #expect(b.value == 1 && recorder.values == [1])
      killer.cancel()
      #expect(checkInvariants([a, b]) == [])
    }

    @Test(arguments: [CombineMode.latest, .everyValue])
    func `12.4 cut: a combine that has lost an upstream edge`(mode: CombineMode) {
      let b = MutableNode(2)
      let both = a.combine(b, mode: mode)
      both.wiring.removeUpstreamNode(b)
      let log = traced { a.value = 5 }
      #expect(log.stops(both) == [.cut])
      #expect(both.value! == (1, 2) && both.isTerminated)
    }

    @Test func `12.4 cut: a zip that has lost an upstream edge`() {
      let b = MutableNode(2)
      let both = a.zip(b)
      both.wiring.removeUpstreamNode(b)
      let log = traced { a.value = 5 }
      #expect(log.stops(both) == [.cut])
    }

    @Test func `12.4 waiting for another upstream: combine of each mode, and zip`() {
      let empty = MutableNode<Int>()
      let latest = a.combine(empty)
      let every = a.combine(empty, mode: .everyValue)
      let pairs = a.zip(empty)
      let log = traced { a.value = 2 }
      #expect(log.stops(latest) == [.waitsForAnotherUpstream])
      #expect(log.stops(every) == [.waitsForAnotherUpstream])
      #expect(log.stops(pairs) == [.waitsForAnotherUpstream])
      let later = traced { empty.value = 1 }
      #expect(later.stops(latest) == [] && later.stops(every) == [] && later.stops(pairs) == [])
      #expect(latest.value! == (2, 1) && pairs.value! == (1, 1))
    }

    @Test
    func `12.4 events are not kept: a join of latest values has an upstream that tells events`() {
      let taps = MutableNode<Int>.eventNode(), filtered = taps.filter { _ in true }
      let joins: [AnyNode] = [
        a.combine(taps), a.combine(filtered), a.combine(taps, mode: .everyValue),
        a.withLatest(from: taps), MutableNode([a, filtered]).flattenCombine(),
      ]
      let log = traced { a.value = 2 }
      for join in joins { #expect(log.stops(join) == [.eventsAreNotKept]) }
      let later = traced { taps.value = 1 }
      #expect(later.stops(joins[0]) == [.eventsAreNotKept])
      #expect(later.stops(joins[1]) == [.eventsAreNotKept])
    }

    @Test func `12.4 events that are kept, or only make a join run, are no such stop`() {
      let taps = MutableNode<Int>.eventNode(), empty = MutableNode<Int>()
      let held = a.combine(taps.held()), pairs = taps.withLatest(from: empty), zipped = a.zip(taps)
      let told = Recorder(zipped)
      let log = traced {
        a.value = 2
        taps.value = 1
      }
      #expect(log.stops(held) == [.waitsForAnotherUpstream])
      #expect(log.stops(pairs) == [.waitsForAnotherUpstream])
      #expect(log.stops(zipped) == [.waitsForAnotherUpstream])
      #expect(held.value! == (2, 1) && told.values.map(\.0) == [1] && told.values.map(\.1) == [1])
    }

    @Test func `12.4 held back by a timer: delay and debounce, until the timer fires`() {
      let clock = VirtualScheduler()
      let nodes = [
        a.delay(.seconds(1), on: clock), a.debounce(.seconds(1), on: clock),
      ]
      clock.run()
      let log = traced { a.value = 2 }
      for node in nodes { #expect(log.stops(node) == [.heldBackByTimer]) }
      let later = traced { clock.advance(by: .seconds(1)) }
      for node in nodes {
        #expect(later.stops(node) == [])
        #expect(later.events(of: node).map(\.line) == ["unnamed: stored 2"])
      }
    }

    @Test func `12.4 waiting on a scheduler: deliver`() {
      let clock = VirtualScheduler()
      let node = a.deliver(on: clock)
      let log = traced { a.value = 2 }
      #expect(log.stops(node) == [.waitsOnScheduler])
      clock.run()
      #expect(node.value == 2)
    }

    @Test func `12.4 left in the mailbox: another thread is inside the node`() throws {
      let recorder = Recorder(a)
      let a = a
      let listening = a.listen { value in
        // Another thread sets the node while this one is inside it, and does not wait.
        if value == 2 { onSmallStack { a.value = 3 } }
      }
      let log = traced { a.value = 2 }
      #expect(log.stops(a) == [.leftInMailbox])
      let left = try #require(log.events(of: a).first { $0.line == "a: stopped: leftInMailbox" })
      #expect(left.thread != log.thread)
      let stored = try #require(log.events(of: a).last { $0.line == "a: stored 3" })
      #expect(stored.thread == log.thread)
      #expect(recorder.values == [1, 2, 3])
      listening.cancel()
    }

    @Test func `12.4 left in the mailbox: over an edge, into a node that another thread is inside`()
    {
      let b = MutableNode(0).named("b")
      b.link(to: a)
      let recorder = Recorder(b)
      let a = a
      let listening = b.listen { value in if value == 10 { onSmallStack { a.value = 11 } } }
      let log = traced { b.value = 10 }
      #expect(log.stops(b) == [.leftInMailbox])
      #expect(log.stops(a) == [])
      #expect(recorder.values == [1, 10, 11])
      listening.cancel()
    }

    @Test func `12.4 no consumer: nobody listens to the node that was set, and nothing follows it`()
    {
      final class Owner: Sendable {}
      let log = traced { a.value = 2 }
      #expect(log.stops(a) == [.noConsumer])
      #expect(a.value == 2)
      var owner: Owner? = Owner()
      a.listen(by: owner!) { _, _ in }
      #expect(traced { a.value = 3 }.stops(a) == [])
      owner = nil
      #expect(traced { a.value = 4 }.stops(a) == [.noConsumer])
      let copy = a.fork()
      #expect(traced { a.value = 5 }.stops(a) == [])
      #expect(copy.value == 5)
    }
  }

  /// What a tool does with the events.
  @Suite struct Answers {
    /// The node whose set began the wave that stored this node's last value, and how it got there.
    private func whyChanged(_ node: AnyNode, _ log: TraceLog) -> [String] {
      guard let stored = log.events(of: node).last(where: { $0.line.contains("stored") }) else {
        return []
      }
      return log.everything.filter { $0.wave == stored.wave && $0.wave != 0 }.map(\.line)
        .filter { !$0.contains("listener") && !$0.contains("ended") }
    }

    @Test func `12.4 why did this change can be answered`() {
      let price = MutableNode(10).named("price")
      let count = MutableNode(2).named("count")
      let total = price.combine(count).named("both").map { $0 * $1 }.named("total")
      let label = total.map { "\($0) €" }.named("label")
      let log = traced {
        count.value = 3
        price.value = 20
      }
      #expect(
        whyChanged(label, log) == [
          "price: wave began", "price: stored 20", "both: stored (20, 3)", "total: stored 60",
          "label: stored 60 €",
        ])
    }

    @Test func `12.4 why did it not can be answered`() throws {
      let clock = VirtualScheduler()
      let typed = MutableNode("").named("typed")
      let query = typed.filter { $0.count > 2 }.named("query")
      let quiet = query.distinctUntilChanged().named("quiet").debounce(.seconds(1), on: clock)
      let shown = quiet.named("settled").map { "results of \($0)" }.named("shown")
      let recorder = Recorder(shown)
      /// The last thing that stopped on the way to `shown`.
      func answer(_ text: String) -> String? {
        let log = traced { typed.value = text }
        if log.lines.contains(where: { $0.hasPrefix("shown: stored") }) { return nil }
        return log.lines.last { $0.contains("stopped") }
      }
      #expect(answer("sw") == "query: stopped: filtered")
      #expect(answer("swi") == "settled: stopped: heldBackByTimer")
      clock.run()
      #expect(answer("swi") == "quiet: stopped: equal")
      #expect(recorder.values == ["results of swi"])
    }
  }
}
