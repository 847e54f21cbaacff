import EasyReact

/// What is wrong, or seems wrong, in a saved session.
public struct LintReport: Codable, Hashable, Sendable, CustomStringConvertible {
  public var findings: [LintFinding]
  /// The rules that were asked for, and that records cannot answer.
  public var leftOut: [LintRule]

  public init(findings: [LintFinding] = [], leftOut: [LintRule] = []) {
    self.findings = findings
    self.leftOut = leftOut
  }

  /// A line per finding, and one that says what was not looked for.
  public var description: String {
    let rest = leftOut.map(\.rawValue).joined(separator: ", ")
    let last =
      leftOut.isEmpty ? [] : ["Not looked for, since only the running program knows: \(rest)."]
    return (findings.map(\.description) + last).joined(separator: "\n")
  }
}

extension LintRule {
  /// Only the living graph can tell: who holds a ring, which owner is gone, a transform that is no edge.
  public var needsProgram: Bool {
    switch self {
    case .ringHeldByItself, .ownerIsGone, .looseTransform: true
    default: false
    }
  }
}

extension GraphRecords {
  /// What is wrong, or seems wrong, with the graphs that lived when the records were read; without the program.
  ///
  ///     let session = try GraphSession(contentsOf: "monday.json")
  ///     print(session.records.lint())
  ///     // waitsForEver: both, Source at Shop/Cart.swift:7: it waits for …. Link that node to what gives it values, ….
  ///     // Not looked for, since only the running program knows: ringHeldByItself, ownerIsGone, looseTransform.
  ///
  /// `terminated` and `eventsAreNotKept` know what was recorded: an edge that was cut, an event that was set, meanwhile. An
  /// edge whose transform was given a name of its own is known by that name alone.
  /// - Parameters:
  ///   - rules: Those that are left out.
  ///   - extra: Those that are asked for besides the usual ones: ``LintRule/neverHeard``.
  /// - Complexity: O(nodes, edges and events).
  public func lint(
    without rules: Set<LintRule> = [], including extra: Set<LintRule> = []
  ) -> LintReport {
    let rules = rules.union(extra.contains(.neverHeard) ? [] : [.neverHeard])
    return LintReport(
      findings: LintGraph(of: self).findings.filter { !rules.contains($0.rule) },
      leftOut: LintRule.allCases.filter { $0.needsProgram && !rules.contains($0) })
  }
}

extension GraphRecorder {
  /// What is wrong, or seems wrong, with all graphs that the recorder knows and that live. Any thread.
  ///
  ///     for finding in recorder.lint() { print(finding) }
  ///
  /// - Parameters:
  ///   - rules: Those that are left out.
  ///   - extra: Those that are asked for besides the usual ones: ``LintRule/neverHeard``.
  /// - Complexity: O(nodes and edges), and what the recorder keeps.
  public func lint(
    without rules: Set<LintRule> = [], including extra: Set<LintRule> = []
  ) -> [LintFinding] {
    let rules = rules.union(extra.contains(.neverHeard) ? [] : [.neverHeard])
    // The leak report looks at who holds a node, so it comes when the others are let go of.
    var (findings, members) = lookAtGraphs()
    if !rules.contains(.ringHeldByItself) { findings += ringFindings(in: members) }
    return findings.filter { !rules.contains($0.rule) }
  }

  /// Graph by graph, each with the records of its own nodes.
  private func lookAtGraphs() -> (findings: [LintFinding], members: Set<UInt64>) {
    var graphs: [[AnyNode]] = [], places: [UInt64: Int] = [:]
    for node in livingNodes where places[node.id] == nil {
      let graph = node.reachable.map(\.node)
      for member in graph { places[member.id] = graphs.count }
      graphs.append(graph)
    }
    let parts = records.parted(into: graphs.count) { places[$0] }
    return (zip(graphs, parts).flatMap { LintGraph(of: $0, $1).findings }, Set(places.keys))
  }
}
