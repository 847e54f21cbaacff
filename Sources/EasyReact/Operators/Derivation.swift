import CEasyReact
import Synchronization

// What a derived node follows. It is a join whose upstreams are those that its closure has read in its
// last run, in the order in which it first read them. A run that reads the same nodes in the same
// order moves a finger along the list, and changes nothing.

/// A node that a derivation follows, and the state of the edge from there.
@usableFromInline final class ReadNode: EdgeState, @unchecked Sendable {
  // Unchecked: touched by the holder of the derived node's region.
  fileprivate(set) var storage: NodePointer
  /// Where it stands in the list; -1: no longer there.
  fileprivate var place: Int
  /// Nil until the run that read it is over. Not touched once its life is over.
  fileprivate var edge: EdgePointer?
  /// Until there is an edge: the node, and the number of the value that was read, or of none.
  fileprivate var unlinked: (node: AnyNode, number: UInt64)?

  fileprivate init(_ node: AnyNode, _ number: UInt64, at place: Int, of derivation: Derivation) {
    storage = node.storage
    self.place = place
    unlinked = (node, number)
    super.init(of: derivation)
  }

  /// One that has been cut is read as if for the first time, though it may stand in the list until the holder
  /// hears of it.
  override func marked() { end() }
}

/// Touched by the holder of the derived node's region.
@usableFromInline struct Reads {
  /// The state that the edges' states name, which keep it; it ends with the derived node.
  fileprivate unowned(unsafe) let derivation: Derivation
  fileprivate let derived: NodePointer
  fileprivate var nodes: [ReadNode] = []
  /// Those before this place have been read in the present run.
  fileprivate var finger = 0
  /// Read for the first time in the present run, in that order: to be linked behind it.
  fileprivate var new: [ReadNode] = []
  /// By node, where they are too many to look at all of them.
  fileprivate var places: [NodePointer: ReadNode] = [:]
  /// Of an edge that is over; used again as soon as nobody else has it any more.
  fileprivate var spare: ReadNode?

  fileprivate static var few: Int { 8 }
}

@usableFromInline final class Derivation: EdgeState, @unchecked Sendable {
  // Unchecked: see `Reads`. A pointer, for a field would be checked for exclusive access each time.
  @usableFromInline let reads: UnsafeMutablePointer<Reads>

  @usableFromInline init(of derived: NodePointer) {
    reads = .allocate(capacity: 1)
    super.init()
    reads.initialize(to: Reads(derivation: self, derived: derived))
  }

  deinit {
    reads.deinitialize(count: 1)
    reads.deallocate()
  }

  /// One run of the closure, which may set nothing.
  @inlinable @inline(__always) func run<Value>(
    _ turn: TurnPointer, _ body: () throws -> Value?
  ) -> Value? {
    let (outerReads, outerBatch) = (easyreact_reads_get(), turn.pointee.batch)
    begin()
    easyreact_reads_set(reads)
    turn.pointee.batch = Unmanaged.passUnretained(Batch.refusing)
    defer {
      easyreact_reads_set(outerReads)
      turn.pointee.batch = outerBatch
    }
    do { return try body() } catch {
      if error is NodeIsEmpty { return nil }
      refuse(error)
    }
  }

  @usableFromInline func refuse(_ error: any Error) -> Never {
    misuse(
      "derived", "its closure threw \(error)", reads.pointee.derived.node(),
      "Only NodeIsEmpty is for it; catch others in the closure, or derive a node of `Result`.")
  }

  var hasNew: Bool { !reads.pointee.new.isEmpty }

  @usableFromInline func begin() { reads.pointee.finger = 0 }

  /// Behind a run: edges from what it was the first to read, none from what it no longer reads.
  @usableFromInline func moveEdges(in turn: TurnPointer) {
    if reads.pointee.finger == reads.pointee.nodes.count, !hasNew { return }
    dropUnread(turn)
    if !hasNew { return }
    // Not the list itself: what another thread has set and cut meanwhile is heard of here.
    for place in reads.pointee.new.indices {
      reads.pointee.new[place].link(to: reads.pointee.derived, in: turn)
    }
    reads.pointee.new.removeAll(keepingCapacity: reads.pointee.new.count <= Reads.few)
  }

  private func dropUnread(_ turn: TurnPointer) {
    while reads.pointee.nodes.count > reads.pointee.finger {
      let node = reads.remove(reads.pointee.nodes.count - 1)
      if !node.hasEnded { node.edge?.cut(by: turn) }
      reads.pointee.spare = node
    }
    forgetSpareIfLast()
  }

  /// The edge was cut: by the derivation itself, by the user, or with the derived node.
  override func innerEnded(_ life: EdgeState, _ turn: TurnPointer) {
    let node = unsafeDowncast(life, to: ReadNode.self)
    if node.place >= 0 { _ = reads.remove(node.place) }
    forgetSpareIfLast()
  }

  /// It keeps this object, and where nothing is followed nobody else would let go of it.
  private func forgetSpareIfLast() {
    if reads.pointee.nodes.isEmpty { reads.pointee.spare = nil }
  }
}

extension ReadNode {
  /// What came between the read and the link runs the derivation once more.
  fileprivate func link(to derived: NodePointer, in turn: TurnPointer) {
    guard let (node, number) = unlinked.take() else { return }
    let edge = makeEdge(
      EdgeStorage(
        kind: .derived, up: storage, handle: Unmanaged.passRetained(node), flags: .starting,
        state: self, step: arriveAtJoin))
    edge.pointee.down = derived
    self.edge = edge
    edge.prepareLink(in: turn)
    edge.attachToJoin(in: turn, seen: number)
  }
}

// MARK: - What is read

extension NodePointer {
  /// The closure of a derivation reads this node.
  @usableFromInline @inline(never) func noteRead(in reads: UnsafeMutableRawPointer) {
    let reads = reads.assumingMemoryBound(to: Reads.self)
    let finger = reads.pointee.finger
    if finger < reads.pointee.nodes.count, reads.pointee.nodes[finger].storage == self,
      !reads.pointee.nodes[finger].hasEnded
    {
      reads.pointee.finger = finger + 1
    } else if self != reads.pointee.derived {
      reads.noteOutOfOrder(self)
    }
  }
}

extension UnsafeMutablePointer<Reads> {
  /// Read before in this run; or another time, or for the first time: then it comes to the finger's place.
  fileprivate func noteOutOfOrder(_ storage: NodePointer) {
    var present = find(storage)
    if let ended = present, ended.hasEnded {
      _ = remove(ended.place)
      present = nil
    }
    if let present {
      if present.place < pointee.finger { return }
      exchange(present.place, pointee.finger)
    } else {
      guard let node = storage.handle() else { return }
      add(storage, unsafeDowncast(node, to: AnyNode.self))
      exchange(pointee.nodes.count - 1, pointee.finger)
    }
    pointee.finger += 1
  }

  private func find(_ storage: NodePointer) -> ReadNode? {
    if pointee.nodes.count > Reads.few { return pointee.places[storage] }
    return pointee.nodes.first { $0.storage == storage }
  }

  private func add(_ storage: NodePointer, _ node: AnyNode) {
    let number = storage.numberOfValue()
    let count = pointee.nodes.count
    let new: ReadNode
    if isKnownUniquelyReferenced(&pointee.spare), let spare = pointee.spare.take() {
      new = spare
      new.isEnded.store(false, ordering: .relaxed)
      (new.storage, new.place, new.unlinked) = (storage, count, (node, number))
    } else {
      new = ReadNode(node, number, at: count, of: pointee.derivation)
    }
    pointee.nodes.append(new)
    pointee.new.append(new)
    if count + 1 == Reads.few + 1 {
      for node in pointee.nodes { pointee.places[node.storage] = node }
    } else if count >= Reads.few {
      pointee.places[storage] = new
    }
  }

  private func exchange(_ a: Int, _ b: Int) {
    if a == b { return }
    pointee.nodes.swapAt(a, b)
    pointee.nodes[a].place = a
    pointee.nodes[b].place = b
  }

  /// The last one takes its place; but those that have been read stay before the others.
  fileprivate func remove(_ place: Int) -> ReadNode {
    var place = place
    if place < pointee.finger {
      pointee.finger -= 1
      exchange(place, pointee.finger)
      place = pointee.finger
    }
    exchange(place, pointee.nodes.count - 1)
    let node = pointee.nodes.removeLast()
    node.place = -1
    node.unlinked = nil
    if pointee.nodes.count > Reads.few {
      pointee.places[node.storage] = nil
    } else if pointee.nodes.count == Reads.few {
      pointee.places = [:]
    }
    return node
  }
}
