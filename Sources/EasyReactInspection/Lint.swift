import EasyReact

/// A rule that a graph breaks, or seems to: `node.lint()`.
public struct LintFinding: Codable, Hashable, Sendable, CustomStringConvertible {
  public var rule: LintRule
  /// The nodes concerned, by id, and by label.
  public var nodes: [UInt64]
  public var labels: [String]
  public var reason: String
  public var remedy: String

  public init(
    rule: LintRule, nodes: [UInt64], labels: [String], reason: String, remedy: String
  ) {
    self.rule = rule
    self.nodes = nodes
    self.labels = labels
    self.reason = reason
    self.remedy = remedy
  }

  /// `neverHeard: total: … .`
  public var description: String {
    "\(rule.rawValue): \(labels.joined(separator: ", ")): \(reason) \(remedy)"
  }
}

/// The rules; `Documentation/Lint.md` says what each looks for.
public enum LintRule: String, Codable, Sendable, CaseIterable {
  case sourceWithoutConsumer, neverHeard, ringHeldByItself
}

extension AnyNode {
  /// What is wrong, or seems wrong, with the graph that this node is joined to.
  public final func lint(without rules: Set<LintRule> = []) -> [LintFinding] { [] }
}
