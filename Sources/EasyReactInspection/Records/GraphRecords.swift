/// What a recorder has kept, as a value: nodes, edges, and events in their order.
///
///     let records = recorder.records
///     for wave in records.waves { print(wave.number, records.label(of: wave.root)) }
///
/// A value of its own: it changes no more, and the graph may be gone. It is what a session is saved as, and what the
/// page shows.
public struct GraphRecords: Codable, Hashable, Sendable {
  /// By id. Those that events or edges name, and those that are joined to them.
  public var nodes: [NodeRecord]
  /// By id.
  public var edges: [EdgeRecord]
  /// By sequence.
  public var events: [EventRecord]
  /// How many events before these are not kept any more.
  public var dropped: UInt64
  /// When the recording began: seconds since 1970, UTC.
  public var began: Double
  /// Where the recorder cut descriptions, in characters; nil: unknown.
  public var descriptionLength: Int?

  public init(
    nodes: [NodeRecord] = [], edges: [EdgeRecord] = [], events: [EventRecord] = [],
    dropped: UInt64 = 0, began: Double = 0, descriptionLength: Int? = nil
  ) {
    self.nodes = nodes
    self.edges = edges
    self.events = events
    self.dropped = dropped
    self.began = began
    self.descriptionLength = descriptionLength
  }

  /// - Complexity: O(log n).
  public func node(_ id: UInt64) -> NodeRecord? { nodes.find(id) }
  /// - Complexity: O(log n).
  public func edge(_ id: UInt64) -> EdgeRecord? { edges.find(id) }
  /// - Complexity: O(log n).
  public func event(_ sequence: UInt64) -> EventRecord? { events.find(sequence) }

  /// The node's name, or its operator and line; `node 7` for one that is not among the records.
  public func label(of node: UInt64) -> String { self.node(node)?.label ?? "node \(node)" }
}

extension Array where Element: Identifiable<UInt64> {
  /// The index of the first element whose id is not less.
  func lowerBound(_ id: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of the first element whose id is greater.
  func upperBound(_ id: UInt64) -> Int { id == .max ? count : lowerBound(id + 1) }

  func place(of id: UInt64) -> Int? {
    let place = lowerBound(id)
    return place < count && self[place].id == id ? place : nil
  }

  func find(_ id: UInt64) -> Element? { place(of: id).map { self[$0] } }
}

/// Everything that one set, or one initial push, caused, on whatever threads: its root and what follows from it.
public struct WaveRecord: Codable, Hashable, Sendable, Identifiable {
  public var id: UInt64 { number }
  /// Of the root. What had to wait goes on under another number and belongs here all the same.
  public var number: UInt64
  /// The node that was set; for an initial push, the node whose value it is.
  public var root: UInt64
  /// The sequences of its events, the root's first.
  public var events: [UInt64]

  public init(number: UInt64, root: UInt64, events: [UInt64]) {
    self.number = number
    self.root = root
    self.events = events
  }
}

extension GraphRecords {
  /// The waves, in order of their roots. What a join tells belongs to the wave of each arrival; what is pushed through a new
  /// edge under the number of the set whose value it is, as by a sync, belongs to that set's.
  /// - Complexity: O(events and their causes).
  public var waves: [WaveRecord] {
    var waves: [WaveRecord] = []
    /// The waves of each event, as places in `waves`.
    var places: [UInt64: [Int]] = [:]
    /// By the number of the wave.
    var begun: [UInt64: Int] = [:]
    for event in events {
      let set = event.kind == .pushed ? begun[event.wave] : nil
      if event.kind == .set || event.kind == .pushed && set == nil {
        begun[event.wave] = waves.count
        places[event.sequence] = [waves.count]
        waves.append(
          WaveRecord(number: event.wave, root: event.node, events: [event.sequence]))
        continue
      }
      let own = set.map { [$0] } ?? Set(event.causes.flatMap { places[$0] ?? [] }).sorted()
      if own.isEmpty { continue }
      places[event.sequence] = own
      for place in own { waves[place].events.append(event.sequence) }
    }
    return waves
  }
}
