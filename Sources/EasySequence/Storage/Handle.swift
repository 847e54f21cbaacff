/// What a stream carries besides its elements: a name, who watches it, and the life of a recursive definition.
@usableFromInline final class Handle: Sendable {
  @usableFromInline let name: String?
  @usableFromInline let observer: (@Sendable (Demand) -> Void)?
  @usableFromInline let anchor: Anchor?

  @usableFromInline init(
    name: String? = nil, observer: (@Sendable (Demand) -> Void)? = nil, anchor: Anchor? = nil
  ) {
    self.name = name
    self.observer = observer
    self.anchor = anchor
  }
}

/// Ends a recursive definition with the last stream outside of it.
///
/// A stream that is defined by itself is a cycle of references. The streams outside hold this object, the ones inside
/// the definition do not, so its end cuts the cycle.
@usableFromInline final class Anchor: Sendable {
  private let cut: @Sendable () -> Void
  init(cut: @escaping @Sendable () -> Void) { self.cut = cut }
  deinit { cut() }
}

/// What a watched stream was asked for, and what came of it.
public enum Demand: Sendable, Hashable {
  /// An element that was not known: it is computed now.
  case asked
  /// An element that is known was read: no closure ran.
  case read
}
