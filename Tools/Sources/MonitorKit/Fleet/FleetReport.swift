/// Everything that the fleet's screen shows, as the graph has computed it.
public struct FleetReport: Sendable, Equatable {
  public var time: Duration
  public var machines: [FleetMachine]
  /// Of those that are up, the one whose cores work hardest.
  public var busiest: FleetMachine?
  /// The alarms of all machines that are up, by machine.
  public var alarms: [FleetAlarm]
  /// The names of those that have gone quiet.
  public var quiet: [String]
  /// How many have been quiet for so long that they are listed no more.
  public var forgotten = 0
  /// Why the store cannot be reached; nil: it can.
  public var problem: String?
}

/// One machine, as the fleet sees it.
public struct FleetMachine: Sendable, Equatable {
  public enum Condition: Sendable, Equatable {
    /// Its name is there, and its report has not come.
    case expected
    case up
    /// Its report should have come long ago.
    case quiet(Duration)
    /// What it reports cannot be read.
    case unreadable(String)
  }
  public var name: String
  public var condition: Condition
  /// The last that was heard.
  public var report: MachineReport?

  func level(_ quantity: Quantity) -> Double? { report?.levels[quantity] }
}

public struct FleetAlarm: Sendable, Equatable {
  public var machine: String
  public var alarm: Alarm
}
