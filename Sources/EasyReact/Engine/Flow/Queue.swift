import DequeModule

/// First in, first out. Room of unusual size is given back as soon as nothing waits: a queue lives as long as its
/// node, and may have been long once.
@usableFromInline package struct Queue<Element> {
  @usableFromInline package var items = Deque<Element>()
  /// The most that have waited at a time since the room was last of the usual size.
  @usableFromInline var most = 0
  @inlinable static var usual: Int { 64 }

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { items.isEmpty }
  @inlinable package var count: Int { items.count }

  @inlinable package mutating func append(_ item: consuming Element) {
    items.append(item)
    if items.count > most { most = items.count }
  }

  package mutating func append(contentsOf more: [Element]) {
    items.append(contentsOf: more)
    most = max(most, items.count)
  }

  /// Nil: nothing waits.
  @inlinable package mutating func popFirst() -> Element? {
    if items.isEmpty { return nil }
    return removeFirst()
  }

  /// Removes what was appended last. Nil: nothing waits.
  package mutating func popLast() -> Element? { items.popLast() }

  /// Precondition: something waits.
  @inlinable package mutating func removeFirst() -> Element {
    let item = items.removeFirst()
    if most > Self.usual, items.isEmpty { giveRoomBack() }
    return item
  }

  @inlinable @inline(never) mutating func giveRoomBack() { self = Queue() }
}

extension Queue: Sendable where Element: Sendable {}
