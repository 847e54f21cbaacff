/// A node that a recording has met.
public struct NodeRecord: Codable, Hashable, Sendable, Identifiable {
  /// ``AnyNode/id``: no other node of the process has it.
  public let id: UInt64
  /// The name for people, as it was when the records were read; nil: unnamed.
  public var name: String?
  /// What computes the node: `Map`, `Combine`, `Link`; `Source` if nothing leads to it.
  public var operation: String
  /// The type of the values.
  public var type: String
  public var isMutable: Bool
  /// Its values are never described.
  public var isPrivate: Bool
  /// Where it was made.
  public var place: SourcePlace
  /// nil: before the recording began, or so long ago that the event was dropped.
  public var born: Moment?
  /// nil: it lives.
  public var gone: Moment?
  /// When the records were read; for a node that is gone, its last one.
  public var value: ValueRecord
  /// How many listeners it had when the records were read.
  public var listeners: Int
  public var counts: NodeCounts

  public init(
    id: UInt64, name: String? = nil, operation: String, type: String, isMutable: Bool,
    isPrivate: Bool = false, place: SourcePlace, born: Moment? = nil, gone: Moment? = nil,
    value: ValueRecord = .unknown, listeners: Int = 0, counts: NodeCounts = NodeCounts()
  ) {
    self.id = id
    self.name = name
    self.operation = operation
    self.type = type
    self.isMutable = isMutable
    self.isPrivate = isPrivate
    self.place = place
    self.born = born
    self.gone = gone
    self.value = value
    self.listeners = listeners
    self.counts = counts
  }

  /// The name, or what computes the node and where: `total`, `Map at Shop/Cart.swift:12`.
  public var label: String { name ?? "\(operation) at \(place)" }
}

/// What a node did since the recording began; events that were dropped are counted too.
public struct NodeCounts: Codable, Hashable, Sendable {
  /// How often a value, an event or emptiness was stored.
  public var stored: UInt64 = 0
  /// How often one of its listeners was called.
  public var told: UInt64 = 0
  /// How often what was stored equalled what the node held. Values are equal if they have the same bytes, where the type is
  /// trivial and of 16 bytes at most; else if they have the same description, and the same hash where the type has one. Sets and
  /// dictionaries are described in any order, so for these the hash alone counts.
  public var storedEqual: UInt64 = 0
  /// How often its operator ran and nothing came of it: refused, equal, or another upstream has no value.
  public var ranInVain: UInt64 = 0
  /// What its operator took, in all; nil if the recorder does not measure it. Not what follows from the value, nor
  /// the listeners.
  public var ownNanoseconds: UInt64? = nil

  public init() {}

  public var ownTime: Duration? { ownNanoseconds.map { .nanoseconds(Int64(clamping: $0)) } }
}
