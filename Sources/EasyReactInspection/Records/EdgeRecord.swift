/// An object that listeners live with. It is known by its type: to describe it would be to run its code.
public struct OwnerRecord: Codable, Hashable, Sendable {
  /// No other owner has it. One that had no listener for a while may come back under another number.
  public let id: UInt64
  /// `Panel`, as Swift prints it.
  public let type: String

  public init(id: UInt64, type: String) {
    self.id = id
    self.type = type
  }
}

/// An edge between two nodes, or a listener, that a recording has met: one life of it, with the same ends.
public struct EdgeRecord: Codable, Hashable, Sendable, Identifiable {
  /// No other edge of the process has it.
  public let id: UInt64
  /// What it does: `Map`, `Filter`, `Sync`, `Listen`; or the name that its transform was given.
  public var operation: String
  /// The node that values come from.
  public let upstream: UInt64
  /// The node that values go to; nil: a listener.
  public let downstream: UInt64?
  /// It closed a cycle when it was linked.
  public var isBackEdge: Bool
  /// What comes over it arrives later: by a scheduler, a timer or an asynchronous call.
  public var isDeferred: Bool
  /// For a listener: is it called elsewhere than where the value is told, on a scheduler, an actor or in a task? nil: unknown,
  /// or no listener.
  public var isPlaced: Bool?
  /// For a listener: the object that it lives with, by `listen(by:)` or `assign(to:of:)`; nil: none, or it went before anybody
  /// looked.
  public var owner: OwnerRecord?
  /// nil: before the recording began, or so long ago that the event was dropped.
  public var born: Moment?
  /// From then on nothing passes. nil: it is there.
  public var cut: Moment?
  /// For a listener that was made while the recorder ran: where.
  public var place: SourcePlace?

  public init(
    id: UInt64, operation: String, upstream: UInt64, downstream: UInt64?, isBackEdge: Bool = false,
    isDeferred: Bool = false, isPlaced: Bool? = nil, owner: OwnerRecord? = nil,
    born: Moment? = nil, cut: Moment? = nil, place: SourcePlace? = nil
  ) {
    self.id = id
    self.operation = operation
    self.upstream = upstream
    self.downstream = downstream
    self.isBackEdge = isBackEdge
    self.isDeferred = isDeferred
    self.isPlaced = isPlaced
    self.owner = owner
    self.born = born
    self.cut = cut
    self.place = place
  }

  public var isListener: Bool { downstream == nil }

  /// Was it there then?
  public func lived(at sequence: UInt64) -> Bool {
    (born?.sequence ?? 0) <= sequence && sequence < (cut?.sequence ?? .max)
  }
}
