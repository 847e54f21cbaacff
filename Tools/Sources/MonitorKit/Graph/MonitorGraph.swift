import EasyReact

/// The graph that computes everything the monitor shows from a machine's raw counters.
///
///     let graph = MonitorGraph()
///     let listening = graph.report.listen { print($0.health.text) }
///     graph.feed(sample)   // calls the listener once, however many counters have changed
///
/// From left to right: *sources*, one for each file of counters (`CounterSources`); *rates*, from
/// the difference of two samples and the time between them, and *levels*, one for each `Quantity`
/// (`CounterRates`); for each level a moving average, a peak and an alarm (`Watch`); the health,
/// which joins all alarms; the report, which joins all there is to show.
public final class MonitorGraph: Sendable {
  /// All alarms of all quantities, in one value. It changes once a sample.
  public let health: Node<Health>
  /// Everything there is to show. It changes once a sample, after all that it is made of.
  public let report: Node<Report>

  private let sources = CounterSources()
  private let watches: [Watch]

  /// Builds the graph. Quantities without `limits` have their usual ones.
  public init(limits: [Quantity: AlarmLimits] = [:]) {
    let rates = CounterRates(of: sources)
    watches = Quantity.allCases.map { quantity in
      Watch(
        quantity, level: rates.level(quantity).named(quantity.nodeName),
        limits: limits[quantity] ?? quantity.usualLimits)
    }
    health = Node.combine(watches.map(\.alarm)).named("all alarms")
      .map { Health(of: $0) }.named("health")
    let readings = Node.combine(watches.map(\.reading)).named("all readings")
    report = health.combine(
      readings, rates.cores, rates.busiestCore, rates.interfaces, rates.disks, rates.busiestDisk,
      sources.time, sources.unixTime, sources.notes
    ).named("all to show").map {
      health, readings, cores, core, interfaces, disks, disk, time, unixTime, notes in
      Report(
        time: time, unixMilliseconds: unixTime, health: health, readings: readings, cores: cores,
        busiestCore: core, interfaces: interfaces, disks: disks, busiestDisk: disk, notes: notes)
    }.named("report")
  }

  /// The feedback of each alarm is a ring that would keep itself alive.
  deinit { for watch in watches { watch.end() } }

  /// Gives the graph the counters of one sample, which must be later than the one before.
  public func feed(_ sample: Sample, notes: [String] = []) { sources.set(sample, notes: notes) }

  /// Shows each report on `presenter`, for as long as that lives.
  public func show(on presenter: Presenter) {
    report.listen(by: presenter) { presenter, report in presenter.show(report) }
  }
}

// MARK: - Looking at it

extension MonitorGraph {
  /// How many samples a moving average covers.
  public static var window: Int { Watch.window }

  /// The graph for Graphviz.
  public var dot: String { report.dot() }

  /// The graph for Mermaid.
  public var mermaid: String { report.mermaid() }
}
