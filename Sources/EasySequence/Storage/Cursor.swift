import Synchronization

/// Walks a stream for the one operator that owns it.
///
/// It reads what is known. At the end of that it looks whether it is the only one that holds the rest: then nobody can
/// ever read what would be stored, so it takes the engine over and pulls without storing. That is how a chain of
/// operators runs as one loop, with only its last stage stored.
@usableFromInline final class Cursor<Element: Sendable> {
  /// The engine that was taken over.
  @exclusivity(unchecked) @usableFromInline var engine: Engine<Element>? {
    didSet { borrowed = engine.map { .passUnretained($0) } }
  }
  /// The same, for calls that need not retain it: `engine` changes only when it is taken and at the end.
  @exclusivity(unchecked) @usableFromInline var borrowed: Unmanaged<Engine<Element>>?
  /// What is being read otherwise.
  @exclusivity(unchecked) @usableFromInline var chunk: Chunk<Element>
  @exclusivity(unchecked) @usableFromInline var index: Int
  /// Who is told, and what must live; a name alone is left behind.
  @usableFromInline let handle: Handle?
  /// Where the walk begins, as long as that lies beyond the known elements.
  @exclusivity(unchecked) @usableFromInline var ahead: Ahead<Element>?

  @inlinable init(_ stream: LazyStream<Element>) {
    handle = stream.handle?.isName == true ? nil : stream.handle
    switch stream.place {
    case .at(let chunk, let index): (self.chunk, self.index) = (chunk, index)
    case .ahead(let ahead):
      // The chunk is asked for when the walk begins: whether others hold it is told then.
      (chunk, index) = (Chunk(capacity: 0, engine: nil), 0)
      self.ahead = ahead
    }
  }

  deinit {
    if engine != nil { release(&engine) }
  }

  /// The next element; nil at the end.
  @inlinable @inline(__always) func next() -> Element? {
    if let borrowed { return borrowed._withUnsafeGuaranteedRef { pull($0) } }
    return read()
  }

  @inlinable @inline(__always) func pull(_ engine: Engine<Element>) -> Element? {
    withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { buffer in
      let slot = buffer.baseAddress.unsafelyUnwrapped
      return engine.pull(slot) ? slot.move() : nil
    }
  }

  @inlinable @inline(never) func read() -> Element? {
    var isNew = false
    if ahead != nil { begin() }
    while true {
      let known = chunk.count.load(ordering: .acquiring)
      if index < known {
        let element = chunk.slots[index]
        if !isNew { handle?.observer?(.read(chunk.start + index)) }
        index += 1
        ahead = nil
        return element
      }
      switch chunk.state.load(ordering: .acquiring) {
      case .over where chunk.count.load(ordering: .acquiring) == known: return nil
      case .linked where index >= chunk.capacity: step()
      case .open:
        if takeOver(known) { return next() }
        isNew = true
        if let observer = handle?.observer {
          chunk.advance(from: known, tellingTo: observer)
        } else {
          chunk.advance(from: known)
        }
      default: continue
      }
    }
  }

  @inlinable func step() {
    index -= chunk.capacity
    chunk = chunk.next.unsafelyUnwrapped
  }

  /// Begins at a place beyond the known elements, which others may hold as well.
  @usableFromInline func begin() {
    if chunk.capacity == 0, let place = ahead?.known { (chunk, index) = place }
    if isKnownUniquelyReferenced(&ahead) { ahead = nil }
  }

  /// Takes the engine of a stream that nobody else holds, and skips what the position skips.
  @inlinable func takeOver(_ known: Int) -> Bool {
    // The claim is read for its order only: what its last holder wrote is seen here.
    guard handle == nil, isKnownUniquelyReferenced(&chunk),
      chunk.claim.load(ordering: .acquiring) == 0, let taken = chunk.engine
    else { return false }
    chunk.engine = nil
    chunk.state.store(.over, ordering: .relaxed)
    var skipped = known
    while skipped < index {
      if pull(taken) == nil {
        engine = taken
        release(&engine)
        return false
      }
      skipped += 1
    }
    engine = taken
    return true
  }
}
