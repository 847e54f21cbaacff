import Synchronization

/// What few nodes have.
@usableFromInline final class SideTable: @unchecked Sendable {
  // Unchecked: `context` and `queue` are touched by the holder of the node's region; `pendingValue` and the tickets
  // lie under the node's short lock; `isEventNode` and `termination` are set before the node is published,
  // and never again; the rest is atomic.

  /// What the floors above keep with a node: its name, loose transforms, the listenings of owners.
  let attachments = Atomic<Unmanaged<AnyObject>?>(nil)
  /// What recordings know of the node.
  let trace = Atomic<Unmanaged<AnyObject>?>(nil)
  let traceRecord = Atomic<UnsafeMutableRawPointer?>(nil)
  /// Of the value that is being told. No access to it lasts while user code runs: see `exchange`.
  @exclusivity(unchecked) @usableFromInline var context: ContextBox?
  /// Who is to hear a value that is not told yet. The holder's.
  var audience: Audience?
  /// What came while the node was busy.
  var queue: PendingQueue?
  /// `PendingValue<Value>`: the newest value that was left with another thread.
  @usableFromInline var pendingValue: AnyObject?
  /// How many were left; which of them the thread that is inside the node left last and has not told yet, or 0; and that thread's turn,
  /// since another one may have taken over.
  @usableFromInline var pendingTicket: UInt64 = 0
  @usableFromInline var holdersTicket: UInt64 = 0
  /// Its `identity`.
  @usableFromInline var ticketHolder: UInt64 = 0
  /// That of a node on a cycle; retained. Written under the topology lock.
  let component = Atomic<Unmanaged<Component>?>(nil)
  /// When its join refused something last: see `refuses`.
  let missedAt = Atomic<UInt64>(0)
  /// See Topology+Ranks.swift.
  let top = Atomic<Int32>(SideTable.noTop)
  /// The sequence of the node's value, while that has this number: see `assignVersion`. Written by the holder,
  /// before the number.
  @usableFromInline let tiebreakWave = Atomic<UInt64>(0)
  @usableFromInline let tiebreak = Atomic<UInt64>(0)
  /// Under which number the node's value came here, while the value has the new number that it got here: see `assignVersion`. Written by the holder.
  let renumberedTo = Atomic(UInt64.max)
  let renumberedFrom = Atomic<UInt64>(0)
  /// The node began a wave that a tracer heard of, and is told when it ends. The holder's.
  @usableFromInline let isTracedStart = Atomic(false)
  /// It is an event node.
  @usableFromInline var isEventNode = false
  /// For a node that is no join and computes from several upstreams.
  @usableFromInline var termination: Termination?

  deinit {
    attachments.load(ordering: .acquiring)?.release()
    trace.load(ordering: .acquiring)?.release()
  }
}

extension NodePointer {
  @usableFromInline func sideTable() -> SideTable {
    if let present = pointee.sideTable.load(ordering: .acquiring) {
      return present.takeUnretainedValue()
    }
    let made = Unmanaged.passRetained(SideTable())
    let (exchanged, original) = pointee.sideTable.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if exchanged { return made.takeUnretainedValue() }
    made.release()
    return original!.takeUnretainedValue()
  }
}

extension NodeStorage {
  borrowing func sideTableIfAny() -> SideTable? {
    sideTable.load(ordering: .acquiring)?.takeUnretainedValue()
  }
}

@usableFromInline final class ContextBox: Sendable {
  @usableFromInline let value: any Sendable
  @usableFromInline init(_ value: any Sendable) { self.value = value }
}
