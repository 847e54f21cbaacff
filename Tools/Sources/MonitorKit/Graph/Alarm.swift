/// When an alarm goes on, and the lower level below which it goes off again.
///
/// The gap between the two is the hysteresis: a level that trembles at one limit does not make the
/// alarm flicker.
public struct AlarmLimits: Sendable, Equatable {
  /// The alarm goes on at this level or above.
  public let raise: Double
  /// The alarm goes off below this level.
  public let clear: Double

  public init(raise: Double, clear: Double) {
    precondition(
      clear <= raise, "AlarmLimits: clear (\(clear)) must not be above raise (\(raise)); swap them")
    self.raise = raise
    self.clear = clear
  }
}

/// Whether a quantity is too high, and the level by which that was decided.
public struct Alarm: Sendable, Equatable {
  public let quantity: Quantity
  /// The moving average that was judged; `nil` if there is nothing to measure.
  public let level: Double?
  public let isOn: Bool

  /// The alarm of `quantity` before anything was measured.
  static func off(_ quantity: Quantity) -> Alarm {
    Alarm(quantity: quantity, level: nil, isOn: false)
  }

  /// The alarm after this one, given a new level. Between the limits it stays as it is, which is
  /// why it needs to know itself: this is the cycle in the graph.
  func next(_ level: Double?, _ limits: AlarmLimits) -> Alarm {
    let isOn = level.map { $0 >= (self.isOn ? limits.clear : limits.raise) } ?? false
    return Alarm(quantity: quantity, level: level, isOn: isOn)
  }

  /// `cpu busy 97 %`
  var text: String { "\(quantity.title) \(quantity.text(level))" }
}
