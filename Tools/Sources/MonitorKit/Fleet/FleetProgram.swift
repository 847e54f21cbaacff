import Dispatch
import EasyReact
import EasyReactShared
import Synchronization

/// The whole of `easyreact fleet` behind its options.
public struct FleetProgram: Sendable {
  /// How and for how long to look.
  public struct Settings: Sendable {
    /// How often a line is printed, and the time moves on.
    public var interval: Duration
    public var length: Duration?
    /// How long a machine that is quiet is listed.
    public var patience: Duration
    public init(
      interval: Duration, length: Duration?, patience: Duration = FleetGraph.usualPatience
    ) {
      (self.interval, self.length, self.patience) = (interval, length, patience)
    }
  }

  private let settings: Settings
  private let presenter: Presenter
  private let isScreen: Bool

  /// The program on the standard output. On a terminal it draws a screen, unless `json` is wanted.
  public init(_ settings: Settings, json: Bool) {
    _ = SystemFile.fillStandardFiles()
    let terminal = Terminal.standardOutput
    let format: Presenter.Format = json ? .json : terminal.isScreen ? .screen(terminal) : .lines
    self.init(
      settings, Presenter(format, output: FileOutput(file: 1), messages: FileOutput(file: 2)),
      isScreen: !json && terminal.isScreen)
  }

  init(_ settings: Settings, _ presenter: Presenter, isScreen: Bool) {
    (self.settings, self.presenter, self.isScreen) = (settings, presenter, isScreen)
  }

  /// Shows the fleet of an address until the user ends it, or its length is over.
  public func run(_ address: FleetAddress) throws(MonitorFailure) {
    let store = try FleetStore.open(address)
    try show(store, DispatchQueue(label: "easyreact fleet"), with: nil)
  }

  /// Shows machines of its own making, without a server.
  public func demo() throws(MonitorFailure) {
    let queue = DispatchQueue(label: "easyreact fleet")
    let store = MemoryStore(on: .queue(queue))
    try show(store, queue, with: DemoFleet(store, on: .queue(queue)))
  }

  private func show(
    _ store: any SharedStore, _ queue: DispatchQueue, with demo: DemoFleet?
  ) throws(MonitorFailure) {
    let over = DispatchSemaphore(value: 0)
    let showing = FleetShowing(
      store, settings, presenter, isScreen: isScreen, on: .queue(queue)
    ) { over.signal() }
    let signals = Signals(
      end: { queue.async { showing.end() } },
      resized: { [presenter] in queue.async { presenter.redraw() } })
    over.wait()
    withExtendedLifetime((signals, demo)) {}
    if let failure = showing.failure { throw failure }
  }
}

/// A fleet's graph, shown on a presenter until it is over.
final class FleetShowing: Sendable {
  private let graph: FleetGraph
  private let presenter: Presenter
  private let shown: Node<FleetReport>
  private let over: @Sendable () -> Void
  private let listening = Mutex<Listening?>(nil)

  /// - Parameter over: Called once.
  init(
    _ store: any SharedStore, _ settings: FleetProgram.Settings, _ presenter: Presenter,
    isScreen: Bool, on scheduler: any NodeScheduler, over: @escaping @Sendable () -> Void
  ) {
    (self.presenter, self.over) = (presenter, over)
    graph = FleetGraph(
      store, every: settings.interval, forgettingAfter: settings.patience, on: scheduler)
    // A screen at once, ten times a second at most; lines in their own time.
    shown =
      isScreen
      ? graph.report.throttleLatest(.milliseconds(100), on: scheduler).deliver(on: scheduler)
        .named("drawn")
      : graph.report.sample(every: settings.interval, on: scheduler).named("printed")
    let listening = shown.listen { [weak self] in self?.show($0) }
    self.listening.withLock { $0 = listening }
    if let length = settings.length {
      // What is due at the same moment is shown.
      scheduler.schedule(after: length) { scheduler.schedule { self.end() } }
    }
  }

  var failure: MonitorFailure? { presenter.failure.flatMap(MonitorFailure.init(output:)) }

  private func show(_ report: FleetReport) {
    presenter.present(report)
    if presenter.failure != nil { end() }
  }

  /// To be called on the scheduler.
  func end() {
    guard let listening = listening.withLock({ $0.take() }) else { return }
    listening.cancel()
    presenter.end()
    over()
  }
}
