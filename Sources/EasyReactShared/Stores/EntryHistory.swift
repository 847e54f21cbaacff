import DequeModule

/// What a store keeps of each key: its newest entries, the oldest first.
typealias EntryHistory = [String: Deque<StoreEntry>]

extension EntryHistory {
  /// - Complexity: O(1). In place, for a history that is copied costs each write its length.
  mutating func keep(_ entry: StoreEntry, atMost limit: Int) {
    self[entry.key, default: []].append(entry)
    while self[entry.key]!.count > limit { self[entry.key]!.removeFirst() }
  }

  /// What a watcher of the key is told to begin with.
  /// - Parameter revision: Nil: the newest one. Else all after it.
  /// - Complexity: O(log n), and what it returns.
  func entries(of key: String, after revision: UInt64?) -> Deque<StoreEntry> {
    let entries = self[key] ?? []
    guard let revision else { return Deque(entries.suffix(1)) }
    return Deque(entries[entries.firstPlace(after: revision)...])
  }
}

extension Deque<StoreEntry> {
  /// By binary search: revisions only grow.
  fileprivate func firstPlace(after revision: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].revision > revision { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
