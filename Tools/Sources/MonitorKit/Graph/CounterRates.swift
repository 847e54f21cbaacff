import EasyReact

/// The nodes that follow from two samples of the sources: what each device does, and the level of
/// each quantity.
struct CounterRates: Sendable {
  let cores: Node<[CoreLoad]>
  let busiestCore: Node<CoreLoad?>
  let interfaces: Node<[InterfaceRate]>
  let disks: Node<[DiskRate]>
  let busiestDisk: Node<DiskRate?>
  private let stalls: Node<[StallRate]>
  private let sources: CounterSources

  init(of sources: CounterSources) {
    self.sources = sources
    let seconds = sources.time.thenAndNow().map { $0.seconds }.named("seconds since last sample")
    interfaces = sources.interfaces.rates(over: seconds, "interface rates", InterfaceRate.rates)
    disks = sources.disks.rates(over: seconds, "disk rates", DiskRate.rates)
    stalls = sources.pressures.rates(over: seconds, "stall rates", StallRate.rates)
    // Ticks are a time of their own: the share of those that passed needs no clock.
    cores = sources.cores.thenAndNow()
      .map { CoreLoad.loads(from: $0.then ?? [], to: $0.now ?? []) }.named("core loads")
    busiestCore = cores.map { loads in loads.max { $0.busyPercent < $1.busyPercent } }
      .named("busiest core")
    busiestDisk = disks.map { rates in rates.max { $0.busyPercent < $1.busyPercent } }
      .named("busiest disk")
  }

  /// A new node of the level of `quantity`: `nil` where there is nothing to measure.
  func level(_ quantity: Quantity) -> Node<Double?> {
    switch quantity {
    case .cpuBusy: cores.map { $0.mean(\.busyPercent) }
    case .busiestCore: busiestCore.map { $0?.busyPercent }
    case .loadPerCore: sources.load.joined(with: sources.cores, quantity.nodeName, perCore)
    case .memoryUsed: sources.memory.map { $0?.usedPercent }
    case .swapUsed: sources.memory.map { $0?.swapUsedPercent }
    case .cpuPressure: stalls.map { $0.stalledPercent(of: "cpu") }
    case .memoryPressure: stalls.map { $0.stalledPercent(of: "memory") }
    case .ioPressure: stalls.map { $0.stalledPercent(of: "io") }
    case .networkReceive: interfaces.map { $0.total(\.receiveBytesPerSecond) }
    case .networkSend: interfaces.map { $0.total(\.sendBytesPerSecond) }
    case .diskRead: disks.map { $0.sum(\.readBytesPerSecond) }
    case .diskWrite: disks.map { $0.sum(\.writeBytesPerSecond) }
    case .diskBusy: busiestDisk.map { $0?.busyPercent }
    }
  }
}

@Sendable private func perCore(_ load: LoadCounters?, _ cores: [CoreTimes]) -> Double? {
  guard let load, !cores.isEmpty else { return nil }
  return Double(load.oneMinute) / 100 / Double(cores.count)
}

extension ThenAndNow<Duration> {
  /// The seconds between the two; `nil` at the first.
  fileprivate var seconds: Double? {
    guard let then, let now else { return nil }
    return (now - then).inSeconds
  }
}

// MARK: - Over all devices

extension Array {
  /// The sum of a level over all elements; `nil` if there are none.
  func sum(_ level: (Element) -> Double) -> Double? {
    isEmpty ? nil : reduce(0) { $0 + level($1) }
  }

  /// The mean of a level over all elements; `nil` if there are none.
  func mean(_ level: (Element) -> Double) -> Double? {
    sum(level).map { $0 / Double(count) }
  }
}

extension [InterfaceRate] {
  /// The sum of a rate over all interfaces that lead out of the machine.
  fileprivate func total(_ rate: (InterfaceRate) -> Double) -> Double? {
    filter { !$0.isLoopback }.sum(rate)
  }
}

extension [StallRate] {
  fileprivate func stalledPercent(of resource: String) -> Double? {
    first { $0.resource == resource }?.stalledPercent
  }
}
