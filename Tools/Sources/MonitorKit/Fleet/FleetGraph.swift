import EasyReact
import EasyReactShared
import Synchronization

/// The graph that computes what is shown of a fleet, from the shared nodes of its machines.
///
///     machines ── watched machines ─┐
///     machine/… ── heard ───────────┴─ what was heard ─┬─ conditions ─┬─ busiest machine ─┐
///     status ───── problem ─────────┘        time ─────┤              ├─ alarms over all ─┼─▶ fleet report
///     connection ── connected since ───────────────────┤              └─ gone quiet ──────┤
///                                                      └─ forgotten ──────────────────────┘
///
/// A machine is judged by this program's clock alone: it has gone quiet when its report did not change for three of its intervals,
/// and for three seconds at least, all of them with a connection to the store. One that has been quiet for long is forgotten: it is
/// counted, and listed no more until it reports again. Its name stays in the store, for it may only be cut off.
public final class FleetGraph: Sendable {
  /// Everything there is to show. It changes with every report of a machine, and with time.
  public let report: Node<FleetReport>

  /// How long a machine that is quiet is listed, unless it is said.
  public static let usualPatience = Duration.seconds(600)

  /// Builds the graph on `store`; the time is read from `scheduler`, each `interval`.
  /// - Parameter patience: How long a machine that is quiet is listed.
  public init(
    _ store: any SharedStore, every interval: Duration,
    forgettingAfter patience: Duration = usualPatience,
    on scheduler: any NodeScheduler
  ) {
    let start = scheduler.now
    let time = Node.interval(interval, on: scheduler).map { _ in scheduler.now - start }
      .startWith(.zero).named("time")
    let connected = store.connection.map { $0.isConnected ? scheduler.now - start : nil }
      .named("connected since")
    let problem = store.connection.map(\.problemText).named("no connection")

    let watches = MachineWatches(FleetNodes(store: store), scheduler, start)
    let heard = FleetNodes(store: store).names().startWith([])
      .map { watches.nodes(of: $0) }.named("watched machines")
      .flattenCombine().named("what was heard")
      .combine(time, connected).named("conditions, inputs")
    let machines = heard.map { heard, now, connected in
      heard.filter { $0.silence(at: now, connected: connected) < patience }
        .map { $0.judged(at: now, connected: connected) }
    }.named("conditions")
    let forgotten = heard.map { heard, now, connected in
      heard.count { $0.silence(at: now, connected: connected) >= patience }
    }.named("forgotten")

    let busiest = machines.map(Self.busiest).named("busiest machine")
    let alarms = machines.map(Self.alarms).named("alarms over all")
    let quiet = machines.map { machines in machines.filter(\.isQuiet).map(\.name) }.named(
      "gone quiet")
    report = machines.combine(busiest, alarms, quiet, forgotten, time, problem)
      .named("all to show").map { machines, busiest, alarms, quiet, forgotten, time, problem in
        FleetReport(
          time: time, machines: machines, busiest: busiest, alarms: alarms, quiet: quiet,
          forgotten: forgotten, problem: problem)
      }.named("fleet report")
  }

  @Sendable private static func busiest(_ machines: [FleetMachine]) -> FleetMachine? {
    let measured = machines.filter { $0.condition == .up && $0.level(.cpuBusy) != nil }
    // Of equals the first.
    return measured.reversed().max { ($0.level(.cpuBusy) ?? 0) < ($1.level(.cpuBusy) ?? 0) }
  }

  @Sendable private static func alarms(_ machines: [FleetMachine]) -> [FleetAlarm] {
    machines.filter { $0.condition == .up }.flatMap { machine in
      (machine.report?.alarmsInOrder ?? []).map { FleetAlarm(machine: machine.name, alarm: $0) }
    }
  }
}

extension FleetMachine {
  fileprivate var isQuiet: Bool { if case .quiet = condition { true } else { false } }
}

extension StoreConnection {
  fileprivate var problemText: String? {
    switch self {
    case .connected: nil
    case .connecting: "still connecting"
    case .disconnected(let problem), .refused(let problem): FleetStore.text(problem)
    }
  }
}

// MARK: - One machine

/// What was heard of a machine, and when, by this program's clock.
struct HeardMachine: Sendable, Equatable {
  struct Beat: Sendable, Equatable {
    var report: MachineReport
    var time: Duration
  }
  var name: String
  var beat: Beat?
  var problem: String?
  /// When it was listed first.
  var since: Duration

  /// - Parameter connected: Since when the store can be reached; nil: it cannot, and nobody is judged by silence.
  func judged(at now: Duration, connected: Duration?) -> FleetMachine {
    FleetMachine(name: name, condition: condition(now, connected), report: beat?.report)
  }

  /// How long nothing was heard that could have been heard. Of one that cannot be read that is unknown.
  func silence(at now: Duration, connected: Duration?) -> Duration {
    guard problem == nil, let connected else { return .zero }
    return now - max(beat?.time ?? since, connected)
  }

  private func condition(_ now: Duration, _ connected: Duration?) -> FleetMachine.Condition {
    if let problem { return .unreadable(problem) }
    let patience = max(.seconds(3), (beat?.report.interval ?? .seconds(1)) * 3)
    if silence(at: now, connected: connected) > patience {
      return .quiet(now - (beat?.time ?? since))
    }
    return beat == nil ? .expected : .up
  }
}

/// The nodes of what is heard of each machine: one a name, for as long as it is listed, so that others that come and go do not
/// make it forget.
private final class MachineWatches: Sendable {
  private let shared: FleetNodes
  private let scheduler: any NodeScheduler
  private let start: Duration
  private let byName = Mutex<[String: Node<HeardMachine>]>([:])

  init(_ shared: FleetNodes, _ scheduler: any NodeScheduler, _ start: Duration) {
    (self.shared, self.scheduler, self.start) = (shared, scheduler, start)
  }

  /// In the order of their names.
  func nodes(of names: [String]) -> [Node<HeardMachine>] {
    let sorted = Set(names).filter { FleetNames.problem(with: $0) == nil }.sorted(by: comesBefore)
    let present = byName.withLock { $0 }
    let nodes = sorted.map { name in (name, present[name] ?? watch(name)) }
    let old = byName.withLock { byName in
      defer { byName = Dictionary(uniqueKeysWithValues: nodes) }
      return byName
    }
    withExtendedLifetime(old) {}  // let go without the lock
    return nodes.map(\.1)
  }

  private func watch(_ name: String) -> Node<HeardMachine> {
    let node = shared.report(of: name)
    let now = { @Sendable [scheduler, start] in scheduler.now - start }
    let beat = node.map { HeardMachine.Beat?.some(.init(report: $0, time: now())) }
      .startWith(.none).named("\(name) heard")
    let problem = node.status.map { $0.problem.map(FleetStore.text) }.distinctUntilChanged()
      .named("\(name) problem")
    let since = now()
    return beat.combine(problem).named("\(name) inputs")
      .map { HeardMachine(name: name, beat: $0, problem: $1, since: since) }.named(name)
  }
}
