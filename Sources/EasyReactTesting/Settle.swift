import Dispatch
import EasyReact

/// Waits until the graph is quiet: no thread is inside it, and no message, scheduled value or due timer waits.
///
///     let source = MutableNode(0)
///     let shown = Recorder(source.deliver(on: .queue(queue)))
///     source.value = 1
///     #expect(await settle())
///     shown.values              // [0, 1]
///
/// Then every `map` and `combine` off cycles equals its definition, and synced nodes are equal
/// (contract 7.6). What it waits for, in the whole process:
///
/// - every thread that is in a set, a listener, a link or a cut, and the messages that were left with it
///   or with a background queue;
/// - what waits or runs on a dispatch queue or the main queue because an edge, a listener or you
///   scheduled it there through ``EasyReact/QueueScheduler`` or ``EasyReact/MainScheduler``;
/// - timers of these whose time has come. A timer of the future is not waited for.
///
/// It runs no ``VirtualScheduler``: what waits there waits for you. Work that you give to a queue by
/// Dispatch's own `async`, and schedulers of your own that do not forward to a queue's `schedule`,
/// are not seen. Other threads of the test must have ended or be waiting, else they may begin anew
/// at any time; so may tests that run beside this one, which it waits for too.
///
/// The calling thread is blocked meanwhile. On the main thread that would keep the main queue from
/// running; and Swift Testing runs synchronous tests on the threads of the concurrency pool, as many as
/// there are processors: two tests that block there keep two processors' tasks and actors from running,
/// perhaps those that they wait for. So use the asynchronous form in both. Called from a listener it
/// stops with a message: the graph is not quiet as long as the listener waits.
/// - Parameter limit: How long it waits at most.
/// - Returns: False if something was still going on after `limit`.
public func settle(within limit: Duration = .seconds(60)) -> Bool {
  refuseInsideGraph()
  let never = DispatchSemaphore(value: 0)
  let end = ContinuousClock.now + limit.asDelay
  var pause = 20
  while !isQuiet() {
    if ContinuousClock.now >= end { return false }
    _ = never.wait(timeout: .now() + .microseconds(pause))
    pause = min(pause * 2, 2_000)
  }
  return true
}

/// The same, without blocking the thread: `#expect(await settle())`. The core has it without a limit:
/// ``EasyReact/settled()``. False also if the task was cancelled.
///
/// A test of the main actor must use it, because what waits on the main queue runs only while the test
/// does not.
public func settle(within limit: Duration = .seconds(60)) async -> Bool {
  refuseInsideGraph()
  return await isQuiet(by: ContinuousClock.now + limit.asDelay)
}

private func refuseInsideGraph() {
  if isInsideGraph() {
    fatalError(
      "settle(): called from inside the graph, which is not quiet before this call has returned. "
        + "Call it after the set, not in a listener or a closure of an operator.")
  }
}
