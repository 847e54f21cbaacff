import EasyReact
import EasyReactInspection

/// Records made by hand, as a recorder would make them of a small shop.
///
/// price(1) and count(2) → total(4) = Combine; count → filtered(3) = Filter; total → shown(5) = Map; discount(6), empty, and
/// total → reduced(7) = Combine.
enum SampleRecords {
  static func shop(sets: Int = 6) -> GraphRecords {
    func node(
      _ id: UInt64, _ name: String?, _ operation: String, _ line: Int, mutable: Bool = false,
      _ value: ValueRecord, listeners: Int = 0, stored: UInt64 = 0
    ) -> NodeRecord {
      var counts = NodeCounts()
      counts.stored = stored
      return NodeRecord(
        id: id, name: name, operation: operation, type: "Int", isMutable: mutable,
        place: SourcePlace(file: id > 5 ? "Shop/Discount.swift" : "Shop/Cart.swift", line: line),
        born: Moment(sequence: id, nanoseconds: id * 1_000), value: value, listeners: listeners,
        counts: counts)
    }
    func edge(_ id: UInt64, _ operation: String, _ up: UInt64, _ down: UInt64?) -> EdgeRecord {
      EdgeRecord(
        id: id, operation: operation, upstream: up, downstream: down,
        born: Moment(sequence: 8 + id, nanoseconds: 9_000))
    }
    let edges = [
      edge(1, "Combine", 1, 4), edge(2, "Combine", 2, 4), edge(3, "Filter", 2, 3),
      edge(4, "Map", 4, 5),
      edge(5, "Combine", 4, 7), edge(6, "Combine", 6, 7), edge(7, "Listen", 5, nil),
    ]
    var events: [EventRecord] = []
    var last: [UInt64: ValueRecord] = [:]
    var sequence: UInt64 = 20
    func add(
      _ kind: EventRecord.Kind, _ node: UInt64, wave: UInt64, over edge: UInt64? = nil,
      from other: UInt64? = nil, causes: [UInt64] = [], stop: GraphEvent.Stop? = nil,
      new: Int? = nil
    ) -> UInt64 {
      sequence += 1
      var event = EventRecord(
        sequence: sequence, nanoseconds: sequence * 1_000_000, thread: 1, turn: wave, wave: wave,
        kind: kind, node: node,
        other: other, edge: edge, causes: causes, stop: stop)
      if let new {
        event.old = last[node] ?? .empty
        event.new = ValueRecord(.value, text: "\(new)")
        last[node] = event.new
      }
      if kind == .set {
        event.callSite = SourcePlace(file: "Shop/main.swift", line: 30); event.context = "till"
      }
      events.append(event)
      return sequence
    }
    for step in 1...max(1, sets) {
      let wave = UInt64(step)
      let set = add(.set, 2, wave: wave)
      let stored = add(.stored, 2, wave: wave, causes: [set], new: step)
      let arrived = add(.arrived, 4, wave: wave, over: 2, from: 2, causes: [stored])
      if step.isMultiple(of: 2) {
        _ = add(.stored, 3, wave: wave, over: 3, from: 2, causes: [stored], new: step)
      } else {
        _ = add(.stopped, 3, wave: wave, over: 3, from: 2, causes: [stored], stop: .filtered)
      }
      let total = add(.stored, 4, wave: wave, over: 2, from: 2, causes: [arrived], new: step * 10)
      let shown = add(.stored, 5, wave: wave, over: 4, from: 4, causes: [total], new: step * 10)
      _ = add(.told, 5, wave: wave, over: 7, causes: [shown])
      _ = add(
        .stopped, 7, wave: wave, over: 5, from: 4, causes: [total], stop: .waitsForAnotherUpstream)
    }
    let all = UInt64(sets)
    return GraphRecords(
      nodes: [
        node(1, "price", "Source", 4, mutable: true, ValueRecord(.value, text: "10"), stored: 1),
        node(2, "count", "Source", 5, mutable: true, last[2] ?? .empty, stored: all),
        node(3, "even", "Filter", 6, last[3] ?? .empty, stored: all / 2),
        node(4, "total", "Combine", 7, last[4] ?? .empty, stored: all),
        node(5, nil, "Map", 8, last[5] ?? .empty, listeners: 1, stored: all),
        node(6, "discount", "Source", 3, mutable: true, .empty),
        node(7, "reduced", "Combine", 4, .empty),
      ], edges: edges, events: events, dropped: 0, began: 1_700_000_000)
  }
}
