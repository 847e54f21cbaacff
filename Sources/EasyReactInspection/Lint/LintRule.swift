/// What ``EasyReact/AnyNode/lint(without:including:with:)`` looks for; `Documentation/Lint.md` has an example of each.
public enum LintRule: String, Codable, Sendable, CaseIterable {
  // By the graph as it is.

  /// A source that nobody listens to, and that nothing follows.
  case sourceWithoutConsumer
  /// A derived node that nobody listens to, and that nothing follows. Left out unless asked for: it may be read.
  case neverHeard
  /// A ring of links that nothing outside holds: it is never freed.
  case ringHeldByItself
  /// A node that has lost an upstream which it computes from: it says nothing any more.
  case terminated
  /// A join of latest values with an upstream that tells events, none of which is kept: it waits for ever.
  case eventsAreNotKept
  /// A join of latest values with an empty upstream that nothing can give a value.
  case waitsForEver
  /// Two links, or syncs, between the same two nodes: each value is told twice.
  case linkedTwice
  /// Nodes that hold the same, made several times at one line from one node.
  case duplicates
  /// More than 1,000 edges and listeners at one node.
  case wideFan
  /// More than 1,000 nodes one behind the other.
  case deepChain
  /// Listeners whose owner is gone, on a node that has told nothing since.
  case ownerIsGone
  /// A transform with one end.
  case looseTransform
  /// A private node's values go on, unchanged, to a node that is not private.
  case privateValueShown

  // By what a recorder has counted.

  /// A node whose runs change nothing, nine times in ten.
  case changesNothing
  /// A filter, or a join, that has run and never told anything.
  case neverPasses
  /// A zip with one side far ahead: what waits for partners grows.
  case unevenZip
  /// A plain listener that was called on several threads.
  case listenerOnManyThreads
  /// Listeners, or links round joins, set each other in a circle, past the limit.
  case endlessSets
  /// A node that stores more than all others together.
  case hot

  /// Only a recorder can tell.
  public var needsRecorder: Bool {
    switch self {
    case .changesNothing, .neverPasses, .unevenZip, .listenerOnManyThreads, .endlessSets, .hot: true
    default: false
    }
  }
}

/// A rule that a graph breaks, or seems to.
public struct LintFinding: Codable, Hashable, Sendable, CustomStringConvertible {
  public var rule: LintRule
  /// The nodes concerned, by id.
  public var nodes: [UInt64]
  /// Their names, or their operators and lines.
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

  /// `terminated: total: it has lost …. Make …`.
  public var description: String {
    "\(rule.rawValue): \(labels.joined(separator: ", ")): \(reason). \(remedy)."
  }
}
