import Synchronization

// Places behind the known elements: the tail of a stream can be made long before its elements are computed, and held
// long after. It must not keep what lies before it, so it holds the last chunk there is, until its own is there. Who
// appends a chunk takes those along that wait: all tails of a stream by one object, their *frontier*.

/// A place that lay behind the known elements when it was made.
@usableFromInline final class Ahead<Element: Sendable>: Sendable {
  /// Counted from the start of the stream.
  private let position: Int
  private let frontier: Frontier<Element>
  /// The one in which it lies, or right behind, once it is there.
  private let chunk = Mutex<Chunk<Element>?>(nil)

  fileprivate init(_ position: Int, _ frontier: Frontier<Element>) {
    (self.position, self.frontier) = (position, frontier)
    frontier.add(self, at: own)
  }

  deinit { frontier.remove(ObjectIdentifier(self), at: own) }

  /// Where its chunk begins.
  private var own: Int { startOfChunk(with: position - 1) }

  fileprivate func settle(in own: Chunk<Element>) { chunk.withLock { $0 = own } }

  /// The chunk and the index in it, as far ahead as is known.
  @usableFromInline var known: (chunk: Chunk<Element>, index: Int) {
    while true {
      if let own = chunk.withLock({ $0 }) { return goOn(from: own) }
      let last = frontier.last
      // Its own chunk came between the two looks, so it is there now.
      if last.start > own { continue }
      return skipKnown(last, position - last.start)
    }
  }

  /// Right behind a chunk is the beginning of the next one.
  private func goOn(from own: Chunk<Element>) -> (chunk: Chunk<Element>, index: Int) {
    let place = skipKnown(own, position - own.start)
    // What lies before is kept by `own` until the end of this function: nothing is destroyed under the lock.
    if place.chunk !== own { settle(in: place.chunk) }
    return withExtendedLifetime(own) { place }
  }
}

/// The last chunk of a stream, for all that wait for chunks to come. It lives as long as one of them; the chunk knows it
/// weakly.
@usableFromInline final class Frontier<Element: Sendable>: Sendable {
  private struct Weak {
    weak var ahead: Ahead<Element>?
  }
  private struct State {
    var last: Chunk<Element>
    /// By the start of the chunk that they wait for.
    var waiting: [Int: [ObjectIdentifier: Weak]] = [:]
  }
  private let state: Mutex<State>

  fileprivate init(_ last: Chunk<Element>) { state = Mutex(State(last: last)) }

  fileprivate var last: Chunk<Element> { state.withLock { $0.last } }

  fileprivate func add(_ ahead: Ahead<Element>, at start: Int) {
    state.withLock { $0.waiting[start, default: [:]][ObjectIdentifier(ahead)] = Weak(ahead: ahead) }
  }

  fileprivate func remove(_ ahead: ObjectIdentifier, at start: Int) {
    state.withLock { state in
      state.waiting[start]?[ahead] = nil
      if state.waiting[start]?.isEmpty == true { state.waiting[start] = nil }
    }
  }

  /// Those whose chunk this is have it. Returns what the caller gives up when it holds no lock.
  func move(to next: Chunk<Element>) -> (before: Chunk<Element>, arrived: [Ahead<Element>]) {
    state.withLock { state in
      let arrived = state.waiting.removeValue(forKey: next.start)?.values.compactMap(\.ahead) ?? []
      for ahead in arrived { ahead.settle(in: next) }
      defer { state.last = next }
      return (state.last, arrived)
    }
  }
}

extension Chunk {
  /// The place that lies so far from the beginning of this chunk, behind what is known.
  @usableFromInline func place(ahead index: Int) -> Place<Element> {
    var (chunk, index) = (self, index)
    while true {
      (chunk, index) = skipKnown(chunk, index)
      if index <= chunk.capacity { return .at(chunk, index) }
      let position = chunk.start.addingReportingOverflow(index)
      if let ahead = chunk.wait(for: position.overflow ? .max : position.partialValue) {
        return .ahead(ahead)
      }
    }
  }

  /// Nil: it is not the last chunk any more.
  private func wait(for position: Int) -> Ahead<Element>? {
    let new = Frontier(self)
    return frontier.withLock { mine in
      if state.load(ordering: .acquiring) == .linked { return nil }
      let frontier = mine.frontier ?? new
      mine.frontier = frontier
      return Ahead(position, frontier)
    }
  }

  /// Another chunk follows; those that wait go on to it. By who has the claim.
  func link(to next: Chunk) {
    let givenUp = frontier.withLock { mine in
      let frontier = mine.frontier
      if let frontier { next.frontier.withLock { $0.frontier = frontier } }
      defer { state.store(.linked, ordering: .releasing) }
      return (frontier, frontier?.move(to: next))
    }
    withExtendedLifetime(givenUp) {}
  }
}

/// What a chunk knows of those who wait for chunks behind it.
@usableFromInline struct WeakFrontier<Element: Sendable>: Sendable {
  weak var frontier: Frontier<Element>?
}

/// The chunks of every stream begin at the same places.
private func startOfChunk(with position: Int) -> Int {
  let (smallest, largest) = (Chunk<Never>.firstCapacity, Chunk<Never>.largestCapacity)
  var (start, capacity) = (0, smallest)
  while capacity < largest {
    if position < start + capacity { return start }
    start += capacity
    capacity = min(2 * capacity, largest)
  }
  return start + (position - start) / largest * largest
}
