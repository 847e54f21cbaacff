/// How long one core has been in each state since boot, in clock ticks (`/proc/stat`).
public struct CoreTimes: CounterBlock {
  public let device: String
  public var user: UInt64 = 0
  public var nice: UInt64 = 0
  public var system: UInt64 = 0
  public var idle: UInt64 = 0
  public var ioWait: UInt64 = 0
  public var interrupt: UInt64 = 0
  public var softInterrupt: UInt64 = 0
  public var stolen: UInt64 = 0

  public init(device: String) { self.device = device }

  /// In the order of `/proc/stat`. The guest times that follow there are contained in user and
  /// nice.
  public static let fields: [Field<CoreTimes>] = [
    Field("userTicks", \.user), Field("niceTicks", \.nice), Field("systemTicks", \.system),
    Field("idleTicks", \.idle), Field("ioWaitTicks", \.ioWait),
    Field("interruptTicks", \.interrupt), Field("softInterruptTicks", \.softInterrupt),
    Field("stolenTicks", \.stolen),
  ]
}

extension CoreTimes {
  /// The share of the time since `earlier` in which the core worked, in percent.
  ///
  /// Waiting for a disk counts as idle. Each state is differenced by itself, because the kernel
  /// lets the wait for disks run backwards. If no tick passed, the answer is 0.
  func busyPercent(since earlier: CoreTimes) -> Double {
    let passed = zip(earlier.values, values).map { Double(advance(from: $0, to: $1)) }
    let all = passed.reduce(0, +)
    let resting =
      Double(advance(from: earlier.idle, to: idle))
      + Double(advance(from: earlier.ioWait, to: ioWait))
    return all > 0 ? 100 * (all - resting) / all : 0
  }
}
