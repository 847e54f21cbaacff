// Following several inner nodes at a time. A node does not complete, so where a number limits how
// many are followed, a closure says with which value an inner node has done its work.

extension Node {
  /// Returns a node that follows every node that this one has held.
  ///
  ///     let chat = room.flattenMerge()        // `room` holds a new node for each visitor
  ///
  /// An inner node's present value is told when it comes, with the outer set's context; afterwards
  /// each of its values counts, as in `merge`. An inner node that is empty tells nothing, and one
  /// that comes again is followed once and its value told again. All inner nodes are kept until the
  /// result goes, or its edge is cut. Known as `merge()` on a nested sequence in RxSwift,
  /// `flatten(.merge)` in ReactiveSwift.
  @inlinable
  public final func flattenMerge<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> where Value: Node<Output> {
    follow(.flattenMerge, SourceLocation(file, line)) { $0 }
  }

  /// Returns a node that follows every node that `transform` made of a value.
  ///
  ///     let prices = symbol.mergeMap { quotes(of: $0) }   // the quotes of all symbols so far
  ///
  /// ``flattenMerge(file:line:)`` tells the rest. Known as `flatMap` in Rx and Combine,
  /// `flatMap(.merge)` in ReactiveSwift; ``flattenMap(mode:file:line:_:)`` follows the latest only.
  @inlinable
  public final func mergeMap<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.mergeMap, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows at most `maxConcurrent` of the nodes that `transform` makes; values
  /// that come meanwhile wait, first in, first out.
  ///
  ///     let pages = links.mergeMap(maxConcurrent: 2) { load($0) }     // two downloads at a time
  ///
  /// A node does not complete: an inner node is done with the first value for which `isDone` holds,
  /// which is told; unless you say otherwise, that is its first value. Its edge is cut and the next
  /// waiting value's node is made, with the context of that value, in the same step: before listeners hear the
  /// last value, which they hear before what the next node holds. Present values count. Emptying
  /// either node does nothing; a cut of an inner edge counts as done; a cut of the outer edge
  /// drops what waits. Known as `merge(maxConcurrent:)` in RxSwift, `flatMap(maxPublishers:)` in
  /// Combine, `flatMap(.concurrent(limit:))` in ReactiveSwift, where an inner stream is done when it
  /// completes.
  /// - Parameter maxConcurrent: One or more; anything else stops with a message.
  @inlinable
  public final func mergeMap<Output: Sendable>(
    maxConcurrent: Int, until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    requirePositive(maxConcurrent, "mergeMap(maxConcurrent:)", self)
    return follow(
      .mergeMap, limit: maxConcurrent, until: isDone, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the nodes that `transform` makes one after the other, in order.
  ///
  ///     let saved = drafts.concatMap { save($0) }         // one save at a time, none left out
  ///
  /// It is ``mergeMap(maxConcurrent:until:file:line:_:)`` with one at a time. Known as `concatMap`
  /// in RxSwift, `flatMap(maxPublishers: .max(1))` in Combine, `flatMap(.concat)` in ReactiveSwift.
  @inlinable
  public final func concatMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(.concatMap, limit: 1, until: isDone, SourceLocation(file, line), transform)
  }

  /// Returns a node that follows the node that `transform` made of a value; values that come before
  /// that one is done are dropped.
  ///
  ///     let paid = taps.exhaustMap { pay() }              // taps during a payment do nothing
  ///
  /// An inner node is done with the first value for which `isDone` holds, as in
  /// ``mergeMap(maxConcurrent:until:file:line:_:)``. Known as `flatMapFirst` in RxSwift,
  /// `exhaustMap` in RxJS, `flatMap(.throttle)` in ReactiveSwift.
  @inlinable
  public final func exhaustMap<Output: Sendable>(
    until isDone: @escaping @Sendable (Output) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    follow(
      .exhaustMap, limit: 1, drops: true, until: isDone, SourceLocation(file, line), transform)
  }

  /// - Parameter isDone: Nil: an inner node is never done, and a second edge from it would only tell its
  ///   values twice.
  @inlinable
  final func follow<Output: Sendable>(
    _ kind: OperatorKind, limit: Int = .max, drops: Bool = false,
    until isDone: (@Sendable (Output) -> Bool)? = nil, _ location: SourceLocation,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = NodeTransform<Value, Output>(kind) {
      let inners = InnerNodes(limit: limit, drops: drops, isEndless: isDone == nil)
      let follower = Follower<Value, Output>(inners, transform, isDone)
      return EdgeParts(state: inners, follower.outerStep())
    }
    return derive(through: flatten, isHead: true, location)
  }
}
