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
@usableFromInline final class Ahead<Element: Sendable>: Sendable {
  private let place: Mutex<(chunk: Chunk<Element>, index: Int)>

  @usableFromInline init(_ chunk: Chunk<Element>, _ index: Int) { place = Mutex((chunk, index)) }

  /// Goes on to where it is now known to be.
  @usableFromInline @discardableResult func follow() -> (chunk: Chunk<Element>, index: Int) {
    let old = place.withLock { $0 }
    let new = skipKnown(old.chunk, old.index)
    // What lies before is kept by `old` until the end of this function: nothing is destroyed under the lock.
    if new.chunk !== old.chunk {
      place.withLock { if new.chunk.start > $0.chunk.start { $0 = new } }
      withExtendedLifetime(old) {}
    }
    return new
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
