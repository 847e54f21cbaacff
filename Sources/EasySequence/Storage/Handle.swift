import Synchronization

/// What a stream carries besides its elements: a name, who watches it, and the life of a recursive definition.
@usableFromInline final class Handle: Sendable {
  @usableFromInline let name: String?
  /// The first one first. Side by side, for one that held the one before would be freed by recursion.
  let observers: [Observer]
  /// Tells all of them; nil: there is none.
  @usableFromInline let observer: Observer?
  @usableFromInline let anchor: Anchor?

  @usableFromInline typealias Observer = @Sendable (Demand) -> Void

  @usableFromInline init(name: String? = nil, observers: [Observer] = [], anchor: Anchor? = nil) {
    self.name = name
    self.observers = observers
    let all: Observer = { demand in for observer in observers { observer(demand) } }
    observer = observers.count < 2 ? observers.first : all
    self.anchor = anchor
  }

  /// Whether it carries a name and nothing else.
  @usableFromInline var isName: Bool { observer == nil && anchor == nil }
}

/// Ends a recursive definition with the last stream outside of it.
///
/// A stream that is defined by itself is a cycle of references. The streams outside hold this object, the ones inside
/// the definition do not, so its end cuts the cycle.
@usableFromInline final class Anchor: Sendable {
  private let cut: @Sendable () -> Void
  @usableFromInline init(cut: @escaping @Sendable () -> Void) { self.cut = cut }
  deinit { cut() }
}

/// Whether a definition by itself is being walked, and whether it is over.
///
/// Streams inside of it do not keep it, so a thread may be walking one when the last stream outside goes: then the
/// walk frees what it walks, and whoever asks for an element after that stops with a message.
@usableFromInline final class Definition: Sendable {
  private enum State: UInt8, AtomicRepresentable { case atRest, walked, walkedToEnd, over }
  private let state = Atomic(State.atRest)

  @usableFromInline init() {}

  /// Whoever has the claim walks. False: it is over.
  @usableFromInline func begin() -> Bool { change(.atRest, to: .walked) }

  /// The walk pauses. True: it has come to its end meanwhile, and frees what it walks.
  @usableFromInline func leave() -> Bool {
    if change(.walked, to: .atRest) { return false }
    state.store(.over, ordering: .releasing)
    return true
  }

  /// Any thread, once. True: nobody walks, or will; the caller frees what would be walked.
  @usableFromInline func end() -> Bool {
    while true {
      if change(.atRest, to: .over) { return true }
      if change(.walked, to: .walkedToEnd) { return false }
    }
  }

  private func change(_ old: State, to new: State) -> Bool {
    state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }
}

/// What happened at a watched stream, and to which element.
///
/// Positions are counted from zero, where the stream that stores the elements begins; in a tail of it the count goes on.
public enum Demand: Sendable, Hashable {
  /// An element that was not known is asked for. `computed` or `ended` follows, after all that this makes happen.
  case asked(Int)
  /// The element that was asked for is known now. It was computed by this thread, or by another one that was waited for.
  case computed(Int)
  /// The element that was asked for does not exist: the stream ends before it.
  case ended(Int)
  /// An element that is known was read: no closure ran.
  case read(Int)
}
