extension Node {
  /// Parts the values in those for which `isMatching` holds and the others.
  ///
  ///     let (even, odd) = number.partition { $0.isMultiple(of: 2) }
  ///
  /// The closure runs once a value. Each of the two nodes keeps its last value, and what both come
  /// from. It is ``if(file:line:_:)`` as a tuple. Known as `partition` in RxSwift and RxJS.
  public final func partition(
    file: StaticString = #fileID, line: UInt = #line,
    _ isMatching: @escaping @Sendable (Value) -> Bool
  ) -> (matching: Node<Value>, others: Node<Value>) {
    let parted = self.if(file: file, line: line, isMatching)
    return (parted.thenNode, parted.elseNode)
  }
}
