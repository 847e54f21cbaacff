import Synchronization

/// Waits until every graph of this process has come to rest: no thread is inside one, and no message,
/// hop or due timer waits.
///
///     let source = MutableNode(1)
///     let shown = source.deliver(on: .queue(queue)).map { $0 * 2 }
///     source.value = 2
///     await settled()
///     shown.value                    // 4
///
/// Then every `map` and `combine` off cycles equals its definition, and synced nodes are equal (contract
/// 7.6). What counts, in the whole process:
///
/// - every thread that is in a set, a listener, a link or a cut, and what other threads left with it or
///   with a background queue;
/// - what waits or runs on a dispatch queue or the main actor because an edge, a listener or you
///   scheduled it there through ``QueueScheduler`` or ``MainScheduler``, what follows from it included;
/// - what waits or runs on an actor by `deliver(on:)` or `listen(isolatedTo:)`, and on a ``ClockScheduler``;
/// - timers of these whose time has come.
///
/// What does not: timers of the future; work that was given to a queue by Dispatch's own `async`, or to a
/// scheduler of your own that does not forward to one of these; tasks, and so calls of `mapAsync` and
/// `load`, except for what they do at the moment on one of these schedulers. A graph that other threads keep
/// setting may be seen at rest between two sets, or not at all for as long as they go on.
///
/// If everything is at rest already it returns at once. Otherwise it looks again after a while, at
/// first some microseconds, in the end two milliseconds; meanwhile the task is suspended and no thread is
/// blocked. A listener cannot await it, for the graph is not at rest before the listener has returned.
/// - Returns: False if the task was cancelled before that.
/// - Complexity: Each look is O(n) in the threads that use the library, and in the schedulers of clocks in which a timer waits,
///   which are asked for their time: so let operators share one `.clock(_:)`.
@discardableResult
public func settled() async -> Bool { await isQuiet(by: nil) }

/// The same until `end` at the latest; nil: for as long as it takes. False: it was not, or the task was
/// cancelled.
package func isQuiet(by end: ContinuousClock.Instant?) async -> Bool {
  var pause = Duration.microseconds(20)
  while !isQuiet() {
    if let end, ContinuousClock.now >= end { return false }
    do { try await Task.sleep(for: pause) } catch { return false }
    pause = min(pause * 2, .milliseconds(2))
  }
  return true
}

/// Will a timer of a dispatch queue go off? The next thing after quiet may be what it does.
package func isAnyTimerSet() -> Bool { !timers.isEmpty }

/// Is no thread inside a graph, and does nothing wait in a mailbox, on a dispatch queue, or for a due timer
/// of one?
///
/// What is under way may move on while one place after the other is looked at: from a thread to another one that is
/// inside, to a timer or a queue, from a timer to a queue, and from a queue to a thread. It counts at its new place before it
/// stops counting at the old one. So nothing has moved, if no work on a queue ended and no thread sent a message: threads are
/// looked at twice, for the one that was looked at first may have been sent a message since; what it makes of that by the
/// second time is on a queue or a timer, which are looked at last.
package func isQuiet() -> Bool {
  guard let ended = pendingWork.endedAtRest(),
    let sent = messagesSentAtRest(), messagesSentAtRest() == sent
  else { return false }
  return !timers.isAnyDue() && !isAnyClockDue() && pendingWork.endedAtRest() == ended
}
