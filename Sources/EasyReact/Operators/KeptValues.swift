/// Copies of what the closure of a derivation has read, until its run is over: if another thread sets the node
/// meanwhile, the closure's own copy would be the last, and what the value's deinit sets would count as the closure's.
/// From run to run it keeps its room, so it allocates nothing while what is read stays as large.
struct KeptValues {
  private var entries: [(place: UnsafeMutableRawPointer, type: any Any.Type)] = []
  private var room: UnsafeMutableRawPointer?
  private var capacity = 0, used = 0
  /// Values that there was no room for, each in a block of its own.
  private var blocks: [UnsafeMutableRawPointer] = []

  mutating func keep<Value>(_ value: Value) {
    let (size, alignment) = (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    let offset = (used + alignment - 1) & ~(alignment - 1)
    used = offset + size
    let place: UnsafeMutableRawPointer
    if let room, used <= capacity, alignment <= 16 {
      place = room + offset
    } else {
      place = .allocate(byteCount: max(1, size), alignment: alignment)
      blocks.append(place)
    }
    place.initializeMemory(as: Value.self, to: value)
    entries.append((place, Value.self))
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
    // A run may read little for once.
    if used > capacity || capacity > 8 * used + 4_096 {
      room?.deallocate()
      (room, capacity) = (.allocate(byteCount: used, alignment: 16), used)
      entries = []
    }
    var next = KeptValues()
    entries.removeAll(keepingCapacity: true)
    (next.entries, next.room, next.capacity) = (entries, room, capacity)
    return next
  }

  func free() { room?.deallocate() }

  private func destroy<Value>(_: Value.Type, at place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }
}
