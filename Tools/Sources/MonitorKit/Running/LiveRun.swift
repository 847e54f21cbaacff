import EasyReact
import Synchronization

/// Samples this machine at a steady interval and feeds the graph, until it is told to stop.
public final class LiveRun: Sendable {
  /// How and for how long to sample.
  public struct Settings: Sendable {
    public var reader: ProcReader
    public var interval: Duration
    /// How long to go on; `nil` is until stopped.
    public var length: Duration?
    /// Where the raw samples are kept as well.
    public var writer: RecordingWriter?
    /// What else is not as it should be, asked for with each sample.
    public var notes: @Sendable () -> [String] = { [] }
    /// The wall clock, in milliseconds since 1970.
    public var unixMilliseconds: @Sendable () -> UInt64

    public init(
      reader: ProcReader, interval: Duration, length: Duration? = nil,
      writer: RecordingWriter? = nil,
      unixMilliseconds: @escaping @Sendable () -> UInt64 = WallClock.unixMilliseconds
    ) {
      self.reader = reader
      self.interval = interval
      self.length = length
      self.writer = writer
      self.unixMilliseconds = unixMilliseconds
    }
  }

  private struct State {
    /// The scheduler's time of the first sample.
    var start: Duration?
    /// The number of the latest sample's tick; ticks that come too late are left out.
    var tick = 0
    var timer: (any Cancelable)?
    var isOver = false
    var failure: MonitorFailure?
  }

  private let settings: Settings
  private let graph: MonitorGraph
  private let presenter: Presenter
  private let scheduler: any NodeScheduler
  private let ended: @Sendable () -> Void
  private let state = Mutex(State())

  /// A run on `scheduler` that calls `ended` once, when it has ended by itself or was stopped.
  public init(
    _ settings: Settings, graph: MonitorGraph, presenter: Presenter,
    on scheduler: any NodeScheduler,
    ended: @escaping @Sendable () -> Void
  ) {
    self.settings = settings
    self.graph = graph
    self.presenter = presenter
    self.scheduler = scheduler
    self.ended = ended
  }

  /// What went wrong, if something did.
  public var failure: MonitorFailure? { state.withLock { $0.failure } }

  /// Takes the first sample as soon as the scheduler can.
  public func start() { scheduler.schedule { self.sample() } }

  /// Ends the run: no sample is taken any more. To be called on the scheduler.
  /// - Parameter failure: Why, if it is no good reason.
  public func stop(_ failure: MonitorFailure? = nil) { end(failure) }

  private func end(_ failure: MonitorFailure?) {
    let (isFirst, timer) = state.withLock { state in
      defer { (state.isOver, state.timer) = (true, nil) }
      if !state.isOver { state.failure = failure }
      return (!state.isOver, state.timer)
    }
    guard isFirst else { return }
    timer?.cancel()
    presenter.end()
    ended()
  }

  private func sample() {
    let now = scheduler.now
    let start = state.withLock { state -> Duration? in
      if state.isOver { return nil }
      if state.start == nil { state.start = now }
      return state.start
    }
    guard let start else { return }
    // Whole microseconds, as a recording keeps them: so a replay computes with the same numbers.
    let time = Duration.microseconds((now - start).wholeMicroseconds)
    let reading = settings.reader.read(at: time, unixMilliseconds: settings.unixMilliseconds())
    do {
      try settings.writer?.write(reading.sample)
    } catch {
      return end(MonitorFailure(error.description))
    }
    graph.feed(reading.sample, notes: reading.problems.map(\.description) + settings.notes())
    if let failure = presenter.failure { return end(MonitorFailure(output: failure)) }
    scheduleNext(after: time, start: start)
  }

  private func scheduleNext(after time: Duration, start: Duration) {
    let tick = state.withLock { state in
      state.tick = max(state.tick, Int(time / settings.interval)) + 1
      return state.tick
    }
    let due = settings.interval * tick
    if let length = settings.length, due > length { return end(nil) }
    let wait = max(.microseconds(1), start + due - scheduler.now)
    let timer = scheduler.schedule(after: wait) { self.sample() }
    state.withLock { $0.timer = timer }
  }
}
