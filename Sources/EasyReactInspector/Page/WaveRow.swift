import EasyReactInspection

/// A wave in the page's list: its root, and how much it did.
struct WaveRow: Encodable, Hashable, Sendable {
  var number: UInt64
  /// `set` or `pushed`.
  var kind: EventRecord.Kind
  var root: UInt64
  var label: String
  var value: ValueRecord?
  var context: String?
  var callSite: String?
  var thread: UInt64
  var nanoseconds: UInt64
  /// Of its first and its last event.
  var first: UInt64
  var last: UInt64
  var stored = 0
  var told = 0
  var stopped = 0

  init?(_ wave: WaveRecord, in records: GraphRecords) {
    let events = wave.events.compactMap { records.event($0) }
    guard let root = events.first, let last = events.map(\.sequence).max() else { return nil }
    number = wave.number
    kind = root.kind
    self.root = wave.root
    label = records.label(of: wave.root)
    value = events.first { $0.kind == .stored && $0.node == wave.root }?.new ?? root.new
    context = root.context
    callSite = root.callSite?.description
    thread = root.thread
    nanoseconds = root.nanoseconds
    first = root.sequence
    self.last = last
    for event in events {
      switch event.kind {
      case .stored: stored += 1
      case .told: told += 1
      case .stopped: stopped += 1
      default: break
      }
    }
  }
}

/// An event with its words: a line of the page's account of a wave.
struct EventRow: Encodable, Sendable {
  var event: EventRecord
  var label: String
  /// The label of the node that it came from.
  var from: String?
  var operation: String?
  /// How many causes lie between the root and this.
  var depth: Int
}

/// A wave from beginning to end: `api/wave`.
struct WaveAccount: Encodable, Sendable {
  /// How many rows are sent at most.
  static let mostRows = 2_000

  var row: WaveRow
  var events: [EventRow]
  var notShown: Int
  /// What every node held after it: in the same answer, because a moment later its events may be dropped.
  var values: [String: ShownValue]
  /// The numbers of the waves before and after.
  var previous: UInt64?
  var next: UInt64?

  /// - Parameter orNewest: The newest wave that is kept, if that one is not.
  init?(_ number: UInt64, orNewest: Bool, in records: GraphRecords) {
    let waves = records.waves
    let newest = orNewest ? waves.indices.last : nil
    guard let place = waves.firstIndex(where: { $0.number == number }) ?? newest,
      let row = WaveRow(waves[place], in: records)
    else { return nil }
    self.row = row
    previous = place > 0 ? waves[place - 1].number : nil
    next = place + 1 < waves.count ? waves[place + 1].number : nil
    let wave = waves[place]
    values = records.values(at: row.last).byName
    notShown = max(0, wave.events.count - Self.mostRows)
    var depths: [UInt64: Int] = [:]
    events = wave.events.prefix(Self.mostRows).compactMap { sequence in
      guard let event = records.event(sequence) else { return nil }
      let depth = event.causes.compactMap { depths[$0] }.max().map { $0 + 1 } ?? 0
      depths[sequence] = depth
      return EventRow(
        event: event, label: records.label(of: event.node),
        from: event.other.map { records.label(of: $0) },
        operation: event.edge.flatMap { records.edge($0)?.operation }, depth: depth)
    }
  }
}
