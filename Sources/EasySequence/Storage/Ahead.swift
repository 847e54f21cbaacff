import Synchronization

// Places beyond the known elements: the tail of a stream can be made long before its elements are computed, and held
// long after. It must not keep what lies before it, so it holds the last chunk there is, until its own is there. Whoever
// appends a chunk takes along those that wait: all tails of a stream by one object, their *frontier*.

/// A place that lay beyond the known elements when it was made.
@usableFromInline final class Ahead<Element: Sendable>: Sendable {
  /// Counted from the start of the stream.
  private let position: Int
  private let frontier: Frontier<Element>
  /// The one in which it lies, or right after it, once it is there.
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

  /// Right after a chunk is the beginning of the next one.
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
      state.waiting[start]?.shrinkIfSparse()
      if state.waiting[start]?.isEmpty == true { state.waiting[start] = nil }
      state.waiting.shrinkIfSparse()
    }
  }

  /// Those whose chunk this is get it. Returns what the caller gives up when it holds no lock.
  func move(to next: Chunk<Element>) -> (before: Chunk<Element>, arrived: [Ahead<Element>]) {
    state.withLock { state in
      let arrived = state.waiting.removeValue(forKey: next.start)?.values.compactMap(\.ahead) ?? []
      state.waiting.shrinkIfSparse()
      for ahead in arrived { ahead.settle(in: next) }
      defer { state.last = next }
      return (state.last, arrived)
    }
  }
}

extension Dictionary {
  /// A table keeps the room of its peak: it gives it back when most of it is empty, as seldom as it grows.
  fileprivate mutating func shrinkIfSparse() {
    if capacity > 8 * count + 64 { self = Dictionary(uniqueKeysWithValues: Array(self)) }
  }
}

/// How a chunk knows its frontier: made with the first place that waits, and handed on from then on, so that streams without
/// one pay a look at a word for each chunk.
private final class Waiters<Element: Sendable>: Sendable {
  private struct State {
    weak var frontier: Frontier<Element>?
  }
  private let state = Mutex(State())

  /// Nil: the chunk has given this up meanwhile.
  func ahead(_ position: Int, from chunk: Chunk<Element>) -> Ahead<Element>? {
    state.withLock { state in
      if chunk.waiters.load(ordering: .relaxed) == handedOn { return nil }
      let frontier = state.frontier ?? Frontier(chunk)
      state.frontier = frontier
      return Ahead(position, frontier)
    }
  }

  func move(from chunk: Chunk<Element>, to next: Chunk<Element>) {
    let givenUp = state.withLock { state in
      next.waiters.store(chunk.waiters.load(ordering: .relaxed), ordering: .relaxed)
      let frontier = state.frontier
      defer { chunk.waiters.store(handedOn, ordering: .releasing) }
      return (frontier, frontier?.move(to: next))
    }
    withExtendedLifetime(givenUp) {}
  }
}

/// In place of a pointer in `Chunk.waiters`: another chunk follows.
private let handedOn: UInt = 1

extension Chunk {
  /// The place that lies so far from the beginning of this chunk, beyond what is known.
  @usableFromInline func place(ahead index: Int) -> Place<Element> {
    var (chunk, index) = skipKnown(self, index)
    while index > chunk.capacity {
      let position = chunk.start.addingReportingOverflow(index)
      if let ahead = chunk.ahead(position.overflow ? .max : position.partialValue) {
        return .ahead(ahead)
      }
      (chunk, index) = (chunk.next.unsafelyUnwrapped, index - chunk.capacity)
    }
    return .at(chunk, index)
  }

  /// Nil: another chunk follows.
  private func ahead(_ position: Int) -> Ahead<Element>? {
    var bits = waiters.load(ordering: .acquiring)
    if bits == 0 {
      let made = Unmanaged.passRetained(Waiters<Element>())
      let new = UInt(bitPattern: made.toOpaque())
      let (isFirst, present) = waiters.compareExchange(
        expected: 0, desired: new, ordering: .acquiringAndReleasing)
      if !isFirst { made.release() }
      bits = isFirst ? new : present
    }
    return waiters(bits)?._withUnsafeGuaranteedRef { $0.ahead(position, from: self) }
  }

  /// It belongs to the last chunk of the stream, which whoever holds this one keeps.
  private func waiters(_ bits: UInt) -> Unmanaged<Waiters<Element>>? {
    bits <= handedOn ? nil : .fromOpaque(UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped)
  }

  /// Another chunk follows; those that wait go on to it. By whoever has the claim.
  func moveWaiters(to next: Chunk) {
    let (isDone, bits) = waiters.compareExchange(
      expected: 0, desired: handedOn, ordering: .acquiringAndReleasing)
    if !isDone { waiters(bits)?._withUnsafeGuaranteedRef { $0.move(from: self, to: next) } }
  }

  func freeWaiters() { waiters(waiters.load(ordering: .acquiring))?.release() }
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
