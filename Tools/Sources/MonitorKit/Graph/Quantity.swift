/// A quantity that the monitor watches: each has a level, an average, a peak and an alarm.
public enum Quantity: String, CaseIterable, Sendable {
  case cpuBusy, busiestCore, loadPerCore, memoryUsed, swapUsed
  case cpuPressure, memoryPressure, ioPressure
  case networkReceive, networkSend, diskRead, diskWrite, diskBusy

  /// What a level counts.
  public enum Unit: Sendable {
    case percent, bytesPerSecond, tasks
  }

  /// Its name for people, also in the graph's picture.
  public var title: String {
    switch self {
    case .cpuBusy: "cpu busy"
    case .busiestCore: "busiest core"
    case .loadPerCore: "load per core"
    case .memoryUsed: "memory used"
    case .swapUsed: "swap used"
    case .cpuPressure: "cpu pressure"
    case .memoryPressure: "memory pressure"
    case .ioPressure: "io pressure"
    case .networkReceive: "network receive"
    case .networkSend: "network send"
    case .diskRead: "disk read"
    case .diskWrite: "disk write"
    case .diskBusy: "busiest disk"
    }
  }

  public var unit: Unit {
    switch self {
    case .loadPerCore: .tasks
    case .networkReceive, .networkSend, .diskRead, .diskWrite: .bytesPerSecond
    default: .percent
    }
  }

  /// The name in the graph: the title with its unit.
  var nodeName: String {
    switch unit {
    case .percent: "\(title) %"
    case .bytesPerSecond: "\(title) B/s"
    case .tasks: title
    }
  }

  /// When its alarm goes on and off unless `--alarm` says otherwise.
  ///
  /// Some task waiting for the cpu a fifth of the time is a busy machine, for memory a sick one;
  /// that is why the pressures differ. 100 MB/s nearly fill a gigabit line.
  public var usualLimits: AlarmLimits {
    switch self {
    case .cpuBusy: AlarmLimits(raise: 90, clear: 75)
    case .busiestCore: AlarmLimits(raise: 98, clear: 90)
    case .loadPerCore: AlarmLimits(raise: 2, clear: 1.5)
    case .memoryUsed: AlarmLimits(raise: 90, clear: 85)
    case .swapUsed: AlarmLimits(raise: 80, clear: 60)
    case .cpuPressure: AlarmLimits(raise: 50, clear: 30)
    case .memoryPressure: AlarmLimits(raise: 10, clear: 5)
    case .ioPressure: AlarmLimits(raise: 50, clear: 30)
    case .networkReceive, .networkSend: AlarmLimits(raise: 100e6, clear: 80e6)
    case .diskRead, .diskWrite: AlarmLimits(raise: 500e6, clear: 400e6)
    case .diskBusy: AlarmLimits(raise: 95, clear: 80)
    }
  }

  /// `level` with the unit, as a person reads it; a dash if there is none.
  func text(_ level: Double?) -> String {
    guard let level else { return "-" }
    return switch unit {
    case .percent: level.fixed(level < 9.95 ? 1 : 0) + " %"
    case .bytesPerSecond: level.asBytesPerSecond
    case .tasks: level.fixed(2)
    }
  }
}
