import Synchronization

// A region falls into two when one of its nodes becomes a head: step 5 of the protocol in Region.swift.

/// Regions that were split from each other, while they live: each keeps it.
///
/// A thread may have read the address of any region that a node was in a moment ago; it looks again after its claim. So a
/// region that nodes have left is not freed when its head is. Its word stays held, and a later split uses it again; the last
/// region of the family frees them all.
@usableFromInline final class RegionFamily: Sendable {
  private let ended = Mutex<[Held]>([])

  func takeEnded() -> RegionPointer? { ended.withLock { $0.popLast() }?.region }
  func keep(_ region: RegionPointer) { ended.withLock { $0.append(Held(region: region)) } }

  deinit { for held in ended.withLock({ $0 }) { held.region.free() } }
}

extension RegionPointer {
  /// Makes the region that a split moves nodes to. It is held, by nobody yet. Holder.
  fileprivate func makeOffspring() -> RegionPointer {
    let family = pointee.family ?? .passRetained(RegionFamily())
    let new = family._withUnsafeGuaranteedRef { $0.takeEnded() } ?? makeRegion()
    (pointee.family, pointee.wasLeft) = (family, true)
    (new.pointee.family, new.pointee.origin, new.pointee.isDead) = (family.retain(), self, false)
    new.pointee.word.store(Region.held, ordering: .relaxed)  // published by the move
    return new
  }

  /// The head is freed.
  @inline(never) func endRegion() {
    pointee.owner.store(Region.handedOver, ordering: .relaxed)
    guard let family = pointee.family else { return free() }
    pointee.family = nil
    if pointee.wasLeft { family._withUnsafeGuaranteedRef { $0.keep(self) } } else { free() }
    family.release()
  }

  fileprivate func free() {
    deinitialize(count: 1)
    deallocate()
  }
}

extension NodePointer {
  /// Makes a node the head of a region of its own, with the nodes that only it can reach: either they
  /// move to a new region, or, if they are more than the rest, the rest does. So n splits move at most
  /// n log n nodes, and the chain of regions from which one came is no longer than log n, as long as no nodes are added in between.
  /// Holder, at any time. A node whose handle is gone goes with its region and is not split off, unless it outlives that.
  func split(in turn: TurnPointer, evenUnwanted: Bool = false) {
    if pointee.isHead || pointee.life == .unwanted && !evenUnwanted { return }
    let old = pointee.region.load(ordering: .relaxed)
    let new = old.makeOffspring()
    new.addHeld(by: turn)
    pointee.isHead = true
    let part = smallerPart(of: old, turn)
    new.pointee.awaitedMessages = RegionWalk(from: part, in: old).move(to: new, turn)
  }

  /// Where a walk of the smaller of the two parts begins. Both are looked at with the same effort,
  /// which doubles, so the larger one costs no more than the smaller one.
  private func smallerPart(of region: RegionPointer, _ turn: TurnPointer) -> NodePointer {
    let above = inEdgePointer().pointee.up!
    if above.pointee.region.load(ordering: .relaxed) != region { return self }
    var effort = 16
    while true {
      if RegionWalk(from: self, in: region).ends(within: effort, turn) { return self }
      if RegionWalk(from: above, in: region).ends(within: effort, turn) { return above }
      effort *= 2
    }
  }
}

/// A walk of the nodes of a region that are connected to one of them, without those behind a head. They are a tree: a
/// node that is no head is reached only through the edge in its own block.
private struct RegionWalk {
  let region: RegionPointer
  /// Each with the node that it was reached from.
  var todo: [(node: NodePointer, from: NodePointer)]

  init(from start: NodePointer, in region: RegionPointer) {
    self.region = region
    todo = [(start, start)]
  }

  /// Are there no more than so many nodes and edges?
  consuming func ends(within effort: Int, _ turn: TurnPointer) -> Bool {
    var left = effort
    while let (node, from) = todo.popLast() {
      node.pointee.acquire()
      addNeighbors(of: node, but: from, &left)
      node.pointee.release()
      if left < 0 { break }
    }
    turn.pointee.looks += effort - left
    return left >= 0
  }

  /// Returns how many messages wait for them. From here on nobody can send to the old region for them: a sender
  /// takes their lock, and finds the new one.
  consuming func move(to new: RegionPointer, _ turn: TurnPointer) -> Int32 {
    var messages: Int32 = 0, left = Int.max
    while let (node, from) = todo.popLast() {
      node.pointee.acquire()
      node.pointee.region.store(new, ordering: .releasing)
      messages += node.pointee.waitingMessages.load(ordering: .relaxed)
      addNeighbors(of: node, but: from, &left)
      node.pointee.release()
    }
    turn.pointee.looks += Int.max - left
    return messages
  }

  /// Under the node's lock.
  private mutating func addNeighbors(of node: NodePointer, but from: NodePointer, _ left: inout Int)
  {
    left -= 1
    var edge = node.pointee.firstOut.load(ordering: .relaxed)
    while let present = edge, left >= 0 {
      left -= 1
      let down = present.pointee.down!
      if present == down.inEdgePointer(), !down.pointee.isHead { add(down, from: node, but: from) }
      edge = present.pointee.next.load(ordering: .relaxed)
    }
    if !node.pointee.isHead { add(node.inEdgePointer().pointee.up!, from: node, but: from) }
  }

  private mutating func add(_ node: NodePointer, from: NodePointer, but visited: NodePointer) {
    if node != visited, node.pointee.region.load(ordering: .relaxed) == region {
      todo.append((node, from))
    }
  }
}
