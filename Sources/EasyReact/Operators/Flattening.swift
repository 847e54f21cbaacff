import Synchronization

extension Node {
  /// Returns a node that follows the node that `transform` makes of the latest value, and leaves
  /// the one before.
  ///
  ///     let result = query.flattenMap { search($0) }      // the latest search only
  ///
  /// The inner node's present value is told at the switch, with the outer set's context; an inner
  /// node that is empty then empties the result. Setting an inner node that is followed already
  /// tells its value again. An emptied outer node leaves the inner one in place. Known as
  /// `flatMapLatest` in Rx, `map` with `switchToLatest` in Combine.
  public final func flattenMap<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> Node<Output>
  ) -> Node<Output> {
    let flatten = Transform<Value, Output>(.flatten) {
      let following = Following<Output>()
      return LifeParts(hop: following) { up, edge, turn in
        following.follow(transform(slot(up, Value.self).pointee), over: edge, from: up, turn)
      }
    }
    return derive(through: flatten, isHead: true, Site(file, line))
  }

  /// Returns a node that follows the node that this one holds.
  ///
  ///     let page = currentTab.flatten()
  public final func flatten<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Output> where Value: Node<Output> {
    flattenMap(file: file, line: line) { $0 }
  }
}

/// Which inner node a flatten follows. Touched by the holder of the result's region.
final class Following<Output: Sendable>: Hop, @unchecked Sendable {
  // Unchecked: see above.
  /// Does an inner node that is empty when it is turned to empty the result?
  private let emptiesResult: Bool
  private var inner: InnerEdge?

  init(emptiesResult: Bool = true) { self.emptiesResult = emptiesResult }

  func follow(
    _ node: Node<Output>, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    let down = edge.pointee.down!
    let crossing = Crossing(edge, turn)
    if claim(down, turn) { return turnTo(node, down, crossing, up, turn) }
    postOver(edge, crossing, turn) { crossing, turn in
      if self.turnTo(node, down, crossing, up, turn) { propagate(down, turn) }
    }
    return false
  }

  private func turnTo(
    _ node: Node<Output>, _ down: CorePointer, _ crossing: Crossing, _ sender: CorePointer,
    _ turn: TurnPointer
  ) -> Bool {
    if node.core == down { return false }
    if !follows(node) {
      detached(turn)
      if !link(node, down, turn) { return false }
    }
    if willTell(node.core, turn) { return false }
    let value = readStored(node.core, Output.self)
    if value == nil, !emptiesResult { return false }
    return arrive(down, value.map { .value($0) } ?? .empty, crossing, sender: sender, turn)
  }

  /// A value in place of what an inner node tells, which is left.
  func leave(
    for value: Output, over edge: EdgePointer, from up: CorePointer, _ turn: TurnPointer
  ) -> Bool {
    inRegion(of: edge, turn) { crossing, turn in
      self.detached(turn)
      return arrive(edge.pointee.down!, .value(value), crossing, sender: up, turn)
    }
  }

  private func follows(_ node: AnyNode) -> Bool {
    guard let inner, !inner.life.hasEnded else { return false }
    return inner.edge.pointee.up == node.core
  }

  private func link(_ node: Node<Output>, _ down: CorePointer, _ turn: TurnPointer) -> Bool {
    let inner = InnerEdge(.inner, from: node, to: down, Transform<Output, Output>.self) {
      up, edge, turn in
      // The outer edge may have been cut a moment ago. No ring: this object keeps no edge.
      if self.hasEnded { return false }
      return pass(slot(up, Output.self).pointee, over: edge, from: up, turn)
    }
    self.inner = inner
    return inner.link(turn)
  }

  override func detached(_ turn: TurnPointer) {
    inner?.cut(turn)
    inner = nil
  }
}
