import Synchronization

/// A sequence whose elements are computed when they are asked for, in order, each at most once.
///
///     let squares = LazyStream(1...).map { print("squaring"); return $0 * $0 }
///     squares.head                    // squaring, 1
///     squares.head                    // 1: known
///     Array(squares.prefix(3))        // squaring, squaring, [1, 4, 9]
///
/// A stream is a value that can be shared: all its copies, tails and the streams made of it read the same stored
/// elements. Asking for k elements runs no closure for k + 1. Any thread may read; a closure runs on the thread that
/// asks first, without a lock held, and others wait for that element only. A closure that asks for the element that it
/// computes stops with a message.
///
/// What is held decides what is stored: walking from a stream that nobody keeps stores nothing behind the walk, and of
/// a chain of operators only the last stage is stored, unless somebody holds another. Infinite streams are usual; an
/// operation that needs the end of one does not return.
///
/// Known as `RACSequence` in ReactiveCocoa, `LazyList` in Scala, a list in Haskell. Swift's own `lazy` views run their
/// closures again in each pass.
public struct LazyStream<Element: Sendable>: Sequence, Sendable {
  @usableFromInline let place: Place<Element>
  @usableFromInline let handle: Handle?

  @inlinable init(place: Place<Element>, handle: Handle?) {
    self.place = place
    self.handle = handle
  }

  @inlinable init(engine: Engine<Element>?, handle: Handle? = nil) {
    let capacity = engine == nil ? 0 : Chunk<Element>.firstCapacity
    self.init(place: .at(Chunk(capacity: capacity, engine: engine), 0), handle: handle)
  }

  /// A stream of what `next` returns, up to the first nil. It is called once per element, never after nil.
  @inlinable @inline(__always) init(handle: Handle? = nil, _ next: @escaping () -> Element?) {
    self.init(engine: Engine(next), handle: handle)
  }

  /// A stream whose elements come from a walk over this one.
  @inlinable @inline(__always) func derive<Result: Sendable>(
    _ operation: StaticString, _ makeNext: (Cursor<Element>) -> (() -> Result?)
  ) -> LazyStream<Result> {
    LazyStream<Result>(handle: derivedHandle(operation), makeNext(Cursor(self)))
  }

  @inlinable func derivedHandle(_ operation: StaticString) -> Handle? {
    handle == nil ? nil : named(after: operation)
  }

  @usableFromInline func named(after operation: StaticString) -> Handle? {
    handle?.name.map { Handle(name: "\($0).\(operation)") }
  }
}

// MARK: - Head and tail

extension LazyStream {
  /// The first element; nil if there is none. Computes it if nobody has.
  ///
  /// Known as `head` in RACSequence, `first` in collections.
  @inlinable public var head: Element? {
    var iterator = makeIterator()
    return iterator.next()
  }

  /// The stream without its first element; the tail of an empty stream is empty. Computes nothing.
  ///
  ///     let numbers = LazyStream(1...)
  ///     numbers.tail.tail.head          // 3
  ///
  /// The elements are shared, and still computed in order: the head of a tail is computed after the element before it.
  /// Holding a tail and not the stream frees what lies before, except for up to 32 elements, even if the tail was made before
  /// those were computed. O(1). Known as `tail` in RACSequence, where it may be nil.
  @inlinable public var tail: LazyStream { dropFirst(1) }

  /// The first element and the rest, or nil if the stream is empty.
  ///
  ///     var rest = stream
  ///     while let (element, tail) = rest.uncons() {
  ///       rest = tail                   // nothing before it is held
  ///     }
  @inlinable public func uncons() -> (head: Element, tail: LazyStream)? {
    head.map { ($0, tail) }
  }

  /// Whether there is no element. Computes the first one if nobody has.
  @inlinable public var isEmpty: Bool { head == nil }

  /// The stream without its first `count` elements; empty if there are no more. Computes nothing.
  ///
  /// The elements that are skipped are computed, in order, when one after them is asked for. O(1), except for a
  /// step for each 32 elements that are known already.
  /// Known as `skip:` in RACSequence.
  @inlinable public func dropFirst(_ count: Int = 1) -> LazyStream {
    if count < 0 { refuse(count, "dropFirst") }
    var (chunk, index) = place.known
    // No stream is that long, so what lies beyond all numbers lies beyond its end as well.
    index = index.addingReportingOverflow(count).overflow ? .max : index + count
    (chunk, index) = skipKnown(chunk, index)
    return LazyStream(place: Place(chunk, index), handle: handle)
  }

  /// The element at a position, counted from zero; nil if the stream is shorter. O(n).
  @inlinable public subscript(position: Int) -> Element? { dropFirst(position).head }
}

// MARK: - Sequence

extension LazyStream {
  /// Walks a stream. It holds the elements ahead of it that are known, and at most 32 behind.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var chunk: Chunk<Element>
    @usableFromInline var index: Int
    /// How many elements of the chunk may be read without looking.
    @usableFromInline var ready = 0
    @usableFromInline let handle: Handle?
    /// Where the walk begins, if that lies beyond the known elements and none has been asked for.
    @usableFromInline var ahead: Ahead<Element>?

    @inlinable init(_ stream: LazyStream) {
      handle = stream.handle
      switch stream.place {
      case .at(let chunk, let index): (self.chunk, self.index) = (chunk, index)
      case .ahead(let ahead):
        // The chunk is asked for when the walk begins: what others compute until then is not kept.
        (chunk, index) = (Chunk(capacity: 0, engine: nil), 0)
        self.ahead = ahead
      }
    }

    /// The next element; nil at the end.
    @inlinable @inline(__always) public mutating func next() -> Element? {
      if index >= ready, !find() { return nil }
      defer { index += 1 }
      return chunk.slots[index]
    }

    /// Sees to it that the element is known; false at the end.
    @inlinable @inline(never) mutating func find() -> Bool {
      if ahead != nil { begin() }
      var isNew = false
      while true {
        let known = chunk.count.load(ordering: .acquiring)
        if index < known {
          ready = handle?.observer == nil ? known : 0
          if !isNew { handle?.observer?(.read(chunk.start + index)) }
          return true
        }
        switch chunk.state.load(ordering: .acquiring) {
        case .over where chunk.count.load(ordering: .acquiring) == known: return false
        case .linked where index >= chunk.capacity:
          index -= chunk.capacity
          ready = 0
          chunk = chunk.next.unsafelyUnwrapped
        case .open:
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

    @usableFromInline mutating func begin() {
      if let place = ahead?.known { (chunk, index) = place }
      ahead = nil
    }
  }

  /// A walk from the first element; each one is exact, and several do not disturb each other.
  ///
  /// Known as `objectEnumerator` in RACSequence.
  @inlinable public func makeIterator() -> Iterator { Iterator(self) }

  /// Nothing is known about the length.
  @inlinable public var underestimatedCount: Int { 0 }
}

/// A count that is no count.
@usableFromInline func refuse(_ count: Int, _ operation: StaticString) -> Never {
  fatalError("LazyStream: \(operation) of \(count). Pass zero or more.")
}
