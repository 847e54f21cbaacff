import Synchronization

/// The bits of `NodeStorage.flags`; those in `inFlight` travel with a wave, in `Wave.flags`.
@usableFromInline struct NodeFlags: OptionSet, Sendable {
  // Spelled out, since the defaults of `OptionSet` are generic, and slow in debug builds.
  @usableFromInline var rawValue: UInt8
  @inlinable @inline(__always) init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable @inline(__always) var isEmpty: Bool { rawValue == 0 }
  /// At least one of them.
  @inlinable @inline(__always) func has(_ flags: NodeFlags) -> Bool {
    rawValue & flags.rawValue != 0
  }
  @inlinable @inline(__always) func with(_ flags: NodeFlags) -> NodeFlags {
    NodeFlags(rawValue: rawValue | flags.rawValue)
  }
  @inlinable @inline(__always) func without(_ flags: NodeFlags) -> NodeFlags {
    NodeFlags(rawValue: rawValue & ~flags.rawValue)
  }
  @inlinable @inline(__always) func only(_ flags: NodeFlags) -> NodeFlags {
    NodeFlags(rawValue: rawValue & flags.rawValue)
  }
  @inlinable @inline(__always) mutating func insert(_ flags: NodeFlags) {
    rawValue |= flags.rawValue
  }
  @inlinable @inline(__always) mutating func remove(_ flags: NodeFlags) {
    rawValue &= ~flags.rawValue
  }

  /// The node still has something to do for its present value, so what comes now waits in its
  /// queue.
  @inlinable static var busy: NodeFlags { NodeFlags(rawValue: 1) }
  /// The wave has a sequence besides its number: see `assignVersion`.
  @inlinable static var late: NodeFlags { NodeFlags(rawValue: 2) }
  /// The wave crossed an edge that leads back.
  @inlinable static var crossedBackEdge: NodeFlags { NodeFlags(rawValue: 4) }
  @inlinable static var context: NodeFlags { NodeFlags(rawValue: 8) }
  /// The node was emptied: only edges that hear emptiness are followed.
  @inlinable static var emptied: NodeFlags { NodeFlags(rawValue: 16) }
  /// For good, until a value is stored: an event was told, so the node is empty, and `hasHeldEvent` holds.
  @inlinable static var holdsNoValue: NodeFlags { NodeFlags(rawValue: 32) }
  /// Of a node that holds a value: busy with user code that runs between storing it and telling it. To note an audience takes
  /// `holdsNoValue` away, and `endUntold` turns that bit over: if it is set afterwards, there is an audience. (Without a value the pair says nothing.)
  @inlinable static var untold: NodeFlags { busy.with(holdsNoValue) }
  /// The value is an event: told, and not kept.
  @inlinable static var event: NodeFlags { NodeFlags(rawValue: 64) }
  /// For good: an event node, whose values are events. Its flags are never empty, so the quick ways of values
  /// need not ask for it.
  @inlinable static var eventNode: NodeFlags { NodeFlags(rawValue: 128) }
  @inlinable static var inFlight: NodeFlags {
    NodeFlags(
      rawValue: late.rawValue | crossedBackEdge.rawValue | context.rawValue | emptied.rawValue
        | event.rawValue)
  }
}

/// Set once and for good, by anybody: the bits of `NodeStorage.lastingFlags`.
@usableFromInline struct LastingFlags: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable @inline(__always) init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var isMutable: LastingFlags { LastingFlags(rawValue: 1) }
  /// An event once lay where the value lies: see `readWordLocked`.
  @inlinable static var hasHeldEvent: LastingFlags { LastingFlags(rawValue: 2) }
}

extension NodeStorage {
  @inlinable @inline(__always) borrowing func has(_ flag: LastingFlags) -> Bool {
    lastingFlags.load(ordering: .acquiring) & flag.rawValue != 0
  }
  /// True: it was not set before.
  @discardableResult
  @inlinable borrowing func insert(_ flag: LastingFlags) -> Bool {
    lastingFlags.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing).oldValue
      & flag.rawValue == 0
  }
}

/// What never changes once others see the node: the bits of `NodeStorage.traits`.
@usableFromInline struct NodeTraits: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable @inline(__always) init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable @inline(__always) func has(_ traits: NodeTraits) -> Bool {
    rawValue & traits.rawValue != 0
  }

  /// An event that has been told needs no destruction.
  @inlinable static var hasTrivialValue: NodeTraits { NodeTraits(rawValue: 1) }
  /// Its value is kept elsewhere too: see `ValueKeeper`.
  @inlinable static var isKept: NodeTraits { NodeTraits(rawValue: 2) }
}

/// Does anybody want the node? The holder's.
@usableFromInline enum NodeLife: UInt8 {
  case wanted
  /// The handle is gone, and whoever opens the last message for the node retires it.
  case endsWithMessages
  /// The handle is gone.
  case unwanted
}
