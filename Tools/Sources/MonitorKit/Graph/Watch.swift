import EasyReact

/// The part of the graph that watches one level: its moving average, its peak and its alarm.
///
///     level ─┬─ last levels ── average ─┬─ alarm inputs ── alarm ─┬─▶ health
///            └─ peak                    │                         │
///                                       └───── alarm before ◀─────┘
///
/// An alarm needs its own last state, for its hysteresis. So it is linked back into the join that
/// computes it: a cycle. The edge that closes it ends each wave there, because the join has run in
/// this wave already; the state that it brought is what the next sample's join reads.
struct Watch: Sendable {
  let alarm: Node<Alarm>
  let reading: Node<Report.Reading>
  private let feedback: any Cancelable

  /// How many samples a moving average covers.
  static let window = 5

  init(_ quantity: Quantity, level: Node<Double?>, limits: AlarmLimits) {
    let name = quantity.nodeName
    let last = level.scan([Double](), Self.slide).named("\(name), last \(Self.window)")
    let average = last.map { $0.mean { $0 } }.named("\(name), average")
    let peak = level.scan(Double?.none) { peak, next in
      next.map { max(peak ?? $0, $0) } ?? peak
    }.named("\(name), peak")

    let before = MutableNode(Alarm.off(quantity)).named("\(quantity.title) alarm before")
    alarm = average.joined(with: before, "\(quantity.title) alarm") { level, before in
      before.next(level, limits)
    }
    feedback = before.link(to: alarm)

    reading = level.combine(average, peak, alarm).named("\(quantity.title) reading inputs")
      .map { now, average, peak, alarm in
        Report.Reading(
          quantity: quantity, now: now, average: average, peak: peak, alarm: alarm, limits: limits)
      }.named("\(quantity.title) reading")
  }

  /// The last levels with one more. A gap in the measuring begins anew.
  @Sendable private static func slide(_ last: [Double], _ next: Double?) -> [Double] {
    guard let next else { return [] }
    return (last + [next]).suffix(window)
  }

  /// Opens the cycle, so that its nodes can be freed.
  func end() { feedback.cancel() }
}
