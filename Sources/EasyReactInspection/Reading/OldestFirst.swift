/// What waits, in the order in which it came.
struct OldestFirst<Element: Sendable>: Sendable {
  /// Those that were taken from the front stay until they are half of all, so taking one costs O(1).
  private var all: [Element] = [], taken = 0

  var isEmpty: Bool { taken == all.count }
  var last: Element? { all.last }

  mutating func append(_ element: Element) { all.append(element) }

  mutating func takeFirst(_ count: Int = 1) -> ArraySlice<Element> {
    let first = all[taken...].prefix(count)
    taken += first.count
    if taken * 2 > all.count { (all, taken) = (Array(all[taken...]), 0) }
    return first
  }

  /// - Complexity: O(1) if it is the first of all, else O(n).
  mutating func takeFirst(where isIt: (Element) -> Bool) -> Element? {
    guard let place = all[taken...].firstIndex(where: isIt) else { return nil }
    return place == taken ? takeFirst().first : all.remove(at: place)
  }

  mutating func removeAll(where isIt: (Element) -> Bool) {
    (all, taken) = (all[taken...].filter { !isIt($0) }, 0)
  }
}
