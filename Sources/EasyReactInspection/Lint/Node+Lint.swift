import EasyReact

extension AnyNode {
  /// What is wrong, or seems wrong, with the graph that this node is joined to.
  ///
  ///     let both = MutableNode(1).combine(Node<Int>())
  ///     print(both.lint())
  ///     // [waitsForEver: Combine at Shop/Cart.swift:7: it waits for Source at Shop/Cart.swift:7, which …]
  ///
  ///     assert(total.lint().isEmpty)         // in a test: #expect(total.lint().isEmpty)
  ///
  /// Each finding names its rule, the nodes, the reason and the remedy. Nothing is changed, nobody is told. Rules that
  /// need counts look into `recorder`, running or stopped; without one they say nothing. Any thread.
  /// - Parameters:
  ///   - rules: Those that are left out.
  ///   - extra: Those that are asked for besides the usual ones: ``LintRule/neverHeard``.
  ///   - recorder: Knows what has happened, for the rules that need it.
  /// - Complexity: O(nodes and edges), what the recorder keeps, and a look at each edge of the process that leads back.
  public final func lint(
    without rules: Set<LintRule> = [], including extra: Set<LintRule> = [],
    with recorder: GraphRecorder? = nil
  ) -> [LintFinding] {
    let rules = rules.union(extra.contains(.neverHeard) ? [] : [.neverHeard])

    // The leak report looks at who holds a node, so it comes when the others are let go of.
    var findings = LintGraph(of: reachable.map(\.node), recorder?.records).findings
    if !rules.contains(.ringHeldByItself) {
      findings += ringFindings(in: Set(reachable.map(\.node.id)))
    }
    return findings.filter { !rules.contains($0.rule) }
  }
}

func ringFindings(in graph: Set<UInt64>) -> [LintFinding] {
  findLeaks(where: graph.contains).map { ring in
    LintFinding(
      rule: .ringHeldByItself, nodes: ring.map(\.id), labels: ring.map(\.whereabouts),
      reason: "they are linked in a ring, and nothing else holds them, so they are never freed",
      remedy: "Cut one of the links when the ring is no longer needed, or sync the nodes instead")
  }
}
