import EasyReact

/// One thing that happened in the graph.
///
/// Flat, so that it reads the same in Swift and in JSON: ``Kind`` says which of the fields there are.
public struct EventRecord: Codable, Hashable, Sendable, Identifiable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// `node` was made, or its memory given back.
    case nodeMade, nodeGone
    /// An `edge` from `node` to `other`, or a listener of `node` (`other` is nil), was made: with `callSite` where known.
    case edgeMade
    /// From here on nothing passes over `edge`.
    case edgeCut
    /// `node` was set, cleaned or updated: `callSite` where the call can tell, `context` described. `causes`: the call
    /// of the listener that did it. `wave` is its own, given when it was made; once it is stored, the one under which it
    /// is told, which is another one if it had to wait.
    case set
    /// The present value of `node` goes through the new `edge` to `other`.
    case pushed
    /// `node` holds `new` now, in place of `old`. It came from `other` over `edge`; both nil: by a set.
    case stored
    /// A listener of `node` is called: `edge`.
    case told
    /// A value of `other` has reached the join `node` over `edge`: the join runs when no plain edge is left.
    case arrived
    /// What was on its way over `edge` from `other` to `node` goes no further: `stop`.
    case stopped
    /// A value reached `node` while the node was telling another one, and waits in its queue. `other` nil: a set.
    case queued
    /// More sets waited in queues in one turn than the limit allows.
    case endlessSets
  }

  public var id: UInt64 { sequence }
  /// Grows with each event, and not always by one. An event that can know of another one, on whatever thread, has the
  /// greater number.
  public var sequence: UInt64
  /// Since the recording began; never less than that of the event before.
  public var nanoseconds: UInt64
  /// A small number of the thread: no other thread of the process has it.
  public var thread: UInt64
  /// All events from an outermost call of a thread until it returns have one number; zero outside of any.
  public var turn: UInt64
  /// The number of the wave; zero if there is none.
  public var wave: UInt64
  public var kind: Kind
  public var node: UInt64
  public var other: UInt64?
  public var edge: UInt64?
  /// The sequences of the events that made this one happen, as far as they are kept: for what a join stores, all the
  /// arrivals; for anything else, one.
  public var causes: [UInt64]
  public var stop: GraphEvent.Stop?
  public var old: ValueRecord?
  public var new: ValueRecord?
  public var callSite: SourcePlace?
  /// What the set carried, described.
  public var context: String?

  public init(
    sequence: UInt64, nanoseconds: UInt64, thread: UInt64, turn: UInt64, wave: UInt64, kind: Kind,
    node: UInt64, other: UInt64? = nil, edge: UInt64? = nil, causes: [UInt64] = [],
    stop: GraphEvent.Stop? = nil, old: ValueRecord? = nil, new: ValueRecord? = nil,
    callSite: SourcePlace? = nil, context: String? = nil
  ) {
    self.sequence = sequence
    self.nanoseconds = nanoseconds
    self.thread = thread
    self.turn = turn
    self.wave = wave
    self.kind = kind
    self.node = node
    self.other = other
    self.edge = edge
    self.causes = causes
    self.stop = stop
    self.old = old
    self.new = new
    self.callSite = callSite
    self.context = context
  }

  public var moment: Moment { Moment(sequence: sequence, nanoseconds: nanoseconds) }
  /// Since the recording began.
  public var time: Duration { moment.time }
  /// For a stored value: it equals the one before, as far as descriptions tell.
  public var isUnchanged: Bool { kind == .stored && old == new && old?.form == .value }
}
