import Synchronization

// Several lenses of one part are nodes of their own. What they have in common is their place in the order: behind whatever is linked to any of them.

/// The way from a whole to a part: key paths, indices and keys. Lenses whose ways are equal are of one part.
///
/// A list from the last step to the first, so that parts of one part share the way to that.
final class PartWay: Hashable, @unchecked Sendable {
  // Unchecked: made of what is Sendable.
  private let step: AnyHashable
  private let outer: PartWay?
  private let hash: Int

  init(_ step: AnyHashable, after outer: PartWay? = nil) {
    (self.step, self.outer) = (step, outer)
    var hasher = Hasher()
    hasher.combine(outer?.hash)
    hasher.combine(step)
    hash = hasher.finalize()
  }

  /// The steps of this one behind those of another one.
  func after(_ outer: PartWay) -> PartWay {
    var steps: [AnyHashable] = [], way: PartWay? = self
    while let next = way {
      steps.append(next.step)
      way = next.outer
    }
    return steps.reversed().reduce(outer) { PartWay($1, after: $0) }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  static func == (a: PartWay, b: PartWay) -> Bool {
    var (first, second) = (Optional(a), Optional(b))
    while let a = first, let b = second {
      if a === b { return true }
      if a.hash != b.hash || a.step != b.step { return false }
      (first, second) = (a.outer, b.outer)
    }
    return first == nil && second == nil
  }
}

/// Of a part of a part: made once, for all that lies in it has it too.
final class LazyPartWay: Sendable {
  private let made = Mutex<PartWay??>(nil)
  private let make: @Sendable () -> PartWay?

  init(_ make: @escaping @Sendable () -> PartWay?) { self.make = make }

  var way: PartWay? {
    if let made = made.withLock({ $0 }) { return made }
    let new = make()  // user code
    return made.withLock { made in
      if made == nil { made = .some(new) }
      return made!
    }
  }
}

/// The lenses of one part of a whole, as long as there are any.
final class SamePart: Sendable {
  private struct Entry { weak var lens: AnyNode? }
  private struct State {
    /// By the object behind each lens.
    var lenses: [ObjectIdentifier: Entry] = [:]
    /// Made with the first inlet. All inlets come before it, and it comes before all lenses: an edge for each of them, not for each pair.
    var barrier: AnyNode?
  }
  private let state = Mutex(State())
  /// In which it stands; nil: nothing is known of the way, and there is one lens.
  private let place: (table: PartTable, way: PartWay, hash: Int)?

  fileprivate init(_ way: PartWay, _ hash: Int, in table: PartTable) { place = (table, way, hash) }
  fileprivate init() { place = nil }
  deinit { if let place { place.table.remove(self, place.hash) } }

  fileprivate func has(_ way: PartWay) -> Bool { place?.way == way }

  /// The lens comes behind what is linked to another lens of the part, now or later. Of no effect on one that is here already, or was cut from its whole.
  func add(_ lens: AnyNode, _ object: AnyLens) {
    if !lens.storage.liesInWhole { return }
    let (barrier, isNew) = state.withLock { state in
      let known = state.lenses.updateValue(Entry(lens: lens), forKey: ObjectIdentifier(object))
      return (state.barrier, known == nil)
    }
    if isNew, let barrier { barrier.storage.orderOnly(before: lens.storage) }
  }

  func remove(_ object: AnyLens) {
    state.withLock { state in
      state.lenses[ObjectIdentifier(object)] = nil
      state.lenses.shrinkIfSparse()
    }
  }

  /// What comes to the inlet has come to its part before a join that reads this, by any lens, runs; also where the edge into the whole leads back.
  func order(_ inlet: AnyNode) {
    let (barrier, lenses) = state.withLock { state in
      if let barrier = state.barrier { return (barrier, [AnyNode]()) }
      let barrier = AnyNode(adopting: makeBarrier(inlet.storage.pointee.location))
      state.barrier = barrier
      return (barrier, state.lenses.values.compactMap(\.lens))
    }
    inlet.storage.orderOnly(before: barrier.storage)
    for lens in lenses.sorted(by: { $0.id < $1.id }) where lens.storage.liesInWhole {
      barrier.storage.orderOnly(before: lens.storage)
    }
  }
}

/// The parts of a whole that have lenses; made when something is linked to one of these.
final class PartTable: Sendable {
  private struct Entry { weak var part: SamePart? }
  /// By their hashes: to compare ways is user code, during which no lock is held.
  private let parts = Mutex<[Int: [ObjectIdentifier: Entry]]>([:])
  /// All lenses that were there before it are in it.
  fileprivate let isComplete = Atomic(false)

  /// - Parameter way: Nil: nothing is known of it.
  func part(_ way: PartWay?) -> SamePart {
    guard let way else { return SamePart() }
    let hash = way.hashValue, made = SamePart(way, hash, in: self)
    // Kept, or another one might get the address of one of them.
    var known: [ObjectIdentifier: SamePart] = [:]
    while true {
      let candidates = parts.withLock { parts in
        let there = parts[hash, default: [:]].filter { known[$0.key] == nil }
        let candidates = there.values.compactMap(\.part)
        if candidates.isEmpty {
          parts[hash, default: [:]][ObjectIdentifier(made)] = Entry(part: made)
        }
        return candidates
      }
      if candidates.isEmpty { return made }
      if let present = candidates.first(where: { $0.has(way) }) { return present }
      for candidate in candidates { known[ObjectIdentifier(candidate)] = candidate }
    }
  }

  fileprivate func remove(_ part: SamePart, _ hash: Int) {
    parts.withLock { parts in
      parts[hash]?[ObjectIdentifier(part)] = nil
      if parts[hash]?.isEmpty == true { parts[hash] = nil }
      parts.shrinkIfSparse()
    }
  }
}

/// A node that nothing comes to, and nobody is shown.
private func makeBarrier(_ location: SourceLocation) -> NodePointer {
  makeStorage(
    of: Never.self, region: nil, location: location,
    inEdge: EdgeStorage(kind: .order, flags: .detached) { _, _, _ in false })
}

extension NodePointer {
  /// Does it only put others in order?
  var isBarrier: Bool { inEdgePointer().pointee.kind == .order }

  /// An edge that nothing comes over.
  fileprivate func orderOnly(before other: NodePointer) {
    let kind = OperatorKind.order
    let edge = makeEdge(EdgeStorage(kind: kind, up: self, flags: kind.flags) { _, _, _ in false })
    edge.pointee.down = other
    other.pointee.references.wrappingAdd(1, ordering: .relaxed)
    edge.countOnUpstream()
    edge.insert()
  }

  /// Is it still a part of its whole?
  fileprivate var liesInWhole: Bool { hasEdge(.ins) { $0.pointee.kind == .lens } }
}

extension AnyNode {
  /// Of a whole, which is no part itself, if something has been linked to one of its parts.
  var partTableIfAny: PartTable? { storage.attachmentsIfAny()?.state.withLock { $0.parts } }

  /// The lenses that are there already are entered, by whoever comes before somebody has done that. One that is made meanwhile is found here, or finds the
  /// table, or both.
  func partTable() -> PartTable {
    if let table = partTableIfAny, table.isComplete.load(ordering: .acquiring) { return table }
    let made = PartTable()
    let table = storage.attachments().state.withLock { state in
      let table = state.parts ?? made
      state.parts = table
      return table
    }
    if !table.isComplete.load(ordering: .acquiring) {
      enterLenses(in: table)
      table.isComplete.store(true, ordering: .releasing)
    }
    return table
  }

  /// Those of this whole, of its parts, and so on.
  private func enterLenses(in table: PartTable) {
    var nodes = [self], seen: Set<AnyNode> = []
    while let node = nodes.popLast() {
      for below in node.downstreamNodes
      where below.storage.anyLens?.enter(below, in: table, of: self) == true
        && seen.insert(below).inserted
      {
        nodes.append(below)
      }
    }
  }
}
