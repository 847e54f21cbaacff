import Foundation
import Testing

/// What two threads have done so far; each may wait for the other.
final class Steps: @unchecked Sendable {
  // Unchecked: the count is touched while `condition` is locked.
  struct Count {
    var runs = [0, 0], returned = 0
  }
  private let condition = NSCondition()
  private var count = Count()

  var now: Count { condition.withLock { count } }

  func note(_ change: (inout Count) -> Void) {
    condition.withLock { change(&count) }
    condition.broadcast()
  }

  func wait(until isReached: (Count) -> Bool) {
    let end = Date(timeIntervalSinceNow: 300 * Sanitizer.patience)
    condition.withLock {
      while !isReached(count) {
        if condition.wait(until: end) { continue }
        Issue.record("the other thread does not get on")
        return
      }
    }
  }
}
