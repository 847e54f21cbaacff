/// How much a whole disk has read and written, and how long it was at it (`/proc/diskstats`).
public struct DiskCounters: CounterBlock {
  public let device: String
  public var sectorsRead: UInt64 = 0
  public var sectorsWritten: UInt64 = 0
  /// The kernel keeps this one in 32 bits: it wraps after 49 busy days.
  public var busyMilliseconds: UInt64 = 0

  public init(device: String) { self.device = device }

  public static let fields: [Field<DiskCounters>] = [
    Field("readSectors", \.sectorsRead), Field("writtenSectors", \.sectorsWritten),
    Field("busyMilliseconds", \.busyMilliseconds),
  ]
}

extension DiskCounters {
  /// Whether `name` is a disk of its own, given the names of all block devices.
  ///
  /// Left out, so that no byte is counted twice: partitions, devices that are views of others
  /// (loop, device mapper, software RAID) and disks that are memory (ram, zram).
  static func isWholeDisk(_ name: String, among names: Set<String>) -> Bool {
    let isView = ["loop", "ram", "zram", "dm-", "md"].contains { prefix in
      name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isNumber == true
    }
    guard !isView, let base = partitioned(name) else { return !isView }
    return !names.contains(base)
  }

  /// The disk that `name` would be a partition of: `sda` of `sda1`, `nvme0n1` of `nvme0n1p2`.
  private static func partitioned(_ name: String) -> String? {
    let digits = name.reversed().prefix { $0.isNumber }.count
    guard digits > 0 else { return nil }
    let stem = name.dropLast(digits)
    guard stem.last == "p", stem.dropLast().last?.isNumber == true else { return String(stem) }
    return String(stem.dropLast())
  }
}
