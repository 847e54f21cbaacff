import Observation

// Swift's Observation as one has to use it outside of a view: it tells once that something will change, so it is armed anew by hand
// after each change, and the expression is computed then.

/// Observed, and not compared: Observation says nothing of a value that is equal to the one before.
@Observable final class Observed: @unchecked Sendable {
  // Unchecked: one thread.
  private struct Incomparable { var value: Int }
  private var content: Incomparable

  init(_ value: Int) { content = Incomparable(value: value) }

  var value: Int {
    get { content.value }
    set { content = Incomparable(value: newValue) }
  }
}

/// Runs `compute` now, and after each change of what it read.
final class Tracking: @unchecked Sendable {
  // Unchecked: one thread.
  private let compute: () -> Void
  private var isDue = true

  init(_ compute: @escaping () -> Void) {
    self.compute = compute
    rearm()
  }

  /// To be called after each change.
  func rearm() {
    if !isDue { return }
    isDue = false
    withObservationTracking(compute) { [unowned self] in isDue = true }
  }
}
