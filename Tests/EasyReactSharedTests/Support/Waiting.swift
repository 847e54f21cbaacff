import EasyReact
import Foundation
import Testing

/// Waits for a value of a node. One that never comes is the watchdog's (`.watched`): how long it takes on a machine that does
/// much else is no part of any test.
func reach<Value: Sendable>(
  _ node: Node<Value>, where isReached: @escaping @Sendable (Value) -> Bool
) async throws {
  _ = try await node.first(where: isReached)
}

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

extension Trait where Self == Watched {
  /// Ten minutes a test, on a machine that may be busy; longer where a sanitizer is in.
  static var watched: Self { Watched(seconds: 600 * Sanitizer.patience) }
}
