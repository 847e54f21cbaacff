import Synchronization

/// Where a stream begins.
@usableFromInline enum Place<Element: Sendable>: Sendable {
  /// In a chunk, or right after it.
  case at(Chunk<Element>, Int)
  /// Among elements that nobody has computed yet.
  case ahead(Ahead<Element>)

  @inlinable init(_ chunk: Chunk<Element>, _ index: Int) {
    self = index <= chunk.capacity ? .at(chunk, index) : chunk.place(ahead: index)
  }

  /// The chunk and the index in it, as far ahead as is known.
  @inlinable var known: (chunk: Chunk<Element>, index: Int) {
    switch self {
    case .at(let chunk, let index): skipKnown(chunk, index)
    case .ahead(let ahead): ahead.known
    }
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
