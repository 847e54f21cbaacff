import CEasyReact
import Synchronization

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.current { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { $0.node()?.whereabouts }
}

/// Whose timer is being set, where that is not the node being told: a source that ticks.
enum TimerOwner {
  @TaskLocal static var current: AnyNode?
}
