/// How much memory and swap there is, and how much of it is free (`/proc/meminfo`).
public struct MemoryCounters: CounterBlock {
  public let device: String
  public var total: UInt64 = 0
  public var available: UInt64 = 0
  public var swapTotal: UInt64 = 0
  public var swapFree: UInt64 = 0

  public init(device: String = "") { self.device = device }

  public static let fields: [Field<MemoryCounters>] = [
    Field("totalKibibytes", \.total), Field("availableKibibytes", \.available),
    Field("swapTotalKibibytes", \.swapTotal), Field("swapFreeKibibytes", \.swapFree),
  ]
}

extension MemoryCounters {
  /// The share of memory that a new program could not have, in percent.
  var usedPercent: Double? { Self.usedPercent(of: total, free: available) }

  /// The share of swap in use, in percent; `nil` without swap.
  var swapUsedPercent: Double? { Self.usedPercent(of: swapTotal, free: swapFree) }

  private static func usedPercent(of total: UInt64, free: UInt64) -> Double? {
    total > 0 ? 100 * (1 - Double(min(free, total)) / Double(total)) : nil
  }
}
