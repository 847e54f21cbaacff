import EasyReact
import EasyReactInspection
import Foundation
import Testing

@Suite struct Records {
  @Test func `records are found by id, and survive JSON`() throws {
    let place = SourcePlace(file: "Shop/Cart.swift", line: 12)
    let records = GraphRecords(
      nodes: [3, 5, 9].map {
        NodeRecord(id: $0, operation: "Map", type: "Int", isMutable: false, place: place)
      },
      events: [
        EventRecord(
          sequence: 4, nanoseconds: 70, thread: 1, turn: 1, wave: 8, kind: .stopped, node: 5,
          other: 3, edge: 2, stop: .filtered, old: .empty, new: ValueRecord(.value, text: "4"))
      ], dropped: 2)
    #expect(records.node(5)?.label == "Map at Shop/Cart.swift:12")
    #expect(records.node(4) == nil && records.label(of: 4) == "node 4")
    #expect(records.event(4)?.stop == .filtered && records.event(5) == nil)
    let data = try JSONEncoder().encode(records)
    #expect(try JSONDecoder().decode(GraphRecords.self, from: data) == records)
  }
}
