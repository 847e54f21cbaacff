import Synchronization

/// Walks streams one after the other.
///
/// Concatenations of concatenations are flattened into one list when they are walked: the first one is opened before it
/// is walked, and the one that is walked hands over what it has left as soon as nobody else holds it. So neither `((a + b) + c) + …` nor `a + (b + (c + …))` is deep.
@usableFromInline final class Concatenation<Element: Sendable> {
  @usableFromInline enum Part {
    case stream(LazyStream<Element>)
    /// A single element, not computed yet.
    case element(() -> Element?)
    /// A stream, not made yet.
    case deferred(() -> LazyStream<Element>)
  }

  /// What is to be walked, the next one last.
  @usableFromInline var parts: [Part]
  @usableFromInline var cursor: Cursor<Element>?
  var isCut = false

  @usableFromInline init(_ parts: [Part]) { self.parts = parts.reversed() }

  @usableFromInline func next() -> Element? {
    while true {
      if let taken = cursor?.takeConcatenation() {
        parts.append(contentsOf: taken.parts)
        cursor = taken.cursor
        continue
      }
      if let element = cursor?.next() { return element }
      if isCut { stopAtCut() }
      cursor = nil
      guard let part = parts.popLast() else { return nil }
      switch consume part {
      case .element(let body): if let element = body() { return element }
      case .deferred(let body): parts.append(.stream(body()))
      case .stream(let stream): open(consume stream)
      }
    }
  }

  /// Takes over what a stream that is walked next has left, or walks it.
  private func open(_ stream: consuming LazyStream<Element>) {
    let cursor = Cursor(stream)
    if let inner = cursor.unopened() {
      parts.append(contentsOf: inner)
    } else {
      self.cursor = cursor
    }
  }

  /// Ends a recursive definition: see `Anchor`.
  func cut() {
    isCut = true
    parts = []
    release(&cursor)
  }

  private func stopAtCut() -> Never {
    fatalError(
      "EasySequence: a stream is read after the recursive definition that it is part of has gone. "
        + "Keep what LazyStream.recursive returns for as long as anything made inside of it is read."
    )
  }
}

extension Cursor {
  /// The parts of a concatenation that nobody has started to walk. It stays as it is: others may hold it.
  fileprivate func unopened() -> [Concatenation<Element>.Part]? {
    guard handle == nil, index == 0, chunk.take(beyond: 0) else { return nil }
    defer { chunk.leave() }
    guard chunk.isOpen(beyond: 0), let inner = chunk.engine?.concatenation, inner.cursor == nil,
      inner.parts.allSatisfy(\.isStream)
    else { return nil }
    return inner.parts
  }

  /// The concatenation that only this cursor holds and that has no known elements ahead.
  fileprivate func takeConcatenation() -> Concatenation<Element>? {
    let known = chunk.count.load(ordering: .acquiring)
    guard engine == nil, handle == nil, index == known, isKnownUniquelyReferenced(&chunk),
      chunk.engine?.concatenation != nil, takeOver(known)
    else { return nil }
    return engine?.concatenation
  }
}

extension Concatenation.Part {
  /// Streams may be walked by several; what is computed belongs to one.
  fileprivate var isStream: Bool {
    if case .stream = self { true } else { false }
  }
}
