import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

@testable import EasyReactInspector

/// Contract 19: what the page asks and is told.
@Suite struct AnswerTests {
  private let answers = PageAnswers(SavedProgram(title: "Shop", records: SampleRecords.shop()))

  private func ask(_ path: String, _ query: [String: String] = [:]) throws -> Any {
    var request = try Request(head: Data("GET /x HTTP/1.1\r\nHost: a".utf8))
    request.query = query
    let reply = try answers.answer(request, path: path)
    guard case .data(let data) = reply.content else { return "" }
    return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
  }

  private func graph(_ query: [String: String] = [:]) throws -> (
    ids: [String], edges: [[String]], whole: [String: Any]
  ) {
    let whole = try #require(try ask("api/graph", query) as? [String: Any])
    let nodes = try #require(whole["nodes"] as? [[String: Any]])
    let edges = try #require(whole["edges"] as? [[String: Any]])
    return (
      nodes.map { $0["id"] as! String },
      edges.map { [$0["from"] as! String, $0["to"] as! String] }, whole
    )
  }

  @Test func `19 the graph has every living node and every edge between two`() throws {
    let graph = try graph()
    #expect(graph.ids == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(
      graph.edges == [["1", "4"], ["2", "4"], ["2", "3"], ["4", "5"], ["4", "7"], ["6", "7"]])
  }

  @Test func `19 focus shows what lies upstream, downstream or between`() throws {
    #expect(Set(try graph(["focus": "4", "direction": "up"]).ids) == ["1", "2", "4"])
    #expect(Set(try graph(["focus": "2", "direction": "down"]).ids) == ["2", "3", "4", "5", "7"])
    #expect(
      Set(try graph(["focus": "2", "direction": "down", "depth": "1"]).ids) == ["2", "3", "4"])
    #expect(Set(try graph(["focus": "7", "target": "2"]).ids) == ["2", "4", "7"])
    #expect(try graph(["focus": "4", "direction": "up"]).whole["shownCount"] as? Int == 3)
  }

  @Test
  func `19 from wave to wave one comes to the last, also past a push under the number of a set`()
    throws
  {
    var records = SampleRecords.shop()
    let push = EventRecord(
      sequence: 100, nanoseconds: 1, thread: 1, turn: 9, wave: 2, kind: .pushed, node: 2, other: 6,
      edge: 9)
    let stored = EventRecord(
      sequence: 101, nanoseconds: 1, thread: 1, turn: 9, wave: 2, kind: .stored, node: 6, other: 2,
      causes: [100])
    records.events += [push, stored]
    #expect(Set(records.waves.map(\.id)).count == records.waves.count)
    #expect(records.waves.first { $0.number == 2 }?.events.suffix(2) == [100, 101])
    var number: UInt64? = records.waves.first?.number, way: [UInt64] = []
    while let present = number, way.count < 20 {
      way.append(present)
      number = WaveAccount(present, orNewest: false, in: records)?.next
    }
    #expect(way == [1, 2, 3, 4, 5, 6])
  }

  @Test func `19 a folded group is one box, and edges lead to it`() throws {
    let folded = try graph(["fold": "all"])
    #expect(folded.ids == ["g:Shop/Cart.swift", "g:Shop/Discount.swift"])
    #expect(folded.edges == [["g:Shop/Cart.swift", "g:Shop/Discount.swift"]])
    let open = try graph(["fold": "all", "toggled": "Shop/Cart.swift"])
    #expect(open.ids == ["g:Shop/Discount.swift", "1", "2", "3", "4", "5"])
    #expect(open.edges.contains(["4", "g:Shop/Discount.swift"]))
  }

  @Test(arguments: [
    ("file", ["g:Shop/Cart.swift", "g:Shop/Discount.swift"]),
    ("line", ["1", "2", "3", "4", "5", "6", "7"]),
    ("kind", ["g:Combine", "g:Source", "3", "5"]), ("type", ["g:Int"]), ("part", ["g:with price"]),
    ("none", ["1", "2", "3", "4", "5", "6", "7"]),
  ])
  func `19 groups are files, lines, operators, types, or what hangs together`(
    grouping: String, boxes: [String]
  ) throws {
    #expect(try graph(["group": grouping, "fold": "all"]).ids == boxes)
  }

  /// count and price for Panel 1, by total; discount for Panel 2 by reduced; even for both and a Printer.
  private static func ownedShop() -> GraphRecords {
    var records = SampleRecords.shop()
    let (one, two) = (OwnerRecord(id: 1, type: "Panel"), OwnerRecord(id: 2, type: "Panel"))
    let printer = OwnerRecord(id: 3, type: "Printer")
    let owned: [(node: UInt64, OwnerRecord)] = [(5, one), (7, two), (3, printer)]
    records.edges += owned.enumerated().map { place, owned in
      EdgeRecord(
        id: UInt64(20 + place), operation: "Listen", upstream: owned.0, downstream: nil,
        owner: owned.1)
    }
    return records
  }

  private func groups(_ records: GraphRecords) -> [String] {
    var options = ViewOptions()
    options.grouping = .owner
    return GraphView(records, options).groups.map { "\($0.key): \($0.count)" }
  }

  @Test func `19 a group by owner is whom nodes live for: by listeners, theirs or further on`()
    throws
  {
    var records = Self.ownedShop()
    #expect(
      groups(records) == [
        "Panel #1: 1", "Panel #1, Panel #2: 2", "Panel #1, Panel #2, Printer: 1", "Panel #2: 2",
        "Printer: 1",
      ])
    let card = try #require(NodeCard(5, in: records, at: nil))
    #expect(card.owner == "Panel #1" && card.listeners.map(\.owner) == [nil, "Panel #1"])
    // A listener that is gone counts no more, and one panel needs no number.
    records.edges[8].cut = Moment(sequence: 99, nanoseconds: 0)
    #expect(groups(records) == [": 2", "Panel: 3", "Panel, Printer: 1", "Printer: 1"])
    // At an earlier moment it does.
    #expect(NodeCard(6, in: records, at: 50)?.owner == "Panel #2")
    #expect(NodeCard(6, in: records, at: nil)?.owner == "")
  }

  @Test func `19 a sync passes no owner on, a ring ends, and many owners are several`() {
    var records = Self.ownedShop()
    // discount keeps price by nothing, and leads to itself by a ring.
    records.edges += [
      EdgeRecord(id: 30, operation: "Sync", upstream: 1, downstream: 6),
      EdgeRecord(id: 31, operation: "Link", upstream: 7, downstream: 6, isBackEdge: true),
    ]
    #expect(NodeCard(1, in: records, at: nil)?.owner == "Panel #1, Panel #2")
    records.edges[10].operation = "Link"
    records.edges[3].cut = Moment(sequence: 99, nanoseconds: 0)
    records.edges[4].cut = Moment(sequence: 99, nanoseconds: 0)
    #expect(NodeCard(1, in: records, at: nil)?.owner == "Panel #2")
    records.edges += (1...3).map {
      EdgeRecord(
        id: 40 + $0, operation: "Listen", upstream: 7, downstream: nil,
        owner: OwnerRecord(id: 50 + $0, type: "Row"))
    }
    #expect(NodeCard(1, in: records, at: nil)?.owner == "several owners")
  }

  @Test func `19 a group by name is what stands before a sign, or before the number at the end`()
    throws
  {
    var records = SampleRecords.shop()
    // The last one has no name, and its neighbours one group.
    let names = ["memory", "cpu 1/raw", "cpu 1: mean", "disk 1", "cpu 2/raw", "disk 2", nil]
    for (index, name) in names.enumerated() { records.nodes[index].name = name }
    var options = ViewOptions()
    (options.grouping, options.folding) = (.name, .all)
    #expect(
      GraphView(records, options).groups.map { "\($0.key) \($0.count)" } == [
        "cpu 1 2", "cpu 2 1", "disk 3", "memory 1",
      ])
  }

  @Test
  func `19 ten thousand nodes from one line begin as groups by name, and any of them is found`()
    throws
  {
    var records = SampleRecords.shop()
    records.nodes = (1...10_000).map { id in
      NodeRecord(
        id: UInt64(id), name: "sensor \(id / 100)/\(id % 100)", operation: "Source", type: "Int",
        isMutable: true, place: SourcePlace(file: "Sensors.swift", line: 4), value: .empty)
    }
    records.edges = []
    var options = ViewOptions()
    options.grouping = .auto
    let view = GraphView(records, options)
    #expect(view.boxes.count == 101 && view.shownCount == 10_000)
    // One that is unfolded shows its own nodes beside the others.
    options.toggled = ["sensor 7"]
    #expect(GraphView(records, options).boxes.count == 200)
    // More than can be drawn is counted, and a focus shows the rest.
    options.folding = .none
    options.toggled = []
    let open = GraphView(records, options)
    #expect(open.boxes.count == GraphView.mostBoxes && open.shownCount == GraphView.mostBoxes)
    #expect(open.nodeCount == 10_000)
    options.focus = 9_999
    #expect(GraphView(records, options).boxes.map(\.id) == ["9999"])
    #expect(Found("sensor 99/99", in: records).nodes.map(\.id) == [9_999])
  }

  @Test func `19 search looks at names, operators, types, values and files`() throws {
    func found(_ text: String) throws -> [UInt64] {
      let answer = try #require(try ask("api/search", ["text": text]) as? [String: Any])
      return try #require(answer["nodes"] as? [[String: Any]]).map { $0["id"] as! UInt64 }
    }
    #expect(try found("TOTAL") == [4])
    #expect(try found("combine") == [4, 7])
    #expect(try found("discount.swift") == [6, 7])
    #expect(try found("source 10") == [1])
    #expect(try found("int").count == 7)
    #expect(try found("nowhere") == [])
  }

  @Test func `19 the difference of two moments is what came, went and changed`() throws {
    var records = SampleRecords.shop()
    records.nodes[6].born = Moment(sequence: 30, nanoseconds: 0)
    records.nodes[5].gone = Moment(sequence: 31, nanoseconds: 0)
    let last = try #require(records.events.last).sequence
    let difference = Difference(from: 25, to: last, in: records)
    #expect(difference.made.map(\.label) == ["reduced"])
    #expect(difference.gone.map(\.label) == ["discount"])
    #expect(difference.changed.map(\.label).contains("total"))
    // Whichever is named first.
    #expect(Difference(from: last, to: 25, in: records).made.map(\.label) == ["reduced"])
  }

  @Test func `19 a saved session is linted, and what only its program knew is said`() throws {
    let report = try #require(try ask("api/lint") as? [String: Any])
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(
      findings.map { "\($0["rule"]!) \($0["labels"]!)" }.sorted() == [
        "neverHeard [\"even\"]", "neverHeard [\"reduced\"]",
      ])
    #expect(
      report["leftOut"] as? [String] == ["ringHeldByItself", "ownerIsGone", "looseTransform"])
  }

  @Test func `19 scrubbing shows the values as they were`() throws {
    func values(_ at: String) throws -> [String: String] {
      let all = try #require(try ask("api/values", ["at": at]) as? [String: [String: Any]])
      return all.mapValues { $0["text"] as? String ?? $0["form"] as! String }
    }
    let wave = try #require(try ask("api/wave", ["number": "3"]) as? [String: Any])
    let last = try #require((wave["row"] as? [String: Any])?["last"] as? Int)
    let own = try #require(wave["values"] as? [String: [String: Any]])
    #expect(own["4"]?["text"] as? String == "30" && own["7"]?["form"] as? String == "empty")
    #expect(
      try values("\(last)") == [
        "1": "10", "2": "3", "3": "2", "4": "30", "5": "30", "6": "empty", "7": "empty",
      ])
    #expect(
      try values("20") == [
        "1": "10", "2": "empty", "3": "empty", "4": "empty", "5": "empty", "6": "empty",
        "7": "empty",
      ])
  }

  @Test
  func
    `19 in place of a wave that has been dropped the newest one that is kept is shown, if asked for`()
    throws
  {
    let wave = try #require(
      try ask("api/wave", ["number": "812", "else": "newest"]) as? [String: Any])
    #expect((wave["row"] as? [String: Any])?["number"] as? Int == 6)
    #expect(throws: Refusal.self) { try ask("api/wave", ["number": "812"]) }
  }

  @Test func `19 what makes no sense is refused with words`() throws {
    #expect(throws: Refusal.unusable("focus is a number, not “x”.")) {
      try ask("api/graph", ["focus": "x"])
    }
    #expect(throws: Refusal.unusable("group cannot be “moon”.")) {
      try ask("api/graph", ["group": "moon"])
    }
    #expect(throws: Refusal.unusable("number is missing: a number.")) { try ask("api/wave") }
    #expect(throws: Refusal.notFound) { try ask("api/../etc") }
  }

  @Test func `19 the same structure is drawn once`() throws {
    let cache = DrawingCache()
    let view = GraphView(SampleRecords.shop(), ViewOptions())
    let other = GraphView(SampleRecords.shop(sets: 9), ViewOptions())
    _ = cache.drawing(of: view.layoutGraph, for: ViewOptions())
    _ = cache.drawing(of: other.layoutGraph, for: ViewOptions())
    #expect(cache.drawn.load(ordering: .relaxed) == 1)
  }

  @Test func `19 it only shows unless changes are allowed`() throws {
    var request = try Request(head: Data("POST /x HTTP/1.1\r\nHost: a".utf8))
    request.body = Data(#"{"node":1,"text":"4"}"#.utf8)
    #expect(throws: Refusal.showsOnly) { try answers.answer(request, path: "api/change") }
  }
}
