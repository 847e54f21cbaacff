import CEasyReact
import Synchronization

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.present { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { $0.node()?.whereabouts }
}

/// Whose timer is being set, if that is not the node being told: a source that ticks. Known as long as the timer is being set: a
/// scheduler of the user's may make a task for it, which inherits this, and must neither keep the node nor be taken for it.
final class TimerOwner: Sendable {
  @TaskLocal private static var current: TimerOwner?
  private let node: Mutex<AnyNode?>

  private init(_ node: AnyNode?) { self.node = Mutex(node) }

  static var present: AnyNode? { current?.node.withLock { $0 } }

  static func whileSettingTimer<Result>(of node: AnyNode?, _ body: () -> Result) -> Result {
    let owner = TimerOwner(node)
    defer { owner.node.withLock { $0 = nil } }  // the caller keeps it
    return withExtendedLifetime(node) { $current.withValue(owner, operation: body) }
  }
}
