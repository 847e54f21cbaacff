import EasyReact

/// When a piece of work is due: by time, then by its place among what is due at that time, then by
/// scheduling.
struct Work {
  /// Marble tests have a say before and after everything else of an instant.
  enum Place: Int { case cancelling, input, usual, lateCancelling }

  let due: Duration
  let place: Place
  let number: UInt64

  func precedes(_ other: Work) -> Bool {
    if due != other.due { return due < other.due }
    if place != other.place { return place.rawValue < other.place.rawValue }
    return number < other.number
  }
}

/// A binary heap: Williams, "Algorithm 232: Heapsort", CACM 7 (1964).
struct WorkHeap {
  fileprivate var items: [Work] = []

  var first: Work? { items.first }
  var count: Int { items.count }

  /// What is sorted is a heap.
  func filter(_ isKept: (Work) -> Bool) -> WorkHeap {
    WorkHeap(items: items.filter(isKept).sorted { $0.precedes($1) })
  }

  mutating func shrinkIfSparse() { items.shrinkIfSparse() }

  mutating func push(_ work: Work) {
    items.append(work)
    var index = items.count - 1
    while index > 0, items[index].precedes(items[(index - 1) / 2]) {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func pop() -> Work {
    items.swapAt(0, items.count - 1)
    let first = items.removeLast()
    var index = 0
    while true {
      var child = 2 * index + 1
      if child >= items.count { break }
      if child + 1 < items.count, items[child + 1].precedes(items[child]) { child += 1 }
      if !items[child].precedes(items[index]) { break }
      items.swapAt(child, index)
      index = child
    }
    return first
  }
}
