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
  /// What is wrong with the graphs. The page is asked, so a node that nobody hears is worth a line.
  var lint: LintReport { get }
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

  var lint: LintReport { LintReport(findings: recorder.lint(including: [.neverHeard])) }
}

/// What a program did, after its end.
struct SavedProgram: PageSource {
  let title: String
  let records: GraphRecords
  var isLive: Bool { false }
  func records(after sequence: UInt64) -> GraphRecords { records.after(sequence) }
  var lint: LintReport { records.lint(including: [.neverHeard]) }
  func node(_ id: UInt64) -> AnyNode? { nil }
}
