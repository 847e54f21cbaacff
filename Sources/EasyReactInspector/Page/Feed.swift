import EasyReactInspection
import Foundation

/// What a page has been told, and what it is to be told next: one for each reader.
///
/// However much happens between two frames, a frame has each value once, the newest; of the waves it has the last
/// ones, and the number of those that it leaves out.
struct Feed {
  struct Frame: Encodable, Sendable {
    /// The last event that is told of.
    var sequence: UInt64
    var nanoseconds: UInt64
    /// Since the last frame.
    var events: Int
    var values: [String: ShownValue]
    var waves: [WaveRow]
    /// Waves since the last frame that are not in `waves`.
    var wavesNotShown: Int
    /// Events that the recorder has kept no longer.
    var dropped: UInt64
    /// Another number: the graph has another shape.
    var structure: Int
    var nodeCount: Int
    var edgeCount: Int
    /// When the recording began: with another one the page begins anew.
    var began: Double
  }
  static let mostWaves = 60

  private let source: any PageSource
  private var sequence: UInt64 = 0
  private var told: [UInt64: ShownValue] = [:]
  private var structure: Int?
  /// When the recording began that was told of.
  private var began: Double?

  init(_ source: any PageSource) { self.source = source }

  /// nil: nothing happened.
  mutating func next() -> Frame? {
    var records = source.records(after: sequence)
    // If the recorder was started again, the events have the numbers of others.
    let isFirst = records.began != began
    if isFirst {
      if sequence > 0 { records = source.records }
      self = Feed(source)
      began = records.began
    }
    var values = records.values(at: nil)
    // Which wave stored a value is known from its event, which these records may be too late for.
    for (id, old) in told where values[id]?.wave == nil && values[id]?.stored == old.stored {
      values[id]?.wave = old.wave
    }
    let changed = values.filter { told[$0.key] != $0.value }
    let structure = records.structure
    if !isFirst, records.events.isEmpty, changed.isEmpty, structure == self.structure { return nil }
    let waves = records.waves
    let rows = waves.suffix(isFirst ? 5 * Self.mostWaves : Self.mostWaves).compactMap {
      WaveRow($0, in: records)
    }
    told = values
    self.structure = structure
    sequence = records.events.last?.sequence ?? sequence
    return Frame(
      sequence: sequence, nanoseconds: records.events.last?.nanoseconds ?? 0,
      events: records.events.count,
      values: changed.byName,
      waves: rows,
      wavesNotShown: waves.count - rows.count, dropped: records.dropped, structure: structure,
      nodeCount: records.nodes.count { $0.gone == nil },
      edgeCount: records.edges.count { $0.cut == nil }, began: records.began)
  }
}

extension GraphRecords {
  /// A number that is the same while nothing that the picture shows comes or goes or is renamed.
  fileprivate var structure: Int {
    var hasher = Hasher()
    for node in nodes where node.gone == nil {
      hasher.combine(node.id)
      hasher.combine(node.name)
      hasher.combine(node.listeners)
    }
    for edge in edges where edge.cut == nil {
      hasher.combine(edge.id)
      hasher.combine(edge.isBackEdge)
    }
    // As large as a number of the page can be.
    return hasher.finalize() & ((1 << 52) - 1)
  }
}
