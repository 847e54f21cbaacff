import EasyReact

/// Why a node was not told: ``GraphRecorder/whyNot(_:since:)``.
///
/// A value: it prints as text, and is Codable.
public struct WhyNot: Codable, Hashable, Sendable {
  /// Where one way from a set to the node ended.
  public struct End: Codable, Hashable, Sendable {
    /// The `stopped` event; nil if there is none, as for emptiness, or an edge that was cut before.
    public var event: UInt64?
    /// The edge, by id, and its ends; `downstream` is the node that the value did not reach.
    public var edge: UInt64?
    public var upstream: UInt64?
    public var downstream: UInt64
    public var reason: Reason
    /// In words: `Filter at Shop.swift:12 refused 3`.
    public var text: String

    public init(
      event: UInt64? = nil, edge: UInt64? = nil, upstream: UInt64? = nil, downstream: UInt64,
      reason: Reason, text: String
    ) {
      self.event = event
      self.edge = edge
      self.upstream = upstream
      self.downstream = downstream
      self.reason = reason
      self.text = text
    }
  }

  public enum Reason: Codable, Hashable, Sendable {
    case stopped(GraphEvent.Stop)
    /// The node above was emptied, and the edge passes no emptiness.
    case emptinessDoesNotPass
    /// The operator took it and told nothing: it only keeps it for later, as `sample` does, or its turn is under way.
    case notPassedOn
    /// The edge was cut before the value could come to it: before the set, or while the value waited.
    case cutBefore(Moment)
  }

  /// One set and what became of it.
  public struct Answer: Codable, Hashable, Sendable {
    /// The `set` event.
    public var set: EventRecord
    /// The words for the node that was set.
    public var source: String
    public var outcome: Outcome
    /// Where its ways to the node ended; empty unless it stopped.
    public var ends: [End]

    public init(set: EventRecord, source: String, outcome: Outcome, ends: [End] = []) {
      self.set = set
      self.source = source
      self.outcome = outcome
      self.ends = ends
    }
  }

  public enum Outcome: String, Codable, Sendable {
    /// It came here: the node stored a value.
    case arrived
    /// Every way ended before the node.
    case stopped
    /// A way led here once, and was cut.
    case noWayAnyMore
    /// No way leads from the set to the node.
    case noWay
  }

  public var node: UInt64
  public var label: String
  /// Sets after this event were looked at.
  public var since: UInt64
  /// One for each set, in their order, with those of listeners.
  public var answers: [Answer]
  /// The nodes whose sets would lead here: by label. For when nothing that leads here was set.
  public var sources: [String]
  /// Edges that led here and were cut, in words.
  public var cuts: [String]

  public init(
    node: UInt64, label: String, since: UInt64, answers: [Answer] = [], sources: [String] = [],
    cuts: [String] = []
  ) {
    self.node = node
    self.label = label
    self.since = since
    self.answers = answers
    self.sources = sources
    self.cuts = cuts
  }
}

// MARK: - As text

extension WhyNot: CustomStringConvertible {
  /// A line for each end of each set that did not arrive.
  public var description: String {
    let meant = answers.filter { $0.outcome != .noWay }
    var lines = ["\(label):"]
    for answer in meant { lines += answer.lines }
    if !meant.contains(where: { $0.outcome != .noWayAnyMore }) {
      lines.append(
        "  Nothing was set that leads here." + (answers.isEmpty ? " No set is kept at all." : ""))
      if !sources.isEmpty { lines.append("  These would: \(sources.joined(separator: ", ")).") }
      for cut in cuts { lines.append("  \(cut)") }
    }
    return lines.joined(separator: "\n")
  }
}

extension WhyNot.Answer {
  fileprivate var lines: [String] {
    let set = set.text(of: source, nil)
    switch outcome {
    case .arrived: return ["  \(set): it arrived"]
    case .noWay: return []
    case .noWayAnyMore:
      return ["  \(set): no way leads here any more"] + ends.map { "    \($0.text)" }
    case .stopped: return ["  \(set):"] + ends.map { "    \($0.text)" }
    }
  }
}

extension GraphEvent.Stop {
  /// In words.
  var reason: String {
    switch self {
    case .filtered: "its operator refused it"
    case .equal: "it equals the last one"
    case .reachedAlready: "this wave or a newer one has been here: the cycle rule"
    case .cut: "the edge is cut"
    case .waitsForAnotherUpstream: "another upstream has no value"
    case .eventsAreNotKept: "an upstream tells events, of which none is kept"
    case .heldBackByTimer: "held back by a timer"
    case .waitsOnScheduler: "it waits on its scheduler"
    case .waitsForCall: "an asynchronous call for it is under way, or it waits for one"
    case .leftInMailbox: "left with the thread that is inside"
    case .noConsumer: "nobody listens and nothing follows"
    }
  }
}

extension GraphRecorder {
  /// For each set since a moment, where each of its ways to the node ended, and why.
  ///
  ///     price.set(2)
  ///     print(recorder.whyNot(shipping))
  ///     // shipping:
  ///     //   price set at Shop/main.swift:9, thread 1, after 1.2 ms:
  ///     //     large (Filter): its operator refused it
  ///
  /// If nothing that leads here was set, it names the sources that would lead here; if a way led here once, the edge that was
  /// cut, and when. Several ways may end at several places, for several reasons: each is told. Any thread.
  /// - Parameter since: Sets of events after this sequence; nil: those of the last turn that set anything.
  /// - Complexity: O(what is kept), for each set of a batch that stopped behind a join; and O(nodes and edges) for each
  ///   change of the ways to the node since. If ways were cut before, that for each node that was set, or for each node
  ///   above a cut edge, whichever are fewer.
  public func whyNot(_ node: AnyNode, since sequence: UInt64? = nil) -> WhyNot {
    records.whyNot(node.id, since: sequence)
  }
}

extension GraphRecords {
  /// The same for records, for a page or a saved session.
  public func whyNot(_ node: UInt64, since sequence: UInt64? = nil) -> WhyNot {
    var search = StopSearch(self, node)
    return search.answer(since: sequence)
  }
}

// MARK: - In a debugger

extension AnyNode {
  /// Why the node holds what it holds, by the recorder that runs: `po node.why`.
  public final var why: String { GraphRecorder.current?.why(self).description ?? noRecorder }

  /// Why the last turn did not tell the node, by the recorder that runs: `po node.whyNot`.
  public final var whyNot: String { GraphRecorder.current?.whyNot(self).description ?? noRecorder }
}

private let noRecorder = "No recorder runs: let recorder = GraphRecorder(); recorder.start()"
