import Synchronization

/// Where a stream begins.
@usableFromInline enum Place<Element: Sendable>: Sendable {
  /// In a chunk, or right behind it.
  case at(Chunk<Element>, Int)
  /// Among elements that nobody has computed yet.
  case ahead(Ahead<Element>)

  @inlinable init(_ chunk: Chunk<Element>, _ index: Int) {
    self = index <= chunk.capacity ? .at(chunk, index) : .ahead(Ahead(chunk, index))
  }

  /// The chunk and the index in it, as far ahead as is known.
  @inlinable var known: (chunk: Chunk<Element>, index: Int) {
    switch self {
    case .at(let chunk, let index): skipKnown(chunk, index)
    case .ahead(let ahead): ahead.follow()
    }
  }
}

/// A place behind the known elements. It follows them, so that it does not keep what lies before it: the tail of a
/// stream can be made long before its elements are computed, and held long after.
@usableFromInline final class Ahead<Element: Sendable>: @unchecked Sendable {
  // Unchecked: the two are protected by `isBusy`, which is held for a few instructions and never while anything is
  // released. A `Mutex` would do as well, but ThreadSanitizer reports it when it is contended.
  private var chunk: Chunk<Element>
  private var index: Int
  private let isBusy = Atomic(false)

  @usableFromInline init(_ chunk: Chunk<Element>, _ index: Int) {
    self.chunk = chunk
    self.index = index
  }

  /// Goes on to where it is now known to be.
  @usableFromInline @discardableResult func follow() -> (chunk: Chunk<Element>, index: Int) {
    let old = exclusively { (chunk, index) }
    let new = skipKnown(old.0, old.1)
    // What lies before is destroyed at the end of this function, outside of the lock.
    if new.chunk !== old.0 { exclusively { move(to: new) } }
    return new
  }

  private func move(to place: (chunk: Chunk<Element>, index: Int)) {
    if place.chunk.start > chunk.start { (chunk, index) = place }
  }

  private func exclusively<Result>(_ body: () -> Result) -> Result {
    while !isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged {
      yieldThread()
    }
    defer { isBusy.store(false, ordering: .releasing) }
    return body()
  }
}

/// The same place, counted from the last chunk before it that exists.
@inlinable func skipKnown<Element>(
  _ chunk: Chunk<Element>, _ index: Int
) -> (chunk: Chunk<Element>, index: Int) {
  var (chunk, index) = (chunk, index)
  while index >= chunk.capacity, chunk.state.load(ordering: .acquiring) == .linked,
    let next = chunk.next
  {
    index -= chunk.capacity
    chunk = next
  }
  return (chunk, index)
}
