import EasyReact
import Foundation
import Testing

/// Waits for a value of a node, and fails after half a minute.
func reach<Value: Sendable>(
  _ node: Node<Value>, _ what: String = "a value",
  where isReached: @escaping @Sendable (Value) -> Bool
) async throws {
  let task = Task { try await node.first(where: isReached) }
  let alarm = QueueScheduler.global().schedule(after: .seconds(30)) { task.cancel() }
  defer { alarm.cancel() }
  do { _ = try await task.value } catch {
    throw Late(what: "\(what) of \(node)")
  }
}

struct Late: Error { let what: String }

/// A folder that is gone with the test.
final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "easyreact-" + UUID().uuidString
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs what takes long on a thread of its own, so that it keeps none of the few that tasks share.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { done in
    let thread = Thread {
      body()
      done.resume()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
}
