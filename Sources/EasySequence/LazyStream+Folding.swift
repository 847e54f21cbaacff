// Sequence has the rest: `reduce` (foldLeft), `contains(where:)` (any), `allSatisfy` (all), `first(where:)`
// (objectPassingTest), `Array(stream)`. They ask for no more elements than they need.

extension LazyStream {
  /// All elements. Known as `array` in RACSequence.
  @inlinable public var array: [Element] { Array(self) }

  /// Computes all elements and returns the same stream. Known as `eagerSequence` in RACSequence.
  @inlinable @discardableResult public func evaluated() -> LazyStream {
    for _ in self {}
    return self
  }

  /// How many elements there are. Computes them all. O(n).
  @inlinable public func count() -> Int { reduce(0) { count, _ in count + 1 } }

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
