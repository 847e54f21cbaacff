import Synchronization

/// What a presenter can show: a report.
protocol Presentable: Sendable {
  /// What says the messages.
  static var program: String { get }
  var line: String { get }
  var json: String { get }
  func screen(_ shape: ScreenShape) -> [StyledLine]
  /// What is not as it should be, and why.
  var notes: [String] { get }
}

extension Report: Presentable {
  static var program: String { "easyreact monitor" }
}

/// Shows reports one after the other, in one of three ways.
public final class Presenter: Sendable {
  /// How reports are shown.
  public enum Format: Sendable {
    /// A line for each.
    case lines
    /// A JSON object on a line for each.
    case json
    /// A screen that is redrawn in place.
    case screen(Terminal)
  }

  private struct State {
    var failure: SystemError?
    var screen = Screen()
    /// What the screen shows.
    var last: (any Presentable)?
    /// Those of the last report.
    var notes: [String] = []
  }

  private let format: Format
  private let output: any TextOutput
  private let messages: any TextOutput
  private let state = Mutex(State())

  /// A presenter that writes reports to `output`, and what cannot be measured to `messages`.
  public init(_ format: Format, output: any TextOutput, messages: any TextOutput) {
    self.format = format
    self.output = output
    self.messages = messages
  }

  /// Why the output can no longer be written, once it cannot. Nothing is shown from then on.
  public var failure: SystemError? { state.withLock { $0.failure } }

  /// Shows one report. Called by the graph, for one report at a time.
  public func show(_ report: Report) { present(report) }

  /// Shows a report of any kind.
  func present(_ report: some Presentable) {
    switch format {
    case .lines:
      sayOnce(report)
      write(report.line + "\n")
    case .json:
      sayOnce(report)
      write(report.json + "\n")
    case .screen(let terminal):
      state.withLock { $0.last = report }
      draw(report, on: terminal)
    }
  }

  /// Draws the screen again, because the terminal has changed. To be called where reports are
  /// shown.
  public func redraw() {
    guard case .screen(let terminal) = format, let last = state.withLock({ $0.last }) else {
      return
    }
    draw(last, on: terminal)
  }

  /// Gives the terminal back as it was. Nothing is shown after that.
  public func end() {
    write(
      state.withLock { state in
        state.last = nil
        return state.screen.end()
      })
  }

  private func draw(_ report: some Presentable, on terminal: Terminal) {
    let shape = terminal.shape
    let lines = report.screen(shape).map {
      $0.text(width: shape.columns, colours: terminal.hasColours)
    }
    write(state.withLock { $0.screen.frame(lines, shape) })
  }

  private func write(_ text: String) {
    guard !text.isEmpty, failure == nil else { return }
    do { try output.write(text) } catch { state.withLock { $0.failure = error } }
  }

  /// Beside lines, a note is said when it comes up, not with every sample.
  private func sayOnce<Shown: Presentable>(_ report: Shown) {
    let notes = report.notes
    let before = state.withLock { state in
      defer { state.notes = notes }
      return state.notes
    }
    for note in notes where !before.contains(note) {
      try? messages.write("\(Shown.program): \(printable(note))\n")
    }
  }
}
