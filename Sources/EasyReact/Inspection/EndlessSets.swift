import CEasyReact

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension NodePointer {
  /// A set had to wait in a node's queue.
  @usableFromInline @inline(never) func countReentrantSet(in turn: TurnPointer) {
    turn.pointee.reentrantSets &+= 1
    if turn.pointee.reentrantSets == GraphLimits.reentrantSets {
      warnOfEndlessSets(turn.pointee.reentrantSets, turn)
    }
  }
}

/// Names the nodes that are on the stack: those that the sets circle through.
private func warnOfEndlessSets(_ count: Int, _ turn: TurnPointer) {
  var names: [String] = []
  var next = turn.pointee.top
  while let storage = next, names.count < 20 {
    if let node = storage.node() { names.append(node.whereabouts) }
    next = storage.pointee.caller
  }
  if let ring = turn.ring, let top = turn.pointee.top {
    recordEndlessSets(top.pointee.id, wave: turn.pointee.wave.number, ring, turn)
  }
  if easyreact_has_tracer() {
    GraphTracing.emit(
      .endlessSets(count: count, names: names), turn.pointee.top, turn.pointee.wave.number)
  }
  let message =
    "EasyReact: \(count) sets waited in queues in one turn; listeners, or links round joins, seem to set each other in a circle of: "
    + names.joined(separator: ", ")
    + ". Set only on a change; where so many are meant, raise GraphLimits.reentrantSets.\n"
  _ = message.withCString { write(2, $0, strlen($0)) }
}
