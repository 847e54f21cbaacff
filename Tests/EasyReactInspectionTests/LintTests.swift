import EasyReact
import EasyReactInspection
import EasyReactTesting
import Testing

/// The rules that a graph breaks.
private func broken(_ node: AnyNode, _ recorder: GraphRecorder? = nil) -> Set<LintRule> {
  Set(node.lint(with: recorder).map(\.rule))
}

extension `18 A graph that explains itself` {
  /// Each rule with a graph that breaks it, and one that just does not.
  @Suite struct Lint {
    @Test func `18.4 sourceWithoutConsumer: nobody listens and nothing follows`() {
      let source = MutableNode(1)
      #expect(broken(source) == [.sourceWithoutConsumer])
      let copy = source.map { $0 }
      #expect(broken(source) == [])
      let heard = MutableNode(1), listening = heard.listen { _ in }
      #expect(broken(heard) == [])
      // Or somebody did, and is gone: whoever awaited a value.
      recorded { recorder in
        let awaited = MutableNode(1)
        #expect(broken(awaited, recorder) == [.sourceWithoutConsumer])
        awaited.listen { _ in }.cancel()
        #expect(broken(awaited, recorder) == [] && broken(awaited) == [.sourceWithoutConsumer])
      }
      withExtendedLifetime((copy, listening)) {}
    }

    @Test func `18.4 neverHeard: only where it is asked for, for it may be read`() {
      let source = MutableNode(1), copy = source.map { $0 }
      #expect(copy.lint().isEmpty)
      #expect(copy.lint(including: [.neverHeard]).map(\.rule) == [.neverHeard])
      let listening = copy.listen { _ in }
      #expect(copy.lint(including: [.neverHeard]).isEmpty)
      withExtendedLifetime(listening) {}
    }

    @Test func `18.4 ringHeldByItself: linked in a ring that nothing outside holds`() {
      let near = MutableNode(1)
      // Joined to the ring, which it does not keep.
      func ring() -> MutableNode<Int> {
        let a = MutableNode(1).named("a"), b = MutableNode<Int>().named("b")
        b.link(to: a)
        a.link(to: b)
        a.sync(with: near)
        return a
      }
      var held: MutableNode<Int>? = ring()
      withExtendedLifetime(held) { #expect(broken(near) == []) }
      held = nil
      let findings = near.lint()
      #expect(findings.map(\.rule) == [.ringHeldByItself] && findings.first?.nodes.count == 2)
      for (node, _) in near.reachable { node.wiring.removeUpstreamNodes() }
      #expect(broken(near) == [.sourceWithoutConsumer])
    }

    @Test
    func
      `18.4 ringHeldByItself: a ring of another graph is none of this one's, made at one line or not`()
    {
      func lose(beside near: MutableNode<Int>) {
        let a = MutableNode(1), b = MutableNode<Int>()
        b.link(to: a)
        a.link(to: b)
        a.sync(with: near)
      }
      let nears = [MutableNode(1), MutableNode(1)]
      for near in nears { lose(beside: near) }
      for near in nears {
        let graph = Set(near.reachable.map(\.node.id))
        let findings = near.lint()
        #expect(findings.map(\.rule) == [.ringHeldByItself])
        #expect(findings.allSatisfy { graph.isSuperset(of: $0.nodes) })
      }
      for near in nears {
        for (node, _) in near.reachable { node.wiring.removeUpstreamNodes() }
      }
    }

    @Test func `18.4 terminated: a join that has lost an upstream`() {
      let a = MutableNode(1), b = MutableNode(2)
      let both = a.combine(b), pairs = a.zip(b)
      #expect(broken(both) == [])
      both.wiring.removeUpstreamNode(b)
      let findings = a.lint()
      #expect(findings.map(\.rule) == [.terminated] && findings.first?.nodes == [both.id])
      withExtendedLifetime(pairs) {}
    }

    @Test func `18.4 eventsAreNotKept: a join of latest values that reads events`() {
      let a = MutableNode(1), taps = MutableNode<Int>.eventNode()
      let kept = a.combine(taps.held()), paired = taps.withLatest(from: a)
      #expect(broken(a) == [])
      let joined = a.combine(taps.map { $0 })
      #expect(broken(a) == [.eventsAreNotKept])
      withExtendedLifetime((kept, paired, joined)) {}
    }

    @Test func `18.4 waitsForEver: an upstream that nothing can give a value`() {
      let a = MutableNode(1), later = MutableNode<Int>()
      let fine = a.combine(later)
      #expect(broken(a) == [])
      let joined = a.combine(Node<Int>())
      let findings = a.lint()
      #expect(findings.map(\.rule) == [.waitsForEver] && findings.first?.nodes.first == joined.id)
      withExtendedLifetime(fine) {}
    }

    @Test func `18.4 linkedTwice: each value is told twice`() {
      let a = MutableNode(1), b = MutableNode<Int>(), c = MutableNode<Int>()
      b.link(to: a)
      c.link(to: a)
      #expect(broken(a) == [])
      b.link(to: a)
      #expect(broken(a) == [.linkedTwice])
    }

    @Test func `18.4 duplicates: the same made several times at one line`() {
      let a = MutableNode(1)
      let sums = (1...3).map { factor in a.map { $0 * factor } }
      let one = a.distinctUntilChanged()
      #expect(broken(a) == [])
      let several = (1...3).map { _ in a.distinctUntilChanged() }
      #expect(a.lint().map(\.rule) == [.duplicates] && a.lint().first?.nodes == several.map(\.id))
      withExtendedLifetime((sums, one)) {}
    }

    @Test func `18.4 wideFan: more than a thousand follow`() {
      let a = MutableNode(1)
      var listenings = (0..<1_000).map { _ in a.listen { _ in } }
      #expect(broken(a) == [])
      listenings.append(a.listen { _ in })
      #expect(broken(a) == [.wideFan])
    }

    @Test func `18.4 deepChain: more than a thousand one behind the other`() {
      let a = MutableNode(1)
      var last: Node<Int> = a
      for _ in 1..<1_000 { last = last.map { $0 } }
      #expect(broken(last) == [])
      let tooDeep = last.map { $0 }
      #expect(
        tooDeep.lint().map(\.rule) == [.deepChain] && tooDeep.lint().first?.nodes == [tooDeep.id])
    }

    @Test func `18.4 ownerIsGone: a listener that is never called again`() {
      final class Owner: Sendable {}
      let a = MutableNode(1)
      var owner: Owner? = Owner()
      a.listen(by: owner!) { _, _ in }
      let other = a.listen { _ in }
      #expect(broken(a) == [])
      owner = nil
      #expect(broken(a) == [.ownerIsGone])
      withExtendedLifetime(other) {}
    }

    @Test func `18.4 looseTransform: a transform with one end`() {
      let a = MutableNode(1), b = MutableNode<Int>(), other = a.fork()
      let transform = NodeTransform<Int, Int>()
      transform.from = a
      #expect(broken(a) == [.looseTransform])
      transform.to = b
      #expect(broken(a) == [])
      withExtendedLifetime(other) {}
    }

    @Test func `18.4 privateValueShown: a private value that goes on unchanged`() {
      let password = MutableNode("x")
      password.isPrivate = true
      let length = password.map(\.count)
      #expect(broken(password) == [])
      let copy = password.distinctUntilChanged()
      #expect(broken(password) == [.privateValueShown])
      copy.isPrivate = true
      #expect(broken(password) == [])
      withExtendedLifetime(length) {}
    }

    @Test func `18.4 whoever asks in a derivation follows nothing but what it reads`() {
      let price = MutableNode(1), other = MutableNode(5)
      let both = price.combine(other), listening = both.listen { _ in }
      recorded { recorder in
        let derived = Node.derived {
          _ = (price.lint(), price.lint(with: recorder), recorder.lint(), recorder.records)
          return (price.value ?? 0) + 1
        }
        #expect(derived.value == 2 && derived.upstreamNodes == [price])
      }
      withExtendedLifetime(listening) {}
    }

    @Test func `18.4 changesNothing: nine of ten values equal the one before`() {
      recorded { recorder in
        let a = MutableNode(0), even = a.map { $0 / 100 }
        let fine = a.map { $0 / 2 }
        for value in 1...40 { a.value = value }
        #expect(broken(a, recorder) == [.changesNothing])
        #expect(even.lint(with: recorder).first?.nodes == [even.id])
        #expect(broken(a) == [])  // without a recorder
        // What follows hears changes alone.
        let changes = even.distinctUntilChanged()
        #expect(broken(a, recorder) == [])
        withExtendedLifetime((fine, changes)) {}
      }
    }

    @Test func `18.4 neverPasses: it ran and told nothing`() {
      recorded { recorder in
        let a = MutableNode(0)
        let never = a.filter { $0 < 0 }, once = a.filter { $0 == 30 }
        for value in 1...30 { a.value = value }
        let findings = a.lint(with: recorder)
        #expect(findings.map(\.rule) == [.neverPasses] && findings.first?.nodes == [never.id])
        withExtendedLifetime(once) {}
      }
    }

    @Test func `18.4 unevenZip: one side is far ahead`() {
      recorded { recorder in
        let a = MutableNode<Int>(), b = MutableNode<Int>(), c = MutableNode<Int>()
        let uneven = a.zip(b), even = a.zip(c)
        for value in 0..<120 {
          a.value = value
          c.value = value
        }
        let findings = a.lint(with: recorder)
        #expect(findings.map(\.rule) == [.unevenZip] && findings.first?.nodes == [uneven.id])
        withExtendedLifetime(even) {}
      }
    }

    @Test func `18.4 listenerOnManyThreads: a plain listener called on several threads`() async {
      let recorder = GraphRecorder()
      recorder.start()
      let a = MutableNode(0), b = MutableNode(0)
      let clock = VirtualScheduler()
      let plain = a.listen { _ in }, placed = b.listen(on: clock) { _ in }
      a.value = 1
      b.value = 1
      await onThreads(1) { _ in
        a.value = 2
        b.value = 2
        clock.run()
      }
      let values = b.values.makeAsyncIterator(), observed = await b.observed
      await onThreads(1) { _ in b.value = 3 }
      b.value = 4
      recorder.stop()
      #expect(broken(a, recorder) == [.listenerOnManyThreads])
      // Called on the scheduler, and in a task; and what is observed on the main actor.
      #expect(broken(b, recorder) == [])
      withExtendedLifetime((plain, placed, values, observed)) {}
    }

    @Test func `18.4 endlessSets: listeners set each other past the limit`() {
      recorded { recorder in
        let a = MutableNode(0)
        // The node is busy each time.
        let bound = GraphLimits.reentrantSets + 10
        let listening = a.listen { value in if value > 0, value < bound { a.value = value + 1 } }
        a.value = bound
        #expect(!broken(a, recorder).contains(.endlessSets))
        a.value = 1
        #expect(broken(a, recorder).contains(.endlessSets))
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.4 hot: more than all others together`() {
      recorded { recorder in
        let a = MutableNode(0)
        let slow = a.filter { $0 % 10 == 0 }.named("slow"), end = slow.map { $0 }
        for value in 1...1_100 { a.value = value }
        let findings = a.lint(with: recorder)
        #expect(findings.map(\.rule) == [.hot] && findings.first?.nodes == [a.id])
        let b = MutableNode(0)
        let other = b.map { $0 + 1 }, last = other.map { $0 + 1 }
        for value in 1...1_100 { b.value = value }
        #expect(broken(b, recorder) == [])
        withExtendedLifetime((end, last)) {}
      }
    }

    /// Of each rule that a session can answer a graph that breaks it.
    @Test func `18.4 lint of a saved session: what records tell, and which rules were left out`() {
      recorded { recorder in
        let unheard = MutableNode(1).named("unheard")
        let a = MutableNode(1).named("a"), b = MutableNode(2).named("b")
        let both = a.combine(b).named("both"), pairs = a.zip(b).named("pairs")
        both.wiring.removeUpstreamNode(b)
        let waits = a.combine(Node<Int>()).named("waits")
        let taps = MutableNode<Int>.eventNode().named("taps")
        let wrong = a.combine(taps.map { $0 }.named("mapped")).named("wrong")
        let twice = MutableNode<Int>().named("twice")
        twice.link(to: a)
        twice.link(to: a)
        let same = (1...2).map { _ in a.distinctUntilChanged() }
        let password = MutableNode("x").named("password"), copy = password.fork().named("copy")
        password.isPrivate = true
        let never = a.filter { $0 < 0 }.named("never")
        for value in 1...1_100 { a.value = value }
        taps.value = 1
        unheard.value = 2
        let records = recorder.records
        let report = records.lint()
        let found = Set(report.findings.map { "\($0.rule.rawValue) \($0.labels[0])" })
        #expect(
          found.isSuperset(of: [
            "sourceWithoutConsumer unheard", "terminated both", "waitsForEver waits",
            "eventsAreNotKept wrong",
            "linkedTwice a", "privateValueShown password", "neverPasses never", "unevenZip pairs",
          ]))
        #expect(report.findings.contains { $0.rule == .duplicates && $0.nodes == same.map(\.id) })
        // What the program says of all its graphs is the same, but for what it alone knows.
        let live = recorder.lint(without: Set(report.leftOut))
        #expect(
          Set(live.map { "\($0.rule) \($0.nodes)" })
            == Set(report.findings.map { "\($0.rule) \($0.nodes)" }))
        #expect(report.leftOut == [.ringHeldByItself, .ownerIsGone, .looseTransform])
        #expect(report.description.hasSuffix("ringHeldByItself, ownerIsGone, looseTransform."))
        #expect(
          records.lint(without: [.ownerIsGone, .terminated]).leftOut == [
            .ringHeldByItself, .looseTransform,
          ])
        #expect(!records.lint(without: [.terminated]).findings.contains { $0.rule == .terminated })
        #expect(records.lint(including: [.neverHeard]).findings.contains { $0.rule == .neverHeard })
        withExtendedLifetime((pairs, waits, wrong, copy, never)) {}
      }
    }

    @Test func `18.4 each rule can be left out, and a finding says rule, nodes, reason and remedy`()
      throws
    {
      let a = MutableNode(1).named("a")
      let joined = a.combine(Node<Int>()).named("both")
      let finding = try #require(joined.lint().first)
      #expect(finding.labels.first == "both" && !finding.reason.isEmpty && !finding.remedy.isEmpty)
      #expect(finding.description.hasPrefix("waitsForEver: both, "))
      #expect(joined.lint(without: [.waitsForEver]).isEmpty)
      #expect(LintRule.allCases.count >= 12)
    }
  }
}
