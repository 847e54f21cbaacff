import CEasyReact
import Synchronization

// What the closure of a derivation has read: the list that `Derivation` moves its finger along, and its values.

/// A node that a derivation follows, or is to follow when the run that reads it is over. Trivial, so that
/// to look at it costs no retain.
struct ReadNode {
  let storage: NodePointer
  /// Of the edge, retained.
  let life: Unmanaged<ReadLife>
  /// Nil until the run that read it is over. Not touched once its life is over.
  var edge: EdgePointer?
  /// Until there is an edge, which takes it over: the node, retained.
  var unlinked: Unmanaged<AnyNode>?
  /// Of the value that was read when it was new, or of none.
  let number: UInt64

  var hasEnded: Bool { life._withUnsafeGuaranteedRef { $0.hasEnded } }
}

/// Knows where its node stands in the list; -1: no longer there.
final class ReadLife: EdgeState, @unchecked Sendable {
  // Unchecked: adds `place`, which the holder of the derived node's region touches, nobody else; `marked`,
  // which any thread calls, does not.
  @exclusivity(unchecked) var place = -1

  /// A node whose edge has been cut is read as if for the first time, though it may stand in the list until
  /// the holder hears of it.
  override func marked() { end() }
}

/// In place of an array of trivial elements: an array asks at each change whether somebody else has it.
struct Roster<Element> {
  private(set) var count = 0
  private var capacity = 4
  private(set) var elements = UnsafeMutablePointer<Element>.allocate(capacity: 4)

  subscript(place: Int) -> Element {
    get { elements[place] }
    nonmutating set { elements[place] = newValue }
  }

  mutating func append(_ element: Element) {
    if count == capacity { grow(&elements, &capacity) }
    (elements + count).initialize(to: element)
    count += 1
  }

  mutating func removeLast() -> Element {
    count -= 1
    let last = elements[count]
    // Like `shrinkIfSparse`.
    if capacity > 8 * count + 64 {
      let smaller = UnsafeMutablePointer<Element>.allocate(capacity: 2 * count + 4)
      smaller.moveInitialize(from: elements, count: count)
      free()
      (elements, capacity) = (smaller, 2 * count + 4)
    }
    return last
  }

  mutating func removeAll() {
    count = 0
    if capacity > Reads.few {
      free()
      self = Roster()
    }
  }

  func free() { elements.deallocate() }
}

/// What a derivation has read: see `Derivation`.
@usableFromInline struct Reads {
  /// The state that the edges' states name, which keep it; it ends with the derived node.
  unowned(unsafe) let derivation: Derivation
  let derived: NodePointer
  var nodes = Roster<ReadNode>()
  /// Those before this place have been read in the present run.
  var finger = 0
  /// Read for the first time in the present run, in that order: to be linked after it. Until then each stands among
  /// the nodes, which retain it: what has no edge cannot be cut.
  var new = Roster<Unmanaged<ReadLife>>()
  /// By node, if there are too many to look at all of them.
  var lives: [NodePointer: Unmanaged<ReadLife>] = [:]
  /// What may die with user code.
  var kept = KeptValues()
  @usableFromInline var hasKept = false
  /// In `untracked`: what is read is not noted, but kept.
  var isUntracked = false
  /// Of an edge that is over, retained; used again as soon as nobody else has it any more.
  var spare: Unmanaged<ReadLife>?

  static var few: Int { 8 }
}

// MARK: - What is read

extension NodePointer {
  /// Whoever reads the node has its handle, so it is not going.
  func handleInUse() -> Unmanaged<AnyNode>? {
    pointee.handle.load(ordering: .acquiring).map { Unmanaged.fromOpaque($0) }
  }

  /// The closure of a derivation reads a value whose end may be user code.
  @inlinable @inline(never) func readAndKeep<Value: Sendable>(
    _: Value.Type, in reads: UnsafeMutableRawPointer
  ) -> Value? {
    let value = noteRead(in: reads) ? readStored(Value.self) : readPresent(Value.self)
    if let value { reads.assumingMemoryBound(to: Reads.self).keep(value) }
    return value
  }

  /// The closure of a derivation reads this node. False: in `untracked`.
  @usableFromInline @inline(never) func noteRead(in reads: UnsafeMutableRawPointer) -> Bool {
    let reads = reads.assumingMemoryBound(to: Reads.self)
    if reads.pointee.isUntracked { return false }
    let finger = reads.pointee.finger
    if finger < reads.pointee.nodes.count, reads.pointee.nodes[finger].storage == self,
      !reads.pointee.nodes[finger].hasEnded
    {
      reads.pointee.finger = finger + 1
    } else if self != reads.pointee.derived {
      reads.noteOutOfOrder(self)
    }
    return true
  }
}

extension UnsafeMutablePointer<Reads> {
  @usableFromInline func keep<Value>(_ value: Value) {
    pointee.hasKept = true
    pointee.kept.keep(value)
  }

  /// Read before in this run; or another time, or for the first time: then it comes to the finger's place.
  func noteOutOfOrder(_ storage: NodePointer) {
    var present = find(storage)
    if let place = present, pointee.nodes[place].hasEnded {
      remove(place).life.release()
      present = nil
    }
    if let place = present {
      if place < pointee.finger { return }
      exchange(place, pointee.finger)
    } else {
      // The number first: the value that is read has that one or a later one.
      let number = storage.numberOfValue()
      guard let node = storage.handleInUse() else { return }
      insert(storage, node.retain(), number)
    }
    pointee.finger += 1
  }

  private func find(_ storage: NodePointer) -> Int? {
    if pointee.nodes.count > Reads.few {
      return pointee.lives[storage]?._withUnsafeGuaranteedRef { $0.place }
    }
    var place = 0
    while place < pointee.nodes.count {
      if pointee.nodes.elements[place].storage == storage { return place }
      place += 1
    }
    return nil
  }

  /// At the finger's place; what stood there goes to the end.
  private func insert(_ storage: NodePointer, _ node: Unmanaged<AnyNode>, _ number: UInt64) {
    let (count, finger) = (pointee.nodes.count, pointee.finger)
    let life = freshLife()
    life._withUnsafeGuaranteedRef { $0.place = finger }
    let new = ReadNode(storage: storage, life: life, edge: nil, unlinked: node, number: number)
    if finger < count {
      let present = pointee.nodes[finger]
      present.life._withUnsafeGuaranteedRef { $0.place = count }
      pointee.nodes.append(present)
      pointee.nodes[finger] = new
    } else {
      pointee.nodes.append(new)
    }
    pointee.new.append(life)
    if count == Reads.few {
      for place in 0...count {
        let node = pointee.nodes[place]
        pointee.lives[node.storage] = node.life
      }
    } else if count > Reads.few {
      pointee.lives[storage] = life
    }
  }

  private func freshLife() -> Unmanaged<ReadLife> {
    if let spare = pointee.spare {
      var life = spare.takeRetainedValue()
      pointee.spare = nil
      if isKnownUniquelyReferenced(&life) {
        life.isEnded.store(false, ordering: .relaxed)
        return .passRetained(life)
      }
      pointee.spare = .passRetained(life)
    }
    return .passRetained(ReadLife(of: pointee.derivation))
  }

  private func exchange(_ a: Int, _ b: Int) {
    if a == b { return }
    let (first, second) = (pointee.nodes[a], pointee.nodes[b])
    (pointee.nodes[a], pointee.nodes[b]) = (second, first)
    second.life._withUnsafeGuaranteedRef { $0.place = a }
    first.life._withUnsafeGuaranteedRef { $0.place = b }
  }

  /// The last one takes its place; but those that have been read stay before the others.
  func remove(_ place: Int) -> ReadNode {
    var place = place
    if place < pointee.finger {
      pointee.finger -= 1
      exchange(place, pointee.finger)
      place = pointee.finger
    }
    exchange(place, pointee.nodes.count - 1)
    return removeLast()
  }

  func removeLast() -> ReadNode {
    let node = pointee.nodes.removeLast()
    node.life._withUnsafeGuaranteedRef { $0.place = -1 }
    node.unlinked?.release()
    let count = pointee.nodes.count
    if count > Reads.few {
      pointee.lives[node.storage] = nil
      pointee.lives.shrinkIfSparse()
    } else if count == Reads.few {
      pointee.lives = [:]
    }
    return node
  }

  /// See `fromHighestRank`.
  func orderNew() {
    let new = UnsafeMutableBufferPointer(start: pointee.new.elements, count: pointee.new.count)
    let ordered = fromHighestRank(new) { life in
      pointee.nodes[life._withUnsafeGuaranteedRef { $0.place }].storage
    }
    for (index, life) in ordered.enumerated() { new[index] = life }
  }

  /// What came between the read and the link runs the derivation once more.
  func link(_ place: Int, in turn: TurnPointer) -> Bool {
    let node = pointee.nodes[place]
    pointee.nodes.elements[place].unlinked = nil
    let edge = makeEdge(
      EdgeStorage(
        kind: .derived, up: node.storage, handle: node.unlinked, flags: .starting,
        state: node.life.takeUnretainedValue(), step: arriveAtJoin))
    edge.pointee.down = pointee.derived
    pointee.nodes.elements[place].edge = edge
    edge.prepareLink(in: turn)
    let leadsBack = edge.pointee.has(.isBackEdge)
    edge.attachToJoin(in: turn, seen: node.number)
    return leadsBack
  }
}
