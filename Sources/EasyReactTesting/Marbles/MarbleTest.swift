import EasyReact
import Synchronization

/// A test of nodes in virtual time, with marbles: inputs, expression, expected.
///
///     let test = MarbleTest()
///     let typed = try test.node("ab-c----de---")
///     let quiet = typed.debounce(.seconds(2), on: test.clock)
///     try test.expect(quiet, "-----c-----e-")
///
/// A character is a step of one second, unless you say otherwise; ``Marbles`` has the grammar. A
/// line's first column is time zero: what an input has there the node holds from the beginning.
/// `expect` moves the time to the last column of the longest line, and throws if something else was
/// told, in another step, or in another order; what would come later is not seen, so write `-` as
/// far as you want to look. It imports no test framework: Swift Testing and XCTest show the error
/// that a test throws.
///
/// At one instant, cancellations by a `!` that stands alone come first, then the inputs in
/// order of their lines, then what the clock has due, in order of scheduling.
public final class MarbleTest: Sendable {
  /// The time of this test, for the operators that need one.
  public let clock = VirtualScheduler()
  /// How long a character takes.
  public let step: Duration
  private let state = Mutex(State())

  /// - Parameter step: How long a character takes; every interval of the test must be a multiple of
  ///   it.
  public init(step: Duration = .seconds(1)) {
    if step <= .zero {
      fatalError("MarbleTest(step: \(step)): the step is not positive. Pass more than zero.")
    }
    self.step = step
  }

  /// The time of that many characters: `a.delay(test.steps(3), on: test.clock)`.
  public func steps(_ count: Int) -> Duration { step * count }

  // MARK: Outputs

  /// Records what `node` tells, from here to the end of time, as marbles.
  ///
  /// - Parameter show: The text of a value.
  @discardableResult
  public func watch<Value: Sendable>(
    _ node: Node<Value>, named name: String? = nil,
    show: @escaping @Sendable (Value) -> String = { marbleText(of: $0) }
  ) -> MarbleRecording<Value> {
    let recording = MarbleRecording(node, self, .shown(by: show), expected: nil)
    add(Row(name: name ?? node.name ?? "told", kind: .output, marbles: { recording.marbles }), [])
    return recording
  }

  /// Records what `node` tells, to be compared with a line when the time has passed.
  func watch<Value: Sendable>(
    _ node: Node<Value>, _ marbles: String, _ reading: MarbleReading<Value>, _ name: String?
  ) throws(MarbleError) {
    let parsed = try parseMarbles(marbles)
    _ = try reading.read(parsed)  // are these values at all?
    let recording = MarbleRecording(node, self, reading, expected: parsed.marbles)
    let row = Row(
      name: name ?? node.name ?? "", kind: .expected(parsed.marbles),
      marbles: { recording.marbles }, strays: { recording.strays })
    add(row, recording.cancelling(parsed.marbles))
  }

  // MARK: Time

  /// Moves the time to the last column of the longest line. Once; after that it does nothing.
  public func run() {
    let (isFirst, rows, actions) = state.withLock { state in
      defer { state.hasRun = true }
      return (!state.hasRun, state.rows, state.actions)
    }
    if !isFirst { return }
    for action in actions {
      clock.schedule(at: steps(action.step), action.place, action.body)
    }
    let last = max(0, (rows.map(\.length).max() ?? 0) - 1)
    clock.advance(to: max(clock.now, steps(last)))
  }

  /// All lines so far, one below the other, with their names: inputs as they were given, the others as
  /// they were told.
  public var diagram: String {
    let rows = state.withLock { $0.rows }
    let (texts, _) = aligned(rows.map { $0.marbles() })
    return inColumns(zip(rows, texts).map { [$0.name, $1] }).joined(separator: "\n")
  }

  func add(_ row: Row, _ actions: [Action]) {
    let hasRun = state.withLock { state in
      if !state.hasRun {
        state.rows.append(row)
        state.actions += actions
      }
      return state.hasRun
    }
    if hasRun {
      fatalError(
        "MarbleTest: the time of this test has passed already. Make inputs and watch nodes before "
          + "the first expect or run; expect several nodes with expect([.line(…), .line(…)]).")
    }
  }

  var rows: [Row] { state.withLock { $0.rows } }
}

// MARK: - State

extension MarbleTest {
  private struct State {
    var rows: [Row] = []
    var actions: [Action] = []
    var hasRun = false
  }

  /// Something to be done in a step.
  struct Action: Sendable {
    let step: Int
    let place: Work.Place
    let body: @Sendable () -> Void
  }

  struct Row: Sendable {
    enum Kind: Sendable {
      case input, output
      case expected(Marbles)
    }
    let name: String
    let kind: Kind
    /// For an output: what was told.
    let marbles: @Sendable () -> Marbles
    /// What was told between two columns.
    var strays: @Sendable () -> [String] = { [] }

    /// How many steps were asked for.
    var length: Int {
      switch kind {
      case .input: marbles().steps.count
      case .output: 0
      case .expected(let expected): expected.steps.count
      }
    }
  }
}
