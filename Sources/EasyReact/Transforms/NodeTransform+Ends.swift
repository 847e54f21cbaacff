import Synchronization

// Ends that are set, and the lives of a transform that follow from it.

extension NodeTransform {
  /// Changes one or both ends: the present life is cut, and another begins if both ends are
  /// there.
  /// - Parameter attach: What becomes of the new edge when it is in the lists, if not `start`.
  /// - Returns: The number of the life that has begun; it may be over already, for whoever hears its first value may set the ends, too.
  @discardableResult func setEnds(
    _ change: (inout Node<Input>?, inout Node<Output>?) -> Void,
    attach attaching: ((EdgePointer, TurnPointer) -> Void)? = nil
  ) -> Int? {
    var number: Int?
    while !trySetEnds(change, attaching, &number) {}
    return number
  }

  /// False: another thread set an end meanwhile, so what was read is out of date.
  private func trySetEnds(
    _ change: (inout Node<Input>?, inout Node<Output>?) -> Void,
    _ attaching: ((EdgePointer, TurnPointer) -> Void)?, _ number: inout Int?
  ) -> Bool {
    let changes = ends.withLock { $0.changes }
    var from = self.from
    var to = self.to
    let oldFrom = from
    let oldTo = to
    change(&from, &to)
    if from === oldFrom, to === oldTo, from == nil || to == nil { return true }
    if let from, let to, from.isEnd(of: to) {
      cutPresentLife()
      return true
    }
    let turn = currentTurn()
    turn.enter()
    // Kept: for a lens another one may take its place meanwhile.
    let landing = from == nil ? nil : to?.landing(isLinked: kind != .sync)
    defer {
      turn.leave()
      withExtendedLifetime((from, to, landing)) {}
    }
    let life = from.flatMap { from in landing.map { EdgeReference(newLife(from, $0)) } }
    let loose = life == nil ? (from, to) : (nil, nil)
    guard let exchanged = exchangeLife(for: life, loose, ifStill: changes) else {
      if let life { life.edge.freeEdge(life.edge.pointee.upHandle) }
      return false
    }
    if life != nil { number = exchanged.number }
    if let cut = exchanged.cut { cut.edge.finishCut(in: turn) }
    if let life { life.edge.prepareLink(in: turn) }
    showLooseEnds(at: [oldFrom, oldTo])
    if let life, let attaching {
      attaching(life.edge, turn)
    } else if let life {
      start(life.edge, turn)
    }
    return true
  }

  /// Nil: the ends were changed meanwhile. What was there before is not freed under the lock.
  private func exchangeLife(
    for life: EdgeReference?, _ loose: (from: Node<Input>?, to: Node<Output>?), ifStill changes: Int
  ) -> (released: AnyNode?, cut: EdgeReference?, number: Int)? {
    ends.withLock { ends in
      if ends.changes != changes { return nil }
      ends.changes += 1
      let cut = ends.life.flatMap { $0.edge.mark() ? $0 : nil }
      let released = ends.from
      ends.life = life
      ends.from = loose.from
      ends.to = loose.to
      return (released, cut, ends.number)
    }
  }

  private func newLife(_ from: Node<Input>, _ landing: Node<Output>) -> EdgePointer {
    let parts = parts()
    let edge = makeEdge(
      EdgeStorage(
        kind: kind, up: from.storage,
        handle: kind.keepsUpstream ? Unmanaged.passRetained(from as AnyNode) : nil,
        hearsEmptiness: hearsEmptiness,
        flags: .starting.union(kind.flags), state: parts.state,
        step: parts.step))
    edge.pointee.down = landing.storage
    edge.pointee.setPublicObject(self)
    return edge
  }
}

extension AnyNode {
  /// Would an edge from here to `other` end where it begins? Then it is none. What is linked to a lens arrives at its inlet,
  /// a node of its own.
  final func isEnd(of other: AnyNode) -> Bool { self === other || storage.outlet === other }
}
