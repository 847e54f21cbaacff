// What nodes, and the libraries of nodes, call our operators: a name that is typed out of habit says what to write here. On sequences
// the standard library's word comes first, on nodes the field's; `Node+Relatives.swift` is the other half. Nothing in this file can be
// called.

extension LazyStream {
  @available(*, unavailable, renamed: "prefix(_:)")
  public func take(_ count: Int) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "prefix(while:)")
  public func take(while predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "prefix(while:)")
  public func takeWhile(_ predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "prefixUntil(_:)")
  public func takeUntil(_ predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "dropFirst(_:)")
  public func skip(_ count: Int) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "drop(while:)")
  public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "drop(while:)")
  public func skipWhile(_ predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "dropUntil(_:)")
  public func skipUntil(_ predicate: @escaping @Sendable (Element) -> Bool) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "adjacentPairs()")
  public func pairwise() -> LazyStream<(Element, Element)> { gone() }
  @available(*, unavailable, renamed: "removeDuplicates()")
  public func distinctUntilChanged() -> LazyStream { gone() }
  @available(*, unavailable, renamed: "removeDuplicates(by:)")
  public func distinctUntilChanged(
    by areEqual: @escaping @Sendable (Element, Element) -> Bool
  ) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "prepending(_:)")
  public func startWith(_ element: Element) -> LazyStream { gone() }
  @available(*, unavailable, renamed: "flatMap(_:)")
  public func flattenMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> LazyStream<Result>
  ) -> LazyStream<Result> { gone() }
  @available(*, unavailable, renamed: "flattened()")
  public func flatten<Inner: Sendable>() -> LazyStream<Inner> where Element == LazyStream<Inner> {
    gone()
  }
  @available(*, unavailable, renamed: "scanWithIndex(_:_:)")
  public func scanIndexed<Result: Sendable>(
    _ initial: Result, _ next: @escaping @Sendable (Result, Element, Int) -> Result
  ) -> LazyStream<Result> { gone() }

  private func gone() -> Never { fatalError("EasySequence: unavailable") }
}
