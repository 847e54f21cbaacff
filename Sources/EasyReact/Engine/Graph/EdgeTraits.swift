/// What an edge may do, as far as the engine asks. What it *is*, only the operators know (OperatorKind.swift).
@usableFromInline struct EdgeTraits: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable func has(_ traits: EdgeTraits) -> Bool { rawValue & traits.rawValue != 0 }

  /// The node below computes from the values of all its upstreams, so losing the edge ends it:
  /// `isTerminated`.
  @inlinable static var endsDownstream: EdgeTraits { EdgeTraits(rawValue: 1) }
  /// An event that goes over this edge is a value from there on.
  @inlinable static var keepsEvents: EdgeTraits { EdgeTraits(rawValue: 2) }
  /// What the edge does depends on other edges of its operator, so its ends cannot be set.
  @inlinable static var hasFixedEnds: EdgeTraits { EdgeTraits(rawValue: 4) }
  /// Its state is told of the cut mark at once, before the edge has ended.
  @inlinable static var tellsMark: EdgeTraits { EdgeTraits(rawValue: 8) }

  /// Its step itself finds out what is older than the value below.
  @inlinable static var filtersItself: EdgeTraits { EdgeTraits(rawValue: 64) }

  /// The node below has its upstream's version, also by the first value, and by what had to wait: so it refuses nothing that the
  /// upstream took.
  @inlinable static var keepsVersion: EdgeTraits { EdgeTraits(rawValue: 128) }

  // These say something of this very edge, not of its operator.

  /// `EdgeStorage.object` is its state.
  @inlinable static var hasState: EdgeTraits { EdgeTraits(rawValue: 16) }
  /// It retains its upstream's handle: consumers own providers. One of a sync does not.
  @inlinable static var keepsUpstream: EdgeTraits { EdgeTraits(rawValue: 32) }
}
