import Synchronization

/// A run of elements that are known, and what computes the next one.
///
/// A stream is a chain of chunks; only the last one has an engine. Elements are computed one by one, in order, each by
/// the thread that holds the claim; whoever finds an element known reads it without any claim.
@usableFromInline final class Chunk<Element: Sendable>: @unchecked Sendable {
  // Unchecked: `engine`, `borrowed`, `next` and the slots from `count` on are touched under the claim, or
  // by the one cursor that alone holds the chunk (`Cursor.takeOver`). Slots below `count` and `next` never
  // change once `count` and `state` have published them (release, read with acquire).

  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int
  /// The position of the first slot, counted from the start of the stream.
  @usableFromInline let start: Int
  /// Whether the engine here concatenates, which may be asked without the claim. What is defined by itself does not
  /// count: it is walked by its own engine alone, so that it can be cut.
  @usableFromInline let concatenates: Bool
  /// How many slots are known.
  @usableFromInline let count = Atomic(0)
  @usableFromInline let state = Atomic(ChunkState.open)
  /// The thread that computes here, zero if none, and a bit that tells it that others wait.
  @usableFromInline let claim = Atomic(UInt(0))
  @exclusivity(unchecked) @usableFromInline var engine: Engine<Element>? {
    didSet { borrowed = engine.map { .passUnretained($0) } }
  }
  /// The same, for calls that need not retain it: `engine` does not change while it is called.
  @exclusivity(unchecked) @usableFromInline var borrowed: Unmanaged<Engine<Element>>?
  /// A direct optional of the class itself: the compiler then frees a chain of them in a loop, not recursively.
  @exclusivity(unchecked) @usableFromInline var next: Chunk?
  /// Of the last one: who waits for those to come (Ahead.swift).
  @usableFromInline let waiters = Atomic<UInt>(0)

  /// Chunks grow from the first size to the largest one, so that a short stream is small.
  @usableFromInline static var firstCapacity: Int { 4 }
  @usableFromInline static var largestCapacity: Int { 32 }

  @inlinable init(capacity: Int, engine: Engine<Element>?, start: Int = 0) {
    self.capacity = capacity
    self.start = start
    concatenates = engine?.concatenation.map { $0.definition == nil } ?? false
    self.engine = engine
    borrowed = engine.map { .passUnretained($0) }
    slots = .allocate(capacity: capacity)
    if engine == nil { state.store(.over, ordering: .relaxed) }
  }

  deinit {
    slots.deinitialize(count: count.load(ordering: .acquiring))
    slots.deallocate()
    freeWaiters()
    if engine != nil { release(&engine) }
  }

  /// Computes the element after the first `known`, or finds that there is none, or appends a chunk.
  ///
  /// Returns when one of these has happened, here or on another thread. No lock is held while user code runs.
  @inlinable func advance(from known: Int) {
    guard take(beyond: known) else { return }
    guard isOpen(beyond: known) else { return leave() }
    if known == capacity { return append() }
    guard let borrowed else { fatalError("EasySequence: a chunk that is open has no engine.") }
    if borrowed._withUnsafeGuaranteedRef({ $0.pull(slots + known) }) {
      count.store(known + 1, ordering: .releasing)
      leave()
    } else {
      finish()
    }
  }

  /// The same for a stream that is watched.
  @usableFromInline func advance(
    from known: Int, tellingTo observer: @Sendable (Demand) -> Void
  ) {
    if known == capacity { return advance(from: known) }
    observer(.asked(start + known))
    advance(from: known)
    observer(isEnd(known) ? .ended(start + known) : .computed(start + known))
  }

  /// Whether there is no element after the first `known`, as far as is known.
  private func isEnd(_ known: Int) -> Bool {
    state.load(ordering: .acquiring) == .over && count.load(ordering: .acquiring) == known
  }

  /// Whether the element after the first `known` is still to be computed.
  @inlinable func isOpen(beyond known: Int) -> Bool {
    count.load(ordering: .acquiring) == known && state.load(ordering: .acquiring) == .open
  }

  /// The engine goes after the claim, because what it captured may be destroyed, which is user code.
  @usableFromInline func finish() {
    var ended = engine
    engine = nil
    state.store(.over, ordering: .releasing)
    leave()
    release(&ended)
  }

  @usableFromInline func append() {
    let next = Chunk(
      capacity: min(2 * capacity, Self.largestCapacity), engine: engine, start: start + capacity)
    self.next = next
    engine = nil
    moveWaiters(to: next)
    state.store(.linked, ordering: .releasing)
    leave()
  }

  // MARK: - Claiming

  /// Takes the claim; false when another thread has made progress meanwhile.
  @inlinable func take(beyond known: Int) -> Bool {
    let free = claim.compareExchange(
      expected: 0, desired: currentThread(), ordering: .acquiring
    ).exchanged
    return free || wait(beyond: known)
  }

  /// Gives the claim back.
  @inlinable func leave() {
    if claim.exchange(0, ordering: .acquiringAndReleasing) & waitersBit != 0 { wakeWaiters() }
  }

  /// Another thread computes here, or this one does already.
  @usableFromInline func wait(beyond known: Int) -> Bool {
    let me = currentThread()
    while isOpen(beyond: known) {
      let (free, owner) = claim.compareExchange(expected: 0, desired: me, ordering: .acquiring)
      if free { return true }
      if owner & ~waitersBit == me { stopAtReentry() }
      park(
        Wait(
          isOver: { [self] in !isOpen(beyond: known) },
          owner: { [self] in claim.load(ordering: .acquiring) },
          announce: { [self] owner in
            claim.compareExchange(
              expected: owner, desired: owner | waitersBit, ordering: .acquiringAndReleasing
            ).exchanged
          }))
    }
    return false
  }
}

/// What follows a chunk.
@usableFromInline enum ChunkState: UInt8, AtomicRepresentable {
  /// Unknown: an element is to be computed.
  case open
  /// Nothing: the stream ends after the known elements.
  case over
  /// Another chunk.
  case linked
}
