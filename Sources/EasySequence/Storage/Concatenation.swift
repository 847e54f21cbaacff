import Synchronization

/// Walks streams one after the other.
///
/// Concatenations of concatenations are flattened while they are walked: where the one that is walked has nothing known
/// left, the outer one takes over what it still has to walk, for itself if nobody else holds it, otherwise as a copy that
/// both walk. So neither `((a + b) + c) + …` nor `a + (b + (c + …))` is deep, whoever holds and has read whatever part.
@usableFromInline final class Concatenation<Element: Sendable> {
  @usableFromInline enum Part {
    case stream(LazyStream<Element>)
    /// A single element, not computed yet.
    case element(() -> Element?)
    /// A stream, not made yet.
    case deferred(() -> LazyStream<Element>)
  }

  @usableFromInline var queue: PartQueue<Element>
  @usableFromInline var cursor: Cursor<Element>?
  /// Of a stream that is defined by itself.
  @usableFromInline let definition: Definition?

  @inlinable init(_ parts: [Part], _ definition: Definition? = nil) {
    queue = PartQueue(parts)
    self.definition = definition
  }

  @inlinable func next() -> Element? {
    guard let definition else { return walk() }
    if !definition.begin() { stopAtCut() }
    let element = walk()
    if definition.leave() { free() }
    return element
  }

  @inlinable func walk() -> Element? {
    while true {
      if cursor?.concatenates == true, flatten() { continue }
      if let element = cursor?.next() { return element }
      cursor = nil
      guard let part = queue.popFirst() else { return nil }
      switch consume part {
      case .element(let body): if let element = body() { return element }
      case .deferred(let body): cursor = Cursor(body())
      case .stream(let stream): cursor = Cursor(consume stream)
      }
    }
  }

  /// Walks on with what the concatenation that is walked has left; false if it has to be read.
  @usableFromInline func flatten() -> Bool {
    if let taken = cursor?.takeConcatenation() {
      queue.prepend(&taken.queue)
      cursor = taken.cursor
    } else if var shared = cursor?.sharedParts() {
      queue.prepend(&shared)
      cursor = nil
    } else {
      return false
    }
    return true
  }

  /// What is left to be walked, for a second walk; nil if some of it is computed by closures that must run once.
  fileprivate var shared: PartQueue<Element>? {
    guard cursor?.engine == nil, queue.areStreams else { return nil }
    var parts = queue
    if let cursor {
      var first = PartQueue([.stream(cursor.rest)])
      parts.prepend(&first)
    }
    return parts
  }

  /// Ends a definition by itself: see `Anchor`. Any thread may call it.
  @usableFromInline func cut() {
    if definition?.end() == true { free() }
  }

  /// Nobody walks any more.
  @usableFromInline func free() {
    // A part may be a stream that is defined by itself, whose end frees its own: not inside of this one.
    var parts: Box<PartQueue<Element>>? = Box(queue)
    queue = PartQueue([])
    release(&parts)
    release(&cursor)
  }

  @usableFromInline func stopAtCut() -> Never {
    fatalError(
      "EasySequence: a stream is read after the recursive definition that it is part of has gone. "
        + "Keep what LazyStream.recursive returns for as long as anything made inside of it is read."
    )
  }
}

/// Parts in the order in which they are walked. Joining two costs as much as the shorter one has parts.
@usableFromInline struct PartQueue<Element: Sendable> {
  @usableFromInline typealias Part = Concatenation<Element>.Part
  /// The first ones, the next one last.
  @usableFromInline var first: [Part]
  /// Those after them, in order.
  @usableFromInline var later: [Part] = []
  @usableFromInline var closures: Int

  @inlinable init(_ parts: [Part]) {
    first = parts.reversed()
    closures = parts.count { !$0.isStream }
  }

  private var count: Int { first.count + later.count }
  /// Whether all parts are streams, which may be walked by several; a closure belongs to one walk.
  var areStreams: Bool { closures == 0 }

  @inlinable mutating func popFirst() -> Part? {
    if first.isEmpty {
      first = later.reversed()
      later = []
    }
    let part = first.popLast()
    if part?.isStream == false { closures -= 1 }
    return part
  }

  /// Puts another queue before this one, and empties it.
  mutating func prepend(_ other: inout PartQueue) {
    var other = take(&other)
    if other.count < count {
      first.append(contentsOf: other.later.reversed())
      first.append(contentsOf: other.first)
    } else {
      swap(&self, &other)
      later.append(contentsOf: other.first.reversed())
      later.append(contentsOf: other.later)
    }
    closures += other.closures
  }

  /// Moves a queue, so that its memory has one owner.
  private func take(_ queue: inout PartQueue) -> PartQueue {
    var taken = PartQueue([])
    swap(&taken, &queue)
    return taken
  }
}

extension Cursor {
  /// Whether what is walked here may be flattened: it concatenates, and all that is known of it has been read.
  @inlinable var concatenates: Bool {
    chunk.concatenates && engine == nil && handle == nil && ahead == nil
      && index == chunk.count.load(ordering: .acquiring)
      && chunk.state.load(ordering: .acquiring) == .open
  }

  /// The concatenation that only this cursor holds.
  fileprivate func takeConcatenation() -> Concatenation<Element>? {
    guard isKnownUniquelyReferenced(&chunk), takeOver(index) else { return nil }
    return engine?.concatenation
  }

  /// What a concatenation that others hold too has left to walk.
  fileprivate func sharedParts() -> PartQueue<Element>? {
    guard chunk.take(beyond: index) else { return nil }
    defer { chunk.leave() }
    return chunk.isOpen(beyond: index) ? chunk.engine?.concatenation?.shared : nil
  }

  /// The stream of what this cursor has not walked.
  fileprivate var rest: LazyStream<Element> {
    if let ahead { return LazyStream(place: .ahead(ahead), handle: handle) }
    return LazyStream(place: Place(chunk, index), handle: handle)
  }
}

extension Concatenation.Part {
  @inlinable var isStream: Bool {
    if case .stream = self { true } else { false }
  }
}
