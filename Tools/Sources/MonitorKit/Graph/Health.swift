/// The state of the machine in one line: which alarms are on, of how many that could be.
public struct Health: Sendable, Equatable {
  /// The alarms that are on, in the order of the quantities.
  public let alarms: [Alarm]
  /// How many quantities this machine lets us measure.
  public let measured: Int

  /// The health that all alarms together make.
  init(of all: [Alarm]) {
    alarms = all.filter(\.isOn)
    measured = all.count { $0.level != nil }
  }

  public var isGood: Bool { alarms.isEmpty }

  /// `good: 12 quantities measured, none too high`
  public var text: String {
    if !isGood { return "ALARM: " + alarms.map(\.text).joined(separator: ", ") }
    let quantities = measured == 1 ? "1 quantity" : "\(measured) quantities"
    return "good: \(quantities) measured, none too high"
  }
}
