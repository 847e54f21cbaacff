/// The limits of one quantity's alarm, as a user types them.
///
///     try AlarmSetting(text: "cpuBusy=80:70")   // on at 80 %, off below 70 %
///     try AlarmSetting(text: "diskRead=50e6")   // off below the usual share of that
public struct AlarmSetting: Sendable, Equatable {
  public let quantity: Quantity
  public let limits: AlarmLimits

  /// Why a text is not a setting.
  public struct Problem: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  public init(text: String) throws(Problem) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else {
      throw Problem(description: "expected NAME=ON:OFF, such as cpuBusy=80:70, not \(quoted(text))")
    }
    guard let quantity = Quantity(rawValue: String(halves[0])) else {
      let names = Quantity.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(description: "there is no \(quoted(halves[0])); expected one of \(names)")
    }
    let levels = halves[1].split(separator: ":", omittingEmptySubsequences: false)
    guard levels.count <= 2, let raise = Self.level(levels[0]) else {
      throw Problem(
        description: "expected a level above 0, or two such as 80:70, "
          + "not \(quoted(halves[1]))")
    }
    let usual = quantity.usualLimits
    guard let clear = levels.count == 2 ? Self.level(levels[1]) : raise * usual.clear / usual.raise
    else {
      throw Problem(
        description: "expected a level above 0 after the colon, not \(quoted(levels[1]))")
    }
    guard clear <= raise else {
      throw Problem(
        description: "the alarm must go off at or below the level where it goes on; "
          + "\(quoted(halves[1])) has them the other way round")
    }
    self.quantity = quantity
    limits = AlarmLimits(raise: raise, clear: clear)
  }

  private static func level(_ text: Substring) -> Double? {
    Double(text).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }
}
