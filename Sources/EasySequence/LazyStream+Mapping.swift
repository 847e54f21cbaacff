extension LazyStream {
  /// The results of `transform`. Known as `map:` in RACSequence; nil is an element here, see ``compactMap(_:)``.
  @inlinable public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> LazyStream<Result> {
    let source = Cursor(self)
    return LazyStream<Result>(
      engine: Engine(body: { slot in
        guard let element = source.next() else { return false }
        slot.initialize(to: transform(element))
        return true
      }), handle: derivedHandle("map"))
  }

  /// The results of `transform`, which is given the position too. Requested as `mapWithIndex`.
  @inlinable public func mapWithIndex<Result: Sendable>(
    _ transform: @escaping @Sendable (Element, Int) -> Result
  ) -> LazyStream<Result> {
    derive("mapWithIndex") { source in
      var index = -1
      return {
        guard let element = source.next() else { return nil }
        index += 1
        return .some(transform(element, index))
      }
    }
  }

  /// `replacement` for each element. Known as `mapReplace:` in RACSequence.
  @inlinable public func mapReplace<Result: Sendable>(
    _ replacement: Result
  ) -> LazyStream<Result> {
    map { _ in replacement }
  }

  /// The results of `transform` that are not nil. This is what `map:` does in RACSequence when its block returns nil.
  @inlinable public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> LazyStream<Result> {
    derive("compactMap") { source in
      {
        while let element = source.next() {
          if let result = transform(element) { return result }
        }
        return nil
      }
    }
  }

  /// The elements of the streams that `transform` returns, one stream after the other.
  ///
  /// Known as `flattenMap:` in RACSequence, where nil stands for an empty stream, and where the end of the last stream
  /// is lost if the source was cut by `take:` or `zipWith:`.
  @inlinable public func flatMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> LazyStream<Result>
  ) -> LazyStream<Result> {
    bind((), named: "flatMap") { _, element, _ in transform(element) }
  }

  /// The elements of the sequences that `transform` returns.
  @inlinable public func flatMap<Elements: Sequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Elements
  ) -> LazyStream<Elements.Element> where Elements.Element: Sendable {
    bind((), named: "flatMap") { _, element, _ in LazyStream<Elements.Element>(transform(element)) }
  }

  /// The elements of the streams that `transform` returns, with a state from element to element, and a way to stop.
  ///
  ///     stream.bind(0) { sum, element, stop in
  ///       sum += element
  ///       stop = sum > 100
  ///       return [element, sum]
  ///     }
  ///
  /// After `stop = true` all of the stream returned with it is still told, then the result ends; nil ends it at once.
  /// Known as `bind:` in RACSequence, where only the first element of the last stream is told.
  @inlinable public func bind<State: Sendable, Result: Sendable>(
    _ state: State,
    _ transform:
      @escaping @Sendable (inout State, Element, _ stop: inout Bool) -> LazyStream<
        Result
      >?
  ) -> LazyStream<Result> {
    bind(state, named: "bind", transform)
  }

  @inlinable func bind<State: Sendable, Result: Sendable>(
    _ state: State, named name: StaticString,
    _ transform: @escaping @Sendable (inout State, Element, inout Bool) -> LazyStream<Result>?
  ) -> LazyStream<Result> {
    derive(name) { source in
      var (state, stop) = (state, false)
      var inner: Cursor<Result>?
      return {
        while true {
          if let result = inner?.next() { return result }
          inner = nil
          guard !stop, let element = source.next() else { return nil }
          guard let stream = transform(&state, element, &stop) else { return nil }
          inner = Cursor(stream)
        }
      }
    }
  }

  /// A running result: `[1, 2, 3].scan(0, +)` is 1, 3, 6. The start is not told.
  ///
  /// Known as `scanWithStart:reduce:` in RACSequence; `reductions` of swift-algorithms tells the start too.
  @inlinable public func scan<Result: Sendable>(
    _ start: Result, _ next: @escaping @Sendable (Result, Element) -> Result
  ) -> LazyStream<Result> {
    scanWithIndex(start) { result, element, _ in next(result, element) }
  }

  /// A running result, with the position. Known as `scanWithStart:reduceWithIndex:` in RACSequence.
  @inlinable public func scanWithIndex<Result: Sendable>(
    _ start: Result, _ next: @escaping @Sendable (Result, Element, Int) -> Result
  ) -> LazyStream<Result> {
    derive("scan") { source in
      var (result, index) = (start, -1)
      return {
        guard let element = source.next() else { return nil }
        index += 1
        result = next(result, element, index)
        return .some(result)
      }
    }
  }

  /// Each element with the one before it; `start` is before the first one.
  ///
  /// Known as `combinePreviousWithStart:reduce:` in RACSequence.
  @inlinable public func combinePrevious<Result: Sendable>(
    _ start: Element, _ combine: @escaping @Sendable (Element, Element) -> Result
  ) -> LazyStream<Result> {
    derive("combinePrevious") { source in
      var previous = start
      return {
        guard let element = source.next() else { return nil }
        defer { previous = element }
        return .some(combine(previous, element))
      }
    }
  }

  /// Pairs of neighbours: n - 1 of them for n elements. `combinePrevious` without a start, requested in #2632.
  @inlinable public func adjacentPairs() -> LazyStream<(Element, Element)> {
    EasySequence.zip(self, tail)
  }

  /// Each element with its position.
  @inlinable public func enumerated() -> LazyStream<(offset: Int, element: Element)> {
    mapWithIndex { (offset: $1, element: $0) }
  }

  /// Calls `transform` with the members of each tuple. Known as `reduceEach:` in RACSequence; after
  /// `zip` it is `zip:reduce:`.
  ///
  ///     zip(names, ages).reduceEach { name, age in "\(name) is \(age)" }
  @inlinable public func reduceEach<each Member, Result: Sendable>(
    _ transform: @escaping @Sendable (repeat each Member) -> Result
  ) -> LazyStream<Result> where Element == (repeat each Member) {
    map { members in transform(repeat each members) }
  }
}
