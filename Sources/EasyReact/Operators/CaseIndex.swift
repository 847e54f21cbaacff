import Synchronization

// Where the cases of a `switch` come from. A value is for one key, and the loop runs every edge of a node:
// so a node has a few cases itself, and a few nodes below it, each for the keys whose hash has one particular digit in
// its place, with a few cases itself, and so on. With n cases a value runs O(log n) edges.
//
// (A table would be O(1), but the loop cannot be told which of a node's edges to run; and a step that propagates
// from the case itself, as that of `groupBy` does, recurses: a long chain of switches would need a long stack.)
//
// These nodes are like any others: each is made for the first case that comes from it, and dies with the last.
// They are empty while the present value is not theirs, so a case that is made later finds no older one.

/// How many cases a node has itself, and how many nodes below it: a digit has three bits.
private let fanOut = 8

/// What one node of them knows; it lives as long as the edge that leads to the node.
@usableFromInline final class CaseIndex<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Branch {
    weak var node: Node<Switch<Key, Value>>?
    weak var index: CaseIndex?
    let number: Int
    var living: (CaseIndex, Node<Switch<Key, Value>>)? {
      guard let node, let index, node.hasUpstreamNode else { return nil }
      return (index, node)
    }
  }
  private struct State {
    /// How many cases come from the node itself.
    var taken = 0
    var branches: [Int: Branch] = [:]
    var made = 0
  }
  private let state = Mutex(State())
  /// Zero: for the node that the user sees, below which is one node that hashes the keys.
  @usableFromInline let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  /// The node that one more case, of a key with this hash, is to come from, and its index, to which the place is to be
  /// given back. If there is a node below for this hash, it is no higher than that: the cases of one key stay in the order
  /// in which they were made.
  ///
  /// - Parameter make: Calls `makeNode`, specialised where the case is made.
  @usableFromInline func home(
    of hash: Int, from node: Node<Switch<Key, Value>>, _ make: Maker
  ) -> (CaseIndex, Node<Switch<Key, Value>>) {
    var (index, node) = (self, node)
    while true {
      let next = placeBelow(index.depth, of: hash)
      if let below = index.living(next) {
        (index, node) = below
      } else if index.takesOne() {
        return (index, node)
      } else {
        (index, node) = index.branch(for: next, below: node, make)
      }
    }
  }
  @usableFromInline typealias Maker = (
    _ index: CaseIndex, _ digit: Int, _ above: Node<Switch<Key, Value>>
  ) -> Node<Switch<Key, Value>>

  private func takesOne() -> Bool {
    state.withLock { state in
      if state.taken >= fanOut, depth < digits { return false }
      state.taken += 1
      return true
    }
  }

  /// A case that came from this node has gone.
  func giveBack() { state.withLock { $0.taken -= 1 } }

  /// The node below for this digit, if it is there and follows this one.
  private func living(_ digit: Int) -> (CaseIndex, Node<Switch<Key, Value>>)? {
    state.withLock { $0.branches[digit] }?.living
  }

  /// Nodes are made and dropped outside of the lock; if another thread was faster, they are looked for again.
  private func branch(
    for digit: Int, below node: Node<Switch<Key, Value>>, _ make: Maker
  ) -> (CaseIndex, Node<Switch<Key, Value>>) {
    while true {
      let present = state.withLock { $0.branches[digit] }
      if let living = present?.living { return living }
      let index = CaseIndex(depth: depth + 1)
      let made = make(index, digit, node)
      let isFirst = state.withLock { state in
        if state.branches[digit]?.number != present?.number { return false }
        state.made += 1
        state.branches[digit] = Branch(node: made, index: index, number: state.made)
        return true
      }
      if isFirst { return (index, made) }
    }
  }

  /// The node that this index is of.
  @inlinable func makeNode(
    for digit: Int, below node: Node<Switch<Key, Value>>, _ location: SourceLocation
  ) -> Node<Switch<Key, Value>> {
    typealias Parted = Switch<Key, Value>
    let edge = EdgeStorage(
      kind: .switch, up: node.storage, handle: Unmanaged.passRetained(node as AnyNode),
      hearsEmptiness: true, flags: .starting
    ) { [self] up, edge, turn in
      if up.pointee.hasValue.load(ordering: .relaxed) || turn.isEvent {
        let present = up.slot(Parted.self)
        if depth > 1 {
          if placeBelow(depth - 1, of: present.pointee.hash) == digit {
            return edge.pass(present.pointee, from: up, in: turn)
          }
        } else if let key = present.pointee.key {
          let hashed = Parted(key: key, value: present.pointee.value, hash: key.hashValue)
          return edge.pass(hashed, from: up, in: turn)
        }
      }
      return edge.passEmptiness(Parted.self, from: up, in: turn)
    }
    return node.derive(edge, location, Parted.self)
  }
}

/// How many digits a hash has.
private let digits = Int.bitWidth / 3

/// For the node at this depth: which of the nodes below it. The first one has only one.
@inlinable func placeBelow(_ depth: Int, of hash: Int) -> Int {
  depth == 0 ? 0 : hash >> ((depth - 1) * 3) & 7
}

extension EdgePointer {
  /// Empties the node below, unless it is empty and at rest.
  @inlinable func passEmptiness<Value: Sendable>(
    _: Value.Type, from up: NodePointer, in turn: TurnPointer
  ) -> Bool {
    let down = pointee.down.unsafelyUnwrapped
    if up.sharesRegion(down), !down.pointee.hasValue.load(ordering: .relaxed),
      !down.pointee.flags.has(.busy)
    {
      return stop(.filtered, in: turn)
    }
    return passSlowly(.empty as Arrival<Value>, from: up, in: turn)
  }
}
