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
  func entries(of key: String, after revision: UInt64?) -> Deque<StoreEntry> {
    let entries = self[key] ?? []
    guard let revision else { return Deque(entries.suffix(1)) }
    return entries.filter { $0.revision > revision }
  }
}
