import Dispatch
import EasyReact
import EasyReactInspection
import EasyReactTesting
import Foundation
import Synchronization

/// What is kept of what once was.
func keptRows() -> [GrowthRow] {
  [
    GrowthRow(
      "kept after n nodes were taken out of their regions",
      .bytes(limit: 1) { size in
        Grown(work: size) {
          let sources = emptyNodes(size), other = MutableNode(0)
          let nodes = sources.map { $0.map { $0 }.mutablify() }
          for node in nodes { node.link(to: other) }
          withExtendedLifetime((sources, nodes)) {}
        }
      }),
    GrowthRow(
      "kept after n joins waited, and died, in one turn",
      .bytes(limit: 1) { size in
        Grown(work: size) {
          let first = MutableNode(0), second = MutableNode(0)
          var joins = (0..<size).map { _ in first.combine(second) }
          first.set(1)
          batch { joins = [] }
          withExtendedLifetime(joins) {}
        }
      }),
    GrowthRow(
      "kept after n owners were gone",
      .bytes(limit: 1) { size in
        Grown(work: size) { setAfterOwners(size, MutableNode<Int>()) }
      }),
    GrowthRow(
      "kept by a node that n owners have listened to",
      .bytes(limit: 1) { size in
        let node = MutableNode<Int>()
        return Grown(work: size, keep: node) { setAfterOwners(size, node) }
      }),
    GrowthRow(
      "kept by a derivation that has read n nodes",
      .bytes(limit: 1) { size in
        let isOn = MutableNode(false), nodes = Mutex<[Node<Int>]>([])
        let sum = Node.derived {
          try isOn.get() ? nodes.withLock { $0 }.reduce(0) { $0 + $1.current } : 0
        }
        return Grown(work: size, keep: (isOn, sum)) {
          nodes.withLock { $0 = (0..<size).map { MutableNode($0) } }
          isOn.value = true
          isOn.value = false
          nodes.withLock { $0 = [] }
        }
      }),
    GrowthRow(
      "kept by a debounce of n values",
      .bytes(limit: 1) { size in
        let source = MutableNode(0)
        let shown = source.debounce(.seconds(600), on: .queue(DispatchQueue(label: "growth")))
        source.set(1)
        return Grown(work: size, keep: shown) { for value in 0..<size { source.set(value) } }
      }),
    GrowthRow(
      "kept by a zip of which n values waited",
      .bytes(limit: 1) { size in
        let early = MutableNode<Int>(), late = MutableNode<Int>()
        let pairs = early.zip(late)
        return Grown(work: size, keep: pairs) {
          for value in 0..<size { early.set(value) }
          for value in 0..<size { late.set(value) }
        }
      }),
    GrowthRow(
      "kept by a concatMap of which n values waited",
      .bytes(limit: 1) { size in
        let outer = MutableNode<Int>(), inner = MutableNode<Int>()
        let told = outer.concatMap(until: { $0 < 0 }) { _ in inner }
        return Grown(work: size, keep: told) {
          for value in 0..<size { outer.set(value) }
          inner.set(-1)
        }
      }),
    GrowthRow(
      "kept by a delay of which n values waited",
      .bytes(limit: 1) { size in
        let source = MutableNode<Int>(), clock = VirtualScheduler()
        let later = source.delay(.seconds(1), on: clock)
        return Grown(work: size, keep: later) {
          for value in 0..<size { source.set(value) }
          clock.run()
        }
      }),
    // The last tasks may be freed a moment later.
    GrowthRow(
      "kept by a mapAsync of which n calls waited for the first",
      .bytes(limit: 40) { size in
        let source = MutableNode<Int>(), clock = VirtualScheduler()
        let results = source.mapAsync(.ordered(maxConcurrent: 2), on: clock) { value in
          if value == 0 { try? await clock.sleep(for: .seconds(1)) }
          return value
        }
        return Grown(work: size, keep: results) {
          for value in 0..<size { source.set(value) }
          clock.run()
        }
      }),
    GrowthRow(
      "kept by a ClockScheduler of which n timers fired",
      .bytes(limit: 4) { size in
        let scheduler = ClockScheduler(ContinuousClock()), last = DispatchSemaphore(value: 0)
        return Grown(work: size, keep: scheduler) {
          for _ in 1..<size { scheduler.schedule(after: .milliseconds(20)) {} }
          scheduler.schedule(after: .milliseconds(21)) { last.signal() }
          last.wait()
        }
      }),
    // One after the other, each before the one that waits.
    GrowthRow(
      "kept by a ClockScheduler of which n timers fired, and one waits",
      .bytes(limit: 4) { size in
        let scheduler = ClockScheduler(ContinuousClock()), fired = DispatchSemaphore(value: 0)
        scheduler.schedule(after: .seconds(600)) {}
        // The system's queues keep what many sleeps have taken once.
        return again(size, keep: scheduler) {
          for _ in 0..<size {
            scheduler.schedule(after: .microseconds(10)) { fired.signal() }
            fired.wait()
          }
        }
      }),
    GrowthRow(
      "kept by a recorder that forgets n threads, again",
      .bytes(limit: 8) { size in
        let recording = ShortRecording(), node = MutableNode(0)
        return again(size, keep: recording) {
          recording.look(size / 100) { for number in 0..<100 { onThread { node.set(number) } } }
        }
      }),
    GrowthRow(
      "kept by a recorder that forgets n zips, again",
      .bytes(limit: 8) { size in
        let recording = ShortRecording(), first = MutableNode(0), second = MutableNode(0)
        return again(size, keep: recording) {
          recording.look(size / 100) { (0..<100).map { _ in first.zip(second) } }
        }
      }),
  ]
}

/// Of 200 events.
final class ShortRecording {
  private let recorder = GraphRecorder(events: 200), node = MutableNode(0)

  init() { recorder.start() }
  deinit { recorder.stop() }

  /// What is made is looked at while it is there, and forgotten later.
  func look<Made>(_ rounds: Int, _ make: () -> Made) {
    for _ in 0..<rounds {
      let made = make()
      _ = recorder.counts
      withExtendedLifetime(made) {}
    }
    for value in 0..<400 { node.set(value) }
    _ = recorder.counts
  }
}

/// What does not grow is there after a few times. Not for room that is kept: the next time would use it again.
private func again(_ work: Int, keep: Any, _ run: @escaping () -> Void) -> Grown {
  for _ in 0..<4 { run() }
  return Grown(work: work, keep: keep, run: run)
}

/// Returns when it has ended.
private func onThread(_ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Thread {
    body()
    ended.signal()
  }.start()
  ended.wait()
}
