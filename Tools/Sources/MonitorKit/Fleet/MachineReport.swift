/// What a machine tells the fleet of one sample, and that it lives: a new one comes each `interval`.
///
/// It travels between programs that may be of different versions, so its JSON has a format of its own:
///
///     {"format":1,"session":7,"started":1700000000000,"beat":12,"intervalMilliseconds":1000,
///      "levels":{"cpuBusy":34.2},"alarms":{"cpuBusy":97.4}}
///
/// Quantities that this version does not know are passed over; another format is refused, with words for people.
public struct MachineReport: Sendable, Equatable {
  /// Tells programs apart that share under one name.
  public var session: UInt64
  /// When the program began, in milliseconds since 1970.
  public var started: UInt64
  /// Counts the reports of a session.
  public var beat: UInt64
  /// How soon the next one is to come.
  public var interval: Duration
  /// What was measured.
  public var levels: [Quantity: Double]
  /// The alarms that are on, with the level by which that was decided.
  public var alarms: [Quantity: Double]

  static let format = 1
}

extension MachineReport {
  /// The sample that `report` shows.
  init(_ report: Report, session: UInt64, started: UInt64, beat: UInt64, interval: Duration) {
    let levels = report.readings.compactMap { reading in
      reading.now.map { (reading.quantity, $0) }
    }
    let alarms = report.health.alarms.map { ($0.quantity, $0.level ?? 0) }
    self.init(
      session: session, started: started, beat: beat, interval: interval,
      levels: Dictionary(uniqueKeysWithValues: levels),
      alarms: Dictionary(uniqueKeysWithValues: alarms))
  }

  /// The alarms that are on, in the order of the quantities.
  var alarmsInOrder: [Alarm] {
    Quantity.allCases.compactMap { quantity in
      alarms[quantity].map { Alarm(quantity: quantity, level: $0, isOn: true) }
    }
  }
}

extension MachineReport: Codable {
  private enum Key: String, CodingKey {
    case format, session, started, beat, intervalMilliseconds, levels, alarms
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let format = try values.decode(Int.self, forKey: .format)
    guard format == Self.format else { throw OtherFormat(format: format) }
    session = try values.decode(UInt64.self, forKey: .session)
    started = try values.decode(UInt64.self, forKey: .started)
    beat = try values.decode(UInt64.self, forKey: .beat)
    let milliseconds = try values.decode(Int64.self, forKey: .intervalMilliseconds)
    interval = .milliseconds(max(1, min(milliseconds, 1 << 40)))
    func known(_ key: Key) throws -> [Quantity: Double] {
      let named = try values.decode([String: Double].self, forKey: key)
      return Dictionary(
        uniqueKeysWithValues: named.compactMap { name, level in
          Quantity(rawValue: name).map { ($0, level) }
        })
    }
    levels = try known(.levels)
    alarms = try known(.alarms)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(Self.format, forKey: .format)
    try values.encode(session, forKey: .session)
    try values.encode(started, forKey: .started)
    try values.encode(beat, forKey: .beat)
    try values.encode(interval.wholeMicroseconds / 1000, forKey: .intervalMilliseconds)
    func named(_ levels: [Quantity: Double]) -> [String: Double] {
      Dictionary(uniqueKeysWithValues: levels.map { ($0.key.rawValue, $0.value) })
    }
    try values.encode(named(levels), forKey: .levels)
    try values.encode(named(alarms), forKey: .alarms)
  }

  private struct OtherFormat: Error, CustomStringConvertible {
    let format: Int
    var description: String {
      "it reports in format \(format), and this easyreact knows \(MachineReport.format): "
        + "bring both to one version"
    }
  }
}
