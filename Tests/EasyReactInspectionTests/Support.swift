import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

/// What checks the recorder: one after the other, for one recorder runs at a time in the process.
@Suite(.serialized, .alone) struct `18 A graph that explains itself` {}

/// Records while `body` runs. What other tests of the process do meanwhile is recorded too.
func recorded<Result>(
  events: Int = 65_536, bytes: Int = 8 << 20, descriptionLength: Int = 200,
  measuresTime: Bool = false,
  _ body: (GraphRecorder) throws -> Result
) rethrows -> Result {
  let recorder = GraphRecorder(
    events: events, bytes: bytes, descriptionLength: descriptionLength, measuresTime: measuresTime)
  recorder.start()
  defer { recorder.stop() }
  return try body(recorder)
}

extension GraphRecords {
  /// Those of one node.
  func events(of node: AnyNode, _ kind: EventRecord.Kind? = nil) -> [EventRecord] {
    events.filter { $0.node == node.id && (kind == nil || $0.kind == kind) }
  }
}

/// Runs a body on each of several threads of their own, and returns when all are done: nothing blocks in the pool of the
/// tasks. What the body holds is let go before that, for the next recorder would see it go.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let shared = Mutex<(@Sendable (Int) -> Void)?>(body)
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    let left = Mutex(count)
    for number in 0..<count {
      Thread {
        shared.withLock { $0 }?(number)
        if left.withLock({
          $0 -= 1
          return $0 == 0
        }) {
          _ = shared.withLock { $0.take() }
          done.resume()
        }
      }.start()
    }
  }
}
