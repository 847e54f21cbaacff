// Swift's dictionaries, sets and arrays keep the room of their peak, and a walk of a set passes all its empty places. One that
// lives as long as a node gives room back when most of it is empty: as seldom as it grows, so an element still costs O(1).

private func isSparse(_ capacity: Int, _ count: Int) -> Bool { capacity > 8 * count + 64 }

extension Set {
  mutating func shrinkIfSparse() {
    if isSparse(capacity, count) { self = Set(Array(self)) }
  }
}

extension Dictionary {
  /// True: it has less room now.
  @discardableResult package mutating func shrinkIfSparse() -> Bool {
    if !isSparse(capacity, count) { return false }
    self = Dictionary(uniqueKeysWithValues: Array(self))
    return true
  }
}

extension Array {
  package mutating func shrinkIfSparse() {
    if isSparse(capacity, count) { self = map { $0 } }
  }
}
