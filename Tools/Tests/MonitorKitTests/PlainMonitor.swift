@testable import MonitorKit

/// The monitor without a graph: a loop over samples. The readable twin that the graph is compared
/// with.
enum PlainMonitor {
  static func reports(_ samples: [Sample]) -> [Report] {
    var last: Sample?
    var windows: [Quantity: [Double]] = [:]
    var peaks: [Quantity: Double] = [:]
    var isOn: [Quantity: Bool] = [:]
    return samples.map { sample in
      let rates = Rates(from: last, to: sample)
      last = sample
      let readings = Quantity.allCases.map { quantity in
        let now = rates.level(quantity, sample)
        windows[quantity] = now.map { ((windows[quantity] ?? []) + [$0]).suffix(5) } ?? []
        let window = windows[quantity]!
        let average = window.isEmpty ? nil : window.reduce(0, +) / Double(window.count)
        if let now { peaks[quantity] = max(peaks[quantity] ?? now, now) }
        let limits = quantity.usualLimits
        let limit = isOn[quantity] == true ? limits.clear : limits.raise
        isOn[quantity] = average.map { $0 >= limit } ?? false
        return Report.Reading(
          quantity: quantity, now: now, average: average, peak: peaks[quantity],
          alarm: Alarm(quantity: quantity, level: average, isOn: isOn[quantity]!), limits: limits)
      }
      return Report(
        time: sample.time, unixMilliseconds: sample.unixMilliseconds,
        health: Health(of: readings.map(\.alarm)), readings: readings, cores: rates.cores,
        busiestCore: rates.busiest, interfaces: rates.interfaces, disks: rates.disks,
        busiestDisk: rates.disks.max { $0.busyPercent < $1.busyPercent }, notes: [])
    }
  }

  /// What follows from two samples.
  struct Rates {
    var cores: [CoreLoad] = []
    var interfaces: [InterfaceRate] = []
    var disks: [DiskRate] = []
    var stalls: [StallRate] = []

    init(from old: Sample?, to new: Sample) {
      guard let old else { return }
      let seconds = (new.time - old.time).inSeconds
      cores = CoreLoad.loads(from: old.cores, to: new.cores)
      interfaces = InterfaceRate.rates(from: old.interfaces, to: new.interfaces, in: seconds)
      disks = DiskRate.rates(from: old.disks, to: new.disks, in: seconds)
      stalls = StallRate.rates(from: old.pressures, to: new.pressures, in: seconds)
    }

    var busiest: CoreLoad? { cores.max { $0.busyPercent < $1.busyPercent } }

    func level(_ quantity: Quantity, _ sample: Sample) -> Double? {
      func sum(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) }
      func stall(_ name: String) -> Double? { stalls.first { $0.resource == name }?.stalledPercent }
      let outer = interfaces.filter { $0.name != "lo" }
      switch quantity {
      case .cpuBusy: return sum(cores.map(\.busyPercent)).map { $0 / Double(cores.count) }
      case .busiestCore: return busiest?.busyPercent
      case .loadPerCore:
        guard let load = sample.load, !sample.cores.isEmpty else { return nil }
        return Double(load.oneMinute) / 100 / Double(sample.cores.count)
      case .memoryUsed: return sample.memory?.usedPercent
      case .swapUsed: return sample.memory?.swapUsedPercent
      case .cpuPressure: return stall("cpu")
      case .memoryPressure: return stall("memory")
      case .ioPressure: return stall("io")
      case .networkReceive: return sum(outer.map(\.receiveBytesPerSecond))
      case .networkSend: return sum(outer.map(\.sendBytesPerSecond))
      case .diskRead: return sum(disks.map(\.readBytesPerSecond))
      case .diskWrite: return sum(disks.map(\.writeBytesPerSecond))
      case .diskBusy: return disks.map(\.busyPercent).max()
      }
    }
  }

  // MARK: - Machines

  /// Samples of a machine whose devices come and go, whose counters wrap, and whose files fail at
  /// times.
  static func randomSamples(seed: UInt64, count: Int) -> [Sample] {
    var random = SeededRandom(state: seed)
    var counters: [String: [UInt64]] = [:]
    var time = 0.0
    func next(_ name: String, _ fields: Int) -> [UInt64] {
      let start = [UInt64](repeating: .max - 2_000_000, count: fields)
      let values = (counters[name] ?? start).map {
        $0 &+ .random(in: 0...1_000_000, using: &random)
      }
      counters[name] = values
      return values
    }
    func some(_ names: [String]) -> [String] {
      names.filter { _ in .random(in: 0..<8, using: &random) > 0 }
    }
    return (0..<count).map { _ in
      time += .random(in: 0.01...3, using: &random)
      return .at(time) { sample in
        sample.cores = some(["cpu0", "cpu1", "cpu10"]).map {
          .init(device: $0, values: next($0, 8))
        }
        sample.interfaces = some(["lo", "eth0", "usb0"]).map {
          .init(device: $0, values: next($0, 2))
        }
        sample.disks = some(["vda", "sdb"]).map { .init(device: $0, values: next($0, 3)) }
        sample.pressures = some(["cpu", "memory", "io"]).map {
          .init(device: $0, values: next($0, 2))
        }
        sample.load = some([""]).first.map { _ in
          LoadCounters(device: "", values: [.random(in: 0...800, using: &random), 0, 0])
        }
        sample.memory = some([""]).first.map { _ in
          let free = UInt64.random(in: 0...100, using: &random)
          return MemoryCounters(device: "", values: [100, free, 100, free])
        }
      }
    }
  }
}
