// The folds of Sequence, again: here they consume the stream, so that a long walk from one that nobody else holds keeps
// no element behind it. They ask for no more elements than they need.

extension LazyStream {
  /// All elements. Known as `array` in RACSequence.
  @inlinable public var array: [Element] { Array(self) }

  /// Computes all elements and returns the same stream. Known as `eagerSequence` in RACSequence.
  ///
  /// What is derived from it stays lazy; an array is the form whose operators are eager.
  @inlinable @discardableResult public func evaluated() -> LazyStream {
    for _ in self {}
    return self
  }

  /// A walk that is the only holder of what it walks, unless somebody else holds it.
  @inlinable consuming func walk() -> Iterator {
    let iterator = makeIterator()
    _ = consume self
    return iterator
  }

  /// How many elements there are. Computes them all. O(n).
  @inlinable public consuming func count() -> Int { reduce(0) { count, _ in count + 1 } }

  /// Folds from the left: `[1, 2, 3].reduce(0, -)` is ((0 - 1) - 2) - 3.
  ///
  /// Computes all elements. Known as `foldLeftWithStart:reduce:` in RACSequence.
  @inlinable public consuming func reduce<Result>(
    _ start: Result, _ combine: (Result, Element) throws -> Result
  ) rethrows -> Result {
    var (iterator, result) = (walk(), start)
    while let element = iterator.next() { result = try combine(result, element) }
    return result
  }

  /// Folds from the left into a variable, which is not copied from element to element.
  @inlinable public consuming func reduce<Result>(
    into start: Result, _ update: (inout Result, Element) throws -> Void
  ) rethrows -> Result {
    var (iterator, result) = (walk(), start)
    while let element = iterator.next() { try update(&result, element) }
    return result
  }

  /// Calls `body` with each element.
  @inlinable public consuming func forEach(_ body: (Element) throws -> Void) rethrows {
    var iterator = walk()
    while let element = iterator.next() { try body(element) }
  }
}

// MARK: - Finding

extension LazyStream {
  /// The first element that satisfies `predicate`; those after it are not computed.
  ///
  /// Known as `objectPassingTest:` in RACSequence.
  @inlinable public consuming func first(
    where predicate: (Element) throws -> Bool
  ) rethrows -> Element? {
    var iterator = walk()
    while let element = iterator.next() { if try predicate(element) { return element } }
    return nil
  }

  /// Whether an element satisfies `predicate`; those after it are not computed. Known as `any:` in RACSequence.
  @inlinable public consuming func contains(
    where predicate: (Element) throws -> Bool
  ) rethrows -> Bool {
    var iterator = walk()
    while let element = iterator.next() { if try predicate(element) { return true } }
    return false
  }

  /// Whether all elements satisfy `predicate`; those after one that does not are not computed.
  ///
  /// Known as `all:` in RACSequence, which computes all elements even so.
  @inlinable public consuming func allSatisfy(
    _ predicate: (Element) throws -> Bool
  ) rethrows -> Bool {
    try !contains { try !predicate($0) }
  }
}

extension LazyStream where Element: Equatable {
  /// Whether an element equals `element`; those after it are not computed.
  @inlinable public consuming func contains(_ element: Element) -> Bool {
    contains { $0 == element }
  }
}

// MARK: - From the right

extension LazyStream {
  /// Folds from the right: `combine` is given an element, and the fold of what follows, which is computed if it is read.
  ///
  ///     LazyStream(1...).foldRight(false) { element, rest in element > 3 || rest.head! }     // true
  ///
  /// `rest` has one element; not reading it ends the fold, so infinite streams can be folded. Reading it in each step is
  /// a recursion: its depth is bounded by the stack, see ``reduceRight(_:_:)``.
  /// Known as `foldRightWithStart:reduce:` in RACSequence.
  public func foldRight<Result: Sendable>(
    _ start: Result,
    _ combine: @escaping @Sendable (Element, _ rest: LazyStream<Result>) -> Result
  ) -> Result {
    guard let (head, tail) = uncons() else { return start }
    let rest = LazyStream<Result>(
      engine: Engine(Concatenation([.element { tail.foldRight(start, combine) }])))
    return combine(head, rest)
  }

  /// Folds from the right, all elements: `[1, 2, 3].reduceRight(0, -)` is 1 - (2 - (3 - 0)). Any length.
  public func reduceRight<Result>(
    _ start: Result, _ combine: (Element, Result) throws -> Result
  ) rethrows -> Result {
    try Array(self).reversed().reduce(start) { try combine($1, $0) }
  }
}
