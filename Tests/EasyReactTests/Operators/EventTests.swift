import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Events: values that are told and not kept. Documentation/Decisions/0003-event-nodes.md.
@Suite("10.6 Events", .watched) struct EventTests {
  @Test func `10.6 an event node tells whoever listens, and nothing on attaching`() {
    let taps = MutableNode<String>.eventNode()
    #expect(taps.isEventNode && taps.isMutable && !MutableNode(1).isEventNode)
    let first = Recorder(taps)
    taps.value = "a"
    let second = Recorder(taps)
    taps.set("b", context: "why")
    #expect(first.values == ["a", "b"])
    #expect(second.values == ["b"])
    #expect(second.contexts.map { $0 as? String } == ["why"])
    #expect(taps.value == nil && taps.isEmpty)
    #expect(checkInvariants([taps]) == [])
  }

  @Test func `10.6 fire tells that something happened`() {
    let taps = MutableNode<Void>.eventNode()
    let count = Tally()
    let listening = taps.listen { count.add() }
    taps.fire()
    taps.fire()
    #expect(count.count == 2)
    keepAlive(listening)
  }

  @Test func `10.6 the value of an event node is nil also while an event is told`() {
    let taps = MutableNode<Int>.eventNode()
    let text = taps.map { "\($0)" }
    let seen = Journal<String>()
    let one = taps.listen { seen.note("\($0): \(String(describing: taps.value))") }
    let two = text.listen { seen.note("\($0): \(String(describing: text.value))") }
    taps.value = 1
    #expect(seen.entries == ["1: nil", "1: nil"])
    keepAlive(one, two)
  }

  @Test func `10.6 what is attached in the midst of an event does not hear it`() {
    let taps = MutableNode<Int>.eventNode()
    let heard = Journal<String>(), kept = Journal<any AnyObject & Sendable>()
    let listening = taps.listen { number in
      if number > 1 { return }
      let derived = taps.map { $0 * 10 }
      kept.note(taps.listen { heard.note("listener \($0)") })
      kept.note(derived.listen { heard.note("map \($0)") })
    }
    taps.value = 1
    #expect(heard.entries == [])
    taps.value = 2
    #expect(heard.take() == ["listener 2", "map 20"])
    keepAlive(listening)
    _ = kept.take()
  }

  @Test func `10.6 sets of an event node by its own listener wait in order`() {
    let taps = MutableNode<Int>.eventNode()
    let order = Journal<String>()
    let one = taps.listen { number in
      order.note("first \(number)")
      if number == 1 { (taps.value, taps.value) = (2, 3) }
    }
    let two = taps.listen { order.note("second \($0)") }
    taps.value = 1
    #expect(order.entries == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
    keepAlive(one, two)
  }

  @Test func `10.6 an event is released when it has been told, and told once over a chain`() {
    let lives = LifetimeTracker()
    let taps = MutableNode<Token>.eventNode()
    let chain = taps.fork().filter { _ in true }.map { ($0, 1) }.fork()
    let told = Tally()
    let listening = chain.listen { _ in told.add() }
    taps.value = lives.track(Token(), "event")
    #expect(lives.alive == [])
    #expect(told.count == 1)
    keepAlive(listening)
  }

  @Test func `10.6 clean and update of an event node tell nothing`() {
    let taps = MutableNode<Int>.eventNode()
    let told = Recorder(taps)
    taps.value = 1
    taps.clean()
    taps.update { $0 += 1 }
    #expect(told.values == [1])
    #expect(checkInvariants([taps]) == [])
  }

  @Test func `10.6 clean and update leave the event that a batch has staged`() {
    let taps = MutableNode<Int>.eventNode()
    let told = Recorder(taps)
    batch {
      taps.value = 1
      taps.clean()
      taps.update { $0 += 10 }
    }
    #expect(told.values == [1])
  }

  @Test func `10.6 a batch tells the last event that it staged, and reads none`() {
    let taps = MutableNode<Int>.eventNode()
    let told = Recorder(taps)
    batch {
      taps.value = 1
      taps.value = 2
      #expect(taps.value == nil)
    }
    #expect(told.values == [2])
  }

  @Test func `10.6 a merge of events and values keeps the values; an event leaves it empty`() {
    let taps = MutableNode<Int>.eventNode(), state = MutableNode(5)
    let either = state.merge(taps)
    let told = Recorder(either)
    #expect(either.value == 5)
    taps.value = 1
    #expect(either.isEmpty)
    state.value = 6
    #expect(either.value == 6)
    #expect(told.values == [5, 1, 6])
    #expect(checkInvariants([taps, state]) == [])
  }

  @Test func `10.6 withLatest of an event reads the state of the same turn`() {
    let taps = MutableNode<String>.eventNode(), count = MutableNode(1)
    let pairs = Recorder(taps.withLatest(from: taps.count()).map { "\($0)\($1)" })
    let states = Recorder(count.withLatest(from: taps).map { "\($0)\($1)" })
    taps.value = "a"
    taps.value = "b"
    count.value = 2
    #expect(pairs.values == ["a1", "b2"])
    #expect(states.values == [])  // an event node has no latest value
  }

  @Test
  func `10.6 sample(on:) of a value by an event keeps the value; of events, the tick decides`() {
    let taps = MutableNode<Int>.eventNode(), state = MutableNode(5)
    let kept = state.sample(on: taps), passed = taps.sample(on: state)
    let told = Recorder(passed)
    taps.value = 1
    #expect(kept.value == 5)
    taps.value = 2
    state.value = 6
    #expect(told.values == [2])
    #expect(passed.isEmpty)
  }

  @Test func `10.6 a link or a sync into a node of one's own keeps the event there`() {
    let taps = MutableNode<Int>.eventNode()
    let linked = MutableNode<Int>(), synced = MutableNode(0)
    linked.link(to: taps)
    let told = Recorder(taps)
    synced.sync(with: taps)
    #expect(told.values == [0])
    taps.value = 1
    #expect(linked.value == 1 && synced.value == 1)
    synced.value = 2
    #expect(told.values == [0, 1, 2])
    #expect(taps.isEmpty && linked.value == 2)
    #expect(checkInvariants([taps, linked, synced]) == [])
  }

  @Test func `10.6 flattenMap is what it follows: the events of an inner event node are not kept`()
  {
    let pages = [MutableNode<Int>.eventNode(), MutableNode(9)]
    let page = MutableNode(0)
    let shown = page.flattenMap { pages[$0] }
    let told = Recorder(shown)
    pages[0].value = 1
    #expect(shown.isEmpty)
    page.value = 1
    #expect(shown.value == 9)
    page.value = 0
    #expect(shown.isEmpty)
    #expect(told.values == [1, 9])
  }

  @Test func `10.6 an event that makes flattenMap follow the same node again tells a kept value`() {
    let taps = MutableNode<Int>.eventNode(), page = MutableNode(9)
    let latest = taps.flattenMap { _ in page }, all = taps.mergeMap { _ in page }
    for tap in 1...2 { taps.value = tap }
    #expect(latest.value == 9 && all.value == 9)
  }

  @Test func `10.6 events() of a node tells its changes, none at first, and keeps nothing`() {
    let price = MutableNode(1)
    let changes = price.events()
    let told = Recorder(changes)
    price.value = 2
    let late = Recorder(changes)
    #expect(told.values == [2] && late.values == [])
    #expect(changes.isEventNode && changes.isEmpty && price.value == 2)
    #expect(changes.upstreamTransforms.map(\.name) == ["Events"])
    #expect(checkInvariants([price]) == [])
  }

  @Test func `10.6 held keeps the last event; the timed operators carry events as events`() {
    let clock = VirtualScheduler()
    let keys = MutableNode<String>.eventNode()
    let last = keys.held(), quiet = keys.debounce(.seconds(1), on: clock)
    let told = Recorder(quiet)
    keys.value = "a"
    clock.run()
    #expect(last.value == "a")
    #expect(told.values == ["a"] && quiet.isEmpty)
    #expect(Recorder(last).values == ["a"])
  }

  @Test func `10.6 the tracer hears an event as such`() {
    let log = EventLog()
    let taps = MutableNode<Int>.eventNode().named("taps \(Self.self)")
    traced(by: log) { taps.value = 1 }
    #expect(log.stored.entries == ["event: 1"])
  }

  private final class EventLog: GraphTracer, Sendable {
    let stored = Journal<String>()
    func trace(_ event: GraphEvent) {
      guard event.name == "taps EventTests", case .valueStored(let text) = event.kind else {
        return
      }
      stored.note(text)
    }
  }

  @Test func `10.6 events that two threads send reach every listener once, in the order of each`() {
    let taps = MutableNode<Int>.eventNode()
    let told = Recorder(taps.map { $0 }.merge(MutableNode<Int>()))
    let reader = taps.map { [$0] }
    let done = DispatchSemaphore(value: 0)
    for setter in 0..<2 {
      DispatchQueue.global().async {
        for value in 0..<1_000 {
          taps.value = value * 2 + setter
          if reader.value != nil { Issue.record("an event was read") }
        }
        done.signal()
      }
    }
    for _ in 0..<2 { wait(for: done) }
    #expect(settle())
    for setter in 0..<2 {
      #expect(told.values.filter { $0 % 2 == setter }.map { $0 / 2 } == Array(0..<1_000))
    }
    #expect(checkInvariants([taps]) == [])
  }

  // MARK: Weak values

  private final class Panel: Sendable, CustomStringConvertible {
    let description: String
    init(_ name: String) { description = name }
  }

  @Test
  func `10.6 a node of weak values refers to its object without keeping it, and so does a chain`() {
    let lives = LifetimeTracker()
    var panel: Panel? = lives.track(Panel("one"), "panel")
    let focused = MutableNode(Weak(panel))
    let pairs = focused.fork().combine(MutableNode(1)).map { $0.0 }
    let pending = focused.scan(into: [Weak<Panel>]()) { $0.append($1) }
    #expect(pairs.value?.object === panel)
    keepAlive(panel)
    panel = nil
    #expect(lives.alive == [])
    #expect(!focused.isEmpty && focused.value == Weak(nil))
    #expect(pairs.value?.object == nil && pending.value?.first?.object == nil)
    #expect("\(focused.value!)" == "gone")
  }

  @Test func `10.6 nobody is told when the object goes; the next set is`() {
    var panel: Panel? = Panel("one")
    let focused = MutableNode(Weak(panel))
    let told = Tally()
    let listening = focused.listen { _ in told.add() }
    keepAlive(panel)
    panel = nil
    #expect(told.count == 1)
    focused.value = Weak(nil)
    #expect(told.count == 2)
    keepAlive(listening)
  }

  @Test func `10.6 objects tells the living objects as events, and keeps none`() {
    let lives = LifetimeTracker()
    let focused = MutableNode<Weak<Panel>>()
    let titles = Recorder(focused.objects().map { "\($0)" })
    var panel: Panel? = lives.track(Panel("one"), "panel")
    focused.value = Weak(panel)
    focused.value = Weak(nil)
    keepAlive(panel)
    panel = nil
    #expect(lives.alive == [])
    #expect(titles.values == ["one"])
    let same = Panel("two")
    let distinct = Recorder(focused.distinctUntilChanged().map { "\($0)" })
    focused.value = Weak(same)
    focused.value = Weak(same)
    #expect(distinct.values == ["gone", "two"])
    keepAlive(same)
  }
}
