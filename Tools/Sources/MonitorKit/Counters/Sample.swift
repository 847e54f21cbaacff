/// All raw counters of a machine at one moment: what the graph is fed with, and a row of a
/// recording.
///
/// What a machine does not have is missing: an empty list or `nil`, never an invented zero.
public struct Sample: Sendable, Equatable {
  /// Time since the sampling began, in whole microseconds.
  public var time: Duration
  /// When the sample was taken, in milliseconds since 1970.
  public var unixMilliseconds: UInt64
  public var load: LoadCounters?
  public var memory: MemoryCounters?
  public var pressures: [PressureCounters] = []
  public var cores: [CoreTimes] = []
  public var interfaces: [InterfaceCounters] = []
  public var disks: [DiskCounters] = []

  public init(time: Duration, unixMilliseconds: UInt64) {
    self.time = time
    self.unixMilliseconds = unixMilliseconds
  }
}
