/// How many tasks ran or waited to run, averaged by the kernel over three spans (`/proc/loadavg`).
///
/// In hundredths, which is exactly what the kernel prints: so a recording loses nothing.
public struct LoadCounters: CounterBlock {
  public let device: String
  public var oneMinute: UInt64 = 0
  public var fiveMinutes: UInt64 = 0
  public var fifteenMinutes: UInt64 = 0

  public init(device: String = "") { self.device = device }

  public static let fields: [Field<LoadCounters>] = [
    Field("oneMinuteHundredths", \.oneMinute), Field("fiveMinutesHundredths", \.fiveMinutes),
    Field("fifteenMinutesHundredths", \.fifteenMinutes),
  ]
}
