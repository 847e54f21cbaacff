import Synchronization

/// A value that has changed since it was read.
protocol UnreadValue: AnyObject {
  /// Nobody has read it since. The second time in a row it ends, and false is returned.
  @MainActor func isStillAwaited() -> Bool
}

/// The observed values that changed and have not been read since: after a second or two they are not listened
/// to any more. One timer for all, which runs only while there are some.
@MainActor final class UnreadValues {
  static let shared = UnreadValues()

  private struct Entry { weak var value: (any UnreadValue)? }
  private var entries: [Entry] = []

  func add(_ value: any UnreadValue) {
    entries.append(Entry(value: value))
    if entries.count == 1 { lookLater() }
  }

  private func lookLater() {
    MainScheduler().schedule(after: .seconds(1)) {
      MainActor.assumeIsolated { UnreadValues.shared.look() }
    }
  }

  private func look() {
    entries = entries.filter { $0.value?.isStillAwaited() ?? false }
    if !entries.isEmpty { lookLater() }
  }
}

extension AnyNode {
  /// For tests: what the timer does, for this node alone.
  @MainActor package final func lookWhetherItIsRead() {
    let observed = storage.attachmentsIfAny()?.state.withLock { $0.observed }
    _ = (observed as? any UnreadValue)?.isStillAwaited()
  }
}
