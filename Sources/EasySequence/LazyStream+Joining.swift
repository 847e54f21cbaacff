extension LazyStream {
  /// This stream, then another one, which is not touched before that. Known as `concat:` in RACSequence.
  ///
  /// Concatenating in a loop, to either side, does not become deep or slow, whichever of the results are kept and in whatever
  /// order they are read. Two limits are left: each of n versions passes for itself over the parts that turn out empty; and tails
  /// that were made before what lies before them was read, `stream = (stream + more).tail`, use stack in proportion to n when n of them
  /// are read through.
  @inlinable public func appending(_ other: LazyStream) -> LazyStream { .concat([self, other]) }

  /// The elements of the first stream, then those of the second one, which is not touched before that.
  @inlinable public static func + (first: LazyStream, second: LazyStream) -> LazyStream {
    .concat([first, second])
  }

  /// One stream after the other. Known as `concat:` of the class RACSequence.
  @inlinable public static func concat(_ streams: [LazyStream]) -> LazyStream {
    LazyStream(engine: Engine(Concatenation(streams.map { .stream($0) })))
  }

  /// An element, then this stream. Known as `startWith:` in RACSequence.
  @inlinable public func prepending(_ element: Element) -> LazyStream {
    .concat([[element], self])
  }

  /// The elements of the streams that are this stream's elements. Known as `flatten` in RACSequence.
  @inlinable public func flattened<Inner: Sendable>() -> LazyStream<Inner>
  where Element == LazyStream<Inner> {
    flatMap { $0 }
  }

  /// Arrays of the first, the second and so on of each stream, as long as the shortest; none for no streams.
  ///
  /// The streams are asked in order, and none after the first that has ended. Known as `zip:` of the class RACSequence.
  public static func zip(_ streams: [LazyStream]) -> LazyStream<[Element]> {
    if streams.isEmpty { return LazyStream<[Element]>() }
    let cursors = streams.map { Cursor($0) }
    return LazyStream<[Element]> {
      var row: [Element] = []
      row.reserveCapacity(cursors.count)
      for cursor in cursors {
        guard let element = cursor.next() else { return nil }
        row.append(element)
      }
      return row
    }
  }

  /// Pairs of the elements of both streams, as long as the shorter one. Known as `zipWith:` in RACSequence.
  @inlinable public func zip<Other: Sendable>(
    with other: LazyStream<Other>
  ) -> LazyStream<(Element, Other)> {
    EasySequence.zip(self, other)
  }
}

/// Tuples of the first, the second and so on of each stream, as long as the shortest.
///
///     let named = zip(LazyStream(1...), ["one", "two"] as LazyStream)     // (1, "one"), (2, "two")
///
/// The streams are asked in order, and none after the first that has ended. Known as `zip:` in RACSequence.
@inlinable public func zip<First: Sendable, each Other: Sendable>(
  _ first: LazyStream<First>, _ others: repeat LazyStream<each Other>
) -> LazyStream<(First, repeat each Other)> {
  let cursor = Cursor(first)
  let cursors = (repeat Cursor(each others))
  return LazyStream<(First, repeat each Other)> {
    guard let element = cursor.next() else { return nil }
    do {
      return try (element, repeat (each cursors).require())
    } catch {
      return nil
    }
  }
}

/// Pairs; those of Swift's own `zip` of two would not be memoised.
@inlinable public func zip<First: Sendable, Second: Sendable>(
  _ first: LazyStream<First>, _ second: LazyStream<Second>
) -> LazyStream<(First, Second)> {
  let (first, second) = (Cursor(first), Cursor(second))
  return LazyStream<(First, Second)> {
    guard let left = first.next(), let right = second.next() else { return nil }
    return (left, right)
  }
}

/// A stream has ended.
@usableFromInline struct EndOfStream: Error {
  @usableFromInline init() {}
}

extension Cursor {
  /// The next element, or an error at the end: a pack expansion can be left in no other way.
  @inlinable func require() throws -> Element {
    guard let element = next() else { throw EndOfStream() }
    return element
  }
}
