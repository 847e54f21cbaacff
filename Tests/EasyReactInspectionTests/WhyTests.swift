import EasyReact
import EasyReactInspection
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// Of the last turn that set something: the ends of its sets, as `name reason`.
private func ends(_ recorder: GraphRecorder, _ node: AnyNode, since: UInt64? = nil) -> Set<String> {
  let answer = recorder.whyNot(node, since: since)
  let ends = answer.answers.flatMap(\.ends)
  return Set(
    ends.map { end in
      let reason =
        switch end.reason {
        case .stopped(let stop): stop.rawValue
        case .emptinessDoesNotPass: "emptiness"
        case .notPassedOn: "not passed on"
        case .cutBefore: "cut before"
        }
      return "\(recorder.records.node(end.downstream)?.name ?? "?") \(reason)"
    })
}

private func outcomes(_ recorder: GraphRecorder, _ node: AnyNode) -> [WhyNot.Outcome] {
  recorder.whyNot(node).answers.map(\.outcome)
}

extension `18 A graph that explains itself` {
  @Suite struct Why_ {
    @Test func `18.2, 18.6 why and why not take any sequence, the greatest too`() {
      recorded { recorder in
        let price = MutableNode(3).named("price"), double = price.map { $0 * 2 }
        let large = double.filter { $0 > 10 }
        price.value = 4
        var records = recorder.records
        #expect(records.why(double.id, at: .max).steps == records.why(double.id).steps)
        // As a file may have it.
        let last = records.events.indices.last { records.events[$0].kind == .set }!
        records.events.removeSubrange((last + 1)...)
        records.events[last].sequence = .max
        #expect(records.whyNot(large.id, since: 0).answers.count >= 1)
      }
    }

    @Test
    func
      `18.2 why: from the set, with call, context, thread and time, over each edge, old and new`()
      throws
    {
      try recorded { recorder in
        let price = MutableNode(3).named("price")
        let double = price.map { $0 * 2 }.named("double"),
          text = double.map { "\($0) €" }.named("text")
        price.set(4, context: "import")
        let line = #line - 1
        let why = recorder.why(text)
        #expect(why.value.text == "8 €" && !why.isCutOff)
        #expect(why.steps.map(\.node) == ["price", "price", "double", "text"])
        let set = try #require(why.steps.first?.event)
        #expect(set.kind == .set && set.callSite?.line == line && set.context == "import")
        #expect(set.thread > 0 && set.nanoseconds > 0)
        #expect(why.steps[2].event.old?.text == "6" && why.steps[2].event.new?.text == "8")
        let lines = why.description.split(separator: "\n").map(String.init)
        #expect(lines[0] == "text = 8 €" && lines[2] == "  price: 3 → 4")
        #expect(lines[3] == "    double (Map): 6 → 8" && lines[4] == "      text (Map): 6 € → 8 €")
        let data = try JSONEncoder().encode(why)
        #expect(try JSONDecoder().decode(Why.self, from: data) == why)
        withExtendedLifetime(text) {}
      }
    }

    @Test func `18.2 why: of a join all arrivals of that turn`() {
      recorded { recorder in
        let a = MutableNode(1).named("a"), b = MutableNode(2).named("b"),
          c = MutableNode(3).named("c")
        let sum = Node.combine([a, b, c]).named("join").map { $0.reduce(0, +) }.named("sum")
        batch {
          a.value = 10
          b.value = 20
        }
        let why = recorder.why(sum)
        #expect(why.steps.filter { $0.event.kind == .set }.map(\.node).sorted() == ["a", "b"])
        #expect(why.steps.map(\.node).last == "sum" && why.value.text == "33")
        c.value = 30
        #expect(recorder.why(sum).steps.filter { $0.event.kind == .set }.map(\.node) == ["c"])
      }
    }

    @Test func `18.2 why: in a batch each set has its own call`() {
      recorded { recorder in
        let a = MutableNode(1), b = MutableNode(2)
        let first = #line + 2
        batch {
          a.set(10)
          b.set(20)
        }
        let records = recorder.records
        #expect(records.events(of: a, .set).map { $0.callSite?.line } == [first])
        #expect(records.events(of: b, .set).map { $0.callSite?.line } == [first + 1])
      }
    }

    @Test func `18.2 why: a set by a listener goes on at its call, and so to the set before`() {
      recorded { recorder in
        let a = MutableNode(1).named("a"), b = MutableNode(1).named("b")
        let copy = b.map { $0 }.named("copy")
        let listening = a.listen { b.value = $0 }
        a.set(5)
        #expect(
          recorder.why(copy).steps.map { "\($0.node) \($0.event.kind.rawValue)" } == [
            "a set", "a stored", "a told", "b set", "b stored", "copy stored",
          ])
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.2 why: what waited says where, for a timer, on a scheduler, in a queue`() {
      recorded { recorder in
        let clock = VirtualScheduler()
        let a = MutableNode(1).named("a")
        let late = a.debounce(.seconds(1), on: clock).named("late")
        let hopped = late.deliver(on: clock).named("hopped")
        a.value = 2
        clock.advance(by: .seconds(2))
        let stops = recorder.why(hopped).steps.compactMap(\.event.stop)
        #expect(stops == [.heldBackByTimer, .waitsOnScheduler])
        #expect(recorder.why(hopped).steps.first?.event.kind == .set)
        let b = MutableNode(0).named("b")
        let listening = b.listen { if $0 == 1 { b.value = 2 } }
        b.value = 1
        #expect(recorder.why(b).steps.contains { $0.event.kind == .queued })
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.2 why: a node that was linked late, and one that is older than the recording`() {
      let old = MutableNode(7).named("old")
      recorded { recorder in
        let a = MutableNode(1).named("a")
        a.value = 2
        let b = MutableNode<Int>().named("b")
        b.link(to: a)
        let kinds = recorder.why(b).steps.map(\.event.kind)
        #expect(kinds == [.set, .stored, .edgeMade, .pushed, .stored])
        let why = recorder.why(old)
        #expect(why.steps.isEmpty && why.isCutOff)
        #expect(why.description.contains("before the recording began"))
      }
    }

    @Test func `18.2 names are the node's, or its operator and line of source`() {
      recorded { recorder in
        let a = MutableNode(1)
        let b = a.map { $0 }
        let line = #line - 1
        a.value = 2
        #expect(recorder.why(b).label == "Map at EasyReactInspectionTests/WhyTests.swift:\(line)")
      }
    }

    @Test func `18.3 node.why and node.whyNot print the same, by the recorder that runs`() {
      let a = MutableNode(1), b = a.filter { $0 > 5 }
      #expect(a.why.hasPrefix("No recorder runs"))
      recorded { recorder in
        a.value = 2
        #expect(a.why == recorder.why(a).description)
        #expect(b.whyNot == recorder.whyNot(b).description && b.whyNot.contains("refused"))
      }
      #expect(b.whyNot.hasPrefix("No recorder runs"))
    }
  }

  @Suite struct WhyNot_ {
    let a = MutableNode(1).named("a")

    @Test func `18.2 whyNot: filtered and equal, several at once, each way for itself`() {
      recorded { recorder in
        let large = a.filter { $0 > 5 }.named("large"),
          changes = a.distinctUntilChanged().named("changes")
        let both = large.merge(changes).named("both"), passed = both.map { $0 }.named("passed")
        a.set(1)
        #expect(ends(recorder, passed) == ["large filtered", "changes equal"])
        #expect(outcomes(recorder, passed) == [.stopped])
        a.set(2)
        #expect(outcomes(recorder, passed) == [.arrived])
      }
    }

    @Test func `18.2 whyNot: reached already, by the cycle rule`() {
      recorded { recorder in
        let b = MutableNode<Int>().named("b"), c = MutableNode<Int>().named("c")
        let synced = a.sync(with: b)
        c.link(to: a)
        let off = c.filter { _ in false }.named("off")
        b.value = 4
        #expect(ends(recorder, off) == ["off filtered", "b reachedAlready"])
        synced.cancel()
      }
    }

    @Test func `18.2 whyNot: cut in mid-turn`() {
      recorded { recorder in
        let b = MutableNode<Int>().named("b"), link = b.link(to: a)
        let listening = a.listen { if $0 == 2 { link.cancel() } }
        a.value = 2
        #expect(ends(recorder, b) == ["b cut"])
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.2 whyNot: another upstream has no value, and events that are not kept`() {
      recorded { recorder in
        let empty = MutableNode<Int>().named("empty"),
          taps = MutableNode<Int>.eventNode().named("taps")
        let joined = a.combine(empty).named("joined"), wrong = a.combine(taps).named("wrong")
        let pairs = a.zip(empty).named("pairs")
        let next = pairs.map { $0 }.named("next")
        a.value = 2
        let first = recorder.records.events.last!.sequence
        #expect(ends(recorder, joined) == ["joined waitsForAnotherUpstream"])
        #expect(ends(recorder, wrong) == ["wrong eventsAreNotKept"])
        #expect(ends(recorder, next) == ["pairs waitsForAnotherUpstream"])
        // A zip keeps what waits: with its partner it arrives. A combine keeps nothing but the latest.
        empty.value = 0
        empty.value = 1
        let answers = recorder.whyNot(next, since: 0).answers
        #expect(answers.map(\.outcome) == [.arrived, .arrived, .arrived])
        #expect(
          recorder.whyNot(joined, since: 0).answers.map(\.outcome) == [
            .stopped, .arrived, .arrived,
          ])
        withExtendedLifetime(first) {}
      }
    }

    /// A look sees what waits at a zip, and what takes it is dropped before the next one.
    @Test func `18.2 why: a zip that is empty again names both values, whatever was dropped`() {
      recorded(events: 100) { recorder in
        let b = MutableNode<Int>().named("b"), a = MutableNode<Int>().named("a")
        let pairs = a.zip(b).named("pairs")
        for round in 0..<3 {
          for value in 0..<20 { a.value = 100 * round + value }
          _ = recorder.records
          for value in 0..<20 { b.value = 100 * round + value }
          for value in 0..<200 { self.a.value = value }  // the ring is overrun
          _ = recorder.records
        }
        a.value = -1
        b.value = -2
        let text = recorder.why(pairs).description
        #expect(text.contains("a set") && text.contains("b set"))
        #expect(!text.contains("not kept"))
      }
    }

    @Test
    func
      `18.2 whyNot: held by a timer, on a scheduler, until it goes on; and what a newer one took the place of`()
    {
      recorded { recorder in
        let clock = VirtualScheduler()
        let late = a.debounce(.seconds(1), on: clock).named("late"),
          far = late.map { $0 }.named("far")
        let hopped = a.deliver(on: clock).named("hopped")
        clock.advance(by: .seconds(5))
        a.value = 2
        a.value = 3
        #expect(ends(recorder, far, since: 0) == ["late heldBackByTimer"])
        #expect(ends(recorder, hopped) == ["hopped waitsOnScheduler"])
        clock.advance(by: .seconds(5))
        let answers = recorder.whyNot(far, since: 0).answers.filter { $0.set.node == a.id }
        #expect(answers.map(\.outcome) == [.stopped, .arrived])
        #expect(outcomes(recorder, hopped) == [.arrived])
      }
    }

    /// As where the timer fires on another thread between the decision that the value waits and the record of it.
    @Test(arguments: ["throttleLatest", "buffer"])
    func `18.2 whyNot: a timer that fires while a value begins to wait`(_ operation: String) {
      final class Reminder: Sendable, CustomStringConvertible {
        let advance: @Sendable () -> Void
        init(_ advance: @escaping @Sendable () -> Void) { self.advance = advance }
        deinit { advance() }
        var description: String { "reminder" }
      }
      recorded { recorder in
        let clock = VirtualScheduler(), interval = Duration.seconds(1)
        let taps = MutableNode(0).named("taps")
        let slow =
          operation == "buffer"
          ? taps.buffer(for: interval, on: clock).map { $0.last! }
          : taps.throttleLatest(interval, on: clock)
        let none = slow.filter { _ in false }.named("none")
        // The next value takes its place, and it goes with its context.
        taps.set(1, context: Reminder { clock.advance(by: interval) })
        taps.set(2)
        #expect(slow.value == 2)
        #expect(ends(recorder, none) == ["none filtered"])
      }
    }

    @Test func `18.2 whyNot: an asynchronous call whose scheduler runs it at once`() {
      struct AtOnce: NodeScheduler {
        let now = Duration.zero
        func schedule(_ work: @escaping @Sendable () -> Void) { work() }
        func schedule(
          after delay: Duration, _ work: @escaping @Sendable () -> Void
        ) -> any Cancelable {
          work()
          return ClosureCancelable {}
        }
      }
      recorded { recorder in
        let results = a.mapAsync(on: AtOnce()) { $0 * 2 }
        let none = results.filter { _ in false }.named("none")
        a.value = 2
        #expect(results.value == 4)
        #expect(ends(recorder, none) == ["none filtered"])
      }
    }

    @Test func `18.2 whyNot: an asynchronous call is under way`() async {
      let (started, goOn) = (DispatchSemaphore(value: 0), MutableNode(false))
      let recorder = GraphRecorder()
      recorder.start()
      let results = a.mapAsync { value in
        started.signal()
        _ = await goOn.values.first { $0 }
        return value
      }.named("results")
      await onThreads(1) { _ in started.wait() }
      a.value = 2
      #expect(ends(recorder, results) == ["results waitsForCall"])
      goOn.value = true
      _ = try? await results.first { $0 == 2 }
      await settled()
      recorder.stop()
      #expect(
        recorder.whyNot(results, since: 0).answers.first { $0.set.node == a.id }?.outcome
          == .arrived)
    }

    @Test func `18.2 whyNot: left with the thread that is inside; it arrives when that goes on`()
      async
    {
      let recorder = GraphRecorder()
      recorder.start()
      let (a, far) = (a, a.map { $0 }.filter { _ in true }.named("far"))
      let (isInside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let listening = a.listen { value in
        if value != 2 { return }
        isInside.signal()
        goOn.wait()
      }
      let seen = Mutex<Set<String>>([])
      await onThreads(2) { number in
        if number == 0 { return a.value = 2 }
        isInside.wait()
        a.set(3)
        seen.withLock { $0 = ends(recorder, far) }
        goOn.signal()
      }
      recorder.stop()
      #expect(seen.withLock { $0 } == ["a leftInMailbox"])
      let answers = recorder.whyNot(far, since: 0).answers.filter { $0.set.node == a.id }
      #expect(answers.map(\.outcome) == [.arrived, .arrived])
      #expect(Set(answers.map(\.set.thread)).count == 2)
      // The call is that of the thread that set, though another one told the value.
      #expect(answers.last?.set.callSite != nil && answers.last?.set.wave != 0)
      withExtendedLifetime(listening) {}
    }

    @Test func `18.2 whyNot: emptiness is not passed, and a sample that waits for its tick`() {
      recorded { recorder in
        let b = a.map { $0 }.named("b"), ticks = MutableNode(0).named("ticks")
        let sampled = a.sample(on: ticks).named("sampled")
        a.value = 2
        #expect(ends(recorder, sampled) == ["sampled waitsForAnotherUpstream"])
        a.clean()
        #expect(ends(recorder, b) == ["b emptiness"])
      }
    }

    @Test func `18.2 whyNot: nothing was set that leads here, with what would`() {
      recorded { recorder in
        let other = MutableNode(1).named("other"), b = a.map { $0 }.named("b")
        other.value = 2
        let answer = recorder.whyNot(b)
        #expect(answer.answers.map(\.outcome) == [.noWay] && answer.sources == ["a"])
        #expect(answer.description.contains("Nothing was set that leads here."))
        #expect(answer.description.contains("These would: a."))
      }
    }

    @Test func `18.2 whyNot: no way leads here any more, with the cut and its moment`() throws {
      try recorded { recorder in
        let b = MutableNode<Int>().named("b"), far = b.map { $0 }.named("far")
        let link = b.link(to: a)
        link.cancel()
        a.value = 2
        let answer = recorder.whyNot(far)
        #expect(answer.answers.map(\.outcome) == [.noWayAnyMore])
        let end = try #require(answer.answers.first?.ends.first)
        guard case .cutBefore(let moment) = end.reason else {
          Issue.record("\(end)")
          return
        }
        let cut = try #require(recorder.records.edges.first { $0.id == end.edge }?.cut)
        #expect(moment == cut && end.upstream == a.id && end.downstream == b.id)
        #expect(answer.description.contains("Link from a to b was cut after"))
        let data = try JSONEncoder().encode(answer)
        #expect(try JSONDecoder().decode(WhyNot.self, from: data) == answer)
      }
    }

    @Test func `18.2 whyNot: an edge that was cut while the value waited before it`() throws {
      try recorded { recorder in
        let clock = VirtualScheduler()
        let late = a.delay(.seconds(1), on: clock).named("late"), b = MutableNode<Int>().named("b")
        let far = b.map { $0 }.named("far")
        let link = b.link(to: late)
        clock.advance(by: .seconds(5))
        a.value = 2
        link.cancel()
        clock.advance(by: .seconds(5))
        let answer = try #require(recorder.whyNot(far, since: 0).answers.last)
        #expect(answer.set.node == a.id && answer.outcome == .noWayAnyMore)
        let cut = try #require(
          recorder.records.edges.first { $0.cut != nil && $0.downstream == b.id })
        #expect(answer.ends.map(\.edge) == [cut.id])
      }
    }

    @Test
    func `18.2 whyNot: an edge that was cut while the value waited, behind one that was cut first`()
      throws
    {
      try recorded { recorder in
        let clock = VirtualScheduler()
        let late = a.delay(.seconds(1), on: clock), b = MutableNode<Int>().named("b")
        let far = MutableNode<Int>().named("far")
        let near = b.link(to: late), further = far.link(to: b)
        clock.advance(by: .seconds(5))
        a.value = 2
        further.cancel()
        near.cancel()
        clock.advance(by: .seconds(5))
        let answer = try #require(recorder.whyNot(far, since: 0).answers.last)
        #expect(answer.set.node == a.id && answer.outcome == .noWayAnyMore)
        #expect(answer.ends.map(\.downstream) == [b.id])
      }
    }

    @Test func `18.1 that a value waits stands before what another thread does with it`() {
      recorded { recorder in
        let waiting = [
          a.deliver(on: AtOnce()), a.delay(.seconds(1), on: AtOnce()),
          a.debounce(.seconds(1), on: AtOnce()), a.sample(every: .seconds(1), on: AtOnce()),
        ]
        let never = waiting.map { $0.filter { _ in false } }
        a.value = 2
        for (node, far) in zip(waiting, never) {
          let answer = recorder.whyNot(far, since: 0).answers.last
          #expect(answer?.ends.map(\.reason) == [.stopped(.filtered)], "\(node)")
        }
      }
    }

    @Test func `18.2 whyNot: sets since a moment; by default those of the last turn`() {
      recorded { recorder in
        let large = a.filter { $0 > 5 }.named("large")
        a.value = 2
        let moment = recorder.records.events.last!.sequence
        a.value = 3
        a.value = 4
        #expect(recorder.whyNot(large).answers.count == 1)
        #expect(recorder.whyNot(large, since: moment).answers.count == 2)
        #expect(recorder.whyNot(large, since: 0).answers.count == 3)
      }
    }

    /// A set with no consumer ends where it began.
    @Test func `18.2 whyNot: a node without consumers is no end of a way to another one`() {
      recorded { recorder in
        let b = MutableNode(0).named("b"), far = b.map { $0 }.named("far")
        a.value = 2
        #expect(outcomes(recorder, far) == [.noWay])
        #expect(recorder.records.events(of: a, .stopped).map(\.stop) == [.noConsumer])
      }
    }
  }
}

/// As if another thread were always faster than this one.
private struct AtOnce: NodeScheduler {
  final class Nothing: Cancelable {
    func cancel() {}
  }
  let now = Duration.zero
  func schedule(_ work: @escaping @Sendable () -> Void) { work() }
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
    work()
    return Nothing()
  }
}
