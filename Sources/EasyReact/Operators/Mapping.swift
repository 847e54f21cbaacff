extension Node {
  /// Returns a node with the same values.
  ///
  ///     let copy = MutableNode(1).fork()      // copy.value == 1
  ///
  /// It cannot be set, so it is what a type shows of a node that only the type itself may set: `asObservable` in
  /// RxSwift, `eraseToAnyPublisher` in Combine.
  @inlinable
  public final func fork(file: StaticString = #fileID, line: UInt = #line) -> Node<Value> {
    derive(.fork, SourceLocation(file, line), Value.self) { up, edge, turn in
      edge.pass(up.slot(Value.self).pointee, from: up, in: turn)
    }
  }

  /// Returns a node of what `transform` makes of each value.
  ///
  ///     let a = MutableNode(1)
  ///     let text = a.map { "\($0)" }          // text.value == "1"
  ///     a.value = 2                           // text.value == "2"
  ///
  /// The closure runs once a value, on the thread that delivers it, the present value's at once. An
  /// emptied node leaves the result as it is. Known as `map` everywhere.
  /// - Complexity: O(1) a value; no allocation.
  @inlinable
  public final func map<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Node<Output> {
    derive(.map, SourceLocation(file, line), Output.self) { up, edge, turn in
      edge.pass(up.withValue(transform), from: up, in: turn)
    }
  }

  /// Returns a node that holds `value` again for each value of this one.
  ///
  ///     let bell = taps.mapReplace("ding")    // "ding" for every tap
  ///
  /// Known as `mapTo` in RxJS and RxSwiftExt, `map(value:)` in ReactiveSwift.
  @inlinable
  public final func mapReplace<Output: Sendable>(
    _ value: Output, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> {
    derive(.mapReplace, SourceLocation(file, line), Output.self) { up, edge, turn in
      edge.pass(value, from: up, in: turn)
    }
  }

  /// Returns a node of what `transform` makes of each value, leaving out those that it maps to nil.
  ///
  ///     let numbers = text.compactMap { Int($0) }      // "1", "x", "3" -> 1, 3
  ///
  /// A nil leaves the result as it is. Known as `compactMap` everywhere.
  @inlinable
  public final func compactMap<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Output?
  ) -> Node<Output> {
    derive(.compactMap, SourceLocation(file, line), Output.self) { up, edge, turn in
      guard let output = up.withValue(transform) else {
        return edge.stop(.filtered, in: turn)
      }
      return edge.pass(output, from: up, in: turn)
    }
  }

  /// Calls `body` with this node, at once, and returns it: for a branch in the middle of a chain.
  ///
  ///     let doubled = a.then { $0.listen(by: log) { log, value in log.add(value) } }.map { $0 * 2 }
  @discardableResult
  public final func then(_ body: (Node<Value>) -> Void) -> Node<Value> {
    body(self)
    return self
  }
}
