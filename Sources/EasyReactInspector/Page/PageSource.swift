import EasyReact
import EasyReactInspection

/// Where the page's records come from: a running program, or a saved session.
protocol PageSource: Sendable {
  /// What the page is headed with.
  var title: String { get }
  /// Does more come?
  var isLive: Bool { get }
  /// Everything that is kept.
  var records: GraphRecords { get }
  /// All nodes and edges, and the events after `sequence`.
  func records(after sequence: UInt64) -> GraphRecords
  /// What is wrong with the graphs; nil where that cannot be told.
  var lint: [LintFinding]? { get }
  /// The living node of an id.
  func node(_ id: UInt64) -> AnyNode?
}

/// The program that the page runs in.
struct RunningProgram: PageSource {
  let title: String
  let recorder: GraphRecorder
  var isLive: Bool { true }
  var records: GraphRecords { recorder.records }
  func records(after sequence: UInt64) -> GraphRecords { recorder.records(after: sequence) }
  func node(_ id: UInt64) -> AnyNode? { recorder.node(id) }

  /// Of every graph, by one node of each.
  var lint: [LintFinding]? {
    var seen: Set<UInt64> = []
    var findings: [LintFinding] = []
    for record in recorder.records(after: .max).nodes
    where record.gone == nil && !seen.contains(record.id) {
      guard let node = recorder.node(record.id) else { continue }
      for (reached, _) in node.reachable { seen.insert(reached.id) }
      // The page is asked: here a node that nobody hears is worth a line.
      findings += node.lint(including: [.neverHeard], with: recorder)
    }
    return findings
  }
}

/// What a program did, after its end.
struct SavedProgram: PageSource {
  let title: String
  let records: GraphRecords
  var isLive: Bool { false }
  func records(after sequence: UInt64) -> GraphRecords { records.after(sequence) }
  var lint: [LintFinding]? { nil }
  func node(_ id: UInt64) -> AnyNode? { nil }
}
