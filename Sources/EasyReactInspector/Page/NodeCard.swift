import EasyReact
import EasyReactInspection

/// All that is known of a node: `api/node`.
struct NodeCard: Encodable, Sendable {
  /// What leads here or away from here.
  struct Neighbour: Encodable, Sendable {
    var id: UInt64?
    var label: String
    var operation: String
    var edge: UInt64
    var isBackEdge: Bool
    var isDeferred: Bool
    var place: String?
    /// Of a listener that lives with an object.
    var owner: String?
    /// Of one that is gone.
    var cut: Moment?
  }
  /// A mark on the node's line of time: a value that it stored, or what was stopped before it.
  struct Mark: Encodable, Sendable {
    var sequence: UInt64
    var nanoseconds: UInt64
    var wave: UInt64
    var value: ValueRecord?
    var stop: String?
  }
  static let mostNeighbours = 200
  static let mostMarks = 200

  var node: NodeRecord
  var label: String
  var value: ShownValue
  /// Whom it lives for; empty: nobody, as far as is known.
  var owner: String
  var upstream: [Neighbour]
  var downstream: [Neighbour]
  var listeners: [Neighbour]
  /// Those that are gone: cancelled, or their owner died. The last ones.
  var formerListeners: [Neighbour]
  /// The last ones, oldest first.
  var marks: [Mark]
  var notShown: Int

  init?(_ id: UInt64, in records: GraphRecords, at moment: UInt64?) {
    guard let node = records.node(id) else { return nil }
    self.node = node
    label = node.label
    value = records.values(at: moment)[id] ?? ShownValue(node.value)
    let edges = records.edges.filter { edge in
      moment.map { edge.lived(at: $0) } ?? (edge.cut == nil)
    }
    let owners = Owners(edges)
    owner = owners.label(of: id)
    let into = edges.filter { $0.downstream == id }
    let away = edges.filter { $0.upstream == id }
    upstream = into.prefix(Self.mostNeighbours).map { Neighbour($0, to: $0.upstream, records) }
    downstream = away.filter { !$0.isListener }.prefix(Self.mostNeighbours)
      .map { Neighbour($0, to: $0.downstream, records) }
    listeners = away.filter(\.isListener).prefix(Self.mostNeighbours).map {
      var listener = Neighbour($0, to: nil, records)
      listener.owner = $0.owner.map(owners.label)
      return listener
    }
    notShown = into.count + away.count - upstream.count - downstream.count - listeners.count
    formerListeners = Self.formerListeners(of: id, in: records, at: moment)
    let own = records.events.filter {
      $0.node == id && ($0.kind == .stored || $0.kind == .stopped) && $0.sequence <= moment ?? .max
    }
    marks = own.suffix(Self.mostMarks).map {
      Mark(
        sequence: $0.sequence, nanoseconds: $0.nanoseconds, wave: $0.wave, value: $0.new,
        stop: $0.stop?.rawValue)
    }
  }
}

extension NodeCard {
  static func formerListeners(
    of id: UInt64, in records: GraphRecords, at moment: UInt64?
  ) -> [Neighbour] {
    records.edges.filter { edge in
      edge.upstream == id && edge.isListener
        && edge.cut.map { $0.sequence <= moment ?? .max } ?? false
    }.suffix(20).map { Neighbour($0, to: nil, records) }
  }
}

extension NodeCard.Neighbour {
  fileprivate init(_ record: EdgeRecord, to far: UInt64?, _ records: GraphRecords) {
    id = far
    label = far.map { records.label(of: $0) } ?? record.place?.description ?? "a listener"
    operation = record.operation
    edge = record.id
    isBackEdge = record.isBackEdge
    isDeferred = record.isDeferred
    place = record.place?.description
    owner = record.owner?.type
    cut = record.cut
  }
}
