import Synchronization

/// One life of an edge, from the moment it has both ends until it is cut; or of a listener.
///
/// A life never changes its ends: re-pointing a transform cuts its life and begins another, so
/// nothing that waits in a queue or in the mailbox can reach the new end, and no counter is shared.
@usableFromInline struct EdgeStorage: ~Copyable {
  // What the loop reads lies together.

  /// Run by the holder of the upstream's region.
  @usableFromInline var step: Step
  /// Among the upstream's edges or listeners: written under the upstream's lock, read by its
  /// region's holder.
  @usableFromInline let next: Atomic<EdgePointer?>
  /// Set once, before the edge is in any list. A listener has no `down`.
  @usableFromInline var down: NodePointer?
  /// Atomic: `EdgeFlags`.
  @usableFromInline let flags: Atomic<UInt8>
  /// Should the step run when the upstream is emptied? It finds the upstream without a value.
  @usableFromInline let hearsEmptiness: Bool
  /// The operators know what it stands for (OperatorKind.swift).
  @usableFromInline let kindCode: UInt8
  @usableFromInline let traits: EdgeTraits
  /// For a recording: given when it is first asked for, and unique.
  @usableFromInline let number: Atomic<UInt32>
  @usableFromInline var up: NodePointer?

  /// The first one's is the last.
  @usableFromInline let previous: Atomic<EdgePointer?>
  /// Retained: its state, or, if it has none, its public object.
  @usableFromInline let object: Atomic<Unmanaged<AnyObject>?>

  /// - Parameter handle: The upstream's, retained by the caller; nil for half of a sync.
  init(
    kindCode: UInt8, traits: EdgeTraits, up: NodePointer? = nil,
    handle: Unmanaged<AnyObject>? = nil,
    hearsEmptiness: Bool = false, flags: EdgeFlags = [], state: EdgeState? = nil,
    step: @escaping Step
  ) {
    object = Atomic(state.map { Unmanaged.passRetained($0 as AnyObject) })
    self.kindCode = kindCode
    self.traits = traits.union(state == nil ? [] : .hasState)
      .union(handle == nil ? [] : .keepsUpstream)
    number = Atomic(0)
    self.step = step
    self.up = up
    down = nil
    self.flags = Atomic(flags.rawValue)
    self.hearsEmptiness = hearsEmptiness
    next = Atomic(nil)
    previous = Atomic(nil)
  }
}

extension EdgeStorage {
  /// Retained: what waits in a scheduler for this edge, told when it is cut.
  @inlinable @inline(__always) var state: Unmanaged<EdgeState>? {
    traits.has(.hasState)
      ? .fromOpaque(object.load(ordering: .relaxed).unsafelyUnwrapped.toOpaque()) : nil
  }

  /// What the user sees of it: a transform, made when it is first asked for, or what controls a listener. It may be an
  /// `EdgeObserver`.
  @usableFromInline var publicObject: AnyObject? {
    withPublicObject { $0.load(ordering: .acquiring)?.takeUnretainedValue() }
  }

  /// Gives it to an edge that has none: retained until the edge has ended. Returns the one that another thread gave it before.
  @discardableResult
  @usableFromInline borrowing func setPublicObject(_ object: AnyObject) -> AnyObject? {
    let new = Unmanaged.passRetained(object)
    let (isSet, old) = withPublicObject {
      $0.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
    }
    if isSet { return nil }
    new.release()
    return old?.takeUnretainedValue()
  }

  /// Retained.
  borrowing func takePublicObject() -> Unmanaged<AnyObject>? {
    withPublicObject { $0.exchange(nil, ordering: .acquiringAndReleasing) }
  }

  private borrowing func withPublicObject<Result>(
    _ body: (borrowing Atomic<Unmanaged<AnyObject>?>) -> Result
  ) -> Result {
    state?._withUnsafeGuaranteedRef { body($0.publicObject) } ?? body(object)
  }

  /// The upstream's handle, if the edge retains it.
  @inlinable @inline(__always) var upHandle: Unmanaged<AnyObject>? {
    guard traits.has(.keepsUpstream) else { return nil }
    let handle = up.unsafelyUnwrapped.pointee.handle.load(ordering: .relaxed)
    return .fromOpaque(handle.unsafelyUnwrapped)
  }
}

/// The bits of `EdgeStorage.flags`.
@usableFromInline struct EdgeFlags: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable @inline(__always) init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable @inline(__always) func has(_ flags: EdgeFlags) -> Bool {
    rawValue & flags.rawValue != 0
  }

  /// Set by anybody, first of all, and never taken back: from then on nothing passes.
  @inlinable static var cut: EdgeFlags { EdgeFlags(rawValue: 1) }
  /// Closed a cycle when it was linked.
  @inlinable static var isBackEdge: EdgeFlags { EdgeFlags(rawValue: 2) }
  /// One half of a sync.
  @inlinable static var sync: EdgeFlags { EdgeFlags(rawValue: 4) }
  /// In the lists already, behind those that are attached: its attachment is still in the mailbox.
  @inlinable static var starting: EdgeFlags { EdgeFlags(rawValue: 8) }
  /// Of the edge in a node's own block: it is no upstream edge, or no longer one.
  @inlinable static var detached: EdgeFlags { EdgeFlags(rawValue: 32) }
  /// Leads back as long as the join below may still drop it in this turn (Topology+Exchanges.swift).
  static var gaveWay: EdgeFlags { EdgeFlags(rawValue: 16) }
  /// What comes over it changes a part of the node below. On a cycle it leads back (`partsGiveWay`).
  static var intoWhole: EdgeFlags { EdgeFlags(rawValue: 64) }
  /// Nothing passes, and nobody sees it: the node below only has a higher rank than the one above. Never attached.
  static var ordersOnly: EdgeFlags { EdgeFlags(rawValue: 128) }
  @inlinable static var filtered: EdgeFlags {
    EdgeFlags(rawValue: isBackEdge.rawValue | sync.rawValue)
  }
}

extension EdgeStorage {
  /// A closure that is read from memory is retained for the call; a borrowed `self` keeps it alive
  /// instead. Must not be inlined into the loop.
  @inline(never) borrowing func run(_ up: NodePointer, _ edge: EdgePointer, _ turn: TurnPointer)
    -> Bool
  {
    step(up, edge, turn)
  }

  @usableFromInline borrowing func has(_ flags: EdgeFlags) -> Bool {
    self.flags.load(ordering: .acquiring) & flags.rawValue != 0
  }

  @inlinable var allFlags: EdgeFlags {
    EdgeFlags(rawValue: flags.load(ordering: .sequentiallyConsistent))
  }

  /// Returns what was there before.
  @discardableResult
  @inlinable borrowing func insert(_ new: EdgeFlags) -> EdgeFlags {
    EdgeFlags(rawValue: flags.bitwiseOr(new.rawValue, ordering: .sequentiallyConsistent).oldValue)
  }

  @discardableResult
  @inlinable borrowing func remove(_ old: EdgeFlags) -> EdgeFlags {
    EdgeFlags(rawValue: flags.bitwiseAnd(~old.rawValue, ordering: .sequentiallyConsistent).oldValue)
  }

  /// Nothing passes any more: it was cut; or it comes from an inner node, and the outer edge was cut.
  /// Asked once the downstream is claimed: the value may have set out long ago, and whoever cut the edge
  /// may have set the downstream since.
  @usableFromInline borrowing func isOver() -> Bool {
    has(.cut) || state?._withUnsafeGuaranteedRef { $0.outer?.hasEnded ?? false } ?? false
  }
}

/// An edge's address, to be kept in something that threads share.
struct EdgeReference: @unchecked Sendable {
  // Unchecked: an address; whoever keeps it says when the edge may be touched.
  let edge: EdgePointer
  init(_ edge: EdgePointer) { self.edge = edge }
}

/// The block of an edge that does not lie in a node's block.
@usableFromInline struct EdgeBlock: ~Copyable {
  @usableFromInline var edge: EdgeStorage
  /// Among the downstream's upstream edges: under the downstream's lock. The first one's
  /// `previousIn` is the last.
  @usableFromInline let nextIn = Atomic<EdgePointer?>(nil)
  @usableFromInline let previousIn = Atomic<EdgePointer?>(nil)
  /// Retained, of half of a sync: set before the edge is attached.
  @usableFromInline var beginning: Unmanaged<SyncBeginning>?

  @inlinable init(_ edge: consuming EdgeStorage) { self.edge = edge }

  deinit { beginning?.release() }
}

/// An edge with a block of its own.
@inlinable func makeEdge(_ edge: consuming EdgeStorage) -> EdgePointer {
  let block =
    currentTurn().takeSpareEdge() ?? UnsafeMutablePointer<EdgeBlock>.allocate(capacity: 1)
  block.initialize(to: EdgeBlock(edge))
  return UnsafeMutableRawPointer(block).assumingMemoryBound(to: EdgeStorage.self)
}

extension EdgePointer {
  /// Does it lie in its downstream's block? It is the first upstream edge then.
  @inlinable var isInNode: Bool { pointee.down?.inEdgePointer() == self }
  /// Precondition: the edge does not lie in a node's block.
  @inlinable var block: UnsafeMutablePointer<EdgeBlock> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: EdgeBlock.self)
  }
}
