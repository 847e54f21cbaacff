/// How busy a core is.
public struct CoreLoad: Sendable, Equatable {
  public let name: String
  public let busyPercent: Double
}

/// How much a network interface carries.
public struct InterfaceRate: Sendable, Equatable {
  public let name: String
  public let receiveBytesPerSecond: Double
  public let sendBytesPerSecond: Double
  /// Whether it has carried anything since it was set up; if not, a screen need not show it.
  public let isUsed: Bool
}

/// How much a disk reads and writes, and for how much of the time.
public struct DiskRate: Sendable, Equatable {
  public let name: String
  public let readBytesPerSecond: Double
  public let writeBytesPerSecond: Double
  public let busyPercent: Double
}

/// For how much of the time some task was held up for want of a resource.
public struct StallRate: Sendable, Equatable {
  public let resource: String
  public let stalledPercent: Double
}

// MARK: - From counters

/// Calls `rate` with each device that was there before and still is, by name: its counters then and
/// now. A device that is new has no rate yet, one that is gone has none any more.
private func rates<Block: CounterBlock, Rate>(
  _ old: [Block], _ new: [Block], _ rate: (_ old: Block, _ new: Block) -> Rate
) -> [Rate] {
  let before = Dictionary(old.map { ($0.device, $0) }, uniquingKeysWith: { first, _ in first })
  return new.sorted { comesBefore($0.device, $1.device) }
    .compactMap { now in before[now.device].map { rate($0, now) } }
}

/// `counter` in units a second.
private func perSecond<Block>(
  _ old: Block, _ new: Block, _ counter: KeyPath<Block, UInt64>, _ seconds: Double
) -> Double {
  Double(advance(from: old[keyPath: counter], to: new[keyPath: counter])) / seconds
}

extension CoreLoad {
  static func loads(from old: [CoreTimes], to new: [CoreTimes]) -> [CoreLoad] {
    rates(old, new) { CoreLoad(name: $1.device, busyPercent: $1.busyPercent(since: $0)) }
  }
}

extension InterfaceRate {
  static func rates(
    from old: [InterfaceCounters], to new: [InterfaceCounters], in seconds: Double
  ) -> [InterfaceRate] {
    MonitorKit.rates(old, new) { old, new in
      InterfaceRate(
        name: new.device, receiveBytesPerSecond: perSecond(old, new, \.received, seconds),
        sendBytesPerSecond: perSecond(old, new, \.sent, seconds),
        isUsed: new.received > 0 || new.sent > 0)
    }
  }

  /// Whether this interface only talks to its own machine: left out of the totals.
  var isLoopback: Bool { name == "lo" }
}

extension DiskRate {
  static func rates(
    from old: [DiskCounters], to new: [DiskCounters], in seconds: Double
  ) -> [DiskRate] {
    MonitorKit.rates(old, new) { old, new in
      let busyMilliseconds = perSecond(old, new, \.busyMilliseconds, seconds)
      return DiskRate(
        name: new.device,
        readBytesPerSecond: perSecond(old, new, \.sectorsRead, seconds) * bytesPerSector,
        writeBytesPerSecond: perSecond(old, new, \.sectorsWritten, seconds) * bytesPerSector,
        busyPercent: min(100, busyMilliseconds / 10))
    }
  }

  /// A sector of `/proc/diskstats` is 512 bytes, whatever the disk's own sectors are.
  private static let bytesPerSector = 512.0
}

extension StallRate {
  static func rates(
    from old: [PressureCounters], to new: [PressureCounters], in seconds: Double
  ) -> [StallRate] {
    MonitorKit.rates(old, new) { old, new in
      let microseconds = perSecond(old, new, \.some, seconds)
      return StallRate(resource: new.device, stalledPercent: min(100, microseconds / 10_000))
    }
  }
}
