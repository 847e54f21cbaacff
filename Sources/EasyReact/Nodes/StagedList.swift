/// Staged values in the order of first staging, found by their nodes.
struct StagedList: ~Copyable {
  private(set) var entries: StagedPointer
  private(set) var count = 0
  /// How many entries were used, by this batch or one before: these are initialised.
  private var used = 0
  private var capacity: Int
  /// If there are many: positions, from one, by the address of the node. Its size is a power of two, four
  /// times as many as there is room for.
  private var table: UnsafeMutablePointer<Int32>?

  /// Up to this many are looked through faster than a table is kept.
  private static var few: Int { 16 }
  /// Room that is kept for the next batch.
  private static var usualRoom: Int { 1_024 }

  init() {
    capacity = Self.few
    entries = .allocate(capacity: capacity)
  }

  deinit {
    entries.deinitialize(count: used)
    entries.deallocate()
    table?.deallocate()
  }

  func find(_ storage: NodePointer) -> StagedPointer? {
    guard let table else {
      var entry = entries
      let end = entries + count
      while entry != end {
        if entry.pointee.storage == storage { return entry }
        entry += 1
      }
      return nil
    }
    let position = table[slot(of: storage, in: table)]
    return position == 0 ? nil : entries + Int(position - 1)
  }

  mutating func findOrAppend(_ node: AnyNode) -> StagedPointer {
    if let found = find(node.storage) { return found }
    if count >= Self.few { makeRoom() }
    let entry = entries + count
    if count < used {
      entry.pointee.begin(for: node)
    } else {
      entry.initialize(to: Staged(node))
      used += 1
    }
    count += 1
    if let table { table[slot(of: node.storage, in: table)] = Int32(count) }
    return entry
  }

  mutating func removeAll() {
    count = 0
    if table != nil { forgetMany() }
  }

  private mutating func forgetMany() {
    table?.deallocate()
    table = nil
    if capacity <= Self.usualRoom { return }
    entries.deinitialize(count: used)
    entries.deallocate()
    used = 0
    capacity = Self.few
    entries = .allocate(capacity: capacity)
  }

  private mutating func makeRoom() {
    if count == capacity { grow() }
    if table == nil { makeTable() }
  }

  /// Full, so all of it is initialised.
  private mutating func grow() {
    EasyReact.grow(&entries, &capacity)
    table?.deallocate()
    table = nil
  }

  private mutating func makeTable() {
    let table = UnsafeMutablePointer<Int32>.allocate(capacity: capacity * 4)
    table.initialize(repeating: 0, count: capacity * 4)
    for index in 0..<count { table[slot(of: entries[index].storage, in: table)] = Int32(index + 1) }
    self.table = table
  }

  /// The node's, or the empty one where it belongs.
  private func slot(of storage: NodePointer, in table: UnsafeMutablePointer<Int32>) -> Int {
    let mask = capacity * 4 - 1
    var slot = Int(truncatingIfNeeded: hashed(storage)) & mask
    while table[slot] != 0, entries[Int(table[slot] - 1)].storage != storage {
      slot = (slot + 1) & mask
    }
    return slot
  }
}

/// Fibonacci hashing: D. Knuth, The Art of Computer Programming 3, 6.4.
private func hashed(_ storage: NodePointer) -> UInt {
  (UInt(bitPattern: storage) &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)) >> 20
}
