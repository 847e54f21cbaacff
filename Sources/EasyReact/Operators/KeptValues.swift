/// Copies of what the closure of a derivation has read, until its run is over: where another thread sets the node
/// meanwhile, the closure's own copy would be the last, and what the value's deinit sets would count as the closure's.
/// From run to run it keeps its room, so it allocates nothing while what is read stays as large.
struct KeptValues {
  private var entries: [(place: UnsafeMutableRawPointer, type: any Any.Type)] = []
  private var room: UnsafeMutableRawPointer?
  private var capacity = 0, used = 0
  /// Values that there was no room for, each in a block of its own.
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Room of unusual size is given back.
  private static var usualCapacity: Int { 4_096 }

  mutating func keep<Value>(_ value: Value) {
    let (size, alignment) = (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    let offset = (used + alignment - 1) & ~(alignment - 1)
    used = offset + size
    var place = room.map { $0 + offset }
    if used > capacity || alignment > 16 {
      place = .allocate(byteCount: size, alignment: alignment)
      blocks.append(place.unsafelyUnwrapped)
    }
    place.unsafelyUnwrapped.initializeMemory(as: Value.self, to: value)
    entries.append((place.unsafelyUnwrapped, Value.self))
  }

  /// The caller lets the values go when nothing is refused any more: their deinits are user code, which may run a
  /// derivation; so they are taken out first.
  mutating func takeAll() -> KeptValues {
    let all = self
    self = KeptValues()
    return all
  }

  /// The values die. Returns the room for the next run.
  consuming func end() -> KeptValues {
    for entry in entries { destroy(entry.type, at: entry.place) }
    for block in blocks { block.deallocate() }
    var next = KeptValues()
    if used > capacity, used <= Self.usualCapacity {
      room?.deallocate()
      (room, capacity) = (.allocate(byteCount: used, alignment: 16), used)
    }
    entries.removeAll(keepingCapacity: true)
    (next.entries, next.room, next.capacity) = (entries, room, capacity)
    return next
  }

  func free() { room?.deallocate() }

  private func destroy<Value>(_: Value.Type, at place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }
}
