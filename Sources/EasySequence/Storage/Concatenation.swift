import Synchronization

/// Walks streams one after the other.
///
/// Concatenations of concatenations are flattened while they are walked: if the one that is walked has nothing known
/// left, the outer one takes over what it still has to walk, for itself if nobody else holds it, otherwise as a copy that
/// both walk. So neither `((a + b) + c) + …` nor `a + (b + (c + …))` is deep, no matter who holds or has read which part.
/// All those that are found one in the other are flattened at once, from the inside, and share their parts, so it is not
/// slow either, in whatever order they are read.
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
    } else if var shared = cursor?.front.sharedParts() {
      queue.prepend(&shared)
      cursor = nil
    } else {
      return false
    }
    return true
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

// MARK: - Sharing

/// Where a walk has come to in a stream that concatenates, with nothing known left.
@usableFromInline struct Front<Element: Sendable> {
  private let chunk: Chunk<Element>
  private let index: Int

  fileprivate init(_ chunk: Chunk<Element>, _ index: Int) {
    (self.chunk, self.index) = (chunk, index)
  }

  fileprivate static func == (one: Front, other: Front) -> Bool {
    one.chunk === other.chunk && one.index == other.index
  }

  private enum Found {
    /// Another one comes first.
    case front(Front)
    case parts(PartQueue<Element>)
  }

  /// What this one has left to walk, without concatenations in front; nil if it has to be read.
  ///
  /// Those that are found on the way, each at the front of the one before, learn it as well, from the innermost outwards:
  /// whoever walks one of them later finds it flat. Each is looked at under its own claim, and under no other of them.
  fileprivate func sharedParts() -> PartQueue<Element>? {
    var (inner, outer) = (self, [Front]())
    var found = look()
    while case .front(let front) = found {
      outer.append(inner)
      inner = front
      found = front.look()
    }
    var parts: PartQueue<Element>? = if case .parts(let parts) = found { parts } else { nil }
    while let next = outer.popLast() {
      parts = next.learn(parts, of: inner)
      inner = next
    }
    return parts
  }

  private func look() -> Found? {
    withConcatenation { one in
      guard one.isShared else { return nil }
      return one.front.map { .front($0) } ?? .parts(one.rest)
    }
  }

  /// Replaces what comes first by its parts, if it still comes first.
  private func learn(_ parts: PartQueue<Element>?, of front: Front) -> PartQueue<Element>? {
    withConcatenation { one in
      guard one.isShared else { return nil }
      if var parts, let first = one.front, first == front { one.replaceFront(with: &parts) }
      return one.rest
    }
  }

  /// Nil: it has gone on.
  private func withConcatenation<Result>(
    _ body: (Concatenation<Element>) -> Result?
  ) -> Result? {
    guard chunk.take(beyond: index) else { return nil }
    defer { chunk.leave() }
    return chunk.isOpen(beyond: index) ? chunk.engine?.concatenation.flatMap(body) : nil
  }
}

extension Concatenation {
  /// Whether a second walk may have what is left; not if some of it is computed by closures that must run once.
  fileprivate var isShared: Bool { cursor?.engine == nil && queue.areStreams }

  /// What is left to be walked, for a second walk.
  fileprivate var rest: PartQueue<Element> {
    var parts = queue
    if let cursor {
      var first = PartQueue([.stream(cursor.rest)])
      parts.prepend(&first)
    }
    return parts
  }

  /// What is walked next, if that concatenates.
  fileprivate var front: Front<Element>? {
    if let cursor { return cursor.concatenates ? cursor.front : nil }
    guard case .stream(let stream) = queue.next, stream.handle?.isName != false,
      case .at(let chunk, let index) = stream.place, chunk.concatenates,
      chunk.isOpen(beyond: index)
    else { return nil }
    return Front(chunk, index)
  }

  fileprivate func replaceFront(with parts: inout PartQueue<Element>) {
    if cursor == nil { _ = queue.popFirst() }
    cursor = nil
    queue.prepend(&parts)
  }
}

extension Cursor {
  /// Whether what is walked here may be flattened: it concatenates, and all that is known of it has been read.
  @inlinable var concatenates: Bool {
    chunk.concatenates && engine == nil && handle == nil && ahead == nil
      && chunk.isOpen(beyond: index)
  }

  fileprivate var front: Front<Element> { Front(chunk, index) }

  /// The concatenation that only this cursor holds.
  fileprivate func takeConcatenation() -> Concatenation<Element>? {
    guard isKnownUniquelyReferenced(&chunk), takeOver(index) else { return nil }
    return engine?.concatenation
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
