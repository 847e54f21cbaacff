import Dispatch
import EasyReact
import EasyReactShared
import Synchronization

/// Shares what one machine's graph computes: each report becomes the value of the machine's shared node, over an edge.
///
///     let share = MachineShare(graph, settings, in: store) { failure in … }
///
/// Without a connection the monitor goes on; ``notes`` says what is wrong, and the newest report goes out when there is one again.
public final class MachineShare: Sendable {
  public struct Settings: Sendable {
    public var name: String
    /// How soon one sample follows another.
    public var interval: Duration
    /// When the program began, in milliseconds since 1970.
    public var started: UInt64
    /// Tells this program from others that have the name.
    public var session: UInt64

    public init(
      name: String, interval: Duration, started: UInt64 = WallClock.unixMilliseconds(),
      session: UInt64 = .random(in: 1...UInt64.max)
    ) {
      (self.name, self.interval, self.started, self.session) = (name, interval, started, session)
    }
  }

  fileprivate struct State {
    /// Of another program with this name: its session and newest beat, and how many beats were heard.
    var stranger: (session: UInt64, beat: UInt64, count: Int)?
    var isOver = false
  }

  private let settings: Settings
  private let store: any SharedStore
  private let names: SharedNode<[String]>
  private let node: SharedNode<MachineReport>
  private let link: any Cancelable
  private let taken: @Sendable (MonitorFailure) -> Void
  private let state = Mutex(State())
  private let bag = Mutex<[Listening]>([])

  /// - Parameter taken: Called once, when another program that lives shares under this name and began earlier.
  public init(
    _ graph: MonitorGraph, _ settings: Settings, in store: any SharedStore,
    taken: @escaping @Sendable (MonitorFailure) -> Void
  ) {
    (self.settings, self.store, self.taken) = (settings, store, taken)
    let nodes = FleetNodes(store: store)
    names = nodes.names()
    node = nodes.report(of: settings.name, telling: .every)
    let reports = graph.report.scanIndexed(MachineReport?.none) { _, report, index in
      MachineReport(
        report, session: settings.session, started: settings.started, beat: UInt64(index) + 1,
        interval: settings.interval)
    }.named("beats").compactMap { $0 }.named("machine report")
    link = node.link(to: reports)
    let listenings = [
      node.listen { [weak self] in self?.heard($0) },
      node.status.listen { [weak self] _ in self?.register() },
      names.status.listen { [weak self] _ in self?.register() },
    ]
    bag.withLock { $0 = listenings }
  }

  // MARK: The name

  /// The list of machines has the name, also after the store has lost it.
  private func register() {
    let name = settings.name
    guard names.status.current.isSettled, names.value?.contains(name) != true,
      !state.withLock({ $0.isOver })
    else { return }
    names.update(default: []) { names in
      if !names.contains(name) { names.append(name) }
    }
  }

  /// The third beat of another program: the first may be what one left that has ended, the second may have been on its way.
  private func heard(_ report: MachineReport) {
    guard report.session != settings.session else { return }
    let isTaken = state.withLock { state in
      guard !state.isOver, state.add(report) >= 3 else { return false }
      // Of two that live the one goes that began later.
      let isEarlier =
        (report.started, report.session) < (settings.started, settings.session)
      state.isOver = isEarlier
      return isEarlier
    }
    if !isTaken { return }
    link.cancel()
    taken(
      MonitorFailure(
        "Another easyreact monitor shares under the name \(quoted(settings.name)). "
          + "End it, or choose another name for this machine: --name NAME."))
  }

  // MARK: Its state and end

  /// What is wrong with the sharing at present.
  public var notes: [String] {
    let connection: String? =
      switch store.connection.value {
      case .disconnected(let problem)?, .refused(let problem)?: FleetStore.text(problem)
      case .connecting?: "waiting for the first answer"
      case .connected?, nil: nil
      }
    let problem = connection == nil ? node.status.current.problem.map(FleetStore.text) : nil
    return [connection, problem].compactMap { $0 }.map { "not shared: \($0)" }
  }

  /// Takes the machine out of the fleet, and waits until the store has that, or until `patience` is over: then it is seen to have
  /// gone quiet.
  public func leave(within patience: Duration = .milliseconds(700)) {
    link.cancel()
    if state.withLock({ state in
      defer { state.isOver = true }
      return state.isOver
    }) {
      return
    }
    let name = settings.name
    names.update { $0.removeAll { $0 == name } }
    node.clean()
    guard store.connection.value?.isConnected == true else { return }
    let gone = DispatchSemaphore(value: 0)
    let listening = node.status.combine(names.status).listen { one, other in
      if one.isSettled, other.isSettled { gone.signal() }
    }
    _ = gone.wait(timeout: .now() + patience.inSeconds)
    listening.cancel()
  }
}

extension MachineShare.State {
  /// How many beats of the same stranger have been heard, with this one.
  fileprivate mutating func add(_ report: MachineReport) -> Int {
    let isSame = stranger?.session == report.session
    if isSame, stranger?.beat == report.beat { return stranger?.count ?? 0 }
    let count = isSame ? (stranger?.count ?? 0) + 1 : 1
    stranger = (report.session, report.beat, count)
    return count
  }
}
