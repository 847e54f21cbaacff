import Synchronization

/// A value that has changed since it was read.
package protocol UnreadValue: AnyObject {
  /// Nobody has read it since. The second time in a row it ends, and false is returned.
  @MainActor func isStillAwaited() -> Bool
}

/// The observed values that changed and have not been read since: after a second or two they are not listened
/// to any more. One timer for all, which runs only while there are some.
@MainActor package final class UnreadValues {
  static let shared = UnreadValues(on: .main)

  private struct Entry { weak var value: (any UnreadValue)? }
  private var entries: [Entry] = []
  private let scheduler: any NodeScheduler

  /// - Parameter scheduler: The main actor's; in tests one whose time is virtual.
  package init(on scheduler: some NodeScheduler) { self.scheduler = scheduler }

  package func add(_ value: any UnreadValue) { add([Entry(value: value)]) }

  private func add(_ more: [Entry]) {
    let hasTimer = !entries.isEmpty
    entries += more
    if hasTimer || more.isEmpty { return }
    scheduler.schedule(after: .seconds(1)) { MainActor.assumeIsolated { self.look() } }
  }

  private func look() {
    let looked = entries
    entries = []
    // What ends here may change others, which come in meanwhile: deinits are user code.
    add(looked.filter { $0.value?.isStillAwaited() ?? false })
  }
}

extension AnyNode {
  /// For tests: what the timer does, for this node alone.
  @MainActor package final func lookWhetherItIsRead() {
    let observed = storage.attachmentsIfAny()?.state.withLock { $0.observed }
    _ = (observed as? any UnreadValue)?.isStillAwaited()
  }
}
