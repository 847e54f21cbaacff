import EasyReact
import EasyReactShared

/// A few machines in one process, which share what a made-up load does to them: `easyreact fleet --demo`.
///
/// Each has a monitor's whole graph, and a handle of one `MemoryStore` as another process would have. Every forty seconds the same
/// happens: `web2` is busy from the 5th to the 15th second, `db1` runs out of memory from the 18th to the 26th, and nothing is heard
/// of `backup` from the 28th to the 38th.
public final class DemoFleet: Sendable {
  private let machines: [DemoMachine]

  /// - Parameter scheduler: Whose time it is, and where the machines and the store work.
  public init(_ store: MemoryStore, on scheduler: any NodeScheduler) {
    machines = ["web1", "web2", "db1", "backup"].map { name in
      DemoMachine(name, MemoryStore(sharing: store, on: scheduler), scheduler)
    }
  }
}

/// What is done to one machine of the demonstration.
private struct DemoLoad {
  /// In percent.
  var cpu: Double
  var memory: Double
  var isHeard = true

  init(_ name: String, at second: Int) {
    let moment = second % 40
    // Up and down by itself, each machine in its own rhythm.
    let wave = Double((second * (name.utf8.count + 3) + Int(name.utf8.last ?? 0)) % 17) - 8
    switch name {
    case "web2":
      (cpu, memory) = (5..<15 ~= moment ? 97 : 30 + wave, 40)
    case "db1": (cpu, memory) = (20 + wave / 2, 18..<26 ~= moment ? 96 : 70)
    case "backup":
      (cpu, memory) = (10 + wave / 2, 15)
      isHeard = !(28..<38 ~= moment)
    default: (cpu, memory) = (35 + wave, 45 + wave / 4)
    }
  }
}

private final class DemoMachine: Sendable {
  private let graph = MonitorGraph()
  private let share: MachineShare
  private let run: Listening

  init(_ name: String, _ store: MemoryStore, _ scheduler: any NodeScheduler) {
    share = MachineShare(
      graph, .init(name: name, interval: .seconds(1), started: 0, session: 1), in: store
    ) { _ in }
    let clock = Node.interval(.seconds(1), on: scheduler).map { $0 + 1 }.startWith(0).named(
      "\(name) seconds")
    let counters = clock.scan(DemoCounters()) { $0.advanced(to: $1, name) }
      .named("\(name) counters")
    run = counters.listen { [graph] counters in
      if counters.load(name).isHeard { graph.feed(counters.sample) }
    }
  }
}

/// The counters of a machine of the demonstration: sums of what its load was.
private struct DemoCounters: Sendable {
  var second = 0
  private var busy: UInt64 = 0
  private var received: UInt64 = 0

  func load(_ name: String) -> DemoLoad { DemoLoad(name, at: second) }

  func advanced(to second: Int, _ name: String) -> DemoCounters {
    var next = self
    next.second = second
    for passed in stride(from: self.second, to: second, by: 1) {
      let cpu = DemoLoad(name, at: passed).cpu
      next.busy += UInt64(cpu)
      next.received += UInt64(cpu * 20_000)
    }
    next.memory = DemoLoad(name, at: second).memory
    return next
  }
  private var memory = 0.0

  /// Of two cores that are equally busy, a hundred ticks a second.
  var sample: Sample {
    var sample = Sample(time: .seconds(second), unixMilliseconds: 0)
    sample.cores = ["cpu0", "cpu1"].map { device in
      var core = CoreTimes(device: device)
      core.user = busy
      core.idle = UInt64(second) * 100 - busy
      return core
    }
    sample.memory = MemoryCounters(device: "", values: [1_000, UInt64(1_000 - 10 * memory)])
    sample.interfaces = [InterfaceCounters(device: "eth0", values: [received, received / 2])]
    return sample
  }
}
