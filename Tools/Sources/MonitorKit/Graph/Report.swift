/// Everything that the monitor shows of one sample, as the graph has computed it.
public struct Report: Sendable, Equatable {
  public var time: Duration
  public var unixMilliseconds: UInt64
  public var health: Health
  /// One for each quantity, in their order.
  public var readings: [Reading]
  public var cores: [CoreLoad]
  /// The core that works hardest.
  public var busiestCore: CoreLoad?
  public var interfaces: [InterfaceRate]
  public var disks: [DiskRate]
  /// The disk that works hardest.
  public var busiestDisk: DiskRate?
  /// What could not be measured, and why.
  public var notes: [String]

  /// One quantity: its level now, and what it has been.
  public struct Reading: Sendable, Equatable {
    public var quantity: Quantity
    /// The level of this sample; `nil` if there is none, as for a rate in the first.
    public var now: Double?
    /// The mean of the last samples.
    public var average: Double?
    /// The highest level so far.
    public var peak: Double?
    public var alarm: Alarm
    public var limits: AlarmLimits
  }

  /// The device that gave a quantity its level, if it is the one that works hardest.
  func device(of quantity: Quantity) -> String? {
    switch quantity {
    case .busiestCore: busiestCore?.name
    case .diskBusy: busiestDisk?.name
    default: nil
    }
  }

  /// The reading of `quantity`.
  func reading(_ quantity: Quantity) -> Reading? { readings.first { $0.quantity == quantity } }
}
