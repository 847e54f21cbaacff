/// How long tasks have been held up for want of one resource since boot (`/proc/pressure/*`).
public struct PressureCounters: CounterBlock {
  /// The resource: `cpu`, `memory` or `io`, as the file is named.
  public let device: String
  /// At least one task waited.
  public var some: UInt64 = 0
  /// Every task that could have run waited.
  public var full: UInt64 = 0

  public init(device: String) { self.device = device }

  public static let fields: [Field<PressureCounters>] = [
    Field("someMicroseconds", \.some), Field("fullMicroseconds", \.full),
  ]

  /// The resources that the kernel measures.
  public static let resources = ["cpu", "memory", "io"]
}
