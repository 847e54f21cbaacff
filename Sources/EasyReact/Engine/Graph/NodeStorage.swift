import CEasyReact
import Synchronization

@usableFromInline typealias NodePointer = UnsafeMutablePointer<NodeStorage>
@usableFromInline typealias EdgePointer = UnsafeMutablePointer<EdgeStorage>

/// Everything about one edge that depends on types: reads the upstream's value, computes, and
/// delivers into the downstream node or calls the listener. True: the downstream node stored a new
/// value, go on there.
///
/// Made in an `@inlinable` generic function, so it is specialised in the client's module. The
/// upstream comes as an argument: the closure of a `map` captures the user's function and nothing
/// else.
@usableFromInline typealias Step = (NodePointer, EdgePointer, TurnPointer) -> Bool

/// What the engine walks: one block of memory a node, `[NodeStorage | value]`.
///
/// A `Node` is a reference-counted handle on it. The handle's life says whether the node is wanted;
/// only the holder of the node's region frees the storage, at the end of a turn, so the loop of
/// `Propagation.swift` retains nothing, and nobody frees anything under its feet.
///
/// Three guards. *Holder*: only the thread that has claimed the node's region (`Region.swift`) may
/// touch it. *Lock*: written under the node's own short lock, read under it or by the holder.
/// *Atomic*: anybody reads.
@usableFromInline struct NodeStorage: ~Copyable {
  // Constant.

  @usableFromInline let id: UInt64
  @usableFromInline let location: SourceLocation

  // Atomic.

  /// One for the handle, one for each upstream edge that is not fully detached, and one for each
  /// downstream edge or listener that does not keep the handle.
  @usableFromInline let references = Atomic<Int32>(1)
  /// Greater than that of all upstreams whose edges do not lead back. Written by the maker, later under the topology
  /// lock.
  @usableFromInline let rank: Atomic<Int32>
  /// How many messages wait for this node: counted up under the lock, before each is left, and down by the
  /// holder, before each is opened.
  @usableFromInline let waitingMessages = Atomic<Int32>(0)
  /// Constant: what destroying a value needs.
  @usableFromInline let valueType: any Sendable.Type
  /// What few nodes need, made when it is first needed.
  @usableFromInline let sideTable = Atomic<Unmanaged<SideTable>?>(nil)

  // Lock.

  /// The `AnyNode`, not retained; nil before it is published, and once its deinit has begun.
  @usableFromInline let handle = Atomic<UnsafeRawPointer?>(nil)
  /// The first of the upstream edges that have blocks of their own: these follow the edge in this block, if that is an upstream edge.
  @usableFromInline let firstIn = Atomic<EdgePointer?>(nil)
  /// The last one that is attached; those behind it are starting.
  @usableFromInline let lastListener = Atomic<EdgePointer?>(nil)

  // Holder.

  /// Set on a node that computes from the latest values of several upstreams.
  @usableFromInline var join: JoinPointer? = nil

  // The loop's: read or written at every hop, so they lie together, before the edge and the value.

  // Holder.

  /// The next edge to follow, and the last one that this notification visits: what is linked
  /// meanwhile lies behind it. `caller` is the node below on the turn's stack, which runs through
  /// the nodes themselves.
  @usableFromInline var cursor: EdgePointer? = nil
  @usableFromInline var end: EdgePointer? = nil
  @usableFromInline var caller: NodePointer? = nil
  /// `NodeFlags`: zero when the node is at rest.
  @usableFromInline var flags: NodeFlags = []
  @usableFromInline var isHead: Bool
  @usableFromInline var life = NodeLife.wanted

  // Constant when others see the node.

  @usableFromInline var traits: NodeTraits

  // Atomic.

  /// Not empty; written by the holder after the value.
  @usableFromInline let hasValue = Atomic(false)
  @usableFromInline let hasPendingValue = Atomic(false)
  /// `LastingFlags`.
  @usableFromInline let lastingFlags = Atomic<UInt8>(0)
  @usableFromInline let lock = Atomic<UInt8>(0)
  /// The newest wave that reached this node. Written by the holder, after the value.
  @usableFromInline let wave = Atomic<UInt64>(0)
  /// The node that the present value came from; nil after a set. Compared before it is ever
  /// followed. Written by the holder.
  @usableFromInline let sender = Atomic<NodePointer?>(nil)
  /// Written by the holder, under the lock.
  @usableFromInline let region: AtomicRegion

  // Lock.

  @usableFromInline let firstListener = Atomic<EdgePointer?>(nil)
  @usableFromInline let firstOut = Atomic<EdgePointer?>(nil)
  /// The last one that is attached; those behind it are starting.
  @usableFromInline let lastOut = Atomic<EdgePointer?>(nil)
  /// The only upstream edge of a derived node, else `.detached`. Joins, merges and links have blocks of their own.
  @usableFromInline var inEdge: EdgeStorage

  init(
    region: RegionPointer, isHead: Bool, rank: Int32, location: SourceLocation,
    inEdge: consuming EdgeStorage, traits: NodeTraits, valueType: any Sendable.Type
  ) {
    self.isHead = isHead
    self.traits = traits
    self.rank = Atomic(rank)
    self.region = AtomicRegion(region)
    id = nextIdentifier()
    self.location = location
    self.valueType = valueType
    self.inEdge = inEdge
  }
}

private let identifiers = Atomic<UInt64>(1)
private func nextIdentifier() -> UInt64 {
  identifiers.wrappingAdd(1, ordering: .relaxed).oldValue
}

// MARK: - The short lock

extension NodeStorage {
  /// Never held while user code runs, or while waiting for another lock.
  @inlinable @inline(__always) borrowing func acquire() {
    if lock.exchange(1, ordering: .acquiring) != 0 { acquireSlowly() }
  }
  /// The thread that has it needs only a few more instructions, but may have lost its processor to this very thread: so
  /// the waits get longer, until they leave the processor to threads of any priority.
  @usableFromInline @inline(never) borrowing func acquireSlowly() {
    var round: UInt32 = 0
    repeat {
      easyreact_wait(round)
      round += 1
    } while lock.load(ordering: .relaxed) != 0 || lock.exchange(1, ordering: .acquiring) != 0
  }
  @inlinable @inline(__always) borrowing func tryAcquire() -> Bool {
    lock.exchange(1, ordering: .acquiring) == 0
  }
  @inlinable @inline(__always) borrowing func release() { lock.store(0, ordering: .releasing) }
  /// For use after references were copied under the lock. The optimiser may move a retain past an atomic
  /// store, and another thread frees the object in between; it moves none past a call that it
  /// cannot see into.
  @inlinable @inline(__always) borrowing func releaseAfterCopying() {
    easyreact_retain_barrier()
    release()
  }
}

// MARK: - Making one

extension NodePointer {
  @inlinable @inline(__always) func inEdgePointer() -> EdgePointer {
    // `MemoryLayout.offset(of:)` wants a key path, and there are none into noncopyable types; it is
    // the last field.
    (UnsafeMutableRawPointer(self)
      + (MemoryLayout<NodeStorage>.size - MemoryLayout<EdgeStorage>.size))
      .assumingMemoryBound(to: EdgeStorage.self)
  }
}

/// Makes a node's storage, without a handle. `region` is the upstream's; nil: the node gets one of its own.
@inlinable @inline(__always) func makeStorage<Value: Sendable>(
  of _: Value.Type, region: RegionPointer?, location: SourceLocation, inEdge: consuming EdgeStorage
) -> NodePointer {
  makeStorage(
    byteCount: valueOffset(Value.self) + max(8, MemoryLayout<Value>.size),
    alignment: max(16, MemoryLayout<Value>.alignment),
    traits: _isPOD(Value.self) ? .hasTrivialValue : [], region: region, location: location,
    inEdge: inEdge,
    valueType: Value.self)
}

/// The part that needs no type: compiled once, in the library.
@usableFromInline func makeStorage(
  byteCount: Int, alignment: Int, traits: NodeTraits, region: RegionPointer?,
  location: SourceLocation, inEdge: consuming EdgeStorage, valueType: any Sendable.Type
) -> NodePointer {
  let storage = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: alignment)
    .assumingMemoryBound(to: NodeStorage.self)
  storage.initialize(
    to: NodeStorage(
      region: region ?? makeRegion(), isHead: region == nil, rank: 0, location: location,
      inEdge: inEdge, traits: traits, valueType: valueType))
  storage.inEdgePointer().pointee.down = storage
  return storage
}

extension NodePointer {
  /// Destroying the value is user code: no lock is held.
  func freeStorage(in turn: TurnPointer) {
    awaitTopology()
    dropQueue()
    if !pointee.traits.has(.hasTrivialValue) { clearValue(pointee.valueType) }
    if let join = pointee.join { join.freeJoin() }
    pointee.sideTable.load(ordering: .acquiring)?.release()
    if pointee.isHead { pointee.region.load(ordering: .relaxed).pointee.isDead = true }
    pointee.acquire()  // the thread that left the message which ended it may still have the lock
    deinitialize(count: 1)
    UnsafeMutableRawPointer(self).deallocate()
  }
}
